// SPDX-License-Identifier: GPL-3.0-or-later
// Schedulers of a library as the MAC's policies: claims become the structures of wimax_policy.h, and units come back.
// The guard is in mac/scheduler/policy_guard.h.
#pragma once

#include "mac/policy/policies.h"
#include "mac/scheduler/scheduler_policy.h"
#include "policy/foreign_policy.h"

#include <unordered_map>
#include <vector>

namespace wimax::policy {

class ScheduleCall final : public PolicyInstance {
public:
    using PolicyInstance::PolicyInstance;

    wimax_policy_frame frame{};  ///< call() completes it with stations and flows
    std::vector<wimax_policy_station> stations;
    std::vector<wimax_policy_flow> flows;
    std::vector<double> units;  ///< result, of each station

protected:
    int run(const wimax_policy_api& api, void* self) override;
};

/// What both directions have in common.
class ForeignScheduler {
public:
    ForeignScheduler(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<ScheduleCall> instance, std::string refusal,
                     const mac::PolicyCell& cell)
        : calls_(std::move(worker), std::move(instance), std::move(refusal)), cell_(cell) {}

    /// Why there is no call in this frame; `done`: there is one.
    mac::PolicyResult ready() const { return calls_.ready(); }
    /// The input of the next call. Pre: ready() is `done`.
    wimax_policy_frame& begin(double units);
    void add(const wimax_policy_station& station, std::span<const mac::FlowClaim> flows);
    mac::PolicyOutcome call();
    /// Result of the last call that was done.
    double units(size_t station) const { return calls_->units[station]; }
    const std::string& reason() const { return calls_.reason(); }
    /// Adds to what the next call reports as served.
    void served(uint16_t cid, double units) { served_[cid] += units; }
    const mac::ResourceGrid& grid() const { return cell_.grid; }

private:
    Foreign<ScheduleCall> calls_;
    const mac::PolicyCell cell_;
    std::unordered_map<uint32_t, double> served_;  ///< units since the previous call, by CID
};

class ForeignDownlink final : public mac::DownlinkPolicy {
public:
    using Policy = mac::DownlinkPolicy;
    using Instance = ScheduleCall;
    template <class... Of> explicit ForeignDownlink(Of&&... of) : foreign_(std::forward<Of>(of)...) {}
    mac::PolicyOutcome schedule(std::vector<mac::DownlinkClaim>& claims, std::span<const mac::FlowClaim> flows,
                                double units) override;
    void served(const mac::DownlinkClaim& claim, double units) override { foreign_.served(claim.cid, units); }
    std::string reason() const override { return foreign_.reason(); }

private:
    ForeignScheduler foreign_;
};

class ForeignUplink final : public mac::UplinkPolicy {
public:
    using Policy = mac::UplinkPolicy;
    using Instance = ScheduleCall;
    template <class... Of> explicit ForeignUplink(Of&&... of) : foreign_(std::forward<Of>(of)...) {}
    mac::PolicyOutcome schedule(std::vector<mac::UplinkClaim>& claims, std::span<const mac::FlowClaim> flows,
                                uint32_t units, uint32_t max_elements) override;
    std::string reason() const override { return foreign_.reason(); }

private:
    wimax_policy_station station_of(mac::UplinkClaim claim, std::span<const mac::FlowClaim> flows) const;

    ForeignScheduler foreign_;
};

}  // namespace wimax::policy
