// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a virtual radio: received samples plus a settable offset, which the channel moves in chunks; its pulse
// per second; timeouts of a host that also count in this time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "vrf/link.h"

namespace wimax::vrf {

/// Any thread, except where noted.
class RadioClock {
public:
    using Wall = std::chrono::steady_clock;

    RadioClock(double rate_hz, std::function<Wall::time_point()> wall) : rate_hz_(rate_hz), wall_(std::move(wall)) {}

    double rate_hz() const { return rate_hz_; }
    uint32_t chunk_samples() const { return chunk_samples_; }
    TimeMode mode() const { return mode_; }
    bool attached() const { return attached_; }
    Wall::time_point wall() const { return wall_(); }
    int64_t now() const { return count_ + offset_; }
    /// Tick of the radio's own sample `own`.
    int64_t tick_of(int64_t own) const { return own + offset_; }
    void move(int64_t delta) { offset_ += delta; }

    // Worker only.
    int64_t count() const { return count_; }
    void count_to(int64_t own) { count_ = own; }
    void use(const Welcome& welcome);
    void attach() { attached_ = true; }
    void detach() { attached_ = false; }

private:
    const double rate_hz_;
    const std::function<Wall::time_point()> wall_;
    std::atomic<uint32_t> chunk_samples_{0};
    std::atomic<TimeMode> mode_{TimeMode::commit};
    std::atomic<bool> attached_{false};
    std::atomic<int64_t> count_{0}, offset_{0};
};

/// A host's timeout. If the radio's time is stretched, it also counts in that; see Radio::next_event().
class Timeout {
public:
    Timeout(const RadioClock& clock, std::chrono::duration<double> length) : clock_(clock), length_(length) {}
    bool expired();

private:
    const RadioClock& clock_;
    const std::chrono::duration<double> length_;
    const RadioClock::Wall::time_point since_ = clock_.wall();
    const int64_t first_ = clock_.now();
    int64_t tick_ = first_;
    RadioClock::Wall::time_point moved_ = since_;
};

inline constexpr std::chrono::milliseconds kLookAgain{20};  ///< interval at which a wait checks its end

/// Pulses of the radio, one per second. Any thread.
class Pulses {
public:
    /// The clock shall have `tick` at the next pulse. Returns the number of pulses so far.
    uint64_t request_time(int64_t tick);
    /// The requested time, once.
    std::optional<int64_t> take_request();
    /// A pulse at this tick.
    void pass(int64_t tick);

    struct Seen {
        uint64_t pulses;
        bool again;  ///< queried before, without another pulse
    };
    Seen seen() const;
    /// Waits for a pulse after `seen`, at most as long as one takes.
    void wait(uint64_t seen, const RadioClock& clock);
    /// Tick of the last pulse.
    int64_t query();

private:
    mutable std::mutex mutex_;
    std::condition_variable passed_;
    std::optional<int64_t> requested_;
    uint64_t count_ = 0;
    std::optional<uint64_t> queried_;  ///< count_ at the last query
    int64_t last_ = 0;
};

}  // namespace wimax::vrf
