// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/rate_plan.h"

#include "radio/refusal.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace gr::wimax {
namespace {

constexpr int kHighestFactor = 512;  // master clock over rate
constexpr double kOddPenalty = 1.5;  // avoiding an odd factor is worth this ratio of rates

bool droops(double clock, double rate) {
    const auto factor = std::llround(clock / rate);
    return factor > 1 && factor % 2 == 1;
}

/// Tries even multiples of the rate as master clock, then the rate itself, the highest first: more decimation has
/// better filters. Returns the actual rate, or 0.
double clock_for(double wanted, RateDevice& device) {
    for (int factor = kHighestFactor; factor >= 1; factor -= factor == 2 ? 1 : 2) {
        const double clock = wanted * factor;
        if (clock < device.lowest_master_clock() || clock > device.highest_master_clock()) continue;
        if (!same_rate(device.nearest_master_clock(clock), clock)) continue;
        if (!same_rate(device.set_master_clock(clock), clock)) continue;
        if (const double got = device.set_rate(wanted); same_rate(got, wanted)) return got;
    }
    return 0;
}

struct Candidate {
    RatePlan plan;
    double clock, cost;
};

/// Tries a device rate that the resampler can use.
std::optional<RatePlan> resampled(int64_t wanted, double rate) {
    const int64_t whole = std::llround(rate);
    // Whole Hz only, so that the ratio has small terms.
    if (whole < wanted || !same_rate(rate, static_cast<double>(whole))) return {};
    if (static_cast<double>(whole) > kMaxResampling * static_cast<double>(wanted)) return {};
    const int64_t divisor = std::gcd(whole, wanted);
    if (whole / divisor > kMaxResamplingTerm) return {};
    return RatePlan{wanted, whole, static_cast<int>(whole / divisor), static_cast<int>(wanted / divisor)};
}

void collect(int64_t wanted, RateDevice& device, std::vector<Candidate>& all) {
    const double clock = device.master_clock();
    for (const double rate : device.rates())
        if (const auto plan = resampled(wanted, rate))
            all.push_back({*plan, clock, droops(clock, rate) ? rate * kOddPenalty : rate});
}

/// The requested rate, with any clock.
tl::expected<RatePlan, phy::Fault> plan_at(int64_t wanted, double rate, RateDevice& device) {
    auto plan = resampled(wanted, rate);
    if (!plan)
        return phy::failure("device rate " + number_text(rate) + " S/s",
                            std::to_string(wanted) + " S/s or up to " + number_text(kMaxResampling) +
                                " times as high, in whole S/s in a ratio of terms up to " +
                                std::to_string(kMaxResamplingTerm));
    const double first_offer = device.set_rate(rate);
    plan->tick_rate_hz = same_rate(first_offer, rate) ? first_offer : clock_for(rate, device);
    if (plan->tick_rate_hz > 0) return *plan;
    return phy::failure("device rate " + number_text(rate) + " S/s",
                        "the device offers " + number_text(first_offer) + " S/s nearest");
}

}  // namespace

bool same_rate(double a, double b) {
    constexpr double kTolerance = 1e-7;  // relative
    return std::abs(a - b) <= kTolerance * b;
}

Scaled scale(int64_t a, int64_t b, int64_t c) {
    int64_t whole = a / c, rest = a % c;
    if (rest < 0) {
        rest += c;
        --whole;
    }
    return {whole * b + rest * b / c, rest * b % c};
}

int64_t RatePlan::tick_at(int64_t channel_sample) const {
    const auto s = scale(channel_sample, up, down);
    return s.quotient + (s.remainder > 0);
}

int64_t RatePlan::sample_at(int64_t tick) const {
    const auto s = scale(tick, down, up);
    return s.quotient + (s.remainder > 0);
}

tl::expected<RatePlan, phy::Fault> plan_rate(double channel_rate_hz, RateDevice& device, double device_rate_hz) {
    const int64_t wanted = std::llround(channel_rate_hz);
    if (device_rate_hz > 0) return plan_at(wanted, device_rate_hz, device);
    const double first_offer = device.set_rate(channel_rate_hz);
    if (same_rate(first_offer, channel_rate_hz) && !droops(device.master_clock(), first_offer))
        return RatePlan{wanted, wanted, 1, 1, first_offer};
    if (const double got = clock_for(channel_rate_hz, device); got > 0) return RatePlan{wanted, wanted, 1, 1, got};

    std::vector<Candidate> candidates;
    collect(wanted, device, candidates);
    for (const double clock : device.master_clocks())
        if (!same_rate(device.master_clock(), clock) && same_rate(device.set_master_clock(clock), clock))
            collect(wanted, device, candidates);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.cost < b.cost; });
    for (const auto& c : candidates) {
        if (!same_rate(device.master_clock(), c.clock) && !same_rate(device.set_master_clock(c.clock), c.clock))
            continue;
        const auto rate = static_cast<double>(c.plan.device_rate_hz);
        const double got = device.set_rate(rate);
        if (!same_rate(got, rate)) continue;
        RatePlan plan = c.plan;
        plan.tick_rate_hz = got;
        return plan;
    }
    return phy::failure("sample rate " + number_text(channel_rate_hz) + " S/s",
                        "the device offers " + number_text(first_offer) + " S/s nearest, master clock " +
                            number_text(device.lowest_master_clock()) + " .. " +
                            number_text(device.highest_master_clock()) + " Hz, and no rate up to " +
                            number_text(kMaxResampling) + " times as high in a ratio of terms up to " +
                            std::to_string(kMaxResamplingTerm) +
                            "; choose a channel bandwidth whose rate suits a master clock of this device, or another "
                            "device");
}

}  // namespace gr::wimax
