// SPDX-License-Identifier: GPL-3.0-or-later
// Received codes of focused contention (clause 8.3.7.3) that await a response: an element of the UL-MAP with frame,
// opportunity, channel and code, where the code's sender sends its request. The sender is unknown. If the code asks for
// subchannels, the place has the least number that the cell allows: it suits each station that adaptation can serve.
#pragma once

#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/uplink_plan.h"

#include <vector>

namespace wimax::mac {

class FocusedContentionService {
public:
    /// All outlive the object.
    struct Dependencies {
        UplinkPlan& plan;
    };
    FocusedContentionService(const BaseStationConfig& config, const Dependencies& dependencies);

    void restart() { waiting_.clear(); }
    void heard(const sap::RxContention& contention);
    size_t waiting() const { return waiting_.size(); }
    /// Adds responses to the map being planned, at most `most`, oldest first.
    void answer(uint32_t most);

    const FocusedContentionCounters& counters() const { return counters_; }

private:
    struct Heard {
        phy::FrameNumber frame;
        FocusedContention code;
    };

    const CodeSet subchannel_codes_;  ///< their requests are sent on a part of the band
    const uint8_t width_;             ///< of these requests, in subchannels
    UplinkPlan& plan_;
    std::vector<Heard> waiting_;
    FocusedContentionCounters counters_;
};

}  // namespace wimax::mac
