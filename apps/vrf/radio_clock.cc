// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/radio_clock.h"

namespace wimax::vrf {
namespace {

constexpr std::chrono::duration<double> kStandstill{3}, kPulsePeriod{1};

}  // namespace

void RadioClock::use(const Welcome& welcome) {
    chunk_samples_ = welcome.chunk_samples;
    mode_ = welcome.mode;
}

bool Timeout::expired() {
    const auto wall = clock_.wall();
    const int64_t tick = clock_.now();
    if (tick != tick_) {
        tick_ = tick;
        moved_ = wall;
    }
    if (wall - since_ < length_) return false;
    const bool stretched = clock_.mode() == TimeMode::commit && clock_.attached() &&
                           double(tick - first_) < length_.count() * clock_.rate_hz();
    return !stretched || wall - moved_ > kStandstill;
}

uint64_t Pulses::request_time(int64_t tick) {
    const std::lock_guard lock(mutex_);
    requested_ = tick;
    return count_;
}

std::optional<int64_t> Pulses::take_request() {
    const std::lock_guard lock(mutex_);
    return std::exchange(requested_, {});
}

void Pulses::pass(int64_t tick) {
    {
        const std::lock_guard lock(mutex_);
        last_ = tick;
        ++count_;
    }
    passed_.notify_all();
}

Pulses::Seen Pulses::seen() const {
    const std::lock_guard lock(mutex_);
    return {count_, queried_ == count_};
}

void Pulses::wait(uint64_t seen, const RadioClock& clock) {
    Timeout limit(clock, kPulsePeriod);
    std::unique_lock lock(mutex_);
    const auto passed = [&] { return count_ != seen; };
    while (!passed() && !limit.expired()) passed_.wait_for(lock, kLookAgain, passed);
}

int64_t Pulses::query() {
    const std::lock_guard lock(mutex_);
    queried_ = count_;
    return last_;
}

}  // namespace wimax::vrf
