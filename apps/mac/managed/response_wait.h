// SPDX-License-Identifier: GPL-3.0-or-later
// Wait for the response of a server: each wait is twice the one before, up to a limit.
#pragma once

#include "mac/clock.h"
#include "mac/managed_config.h"

#include <algorithm>

namespace wimax::mac {

class ResponseWait {
public:
    /// Both outlive the object.
    ResponseWait(const ManagedSubscriber& config, const FrameClock& clock) : config_(config), clock_(clock) {}

    /// The next wait is the first one.
    void reset() { next_ms_ = 0; }
    void start() {
        const uint32_t longest = std::max<uint32_t>(config_.longest_wait_ms, 1);
        if (next_ms_ == 0) next_ms_ = std::clamp<uint32_t>(config_.first_wait_ms, 1, longest);
        timer_.start(clock_.now, clock_.from_ms(next_ms_));
        next_ms_ = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{2} * next_ms_, longest));
    }
    /// One wait of this length.
    void start(uint32_t ms) { timer_.start(clock_.now, clock_.from_ms(ms)); }
    void stop() { timer_.stop(); }
    /// True once after the wait.
    bool over() { return timer_.expired(clock_.now); }

private:
    const ManagedSubscriber& config_;
    const FrameClock& clock_;
    Timer timer_;
    uint32_t next_ms_ = 0;
};

}  // namespace wimax::mac
