// SPDX-License-Identifier: GPL-3.0-or-later
// Behaviour of models of radios between antenna and host: the restart of a stream after an overflow, and delays of
// packets. Not thread-safe, except where noted: the owner locks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>

namespace wimax::vrf {

/// See personality.h.
struct RxHabits {
    size_t frames = 0;  ///< most packets between antenna and host; 0: an ideal radio
    int64_t restart_samples = 0;
    std::chrono::duration<double> jitter{0};  ///< largest delay until a packet is readable
    uint64_t seed = 1;
};

/// A stream that has overflowed stops, and restarts later.
class RxRestart {
public:
    explicit RxRestart(const RxHabits& habits) : samples_(habits.restart_samples) {}

    /// The stream stops at `tick` for at least `samples`. `until_read`: it restarts after the host has read the
    /// overflow.
    void stop(int64_t tick, size_t samples, bool until_read);
    void host_has_read() { read_ = true; }
    /// Skips samples of a stopped stream. True: the stream is still stopped at `end`.
    bool skip(int64_t& position, int64_t end);
    void forget() { stopped_ = false; }
    /// Any thread.
    bool stopped() const { return stopped_; }
    /// Number of restarts so far.
    uint32_t count() const { return count_; }

private:
    const int64_t samples_;
    std::atomic<bool> stopped_{false};
    bool read_ = false, until_read_ = false;
    int64_t resumes_at_ = 0;  ///< when stopped_
    uint32_t count_ = 0;
};

/// Delays of packets in real time: random ones of the model, and one on request.
class RxDelays {
public:
    using Clock = std::chrono::steady_clock;

    explicit RxDelays(const RxHabits& habits) : jitter_(habits.jitter), random_(habits.seed) {}

    void hold_until(Clock::time_point time) { held_until_ = time; }
    bool any() const { return jitter_.count() > 0 || held_until_ != Clock::time_point{}; }
    /// Draws the delay of the samples that arrive now, not before that of earlier ones.
    void draw(Clock::time_point now);
    /// Time from which the packets that arrived last are readable.
    Clock::time_point readable() const { return readable_; }
    void forget() { held_until_ = readable_ = {}; }

private:
    const std::chrono::duration<double> jitter_;
    std::mt19937_64 random_;
    Clock::time_point held_until_{}, readable_{};
};

}  // namespace wimax::vrf
