// SPDX-License-Identifier: GPL-3.0-or-later
// A library of policies for tests: numbers of the input select what they do.
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

class Rule final : public wimax::policy::AdmissionRule {
public:
    explicit Rule(const wimax_policy_cell&) {}
    wimax::policy::AdmissionDecision admit(const wimax_policy_request& request) override {
        constexpr uint32_t kThrow = 13, kHang = 19;
        if (request.stations == kThrow) throw std::runtime_error("thirteen stations");
        if (request.stations == kHang) hang();
        if (request.fits != 0) return {};
        return {false, std::string("no: ") + request.reason};
    }
};

class Rate final : public wimax::policy::LinkAdapter {
public:
    explicit Rate(const wimax_policy_cell&) {}
    /// The number of measurements is the rate.
    uint32_t adapt(const wimax_policy_link& link) override {
        if (link.give_up != 0) throw std::runtime_error("given up");
        return link.measurements;
    }
};

}  // namespace

WIMAX_POLICIES(Tested, Rule, Rate)
