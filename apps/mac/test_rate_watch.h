// SPDX-License-Identifier: GPL-3.0-or-later
// Octets of a flow, frame by frame, checked against a rate and a burst.
#pragma once

#include "mac/test_cells.h"

#include <algorithm>

namespace wimax::mac::test {

/// SDU octets of one flow as they are delivered. A leaky bucket of the rate: how full it ever was is the largest burst
/// that any window of frames has shown beyond the rate.
class RateWatch {
public:
    RateWatch(uint32_t rate_bps, double frame_seconds) : per_frame_(rate_bps / 8.0 * frame_seconds) {}
    void delivered(size_t octets) {
        level_ += static_cast<double>(octets);
        burst_ = std::max(burst_, level_);
        octets_ += octets;
    }
    void frame() { level_ = std::max(0.0, level_ - per_frame_); }
    void restart() { level_ = burst_ = 0, octets_ = 0; }
    uint64_t octets() const { return octets_; }
    double burst_octets() const { return burst_; }

private:
    double per_frame_, level_ = 0, burst_ = 0;
    uint64_t octets_ = 0;
};

/// Offers packets of one size at a rate, evenly.
class Source {
public:
    Source(double rate_bps, size_t octets) : rate_bps_(rate_bps), octets_(octets) {}
    /// Calls `push` for each packet that falls into a frame.
    template <class Push> void frame(double seconds, Push&& push) {
        owed_ += rate_bps_ / 8.0 * seconds;
        for (; owed_ >= static_cast<double>(octets_); owed_ -= static_cast<double>(octets_)) push(octets_);
    }

private:
    double rate_bps_, owed_ = 0;
    size_t octets_;
};

}  // namespace wimax::mac::test
