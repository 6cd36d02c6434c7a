// SPDX-License-Identifier: GPL-3.0-or-later
// Burst profile of the downlink to this station (clauses 6.3.2.3.26, 6.3.10 and 6.3.17). Measured on the broadcast
// burst of each frame and on losses in the rate in use, decided by the thresholds of the DCD in force, requested by
// DBPC-REQ. After two requests without a response, or without grants, RNG-REQ is used as well. A request without a
// response is repeated; a base station that answers with another profile has set a limit. Bursts of every announced
// profile are received at any time, so nothing is lost during a change.
#pragma once

#include "mac/policy/guarded_rate.h"
#include "mac/ss/management_connections.h"
#include "mac/ss/ranging.h"

#include <memory>
#include <optional>

namespace wimax::mac {

struct DownlinkProfileCounters {
    uint64_t requests = 0, repetitions = 0, ranging_requests = 0, refusals = 0;
};

class DownlinkProfileControl {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        const SubscriberAir& air;
        Ranging& ranging;
        ManagementConnections& management;
        LoadedPolicies& policies;
    };
    /// `own`: address of the station.
    DownlinkProfileControl(const LinkAdaptationConfig& config, const MacAddress& own, const Dependencies& dependencies);

    /// Called for each received burst; `whole`: all of it could be read. `broadcast`: it is burst #1. `own`: it
    /// contains something for this station. Where that lies, in the zone of several antennas or outside, is measured.
    void on_burst(const sap::RxBurst& burst, bool broadcast, bool whole, bool own);
    void on_response(const DbpcRsp& response);
    /// REP-REQ's averaging parameter.
    void set_averaging(float alpha) { policy_->set_averaging(alpha); }
    /// Call once per frame. `served`: ranging is over; `granted`: the previous frame had a grant.
    void begin_frame(bool served, bool granted, const LinkAim& aim);

    ProfileId profile() const { return policy_->id(); }
    float margin_db() const { return policy_->margin_db(); }
    /// Sum of all entries.
    RateChanges changes() const {
        const auto& now = policy_->changes();
        return {before_.falls + now.falls, before_.rises + now.rises};
    }
    const DownlinkProfileCounters& counters() const { return counters_; }

private:
    struct Request {
        ProfileId profile{};
        uint32_t before = 0;  ///< bits by row: requested earlier, and not answered
        int sent = 0;
        Samples repeat_at = 0;
    };

    void judge(const sap::RxBurst& burst, bool whole);
    void enter();
    void read_thresholds();
    void follow_dcd();
    void told(uint8_t code);
    void ask(ProfileId profile);

    const MacAddress own_;
    const FrameClock& clock_;
    const SubscriberAir& air_;
    Ranging& ranging_;
    ManagementConnections& management_;

    struct Limits {
        ProfileId lowest{}, highest{};
    };

    LinkAdaptation rates_;
    RateThresholds thresholds_;
    std::optional<Limits> announced_;      ///< profiles of the DCD in force
    std::optional<uint32_t> dcd_version_;  ///< DCD that thresholds_ and announced_ come from
    std::unique_ptr<RatePolicy> policy_;   ///< never null; made again at entry, when the frame length is known
    bool served_ = false;
    uint32_t frames_without_grant_ = 0;
    Samples zone_until_ = INT64_MIN;  ///< its bursts lie in the zone of several antennas
    std::optional<Request> asked_;
    Samples limits_until_ = 0;  ///< when limits that the base station has set end
    RateChanges before_;        ///< in earlier entries
    DownlinkProfileCounters counters_;
};

}  // namespace wimax::mac
