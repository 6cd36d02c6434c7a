// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/subchannel/subchannel_locator.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// A subchannelized preamble does not repeat, so its frequency is assumed to be within the standard's +-2 % of the
/// spacing: variance of a uniform distribution, (carriers)^2.
constexpr double kOffsetAllowed = 0.02;
constexpr double kSubchannelOffsetVariance = kOffsetAllowed * kOffsetAllowed / 3;

/// The first data symbols show the remaining frequency (rate_by_data). Wrong decisions increase its variance. Rates
/// within +-kProbeReach standard deviations are tried, in kProbeSteps steps.
constexpr double kProbeCaution = 3;
constexpr double kProbeReach = 2.2;
constexpr int kProbeSteps = 16;

/// An offset beyond the standard's 2 % shows in the prefixes of the first symbols: squared normalised correlation
/// (noise exceeds it at 8 symbols and CP 1/8 with probability exp(-128 * 0.11)). It is certain from kFarDeviations
/// standard deviations on.
constexpr int kPrefixSymbols = 8;
constexpr double kPrefixThreshold = 0.11;
constexpr double kFarDeviations = 3.5;
constexpr double kMinOffsetVariance = 1e-6;
/// Least evidence of a subchannelized burst's preamble in a search over many positions.
constexpr float kMinSearchEvidence = 14;

/// A burst within half a prefix may appear this much farther off.
constexpr int kTimingSlackSamples = 3;

}  // namespace

bool SubchannelLocator::see(const SampleView& view, int index, int64_t window, DelayRange range) {
    link_.place(window, cycles_);
    link_.channel.purity.values.fill(1);  // interferers were those of another burst
    receiver_.reader().read(view, window, cycles_, window, symbol_);
    return receiver_.subchannels().estimate(symbol_, index, range, link_.channel);
}

std::optional<int64_t> SubchannelLocator::find(const SampleView& view, int index, int64_t from, int64_t to) {
    const int back = window_backoff(cp()), hop = std::max(1, cp() / 2);
    const DelayRange range{static_cast<float>(back - hop), static_cast<float>(back + hop)};
    std::optional<int64_t> best;
    float most = 0;
    cycles_ = 0;
    for (int64_t start = from; start <= to + hop; start += hop) {
        // A window that contains only the preamble's beginning may show it already, up to a symbol too early.
        if (best && start > *best + link_.symbol_samples) break;
        if (!see(view, index, start + cp() - back, range)) continue;
        const float evidence = receiver_.subchannels().evidence();
        if (evidence <= std::max(most, kMinSearchEvidence)) continue;
        most = evidence;
        best = start + std::lround(link_.channel.first_path) - back;
    }
    return best;
}

std::optional<double> SubchannelLocator::locate(const SampleView& view, const UplinkAllocation& allocation) {
    const int index = allocation.format.subchannel_index;
    int64_t start = allocation.start_sample;
    if (allocation.search_samples > 0) {
        const auto found = find(view, index, start - cp() / 2, start + allocation.search_samples + cp() / 2);
        if (!found) return std::nullopt;
        start = *found;
    }
    const int back = window_backoff(cp());
    const auto reach = static_cast<float>(cp() / 2 + kTimingSlackSamples), prefix = static_cast<float>(cp());
    const auto early = static_cast<float>(back);
    cycles_ = 0;
    if (!see(view, index, start + cp() - back, {early - reach, early + reach + prefix})) return std::nullopt;
    // Again with the window in its place, and a large frequency offset compensated.
    const int shift = static_cast<int>(std::lround(link_.channel.first_path)) - back;
    start += shift;
    auto offset = offset_by_prefixes(view, start, allocation.format.total_symbols());
    const bool large =
        offset && std::abs(offset->carriers) > kOffsetAllowed + kFarDeviations * std::sqrt(offset->variance);
    cycles_ = large ? offset->carriers / kFftSize : 0;
    if ((shift != 0 || large) && !see(view, index, start + cp() - back, {0, prefix})) return std::nullopt;
    if (large) offset->carriers = 0;
    const auto rate = most_likely_rate(view, allocation.format, large, offset);
    link_.forget_response();
    LinkTracker::Start begin;
    const double snr = std::max(static_cast<double>(link_.channel.snr_linear()), 1e-3);
    begin.phase_variance = 1 / (50.0 * subchannel_count(index) * snr);
    begin.phase_rate = rate.value;
    begin.phase_rate_variance = rate.variance;
    begin.delay_variance = 1e-2;
    link_.tracker.start(begin, link_.pace());
    return static_cast<double>(link_.window_origin - cp()) + static_cast<double>(link_.channel.first_path);
}

/// Remaining frequency: around 0, or around the measurement in the prefixes, unless that is certain.
SubchannelLocator::PhaseRate SubchannelLocator::most_likely_rate(const SampleView& view, const BurstFormat& format,
                                                                 bool certain, const std::optional<SmallOffset>& seen) {
    if (certain) return rate_by_data(view, format, *seen);
    const auto expected = rate_by_data(view, format, {0, kSubchannelOffsetVariance});
    if (!seen) return expected;
    const auto other = rate_by_data(view, format, *seen);
    return other.distance < expected.distance ? other : expected;
}

/// Carrier offset from the repetition of each prefix, if it exceeds the offset allowed to stations on different
/// subchannels; else nothing.
std::optional<SubchannelLocator::SmallOffset> SubchannelLocator::offset_by_prefixes(const SampleView& view,
                                                                                    int64_t start, int symbols) const {
    Complex sum{};
    float early = 0, late = 0;
    for (int symbol = 0; symbol < std::min(symbols, kPrefixSymbols); ++symbol) {
        const int64_t from = start + static_cast<int64_t>(symbol) * link_.symbol_samples + cp() / 2;
        if (!view.covers(from, from + cp() / 2 + kFftSize)) continue;
        const Complex* prefix = view.at(from);
        for (int n = 0; n < cp() / 2; ++n) {
            sum += prefix[n + kFftSize] * std::conj(prefix[n]);
            early += std::norm(prefix[n]);
            late += std::norm(prefix[n + kFftSize]);
        }
    }
    const double coefficient = static_cast<double>(std::norm(sum)) / std::max(static_cast<double>(early * late), 1e-30);
    if (!(coefficient > kPrefixThreshold)) return std::nullopt;
    const double looks = cp() / 2.0 * std::min(symbols, kPrefixSymbols);
    const double carriers = std::arg(sum) / kTurn;
    const double variance = (1 / coefficient - 1) / (2 * looks * kTurn * kTurn) + kMinOffsetVariance;
    if (std::abs(carriers) < kOffsetAllowed) return std::nullopt;
    return SmallOffset{carriers, variance};
}

/// Remaining carrier offset by the likelihood of the first data symbols, for any contents.
SubchannelLocator::PhaseRate SubchannelLocator::rate_by_data(const SampleView& view, const BurstFormat& format,
                                                             SmallOffset expected) {
    const auto carriers = carrier_set(format.subchannel_index).data();
    const int bits = kRateTable[format.rate_id].bits_per_carrier;
    const int first = preamble_symbols(format.preamble);
    const int symbols =
        std::clamp(static_cast<int>(probes_.size() / carriers.size()), 1, std::min(kProbeSymbols, format.data_symbols));
    const double scale = kTurn * link_.symbol_samples / kFftSize;
    const double mean = expected.carriers * scale, prior = expected.variance * scale * scale;
    size_t count = 0;
    double information = 1 / prior;
    for (int symbol = first; symbol < first + symbols; ++symbol) {
        receiver_.reader().read(view, link_.window(symbol, 0), link_.cycles_per_sample, link_.window_origin, symbol_);
        for (const int k : carriers) {
            const double snr = static_cast<double>(link_.channel.snr[k]);
            probes_[count++] = {symbol_[k] * link_.channel.inverse[k], static_cast<float>(snr), symbol};
            information += 2 * snr * symbol * symbol / kProbeCaution;
        }
    }
    const auto distance = [&](double rate) {
        double sum = 0.5 * (rate - mean) * (rate - mean) / prior;
        std::array<Complex, kProbeSymbols + 2> turn;
        for (int symbol = first; symbol < first + symbols; ++symbol)
            turn[static_cast<size_t>(symbol)] = Complex(std::polar(1.0, -rate * symbol));
        for (const auto& probe : std::span(probes_).first(count)) {
            const Complex z = probe.point * turn[static_cast<size_t>(probe.symbol)];
            sum += static_cast<double>(probe.snr * std::norm(z - nearest_point(bits, z)));
        }
        return sum;
    };
    double best = mean, least = distance(mean);
    const auto look = [&](double centre, double step) {
        for (int i = -kProbeSteps; i <= kProbeSteps; ++i) {
            const double rate = centre + i * step;
            const double d = distance(rate);
            if (d < least) {
                least = d;
                best = rate;
            }
        }
    };
    const double coarse = kProbeReach * std::sqrt(prior) / kProbeSteps;
    look(mean, coarse);
    look(best, coarse / kProbeSteps);
    return {best, 1 / information, least};
}

}  // namespace gr::wimax::phy
