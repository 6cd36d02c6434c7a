// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/acquire/short_preamble_search.h"

#include <volk/volk.h>

#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr int kHalf = 128;
constexpr int kHop = 16;
constexpr int kWindowHops = kHalf / kHop;
/// Squared normalised correlation of the halves: noise exceeds it with probability exp(-128 * 0.13) = 6e-8.
constexpr float kThreshold = 0.13F;
/// Windows of the plateau around the best one: the correlation falls linearly on both sides, by a quarter of it here.
constexpr float kPlateauLevel = 0.56F;
/// Window levels before, in hops: more than a plateau and the range searched after its best window.
constexpr int kLevels = 64;

}  // namespace

Complex ShortPreambleSearch::correlate(const Complex* later, const Complex* earlier, int count) const {
    const auto n = static_cast<unsigned>(count);
    lv_32fc_t products;
    volk_32fc_x2_conjugate_dot_prod_32fc(&products, later, earlier, n);
    if (offset_ == Complex{}) return products;
    lv_32fc_t later_sum, earlier_sum;
    volk_32fc_accumulator_s32fc(&later_sum, later, n);
    volk_32fc_accumulator_s32fc(&earlier_sum, earlier, n);
    return products - std::conj(offset_) * later_sum - offset_ * std::conj(earlier_sum) +
           static_cast<float>(count) * std::norm(offset_);
}

double ShortPreambleSearch::frequency(const SampleView& samples, int64_t from) {
    const Complex* body = body_.data();
    if (samples.covers(from, from + kFftSize)) body = samples.at(from);
    else samples.copy(from, body_);
    return std::arg(correlate(body + kHalf, body, kHalf)) / (2 * std::numbers::pi * kHalf);
}

std::optional<int64_t> ShortPreambleSearch::next(const SampleView& samples, int64_t from, int64_t to) {
    struct Hop {
        Complex correlation{};
        float energy = 0;
    };
    std::array<Hop, 2 * kWindowHops> ring{};
    const auto slot = [&ring](int64_t hop) -> Hop& { return ring[static_cast<size_t>(hop & (2 * kWindowHops - 1))]; };

    std::array<float, kLevels> levels{};
    const auto level_of = [&levels](int64_t hop) -> float& { return levels[static_cast<size_t>(hop & (kLevels - 1))]; };

    const int64_t begin = std::max(from, samples.first);
    int64_t block = begin, last = -1, best = -1;  // hops of windows
    float best_level = 0;
    for (int64_t hop = 0; block + kHop + kHalf <= samples.end(); ++hop, block += kHop) {
        if (hop == 0)
            for (int ahead = 0; ahead < kWindowHops; ++ahead) {
                const Complex* at = samples.at(block) + ahead * kHop;
                slot(ahead).energy = correlate(at, at, kHop).real();
            }
        const Complex* at = samples.at(block);
        slot(hop).correlation = correlate(at + kHalf, at, kHop);
        slot(hop + kWindowHops).energy = correlate(at + kHalf, at + kHalf, kHop).real();
        if (hop < kWindowHops - 1) continue;

        const int64_t window = hop - (kWindowHops - 1);
        if (begin + window * kHop > to) break;
        Complex sum{};
        float early = 0, late = 0;
        for (int i = 0; i < kWindowHops; ++i) {
            sum += slot(hop - i).correlation;
            early += slot(hop - i).energy;
            late += slot(hop - i + kWindowHops).energy;
        }
        const float level = std::norm(sum);
        level_of(last = window) = level;
        if (level > kThreshold * early * late && level > best_level) {
            best_level = level;
            best = window;
        }
        // The peak is over when the windows no longer touch it.
        if (best >= 0 && (window - best) * kHop > kHalf + cp_samples_) break;
    }
    if (best < 0) return std::nullopt;
    const auto high = [&](int64_t hop) { return level_of(hop) > kPlateauLevel * best_level; };
    const int64_t reach = (cp_samples_ + kHalf / 2) / kHop;
    int64_t rise = best, fall = best;
    while (rise > std::max<int64_t>(0, best - reach) && high(rise - 1)) --rise;
    while (fall < std::min(last, best + reach) && high(fall + 1)) ++fall;
    return begin + (rise + fall) * kHop / 2;
}

}  // namespace gr::wimax::phy
