// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts of the downlink: the broadcast burst, then one burst per burst profile, the most robust first. Stations and
// multicast connections of one profile share a burst. Stations served by two antennas have separate bursts. The air
// interface places the bursts (air/downlink_frame.h).
#pragma once

#include "mac/air/downlink_frame.h"
#include "mac/bs/multicast_connections.h"
#include "mac/bs/station_table.h"
#include "mac/burst_store.h"
#include "mac/resource_grid.h"
#include "mac/scheduler/scheduler_policy.h"

namespace wimax::mac {

/// Messages of the broadcast burst: responses to stations without their own connection yet, and management messages of
/// stations that are not operational yet.
class EnteringStations final : public DownlinkUsers {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        ManagementQueue& replies;
    };
    explicit EnteringStations(const Dependencies& dependencies) : to_(dependencies) {}
    void add_messages(PduWriter& broadcast) override;

private:
    static constexpr size_t kPacketOctets = 700;  ///< in a frame, to all managed stations that enter

    void add_packets(PduWriter& broadcast);
    void add_packets(Subscriber& station, SecondaryConnection& secondary, PduWriter& broadcast, size_t limit);

    const Dependencies to_;
    ArqFeedbackPayload feedback_;  ///< of the station being served
};

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
        BurstStore& bursts;
        const ResourceGrid& grid;
        DownlinkFrame& frame;
    };
    DownlinkBuilder(std::unique_ptr<DownlinkPolicy> policy, const Dependencies& dependencies);

    void restart() { rotation_ = 0; }
    /// Builds the bursts of the frame; its uplink has been planned.
    void build(sap::TxFrame& tx);
    const DownlinkBuilderCounters& counters() const { return counters_; }

private:
    /// Claims that share a burst.
    struct Group {
        size_t first = 0, count = 0;  ///< of claims_
        double units = 0;
    };

    void collect_claims();
    void add_claim(Subscriber& station);
    void add_claim(MulticastConnection& connection);
    void add_claim(const FlowContext& flow);
    void finish_claim(DownlinkClaim& claim);
    void place_by_turn(const Subscriber& station, DownlinkClaim& claim) const;
    bool place_for_all(const MulticastConnection& connection, DownlinkClaim& claim) const;
    void group_by_profile();
    void limit(FramePart part);
    template <class Demand> double level(FramePart part, double room, Demand&& demand) const;
    double units_in(FramePart part) const;
    double owed_in(FramePart part) const;
    std::optional<uint32_t> bound_of(FramePart part) const;
    double rounding_after() const;
    double kept_from(FramePart part) const;
    double spare_in(FramePart part, double room) const;
    double owed_units(const DownlinkClaim& claim) const;
    size_t fill(FlowContext& flow, PduWriter& writer, size_t limit);
    size_t serve(Subscriber& station, PduWriter& writer, size_t limit);
    size_t serve_group(Subscriber& station, size_t first, size_t end, PduWriter& writer, size_t limit);
    void fill(const Group& group, const BurstShape& shape, uint32_t units, sap::TxBurst& burst);
    void add_bursts(sap::TxFrame& tx);

    const FrameClock& clock_;
    StationTable& stations_;
    const MulticastConnections& multicast_;
    BurstStore& bursts_;
    const ResourceGrid& grid_;
    DownlinkFrame& frame_;

    const std::unique_ptr<DownlinkPolicy> scheduler_;
    std::vector<DownlinkClaim> claims_;  ///< by profile, then CID
    std::vector<FlowClaim> flows_;
    std::vector<Group> groups_;
    std::vector<DownlinkFrame::Burst> wanted_;  ///< of each group
    ArqFeedbackPayload feedback_;               ///< of the station being served
    uint32_t rotation_ = 0;
    DownlinkBuilderCounters counters_;
};

}  // namespace wimax::mac
