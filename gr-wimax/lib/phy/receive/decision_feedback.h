// SPDX-License-Identifier: GPL-3.0-or-later
// Decides which symbols of a burst are decoded at once so that the channel is followed by what was sent (internal):
// those in which a fast channel changes visibly, as far as the work allowed lasts.
#pragma once

#include "phy/channel/response_tracker.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>

namespace gr::wimax::phy {

class DecisionFeedback {
public:
    /// A burst begins.
    void start(const SymbolPace& pace);

    /// Call after each symbol was fed to `decoder`. Labels of its data carriers as sent; empty if the symbol's own
    /// decisions are good enough, or nothing is left of the work.
    std::span<const uint8_t> labels(const ResponseState& response, const ChannelEstimate& channel,
                                    std::span<const SoftBit> soft, BurstDecoder& decoder);

private:
    int work_ = 0, work_of_symbol_ = 0;  // trellis steps
    std::array<uint8_t, kDataCarriers> labels_;
};

}  // namespace gr::wimax::phy
