// SPDX-License-Identifier: GPL-3.0-or-later
// One thread that runs the calls of a loaded policy, so that a call that hangs stops no frame: the caller waits for a
// limited time. A thread that hangs is abandoned with all that its call uses.
#pragma once

#include "policy/wimax_policy.h"

#include <pthread.h>

#include <chrono>
#include <memory>

namespace wimax::policy {

/// A policy of a library with input and result of its present call. Each kind of policy derives a class with both.
class PolicyInstance {
public:
    /// `api` is valid until the program ends. `self`: of api.make(), destroyed with the object.
    PolicyInstance(const wimax_policy_api& api, void* self) : api_(api), self_(self) {}
    virtual ~PolicyInstance() {
        if (!abandoned_) api_.destroy(self_);
    }
    PolicyInstance(const PolicyInstance&) = delete;
    PolicyInstance& operator=(const PolicyInstance&) = delete;

    /// Calls the library.
    void call();
    /// The library is not asked to destroy its policy, whose call has not ended.
    void abandon() { abandoned_ = true; }

    int result = WIMAX_POLICY_DONE;
    uint32_t spent_us = 0;  ///< processor time of the call
    wimax_policy_error error{};

protected:
    /// The call of the derived class, with its input and result. Returns WIMAX_POLICY_DONE or a fault.
    virtual int run(const wimax_policy_api& api, void* self) = 0;

private:
    const wimax_policy_api& api_;
    void* const self_;
    bool abandoned_ = false;
};

class PolicyWorker {
public:
    enum class Wait { ended, late, busy };

    PolicyWorker(const wimax_policy_api& api, std::chrono::microseconds limit);
    ~PolicyWorker();
    PolicyWorker(const PolicyWorker&) = delete;
    PolicyWorker& operator=(const PolicyWorker&) = delete;

    /// Whether no call runs: instances may be changed then.
    bool idle() const;
    /// Runs the call and waits for its end, at most for the limit. `busy`: an earlier call has not ended, and this one
    /// was not begun.
    Wait run(const std::shared_ptr<PolicyInstance>& instance);
    std::chrono::microseconds limit() const { return limit_; }
    /// Called by the thread that calls run(), after it has got its priority.
    void set_limit(std::chrono::microseconds limit);

private:
    struct Shared;
    static void serve(const std::shared_ptr<Shared>& shared);

    const wimax_policy_api& api_;
    std::chrono::microseconds limit_;
    const std::shared_ptr<Shared> shared_;
    pthread_t thread_{};  ///< valid until the destructor stops it
};

}  // namespace wimax::policy
