// SPDX-License-Identifier: GPL-3.0-or-later
// What all policies of a library have in common: an instance, the thread of its calls, and why the last call failed.
// Each kind derives a class that implements the MAC's interface and fills input() from the MAC's terms. The MAC calls
// it through a guard.
#pragma once

#include "mac/policy/policy_outcome.h"
#include "policy/policy_worker.h"

#include <string>
#include <utility>

namespace wimax::policy {

class ForeignCalls {
public:
    /// `instance` null: the library refused, and every call fails with `refusal`.
    ForeignCalls(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<PolicyInstance> instance, std::string refusal)
        : worker_(std::move(worker)), instance_(std::move(instance)), reason_(std::move(refusal)) {}
    ~ForeignCalls();
    ForeignCalls(const ForeignCalls&) = delete;
    ForeignCalls& operator=(const ForeignCalls&) = delete;

    /// Why there is no call now; `done`: there is one, and its input may be set.
    mac::PolicyResult ready() const;
    /// Pre: ready() is `done`.
    mac::PolicyOutcome call();
    /// The result of a call that was done is not usable.
    mac::PolicyOutcome nonsense(std::string reason) { return failed(mac::PolicyResult::nonsense, std::move(reason)); }
    const std::string& reason() const { return reason_; }

private:
    mac::PolicyOutcome failed(mac::PolicyResult result, std::string reason);

    const std::shared_ptr<PolicyWorker> worker_;
    const std::shared_ptr<PolicyInstance> instance_;
    std::string reason_;
    uint32_t waited_us_ = 0;  ///< duration of the last call
};

/// The same with an instance of a kind.
template <class Instance> class Foreign : public ForeignCalls {
public:
    Foreign(std::shared_ptr<PolicyWorker> worker, std::shared_ptr<Instance> instance, std::string refusal)
        : ForeignCalls(std::move(worker), instance, std::move(refusal)), instance_(std::move(instance)) {}
    /// Input of the next call, and result of the last one. Pre: ready() was `done`.
    Instance& operator*() const { return *instance_; }
    Instance* operator->() const { return instance_.get(); }

private:
    const std::shared_ptr<Instance> instance_;
};

}  // namespace wimax::policy
