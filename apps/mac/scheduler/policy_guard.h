// SPDX-License-Identifier: GPL-3.0-or-later
// Calls a loaded scheduler, and checks its result before a frame is built from it. After a fault the built-in scheduler
// serves the frame. After the third fault it serves all frames.
#pragma once

#include "mac/policy/policy_account.h"
#include "mac/scheduler/scheduler_policy.h"

#include <memory>

namespace wimax::mac {

class GuardedDownlink final : public DownlinkPolicy {
public:
    /// `account` outlives the object.
    GuardedDownlink(std::unique_ptr<DownlinkPolicy> loaded, std::unique_ptr<DownlinkPolicy> builtin,
                    PolicyAccount& account)
        : loaded_(std::move(loaded)), builtin_(std::move(builtin)), account_(account) {}

    /// The outcome is always `done`.
    PolicyOutcome schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim> flows, double units) override;
    void served(const DownlinkClaim& claim, double units) override;

private:
    const std::unique_ptr<DownlinkPolicy> loaded_, builtin_;
    PolicyAccount& account_;
};

class GuardedUplink final : public UplinkPolicy {
public:
    /// `grid` and `account` outlive the object. `most_elements`: of the UL-MAP, for grants.
    GuardedUplink(std::unique_ptr<UplinkPolicy> loaded, std::unique_ptr<UplinkPolicy> builtin, const ResourceGrid& grid,
                  uint32_t most_elements, PolicyAccount& account)
        : loaded_(std::move(loaded)),
          builtin_(std::move(builtin)),
          grid_(grid),
          most_elements_(most_elements),
          account_(account) {}

    /// The outcome is always `done`.
    PolicyOutcome schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, uint32_t units,
                           uint32_t max_elements) override;
    uint32_t refused() const override { return by_builtin_ ? builtin_->refused() : loaded_->refused(); }

private:
    const std::unique_ptr<UplinkPolicy> loaded_, builtin_;
    const ResourceGrid& grid_;
    const uint32_t most_elements_;
    PolicyAccount& account_;
    bool by_builtin_ = true;  ///< the last frame
};

}  // namespace wimax::mac
