// SPDX-License-Identifier: GPL-3.0-or-later
// A library of schedulers for tests: the units of a frame select what it does.
#include "policy/wimax_policy.h"

#include <condition_variable>
#include <limits>
#include <mutex>
#include <stdexcept>

namespace {

[[noreturn]] void hang() {
    std::mutex mutex;
    std::condition_variable never;
    for (std::unique_lock lock(mutex);;) never.wait(lock);
}

class Tested final : public wimax::policy::FrameScheduler {
public:
    explicit Tested(const wimax_policy_cell& cell) {
        if (cell.frame_s > 0.015) throw std::runtime_error("frames are too long");
    }
    /// All to the first station, but for these numbers of units.
    void schedule(const wimax_policy_frame& frame, std::span<double> units) override {
        constexpr double kThrow = 13, kNan = 17, kHang = 19;
        if (frame.units == kThrow) throw std::runtime_error("thirteen");
        if (frame.units == kHang) hang();
        units[0] =
            frame.units == kNan ? std::numeric_limits<double>::quiet_NaN() : frame.units - frame.burst_overhead_units;
    }
};

}  // namespace

WIMAX_POLICIES(Tested)
