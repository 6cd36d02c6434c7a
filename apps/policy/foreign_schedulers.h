// SPDX-License-Identifier: GPL-3.0-or-later
// Schedulers of a library as the MAC's policies: claims become the structures of wimax_policy.h, and units come back.
// The MAC calls them through a guard (mac/scheduler/policy_guard.h).
#pragma once

#include "mac/scheduler/scheduler_policy.h"
#include "policy/policy_worker.h"

#include <unordered_map>

namespace wimax::policy {

/// What both directions have in common.
class ForeignScheduler {
public:
    /// `instance` null: the library refused, and every call fails with `refusal`.
    ForeignScheduler(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<PolicyInstance> instance,
                     std::string refusal, const mac::Policies::Cell& cell);
    ~ForeignScheduler();
    ForeignScheduler(const ForeignScheduler&) = delete;
    ForeignScheduler& operator=(const ForeignScheduler&) = delete;

    /// Why there is no call in this frame; `done`: there is one.
    mac::PolicyResult ready() const {
        if (!instance_) return mac::PolicyResult::failed;
        return worker_->idle() ? mac::PolicyResult::done : mac::PolicyResult::busy;
    }
    /// The input of the next call. Pre: ready() is `done`.
    wimax_policy_frame& begin(double units);
    void add(const wimax_policy_station& station, std::span<const mac::FlowClaim> flows);
    mac::PolicyOutcome call();
    /// Result of the last call that was done.
    double units(size_t station) const { return instance_->units[station]; }
    const std::string& reason() const { return reason_; }
    /// Adds to what the next call reports as served.
    void served(uint16_t cid, double units) { served_[cid] += units; }
    const mac::ResourceGrid& grid() const { return cell_.grid; }

private:
    mac::PolicyOutcome failed(mac::PolicyResult result, std::string reason);

    const std::shared_ptr<PolicyWorker> worker_;
    const std::shared_ptr<PolicyInstance> instance_;
    const mac::Policies::Cell cell_;
    std::string reason_;
    uint32_t waited_us_ = 0;                       ///< duration of the last call
    std::unordered_map<uint32_t, double> served_;  ///< units since the previous call, by CID
};

class ForeignDownlink final : public mac::DownlinkPolicy {
public:
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
    template <class... Of> explicit ForeignUplink(Of&&... of) : foreign_(std::forward<Of>(of)...) {}
    mac::PolicyOutcome schedule(std::vector<mac::UplinkClaim>& claims, std::span<const mac::FlowClaim> flows,
                                uint32_t units, uint32_t max_elements) override;
    std::string reason() const override { return foreign_.reason(); }

private:
    wimax_policy_station station_of(mac::UplinkClaim claim, std::span<const mac::FlowClaim> flows) const;

    ForeignScheduler foreign_;
};

}  // namespace wimax::policy
