// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/acquire/synchronizer.h"

#include "phy/base/simd.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

/// Called for each block of samples: numbers stay in registers only if these functions become part of scan().
#define WIMAX_EACH_BLOCK [[gnu::always_inline]] inline

namespace gr::wimax::phy {
namespace {

/// Squared normalised autocorrelation over 192 products. Noise exceeds it with probability exp(-192 * 0.11) = 7e-10 at
/// an independent position; a preamble at 0 dB per carrier has 0.37.
constexpr float kThreshold = 0.11F;
/// A foreign carrier correlates permanently. Its share is the mean of about kBackgroundHops hops. It is subtracted if
/// it has more than a fifth of the power, unless it has ended: a window cannot have less energy than the carrier alone.
/// Both limits are on squares. Noise of `n` products exceeds kNoiseCoherence / n with probability exp(-20).
constexpr int kBackgroundHops = 64;
constexpr float kMinCoherence = 0.04F, kNoiseCoherence = 20.0F, kMaxBackground = 1.2F;
/// A constant is subtracted if it is certain and has a tenth of the power. The least fraction of the energy that
/// remains.
constexpr float kMinOffset = 0.1F, kLeastEnergy = 1e-4F;
/// Allowed difference of a window's mean, relative to the offset's square.
constexpr float kMaxChange = 0.3F;
/// Concentration (64 * sum |z|^4 / (sum |z|^2)^2) of the folded channel response: noise 2, one path 64.
constexpr float kMinConcentration = 4.5F;
/// The second symbol's body starts this far after the plateau's middle at the earliest (smallest prefix, early guess).
constexpr int kSecondSearchStart = 200;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

/// Samples of a block.
constexpr size_t kBlock = 32;

struct BlockSums {
    Complex correlation{};  ///< later samples times the conjugates of the earlier ones
    Complex sum{};          ///< sum of the later samples
    float energy = 0;       ///< energy of the later samples
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay within inlined functions
template <size_t Bytes> using Floats = simd::Vector<float, Bytes>;

/// Sum of the coordinates in even places (0) or odd ones (1).
template <size_t Bytes> WIMAX_SIMD_BODY float total(const Floats<Bytes>& x, size_t first) {
    float sum = 0;
    for (size_t lane = first; lane < Bytes / sizeof(float); lane += 2) sum += x[lane];
    return sum;
}

/// All sums in one pass.
template <size_t Bytes, size_t... I>
WIMAX_SIMD_BODY BlockSums sum_block(const float* earlier, const float* later, std::index_sequence<I...>) {
    using V = Floats<Bytes>;
    V same{}, crossed{}, energy{}, sum{};
    for (size_t i = 0; i < 2 * kBlock; i += sizeof...(I)) {
        const V early = simd::load<V>(earlier + i), late = simd::load<V>(later + i);
        same += late * early;
        crossed += late * __builtin_shufflevector(early, early, (I ^ 1U)...);
        energy += late * late;
        sum += late;
    }
    return {{total<Bytes>(same, 0) + total<Bytes>(same, 1), total<Bytes>(crossed, 1) - total<Bytes>(crossed, 0)},
            {total<Bytes>(sum, 0), total<Bytes>(sum, 1)},
            total<Bytes>(energy, 0) + total<Bytes>(energy, 1)};
}
template <size_t Bytes> WIMAX_SIMD_BODY void block_body(const float* earlier, const float* later, BlockSums& to) {
    to = sum_block<Bytes>(earlier, later, std::make_index_sequence<Bytes / sizeof(float)>());
}
// Longer vectors take longer: adding up their lanes costs more than the fewer products save.
constexpr simd::Dispatched<block_body<16>, block_body<32>> run_block;
#pragma GCC diagnostic pop

BlockSums sums_of_block(const Complex* earlier, const Complex* later) {
    BlockSums sums;
    run_block(reinterpret_cast<const float*>(earlier), reinterpret_cast<const float*>(later), sums);
    return sums;
}

}  // namespace

PreambleSearch::PreambleSearch(std::optional<CyclicPrefix> cp, int max_offset_carriers)
    : cp_(cp), max_steps_((max_offset_carriers + 2) / 4) {
    const auto first = preamble_carriers(PreambleSymbol::p_4x64);
    for (int q = -25; q <= 25; ++q)
        first_reference_[static_cast<size_t>(q & 63)] = std::conj(first[static_cast<size_t>(bin_of(4 * q))]);
    const auto second = preamble_body(PreambleSymbol::p_even);
    std::fill(forward_.in().begin(), forward_.in().end(), Complex{});
    std::copy(second.begin(), second.end(), forward_.in().begin());
    forward_.execute();
    for (size_t i = 0; i < second_reference_.size(); ++i) second_reference_[i] = std::conj(forward_.out()[i]);
    restart(0);
}

PreambleSearch::PreambleSearch(std::optional<CyclicPrefix> cp, const Numerology& numerology)
    : PreambleSearch(cp, static_cast<int>(std::ceil(kMaxCarrierOffsetHz / numerology.carrier_spacing_hz()))) {}

void PreambleSearch::restart(int64_t sample) {
    block_start_ = sample;
    hops_ = 0;
    plateau_hops_ = 0;
    background_ = {};
    plateau_offset_ = {};
}

WIMAX_EACH_BLOCK float PreambleSearch::square_energy(Complex offset) const {
    // Energy of the window times that of the same window one lag (two blocks) later.
    const float early = hop(hops_).window_energy, late = hop(hops_ + 2).window_energy;
    if (offset == Complex{}) return early * late;
    Complex early_sum{}, late_sum{};
    for (int i = 0; i < kWindowHops; ++i) {
        early_sum += hop(hops_ - i).sum;
        late_sum += hop(hops_ - i + 2).sum;
    }
    const float constant = kWindowHops * kHop * norm(offset);
    const auto without = [&](float energy, Complex sum) {
        return std::max(energy - 2 * (std::conj(offset) * sum).real() + constant, kLeastEnergy * energy);
    };
    return without(early, early_sum) * without(late, late_sum);
}

/// Correlation of the window's samples less a constant.
WIMAX_EACH_BLOCK Complex PreambleSearch::window_correlation(Complex offset) const {
    Complex sum{};
    for (int i = 0; i < kWindowHops; ++i) sum += hop(hops_ - i).correlation;
    if (offset == Complex{}) return sum;
    for (int i = 0; i < kWindowHops; ++i)
        sum -= std::conj(offset) * hop(hops_ - i + 2).sum + offset * std::conj(hop(hops_ - i).sum);
    return sum + float{kWindowHops * kHop} * norm(offset);
}

WIMAX_EACH_BLOCK bool PreambleSearch::above_threshold(Complex correlation, Complex offset) const {
    return norm(correlation) > kThreshold * square_energy(offset);
}

/// The mean of the earlier samples, if it is certainly a constant and still present: no decaying step.
WIMAX_EACH_BLOCK PreambleSearch::Offset PreambleSearch::learned_offset() const {
    const auto known = static_cast<float>(std::min<int64_t>(hops_ - kBackgroundDelay + 1, kBackgroundHops));
    Offset offset{known_offset_, 0};
    if (known > 0) {
        const Complex mean = background_.sum / float{kHop};
        const float power = background_.energy / kHop, share = std::max(kMinOffset, kNoiseCoherence / (kHop * known));
        if (norm(mean) > share * power) offset = {mean, power / (kHop * known)};
    }
    if (offset.value == Complex{}) return {};
    Complex now{};
    for (int i = 0; i < kWindowHops; ++i) now += hop(hops_ - i + 2).sum;
    now /= float{kWindowHops * kHop};
    return norm(now - offset.value) < kMaxChange * norm(offset.value) ? offset : Offset{};
}

WIMAX_EACH_BLOCK void PreambleSearch::learn_background() {
    const int64_t known = hops_ - kBackgroundDelay + 1;
    if (known <= 0) return;
    const Hop& old = hop(hops_ - kBackgroundDelay);
    const float share = 1 / static_cast<float>(std::min<int64_t>(known, kBackgroundHops));
    background_.correlation += share * (old.correlation - background_.correlation);
    background_.sum += share * (old.sum - background_.sum);
    background_.energy += share * (old.energy - background_.energy);
}

/// Share of an earlier carrier, without the offset, in the window's correlation.
WIMAX_EACH_BLOCK Complex PreambleSearch::window_background(Complex offset) const {
    const auto products = static_cast<float>(kHop * std::max<int64_t>(1, hops_ - kBackgroundDelay + 1));
    const float coherence = std::max(kMinCoherence, kNoiseCoherence / products);
    const float constant = kHop * norm(offset);
    const Complex correlation = background_.correlation - constant;
    const float energy = background_.energy - constant;
    if (norm(correlation) <= coherence * energy * energy) return {};
    const Complex expected = correlation * float{kWindowHops};
    return norm(expected) < kMaxBackground * square_energy(offset) ? expected : Complex{};
}

std::optional<int64_t> PreambleSearch::follow_plateau(float magnitude, bool above) {
    if (plateau_hops_ == 0 && !above) return std::nullopt;
    plateau_[static_cast<size_t>(plateau_hops_++)] = magnitude;
    const auto begin = plateau_.begin(), end = begin + plateau_hops_;
    const float peak = *std::max_element(begin, end);
    if (magnitude > 0.5F * peak && plateau_hops_ < kMaxPlateauHops) return std::nullopt;
    // The magnitude rises and falls linearly around the plateau: the middle between equal levels is its middle.
    const auto high = [peak](float m) { return m > 0.75F * peak; };
    const auto rise = std::find_if(begin, end, high) - begin;
    const auto fall = plateau_hops_ - 1 -
                      (std::find_if(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), high) -
                       std::make_reverse_iterator(end));
    const int64_t last_window = block_start_ - (kWindowHops - 1) * kHop;
    const int64_t middle = last_window - (plateau_hops_ - 1) * kHop + (rise + fall) * kHop / 2;
    plateau_hops_ = 0;
    plateau_offset_ = learned_offset();
    plateau_background_ = window_background(plateau_offset_.value);
    return middle;
}

WIMAX_EACH_BLOCK void PreambleSearch::sum_window(int64_t number) {
    float energy = 0;
    for (int i = 0; i < kWindowHops; ++i) energy += hop(number - i).energy;
    hop(number).window_energy = energy;
}

/// Products, energy and sum of the next block; energy and sum are those one lag later.
WIMAX_EACH_BLOCK void PreambleSearch::take_block(const SampleView& samples) {
    static_assert(kBlock == kHop);
    const Complex* block = samples.at(block_start_);
    if (hops_ == 0) {
        for (int ahead = 0; ahead < 2; ++ahead) {
            const BlockSums early = sums_of_block(block + ahead * kHop, block + ahead * kHop);
            hop(ahead).energy = early.energy;
            hop(ahead).sum = early.sum;
        }
    }
    const BlockSums sums = sums_of_block(block, block + kLag);
    hop(hops_).correlation = sums.correlation;
    hop(hops_ + 2).energy = sums.energy;
    hop(hops_ + 2).sum = sums.sum;
    sum_window(hops_ + 2);
}

std::optional<int64_t> PreambleSearch::scan(const SampleView& samples) {
    while (block_start_ + kHop + kLag <= samples.end()) {
        take_block(samples);
        learn_background();

        std::optional<int64_t> found;
        if (hops_ >= kWindowHops - 1) {
            const Complex offset = learned_offset().value;
            const Complex sum = window_correlation(offset) - window_background(offset);
            const bool above = above_threshold(sum, offset);
            if (above || plateau_hops_ > 0) found = follow_plateau(std::abs(sum), above);
        }
        block_start_ += kHop;
        ++hops_;
        if (found) return found;
    }
    return std::nullopt;
}

double PreambleSearch::fine_frequency(const SampleView& samples, int64_t from) const {
    lv_32fc_t correlation;
    volk_32fc_x2_conjugate_dot_prod_32fc(&correlation, samples.at(from + kLag), samples.at(from), 256 - kLag);
    return std::arg(Complex(correlation) - plateau_background_) / (2 * std::numbers::pi * kLag);
}

int PreambleSearch::integer_frequency(double cycles_per_sample, const SampleView& samples, int64_t from) {
    derotate(samples.at(from), work_.data(), 256, 0, cycles_per_sample);
    auto folded = fold_forward_.in();
    for (size_t i = 0; i < 64; ++i) folded[i] = work_[i] + work_[i + 64] + work_[i + 128] + work_[i + 192];
    fold_forward_.execute();
    int best = 0;
    float best_concentration = 0;
    for (int step = -max_steps_; step <= max_steps_; ++step) {
        for (size_t q = 0; q < 64; ++q)
            fold_inverse_.in()[q] = fold_forward_.out()[(q + static_cast<size_t>(step)) & 63] * first_reference_[q];
        fold_inverse_.execute();
        float power = 0, square = 0;
        for (const auto& z : fold_inverse_.out()) {
            power += norm(z);
            square += norm(z) * norm(z);
        }
        const float concentration = 64 * square / std::max(power * power, 1e-30F);
        if (concentration > best_concentration) {
            best_concentration = concentration;
            best = step;
            std::copy(fold_inverse_.out().begin(), fold_inverse_.out().end(), first_response_.begin());
        }
    }
    return best_concentration > kMinConcentration ? best : max_steps_ + 1;
}

void PreambleSearch::correlate_second_symbol(const SampleView& samples, int64_t from, double cycles_per_sample) {
    derotate(samples.at(from), forward_.in().data(), 512, 0, cycles_per_sample);
    forward_.execute();
    volk_32fc_x2_multiply_32fc(inverse_.in().data(), forward_.out().data(), second_reference_.data(), 512);
    inverse_.execute();
    std::copy_n(inverse_.out().begin(), second_response_.size(), second_response_.begin());
}

float PreambleSearch::agreement(CyclicPrefix cp, int& strongest) const {
    // Both symbols see the same channel: responses match at the distance of one symbol. The sum is coherent over the
    // delays within a prefix only, so that the second symbol's repetition does not count.
    const int cp_samples = kFftSize / static_cast<int>(cp);
    const int shift = kSecondSearchStart - kFftSize - cp_samples;
    float best = 0;
    strongest = 0;
    for (int n = 0; n < static_cast<int>(second_response_.size()); ++n) {
        const float product = norm(second_response_[static_cast<size_t>(n)]) *
                              norm(first_response_[static_cast<size_t>((n + shift) & 63)]);
        if (product > best) {
            best = product;
            strongest = n;
        }
    }
    Complex sum{};
    for (int n = std::max(0, strongest - cp_samples); n <= std::min(256, strongest + cp_samples); ++n)
        sum += second_response_[static_cast<size_t>(n)] *
               std::conj(first_response_[static_cast<size_t>((n + shift) & 63)]);
    return std::abs(sum);
}

SampleView PreambleSearch::without_offset(const SampleView& samples, int64_t from) {
    const Complex offset = plateau_offset_.value;
    std::transform(samples.at(from), samples.at(from) + kAcquireSamples, clean_.begin(),
                   [offset](Complex x) { return x - offset; });
    return {clean_.data(), from, kAcquireSamples};
}

std::optional<Acquisition> PreambleSearch::acquire(const SampleView& heard, int64_t plateau) {
    if (!heard.covers(plateau, plateau + kAcquireSamples)) return std::nullopt;
    const SampleView samples = plateau_offset_.value == Complex{} ? heard : without_offset(heard, plateau);
    double frequency = fine_frequency(samples, plateau);
    const int step = integer_frequency(frequency, samples, plateau);
    if (step > max_steps_) return std::nullopt;
    frequency += 4.0 * step / kFftSize;
    correlate_second_symbol(samples, plateau + kSecondSearchStart, frequency);

    Acquisition result;
    result.cycles_per_sample = frequency;
    float best = -1;
    for (const auto cp : kCyclicPrefixes) {
        if (cp_ && cp != *cp_) continue;
        int strongest = 0;
        const float match = agreement(cp, strongest);
        if (match <= best) continue;
        best = match;
        const int cp_samples = kFftSize / static_cast<int>(cp);
        result.cp = cp;
        result.start_sample = plateau + kSecondSearchStart + strongest - kFftSize - 2 * cp_samples;
    }
    return result;
}

}  // namespace gr::wimax::phy
