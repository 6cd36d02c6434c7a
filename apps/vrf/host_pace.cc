// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/host_pace.h"

#include <algorithm>

namespace wimax::vrf {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kUnreadChunks = 2;
constexpr std::chrono::milliseconds kReaderPatience = 250ms, kWriterPatience = 20ms, kCommittedReaderPatience = 2s;
constexpr auto kLivenessPeriod = 50ms;

}  // namespace

void HostPace::commit(int64_t tick, uint64_t bursts) {
    {
        const std::lock_guard lock(mutex_);
        commit_tick_ = tick;
        commit_bursts_ = bursts;
    }
    changed_.notify_one();
}

std::pair<int64_t, uint64_t> HostPace::committed() const {
    const std::lock_guard lock(mutex_);
    return {commit_tick_, commit_bursts_};
}

void HostPace::host_transmits() {
    transmitted_ = true;
    wake();
}

void HostPace::wake() {
    { const std::lock_guard lock(mutex_); }
    changed_.notify_one();
}

void HostPace::host_has_read() {
    if (reader_awaited_) wake();
}

bool HostPace::wait(int64_t next, const std::function<bool()>& lost) {
    auto since = clock_.wall();
    std::unique_lock lock(mutex_);
    bool waited = false;
    while (!ready(next, since)) {
        // Short waits only if patience is limited; a commit wakes this thread.
        changed_.wait_for(lock, commit_tick_ == INT64_MAX ? 5ms : kLivenessPeriod);
        waited = true;
        lock.unlock();
        if (lost()) return false;
        lock.lock();
    }
    if (waited) count_stall(since);
    return true;
}

bool HostPace::allows(int64_t next) {
    const std::lock_guard lock(mutex_);
    const bool again = refused_ == next;
    auto since = again ? refused_at_ : clock_.wall();
    if (!ready(next, since)) {
        refused_ = next;
        refused_at_ = since;
        return false;
    }
    if (again) count_stall(since);
    refused_.reset();
    return true;
}

void HostPace::count_stall(RadioClock::Wall::time_point since) {
    const std::chrono::duration<double> chunk_time(clock_.chunk_samples() / clock_.rate_hz());
    if (clock_.wall() - since > chunk_time) ++stalls_;
}

/// `since`: begin of the wait; for a held radio, begin of its time. Call with the lock.
bool HostPace::ready(int64_t next, RadioClock::Wall::time_point& since) {
    if (held_) {
        if (!host_streams()) return false;
        held_ = false;
        since = clock_.wall();
    }
    if (clock_.mode() == TimeMode::rt) return true;
    const auto waited = clock_.wall() - since;
    const bool committed = commit_tick_ != INT64_MAX;
    if (committed) {
        // A host that waits for room in the queue cannot promise more before time continues; nor can one whose stream
        // has stopped, once it has promised all that it can.
        if (covered(next)) stands_ = false;
        else if (rx_.stopped() && (stands_ || waited >= kReaderPatience)) stands_ = true;
        else if (!tx_.blocked()) return false;
    } else if (waited < kWriterPatience && tx_.starving(clock_.tick_of(next), clock_.chunk_samples())) {
        return false;
    }
    // Limit of unread samples. A committing host limits them by its commits, so its whole queue may fill.
    const size_t uncommitted = std::max(size_t(kUnreadChunks) * clock_.chunk_samples(), rx_.packet_samples());
    const size_t allowed = committed ? rx_.capacity() - clock_.chunk_samples() : uncommitted;
    reader_awaited_ = true;  // before reading unread(), so that no read is missed
    const bool full = rx_.unread() > allowed && given_up_reads_ != rx_.reads();
    if (full && waited < (committed ? kCommittedReaderPatience : kReaderPatience)) return false;
    reader_awaited_ = false;
    if (full) given_up_reads_ = rx_.reads();
    return true;
}

/// Call with the lock.
bool HostPace::covered(int64_t next) const {
    return commit_tick_ != INT64_MAX && commit_tick_ >= clock_.tick_of(next) + clock_.chunk_samples() &&
           tx_.bursts_queued() >= commit_bursts_;
}

bool HostPace::promised(int64_t next) const {
    const std::lock_guard lock(mutex_);
    return covered(next);
}

void HostPace::rest(std::chrono::milliseconds length, const std::function<bool()>& stopped) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, length, stopped);
}

}  // namespace wimax::vrf
