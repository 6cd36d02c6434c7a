// SPDX-License-Identifier: GPL-3.0-or-later
// Timers that are looked at in each frame and seldom expire: before the earliest deadline one comparison replaces a
// look at each of them.
#pragma once

#include "mac/sample_time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace wimax::mac {

/// `Id`: an enumeration of the timers, 0 to kCount - 1. Each of them expires as a Timer does.
template <class Id, size_t kCount> class TimerGroup {
public:
    TimerGroup() { deadlines_.fill(kOff); }

    void start(Id id, Samples now, Samples duration) {
        deadlines_[place(id)] = now + duration;
        earliest_ = std::min(earliest_, now + duration);
    }
    void stop(std::initializer_list<Id> ids) {
        for (const Id id : ids) deadlines_[place(id)] = kOff;
    }
    /// Later by that time, if it is running.
    void postpone(std::initializer_list<Id> ids, Samples duration) {
        for (const Id id : ids)
            if (running(id)) deadlines_[place(id)] += duration;
    }
    bool running(Id id) const { return deadlines_[place(id)] != kOff; }
    /// A timer has reached its deadline.
    bool due(Samples now) {
        if (now < earliest_) return false;
        earliest_ = *std::min_element(deadlines_.begin(), deadlines_.end());
        return now >= earliest_;
    }
    /// True once after the deadline; the timer is then stopped.
    bool expired(Id id, Samples now) {
        if (now < earliest_ || now < deadlines_[place(id)]) return false;
        stop({id});
        return true;
    }

private:
    static constexpr Samples kOff = INT64_MAX;
    static constexpr size_t place(Id id) { return static_cast<size_t>(id); }

    std::array<Samples, kCount> deadlines_;
    Samples earliest_ = kOff;  ///< no later than any deadline: a timer that is stopped or started again leaves it
};

}  // namespace wimax::mac
