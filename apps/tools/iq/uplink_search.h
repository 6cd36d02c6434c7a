/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a subchannelized uplink burst may begin. Its preamble has no repetition to look for, so the recording is
 * correlated with the preamble itself; that works for carrier offsets well below the carrier spacing, as the receiver
 * demands anyway.
 */
#pragma once

#include <gnuradio/wimax/phy/burst_types.h>

#include <span>
#include <vector>

namespace wimax::iq {

/// Most likely first samples of the burst's cyclic prefix, best first.
std::vector<int64_t> subchannel_candidates(const gr::wimax::phy::Numerology& numerology,
                                           const gr::wimax::phy::BurstFormat& format,
                                           std::span<const gr::wimax::phy::Complex> samples);

}  // namespace wimax::iq
