// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/model_clock.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wimax::vrf {
namespace {

constexpr double kReferenceHz = 40e6, kDividerSteps = 2088960;
constexpr double kLowestVcoHz = 672e6, kHighestVcoHz = 1430e6;
constexpr double kStartingClockHz = 32e6, kStartingRateHz = 1e6;  // before a host requests one
constexpr double kSame = 1e-6;                                    // of a clock requested by name

/// Converter clock over master clock, by the half-band stages in use. For master clocks below `below_hz`.
struct Stages {
    double below_hz;
    int factor;
};
constexpr std::array kStages{Stages{0.33e6, 48}, Stages{0.66e6, 32},   Stages{20e6 + 1, 16},  Stages{23e6, 24},
                             Stages{41e6, 16},   Stages{58e6 + 1, 12}, Stages{61.44e6 + 1, 8}};

std::vector<int> factors_of(const Personality& p) {
    std::vector<int> all;
    int from = 1;
    for (const auto& d : p.decimations) {
        for (int factor = (from + d.step - 1) / d.step * d.step; factor <= d.up_to; factor += d.step)
            all.push_back(factor);
        from = d.up_to + 1;
    }
    if (all.empty()) all.push_back(1);
    return all;
}

bool kind_has_list(ClockKind kind) { return kind == ClockKind::fixed || kind == ClockKind::chosen; }

double nearest(const std::vector<double>& all, double wanted) {
    return *std::ranges::min_element(all, {}, [wanted](double v) { return std::abs(v - wanted); });
}

}  // namespace

double ad9361_clock_hz(double wanted_hz) {
    const auto stages = std::ranges::find_if(kStages, [&](const Stages& s) { return wanted_hz < s.below_hz; });
    if (stages == kStages.end()) return 0;
    const double converter_hz = wanted_hz * stages->factor;
    for (int divider = 2; divider <= 64; divider *= 2) {
        const double vco_hz = converter_hz * divider;
        if (vco_hz < kLowestVcoHz || vco_hz > kHighestVcoHz) continue;
        const double whole = std::floor(vco_hz / kReferenceHz);
        const double part = std::round((vco_hz / kReferenceHz - whole) * kDividerSteps) / kDividerSteps;
        return kReferenceHz * (whole + part) / divider / stages->factor;
    }
    return 0;
}

ModelClock::ModelClock(const Personality& p, double channel_rate_hz)
    : kind_(p.clock),
      clocks_hz_(p.clocks_hz),
      factors_(factors_of(p)),
      max_rate_hz_(p.max_rate_hz),
      clock_hz_(channel_rate_hz) {
    if (kind_ == ClockKind::channel) clocks_hz_ = {channel_rate_hz};
    if (!any_between()) clock_hz_ = clocks_hz_.front();
    std::ranges::sort(clocks_hz_);
}

tl::expected<ModelClock, Fault> ModelClock::make(const Personality& p, double channel_rate_hz,
                                                 std::optional<double> clock_hz) {
    ModelClock clock(p, channel_rate_hz);
    clock.automatic_ = clock.any_between() && !clock_hz;
    if (clock.any_between()) clock.clock_hz_ = ad9361_clock_hz(clock_hz.value_or(kStartingClockHz));
    if (clock_hz && kind_has_list(p.clock)) {
        clock.clock_hz_ = nearest(clock.clocks_hz_, *clock_hz);
        if (std::abs(clock.clock_hz_ - *clock_hz) > kSame * *clock_hz) {
            std::string list;
            for (const double hz : clock.clocks_hz_) list += (list.empty() ? "" : ", ") + config::print_number(hz);
            return tl::unexpected(Fault{"master_clock_rate", config::print_number(*clock_hz), list});
        }
    }
    if (clock.clock_hz_ == 0)
        return tl::unexpected(gr::wimax::phy::out_of_range(
            "master_clock_rate", config::print_number(clock_hz.value_or(0)), config::print_number(p.clocks_hz.front()),
            config::print_number(p.clocks_hz.back())));
    for (const bool tx : {false, true}) clock.set_rate(tx, kStartingRateHz);
    return clock;
}

double ModelClock::set_clock(double hz) {
    if (kind_ == ClockKind::chosen) clock_hz_ = nearest(clocks_hz_, hz);
    if (any_between()) {
        automatic_ = false;
        clock_hz_ = ad9361_clock_hz(std::clamp(hz, clocks_hz_.front(), clocks_hz_.back()));
    }
    return clock_hz_;
}

/// Like the driver: the rate times the highest power of two within the range.
void ModelClock::choose_clock(double rate_hz) {
    const double whole = std::round(rate_hz);
    if (whole <= 0 || whole > clocks_hz_.back()) return;
    const int power = int(std::log2(clocks_hz_.back() / whole));
    const double factor = power == 1 && whole >= clocks_hz_.front() ? 1 : std::ldexp(1, power);
    clock_hz_ = ad9361_clock_hz(whole * factor);
}

double ModelClock::set_rate(bool tx, double hz) {
    if (automatic_) choose_clock(hz);
    factor_[tx] = *std::ranges::min_element(factors_, {}, [&](int factor) {
        const double rate = clock_hz_ / factor;
        return rate > max_rate_hz_ ? INFINITY : std::abs(rate - hz);
    });
    return rate_hz(tx);
}

std::vector<double> ModelClock::rates_hz() const {
    std::vector<double> rates;
    for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor)
        if (const double rate = clock_hz_ / *factor; rate <= max_rate_hz_) rates.push_back(rate);
    return rates;
}

}  // namespace wimax::vrf
