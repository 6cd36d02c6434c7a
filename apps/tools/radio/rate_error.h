// SPDX-License-Identifier: GPL-3.0-or-later
// Computed error of the conversion from the channel's rate to the device's and back.
#pragma once

#include "radio/rate_plan.h"

#include <gnuradio/wimax/phy/base/numerology.h>

namespace wimax::radio {

/// EVM in dB of a known burst that is resampled to the device's rate, rounded to the wire's 16 bits with 12 dB of head
/// room, and resampled back, with the FFT where the receivers have it.
double rate_error_db(const gr::wimax::RatePlan& plan, const gr::wimax::phy::Numerology& numerology);

}  // namespace wimax::radio
