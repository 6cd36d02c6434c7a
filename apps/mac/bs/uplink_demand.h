// SPDX-License-Identifier: GPL-3.0-or-later
// Claims of stations and their flows to an uplink frame (clauses 6.3.5 and 6.3.6): requests, UGS grants, reserved
// rates, polls, room for entry; and the part that a grant has paid.
#pragma once

#include "mac/bs/station_table.h"
#include "mac/clock.h"
#include "mac/scheduler/uplink_scheduler.h"

namespace wimax::mac {

class UplinkDemand {
public:
    struct Config {
        uint32_t t27_idle_ms = 1000, t27_active_ms = 100;
        double frame_seconds = 0.01;
        Samples frame_samples = 0;
    };
    UplinkDemand(const Config& config, const FrameClock& clock, const ResourceGrid& grid)
        : config_(config), clock_(clock), grid_(grid) {}

    /// Collects claims of all ranged stations, by CID. Counts a frame for each of them.
    void collect(StationTable& stations);
    std::vector<UplinkClaim>& claims() { return claims_; }
    /// Sets T27 from now on.
    void poll_after(uint32_t idle_ms, uint32_t active_ms) {
        config_.t27_idle_ms = idle_ms;
        config_.t27_active_ms = active_ms;
    }
    uint32_t t27_idle_ms() const { return config_.t27_idle_ms; }
    std::span<const FlowClaim> flows() const { return flows_; }

    /// A grant pays what was due, in serving order. Returns the octets that answer requests: all but those of UGS.
    size_t spend(Subscriber& station, size_t octets);
    /// The slip indicator was set: more grants for a while.
    void slipped(FlowContext& flow) const;

private:
    UplinkClaim claim_of(Subscriber& station);
    FlowClaim claim_of(FlowContext& flow);
    size_t grantable(const FlowContext& flow) const;
    static void share_reserved(Subscriber& station, std::span<FlowClaim> claims);
    static void owe_nothing(FlowClaim& claim);
    void claim_asked(FlowContext& flow, FlowClaim& claim);
    bool entry_grant_due(const Subscriber& station);
    size_t feedback_due(const Subscriber& station);

    Config config_;
    const FrameClock& clock_;
    const ResourceGrid& grid_;
    std::vector<UplinkClaim> claims_;
    std::vector<FlowClaim> flows_;
    uint32_t entry_grants_left_ = 0;                          ///< in this frame, for stations that have not registered
    uint32_t feedback_stations_ = 0, feedback_interval_ = 1;  ///< that await it; frames between grants to one
};

}  // namespace wimax::mac
