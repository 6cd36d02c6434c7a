// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/policy_worker.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

namespace wimax::policy {
namespace {

/// Processor time of this thread.
int64_t thread_us() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000;
}

}  // namespace

void PolicyInstance::call() {
    error.text[0] = '\0';
    const int64_t begin_us = thread_us();
    result = run(api_, self_);
    spent_us = static_cast<uint32_t>(thread_us() - begin_us);
}

/// Of both threads: it lives until the last of them ends.
struct PolicyWorker::Shared {
    std::mutex mutex;
    std::condition_variable begun, ended;
    std::shared_ptr<PolicyInstance> instance;  ///< whose call runs; null: none
    bool stop = false;
};

PolicyWorker::PolicyWorker(const wimax_policy_api& api, std::chrono::microseconds limit)
    : api_(api), limit_(limit), shared_(std::make_shared<Shared>()) {
    std::thread thread([shared = shared_] { serve(shared); });
    pthread_setname_np(thread.native_handle(), "policy");
    thread_ = thread.native_handle();
    thread.detach();  // a call that hangs cannot be interrupted
}

/// One priority below the caller's: a thread of equal priority on the same CPU would keep the caller from ending its
/// wait.
void PolicyWorker::set_limit(std::chrono::microseconds limit) {
    limit_ = limit;
    sched_param own{};
    int scheduling = SCHED_OTHER;
    if (pthread_getschedparam(pthread_self(), &scheduling, &own) != 0 || scheduling != SCHED_FIFO) return;
    own.sched_priority = std::max(own.sched_priority - 1, sched_get_priority_min(SCHED_FIFO));
    pthread_setschedparam(thread_, scheduling, &own);
}

PolicyWorker::~PolicyWorker() {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
    if (shared_->instance) shared_->instance->abandon();
    shared_->begun.notify_one();
}

void PolicyWorker::serve(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->mutex);
    for (;;) {
        shared->begun.wait(lock, [&] { return shared->stop || shared->instance; });
        if (shared->stop) return;
        const auto instance = shared->instance;
        lock.unlock();
        instance->call();
        lock.lock();
        shared->instance.reset();
        shared->ended.notify_one();
    }
}

bool PolicyWorker::idle() const {
    const std::lock_guard lock(shared_->mutex);
    return !shared_->instance;
}

PolicyWorker::Wait PolicyWorker::run(const std::shared_ptr<PolicyInstance>& instance) {
    void* left = api_.leave != nullptr ? api_.leave() : nullptr;
    const Wait wait = [&] {
        std::unique_lock lock(shared_->mutex);
        if (shared_->instance) return Wait::busy;
        shared_->instance = instance;
        shared_->begun.notify_one();
        // A stop of the whole process, for instance by SIGSTOP, uses up one piece of a long limit.
        constexpr std::chrono::microseconds kPiece = std::chrono::milliseconds(100);
        for (auto rest = limit_; rest.count() > 0; rest -= kPiece)
            if (shared_->ended.wait_for(lock, std::min(rest, kPiece), [&] { return !shared_->instance; }))
                return Wait::ended;
        return Wait::late;
    }();
    if (api_.enter != nullptr) api_.enter(left);
    return wait;
}

}  // namespace wimax::policy
