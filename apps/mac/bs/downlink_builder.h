/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Downlink subframe: burst #1 with the broadcast messages, then one burst per rate, robust rates first. Stations and
 * multicast connections of one rate share a burst. Stations served by two antennas have separate bursts, in an STC zone
 * at the end (clause 8.3.8).
 */
#pragma once

#include "mac/bs/broadcast_burst.h"
#include "mac/bs/multicast_connections.h"
#include "mac/burst_store.h"
#include "mac/scheduler/downlink_scheduler.h"

#include <gnuradio/wimax/phy/stc/stc.h>

namespace wimax::mac {

struct DownlinkBuilderCounters {
    uint64_t dl_maps = 0, capacity_bytes = 0, payload_bytes = 0;
};

class DownlinkBuilder {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        const MulticastConnections& multicast;
        Broadcasts& broadcasts;
        const UplinkPlan& plan;
        BroadcastBurst& broadcast;
        BurstStore& bursts;
        SymbolAccount& symbols;
    };
    DownlinkBuilder(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies);

    /// A PHY with two antennas sends STC zones.
    void use_antennas(int antennas) { zones_ = antennas >= phy::kStcAntennas; }
    void restart() { rotation_ = 0; }
    /// Builds the bursts of the frame; its uplink has been planned.
    void build(sap::TxFrame& tx);
    const DownlinkBuilderCounters& counters() const { return counters_; }

private:
    struct Group {
        ProfileId profile{};
        bool stc = false;
        size_t first = 0, count = 0;  ///< of claims_
        double symbols = 0;
    };

    void collect_claims();
    void add_claim(Subscriber& station);
    void add_claim(MulticastConnection& connection);
    void add_claim(const FlowContext& flow);
    void finish_claim(DownlinkClaim& claim);
    void group_by_profile();
    size_t zone_groups() const;
    size_t dl_map_elements() const;
    bool dl_map_goes_out() const;
    size_t fill(FlowContext& flow, PduWriter& writer, size_t limit);
    size_t serve(Subscriber& station, PduWriter& writer, size_t limit);
    size_t serve_group(Subscriber& station, size_t first, size_t end, PduWriter& writer, size_t limit);
    uint32_t fill(const Group& group, uint32_t symbols, sap::TxBurst& burst);
    uint32_t add_bursts(uint32_t symbol, uint32_t left, sap::TxFrame& tx);
    void finish_first(Octets broadcast, bool dl_map, sap::TxBurst& burst);

    const BaseStationConfig& config_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    StationTable& stations_;
    const MulticastConnections& multicast_;
    Broadcasts& broadcasts_;
    const UplinkPlan& plan_;
    BroadcastBurst& broadcast_;
    BurstStore& bursts_;
    SymbolAccount& symbols_;

    DownlinkScheduler scheduler_;
    std::vector<DownlinkClaim> claims_;  ///< by profile, then CID
    std::vector<FlowClaim> flows_;
    std::vector<Group> groups_;
    ArqFeedbackPayload feedback_;  ///< of the station being served
    DlMap dl_map_;
    uint32_t rotation_ = 0;
    bool zones_ = false;
    DownlinkBuilderCounters counters_;
};

}  // namespace wimax::mac
