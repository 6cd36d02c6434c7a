// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/path_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr int kGrid = kGridCarriers;
constexpr int kDelays = 128;  ///< even carriers show delays modulo this
/// A delay counts as a path from this power on: above the noise of its estimate, and above the skirts of the strongest
/// (Hann: -31 dB). A false path that is only covered costs little, one that sets the timing is an error.
constexpr float kCoveredOverNoise = 10.0F;
constexpr float kPathOverNoise = 22.0F;
constexpr float kPathBelowPeak = 0.003F;
/// An interferer on the preamble's carriers adds power at all delays, which would look like paths. The median of the
/// delays is used as noise from this ratio to the noise of the empty carriers on; white noise never reaches it. P_4x64
/// that runs into P_2x128 looks the same and must not hide a path of this share of the peak.
constexpr float kSpreadOverNoise = 4.0F;
constexpr float kCertainBelowPeak = 0.015F;
/// Share of the response's power that must lie within a prefix (and its skirts, in samples) of the first path, unless
/// it is in few delays. Even with the longest prefix anything else has 0.55.
constexpr float kMinInside = 0.7F;
constexpr int kPathSkirt = 3;
/// Concentration (128 sum p^2 / (sum p)^2 over the delays) that makes a preamble whose echoes reach beyond the prefix:
/// one path 50, noise 2.
constexpr float kMinConcentration = 8.0F;
/// Power of the difference of the halves at the paths' delays, over noise, that shows motion: 1 + this over the root of
/// the number of independent delays. Noise has it in 0.2 % of preambles with one path, less often with more.
constexpr float kMotionOverNoise = 4.0F;
/// The window makes one of this many delays independent.
constexpr float kWindowDelays = 1.75F;
/// A channel has this much of its mean power on less than one carrier in 10 000: an interferer.
constexpr float kMaxOverMean = 10.0F;
/// Longest spread that is covered, samples: with the skirts on both sides it includes all delays.
constexpr int kMaxSpan = 119;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

std::array<float, kGrid> make_hann_window(PreambleGrid grid) {
    std::array<float, kGrid> w{};
    for (int i = 0; i < kGrid; ++i)
        w[static_cast<size_t>(i)] =
            static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * grid_offset(grid, i) / (kEdgeCarrier + 2)));
    return w;
}
const std::array<float, kGrid>& hann_window(PreambleGrid grid) {
    static const auto even = make_hann_window(PreambleGrid::even), odd = make_hann_window(PreambleGrid::odd);
    return grid == PreambleGrid::odd ? odd : even;
}
/// Power of the carriers without an interferer.
float mean_power(const std::array<Complex, kGrid>& grid) {
    float limit = std::numeric_limits<float>::max(), mean = 0;
    for (int pass = 0; pass < 2; ++pass) {
        float sum = 0;
        int count = 0;
        for (const Complex h : grid) {
            if (!(norm(h) < limit)) continue;
            sum += norm(h);
            ++count;
        }
        mean = sum / static_cast<float>(std::max(count, 1));
        limit = kMaxOverMean * mean;
    }
    return mean;
}
size_t slot_of(int carrier) { return static_cast<size_t>((carrier >> 1) & (kDelays - 1)); }

/// exp(j pi n / 128)
const std::array<Complex, kDelays>& half_turn() {
    static const auto turn = [] {
        std::array<Complex, kDelays> out;
        for (size_t n = 0; n < kDelays; ++n)
            out[n] = Complex(std::polar(1.0, std::numbers::pi * static_cast<double>(n) / kDelays));
        return out;
    }();
    return turn;
}

}  // namespace

void PathSearch::transform(const PreambleObservation& observation) {
    auto in = inverse_.in();
    std::fill(in.begin(), in.end(), Complex{});
    const PreambleGrid grid = observation.carriers;
    const auto& window = hann_window(grid);
    const float limit = kMaxOverMean * mean_power(observation.grid);
    float sum = 0, square = 0;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const int k = grid_offset(grid, i);
        in[slot_of(k)] = norm(observation.grid[n]) < limit ? observation.grid[n] * window[n] : Complex{};
        const float weight = grid == PreambleGrid::even_twice && k % 4 == 0 ? 1.0F / 12 : 1.0F / 4;
        sum += window[n];
        square += window[n] * window[n] * weight;
    }
    if (grid != PreambleGrid::odd) {  // carrier 0 is never sent
        in[0] = 0.5F * (in[1] + in[kDelays - 1]);
        sum += 1;
    }
    inverse_.execute();
    for (size_t t = 0; t < kDelays; ++t) {
        response_[t] = inverse_.out()[t] / sum;
        power_[t] = norm(response_[t]);
    }
    noise_ = observation.noise_variance * square / (sum * sum);
    floor_ = noise_floor();
    peak_ = static_cast<int>(std::max_element(power_.begin(), power_.end()) - power_.begin());
}

float PathSearch::noise_floor() const {
    auto powers = power_;
    const auto middle = powers.begin() + kDelays / 2;
    std::nth_element(powers.begin(), middle, powers.end());
    const float spread = *middle / std::numbers::ln2_v<float>;  // mean of an exponential distribution
    return spread > kSpreadOverNoise * noise_ ? spread : noise_;
}

/// The grid of a long preamble contains more of the first symbol on every other carrier. A path that moved between the
/// symbols therefore has a ghost at a distance of half of all delays. Limits the weaker of two such delays to the power
/// in the second symbol alone.
void PathSearch::take_off_ghosts(const PreambleObservation& observation, const Carriers& second) {
    constexpr size_t kHalf = kDelays / 2;
    auto in = inverse_.in();
    std::fill(in.begin(), in.end(), Complex{});
    const auto& window = hann_window(PreambleGrid::even);
    const auto& inverse = preamble_inverse().even;
    const float limit = kMaxOverMean * mean_power(observation.grid);
    float sum = 1;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const int k = grid_offset(PreambleGrid::even, i);
        in[slot_of(k)] = norm(observation.grid[n]) < limit ? second[k] * inverse[n] * window[n] : Complex{};
        sum += window[n];
    }
    in[0] = 0.5F * (in[1] + in[kDelays - 1]);
    inverse_.execute();
    for (size_t t = 0; t < kHalf; ++t) {
        const size_t weaker = power_[t] < power_[t + kHalf] ? t : t + kHalf;
        power_[weaker] = std::min(power_[weaker], norm(inverse_.out()[weaker]) / (sum * sum));
    }
}

/// The odd carriers of a symbol of two equal halves contain only the difference of the halves.
void PathSearch::transform_difference(const Carriers& doubled, PreambleObservation& observation) {
    auto in = inverse_.in();
    std::fill(in.begin(), in.end(), Complex{});
    for (int k = 1 - kEdgeCarrier; k < kEdgeCarrier; k += 2) in[slot_of(k)] = doubled[k];
    inverse_.execute();
    const auto& turn = half_turn();
    for (size_t n = 0; n < kDelays; ++n) forward_.in()[n] = inverse_.out()[n] * turn[n];
    forward_.execute();
    const auto& window = hann_window(PreambleGrid::even);
    const auto& inverse = preamble_inverse().even;
    std::fill(in.begin(), in.end(), Complex{});
    float sum = 1;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const size_t slot = slot_of(grid_offset(PreambleGrid::even, i));
        observation.change[n] = forward_.out()[slot] * inverse[n] * (-1.0F / kDelays);
        in[slot] = observation.change[n] * window[n];
        sum += window[n];
    }
    inverse_.execute();
    for (size_t t = 0; t < kDelays; ++t) difference_[t] = inverse_.out()[t] / sum;
}

bool PathSearch::is_path(int t, float over_noise) const {
    const float spread = std::min(over_noise * floor_, kCertainBelowPeak * power_at(peak_));
    const float threshold = std::max({over_noise * noise_, spread, kPathBelowPeak * power_at(peak_)});
    return power_at(t) >= threshold && power_at(t) >= power_at(t - 1) && power_at(t) >= power_at(t + 1);
}

/// Decides which of the paths at t and t - 128 exists. The later one misses the part of the symbol's first half that
/// the prefix does not cover. The earlier one misses the end of the second half. A neighbouring symbol may look like a
/// path, but differs between the halves.
PathSearch::Place PathSearch::place_of(int t, int cp_samples) const {
    const auto n = static_cast<size_t>(t & (kDelays - 1));
    const float seen = (difference_[n] * std::conj(response_[n])).real() / norm(response_[n]);
    // Missing part of a half, as a share of the mean of both.
    const auto share = [](int missing) {
        const float half = 0.5F * static_cast<float>(std::clamp(missing, 0, kDelays)) / kDelays;
        return half / (1 - half);
    };
    const float late = share(t - cp_samples), early = -share(kDelays - t), reach = 0.5F * (late - early);
    if (seen > late + reach || seen < early - reach) return Place::nowhere;
    return seen > early + reach ? Place::late : Place::early;
}

PathSearch::Extent PathSearch::extent(int cp_samples, bool compared) const {
    // Within a prefix of the strongest path, late ones first.
    Extent paths{peak_, peak_, peak_};
    for (int after = 1; after < kDelays; ++after) {
        const bool near = after <= cp_samples, before = after >= kDelays - cp_samples;
        const bool strong = is_path(peak_ + after, kPathOverNoise);
        if (!strong && !((near || before) && is_path(peak_ + after, kCoveredOverNoise))) continue;
        Place place = before ? Place::early : Place::late;
        if (!near && strong && compared) {
            place = place_of(peak_ + after, cp_samples);
            if (place == Place::nowhere && !before) continue;
        }
        const int t = peak_ + after - (place == Place::late ? 0 : kDelays);
        if (strong) paths.first = std::min(paths.first, t);
        if (std::max(paths.last, t) - std::min(paths.early, t) > kMaxSpan) continue;
        paths.early = std::min(paths.early, t);
        paths.last = std::max(paths.last, t);
    }
    return paths;
}

float PathSearch::concentration() const {
    float total = 0, squares = 0;
    for (const float power : power_) {
        total += power;
        squares += power * power;
    }
    return kDelays * squares / std::max(total * total, std::numeric_limits<float>::min());
}

/// A sequence other than the preamble's, or one moved by whole carriers, spreads over all delays.
bool PathSearch::is_gathered(int cp_samples, int first) const {
    float inside = 0, total = 0;
    for (const float power : power_) total += power;
    for (int t = first - kPathSkirt; t <= first + cp_samples + kPathSkirt; ++t) inside += power_at(t) - floor_;
    return inside > kMinInside * (total - kDelays * floor_) || concentration() > kMinConcentration;
}

/// An echo outside the window by n samples disturbs by n times its power.
int PathSearch::quietest_window(int cp_samples, Extent paths) const {
    const int reach = cp_samples - window_backoff(cp_samples);
    int best = paths.early;
    float least = std::numeric_limits<float>::max();
    for (int at = paths.early; at <= paths.last - reach; ++at) {
        float disturbance = 0;
        for (int t = paths.early; t <= paths.last; ++t) {
            const int outside = std::max({0, at - t, t - at - reach});
            if (power_at(t) > kCoveredOverNoise * noise_) disturbance += static_cast<float>(outside) * power_at(t);
        }
        if (disturbance >= least) continue;
        least = disturbance;
        best = at;
    }
    return best;
}

/// Vertex of the parabola through the amplitudes around a maximum.
float PathSearch::refined(int t) const {
    const float a = std::sqrt(power_at(t - 1)), b = std::sqrt(power_at(t)), c = std::sqrt(power_at(t + 1));
    const float bend = a - 2 * b + c;
    return static_cast<float>(t) + (bend < 0 ? std::clamp(0.5F * (a - c) / bend, -0.5F, 0.5F) : 0.0F);
}

/// Phase and delay common to all paths are the link tracker's: subtracts their change.
void PathSearch::leave_phase_and_delay(PreambleObservation& observation) {
    float turn = 0, tilt = 0, weight = 0, tilt_weight = 0;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const auto k = static_cast<float>(grid_offset(PreambleGrid::even, i));
        const float cross = (std::conj(observation.grid[n]) * observation.change[n]).imag();
        const float power = norm(observation.grid[n]);
        turn += cross;
        tilt += k * cross;
        weight += power;
        tilt_weight += k * k * power;
    }
    if (!(weight > 0)) return;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const auto k = static_cast<float>(grid_offset(PreambleGrid::even, i));
        observation.change[n] -= Complex(0, turn / weight + k * tilt / tilt_weight) * observation.grid[n];
    }
}

/// Differences of the halves are motion if they are at the delays of paths and not elsewhere.
void PathSearch::see_motion(int cp_samples, Extent paths, PreambleObservation& observation) const {
    float moved = 0, still = 0, power = 0;
    const int count = paths.last - paths.early + 1 + 2 * kPathSkirt;
    for (int i = 0; i < kDelays; ++i) {
        const auto n = static_cast<size_t>((paths.early - kPathSkirt + i) & (kDelays - 1));
        auto& sum = i < count ? moved : still;
        sum += norm(difference_[n]);
        if (i < count) power += power_[n];
    }
    still *= static_cast<float>(count) / static_cast<float>(kDelays - count);
    const float independent = static_cast<float>(count) / kWindowDelays;
    if (moved < (1 + kMotionOverNoise / std::sqrt(independent)) * still) return;
    // The halves are half a body apart, and their difference is halved.
    const float symbols = static_cast<float>(kFftSize + cp_samples) / (kFftSize / 4);
    observation.speed = (moved - still) / power * symbols * symbols;
    const float over_mean = still / (static_cast<float>(count) * std::max(noise_, std::numeric_limits<float>::min()));
    observation.change_noise = observation.noise_variance * over_mean * symbols * symbols;
    for (auto& change : observation.change) change *= symbols;
    leave_phase_and_delay(observation);
}

void PathSearch::find(int cp_samples, const Carriers* doubled, PreambleObservation& observation) {
    transform(observation);
    // The strongest path is less than half a cycle off the window.
    if (peak_ > kDelays / 2) peak_ -= kDelays;
    if (doubled != nullptr && observation.carriers == PreambleGrid::even_twice) take_off_ghosts(observation, *doubled);
    if (doubled != nullptr) transform_difference(*doubled, observation);
    const Extent paths = extent(cp_samples, doubled != nullptr);
    observation.first_path = refined(paths.first);
    observation.early_path = refined(paths.early);
    observation.last_path = refined(paths.last);
    const bool held = paths.last - paths.early <= cp_samples;
    const int window =
        held ? static_cast<int>(std::lround(observation.first_path)) : quietest_window(cp_samples, paths);
    observation.window_shift = window - window_backoff(cp_samples);
    observation.speed = 0;
    observation.concentration = concentration();
    if (held && doubled != nullptr) see_motion(cp_samples, paths, observation);
    observation.present =
        observation.present && power_at(peak_) > kPathOverNoise * floor_ && is_gathered(cp_samples, paths.first);
}

}  // namespace gr::wimax::phy
