/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a receiver hears, as the control socket tells it.
 */
#pragma once

#include "phyd/air.h"

#include <nlohmann/json.hpp>

namespace wimax::phyd {

/// Spectrum in dBm a bin; bursts with points in 1/1000 (I, Q, I, Q ...), channel in dBm a carrier, null where none is.
nlohmann::json signal_picture(const gr::wimax::SignalTap& tap, const Air::Radio& radio);
/// Channel at offsets -100..100: power, phase beyond the mean delay, and that delay in samples of the FFT window.
nlohmann::json channel_picture(std::span<const gr::wimax::phy::Complex> response, double reference_dbm);

}  // namespace wimax::phyd
