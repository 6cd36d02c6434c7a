// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/foreign_policy.h"

namespace wimax::policy {
namespace {

using mac::PolicyResult;

uint32_t since_us(std::chrono::steady_clock::time_point begin) {
    return static_cast<uint32_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count());
}

}  // namespace

ForeignCalls::~ForeignCalls() {
    // An interpreter's lock may be held by the call that hangs.
    if (instance_ && !worker_->idle()) instance_->abandon();
}

PolicyResult ForeignCalls::ready() const {
    if (!instance_) return PolicyResult::failed;
    return worker_->idle() ? PolicyResult::done : PolicyResult::busy;
}

mac::PolicyOutcome ForeignCalls::failed(PolicyResult result, std::string reason) {
    reason_ = std::move(reason);
    return {result, result == PolicyResult::late ? 0 : instance_->spent_us, waited_us_};
}

mac::PolicyOutcome ForeignCalls::call() {
    const auto begin = std::chrono::steady_clock::now();
    const auto wait = worker_->run(instance_);
    if (wait == PolicyWorker::Wait::busy) return {PolicyResult::busy};
    waited_us_ = since_us(begin);
    if (wait == PolicyWorker::Wait::late)
        return failed(PolicyResult::late, "no result after " + std::to_string(worker_->limit().count()) + " us");
    if (instance_->result == WIMAX_POLICY_NONSENSE) return failed(PolicyResult::nonsense, instance_->error.text);
    if (instance_->result != WIMAX_POLICY_DONE) return failed(PolicyResult::failed, instance_->error.text);
    return {PolicyResult::done, instance_->spent_us, waited_us_};
}

}  // namespace wimax::policy
