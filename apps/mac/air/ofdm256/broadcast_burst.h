// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of burst #1 after the DL-MAP: UL-MAP, descriptors that are due, messages of stations that are not
// operational.
#pragma once

#include "mac/air/downlink_frame.h"
#include "mac/air/ofdm256/broadcasts.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/air/ofdm256/uplink_plan.h"

namespace wimax::mac {

class BroadcastBurst {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        Broadcasts& broadcasts;
        UplinkPlan& plan;
        DownlinkUsers& users;
        FrameAccount& symbols;
    };
    BroadcastBurst(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies);

    size_t capacity_octets() const {
        return kSymbolGrid.octets_in({config_.profile.broadcast_profile()}, plan_.broadcast_symbols(clock_.frame));
    }
    /// Follows a DL-MAP of `dl_map_octets` octets (0: no DL-MAP). Valid until the next call.
    Octets build(size_t dl_map_octets);

    const BroadcastCounters& counters() const { return counters_; }

private:
    template <class Send> void account(uint64_t& symbols, size_t before_octets, Send&& send);
    void add_descriptors(PduWriter& writer);

    const BaseStationConfig& config_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    Broadcasts& broadcasts_;
    UplinkPlan& plan_;
    DownlinkUsers& users_;
    FrameAccount& symbols_;
    Buffer octets_;
    BroadcastCounters counters_;
};

}  // namespace wimax::mac
