// SPDX-License-Identifier: GPL-3.0-or-later
// MAC time: samples of the PHY's receive clock. Timers are deadlines; no thread sleeps.
#pragma once

#include <cstdint>

namespace wimax::mac {

using Samples = int64_t;

class Timer {
public:
    void start(Samples now, Samples duration) { deadline_ = now + duration; }
    void stop() { deadline_ = kOff; }
    bool running() const { return deadline_ != kOff; }
    /// True once after the deadline; the timer is then stopped.
    bool expired(Samples now) {
        if (!running() || now < deadline_) return false;
        stop();
        return true;
    }

private:
    static constexpr Samples kOff = INT64_MIN;
    Samples deadline_ = kOff;
};

}  // namespace wimax::mac
