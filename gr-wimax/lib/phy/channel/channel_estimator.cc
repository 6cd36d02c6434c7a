// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/channel_estimator.h"

#include "phy/base/simd.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr int kGrid = PreambleObservation::kGrid;
constexpr double kTurn = 2 * std::numbers::pi;
constexpr int even_offset(int i) { return grid_offset(PreambleGrid::even, i); }

/// Power on the carriers of P_2x128 over that on the empty ones: noise and data symbols give 1 +- 0.12, a preamble at
/// -1 dB per carrier 4.2.
constexpr float kMinEvenRatio = 1.9F;
constexpr float kMinFourthRatio = 2.2F;
/// A grid point this far from the smooth estimate, over its noise and over the mean of the others, has an interferer on
/// it. The mean is larger than the noise if the estimate has errors: a channel that moves, paths not covered.
constexpr float kMaxResidualOverNoise = 16.0F;
constexpr float kTinyPower = 1e-20F;
/// Transmitters have errors outside their preambles, too. No channel is estimated as better than 50 dB, because
/// trackers would follow every error.
constexpr float kLeastNoise = 1e-5F;
/// The ratio that weights the carriers is 35 dB at most in the mean: crest reduction has its errors in few symbols, and
/// with larger weights they turn phase and delay. The standard allows a transmitter -31 dB.
constexpr float kLeastNoiseOfWeights = 3e-4F;

float span_of(const PreambleObservation& observation) { return observation.last_path - observation.early_path; }

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

/// Mean power of the used carriers whose offset is, or is not, a multiple of `step` (carrier 0 left out).
std::pair<float, float> comb_power(const Carriers& symbol, int step) {
    float on = 0, off = 0;
    int on_count = 0, off_count = 0;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        if (k == 0) continue;
        if (k % step == 0) {
            on += norm(symbol[k]);
            ++on_count;
        } else {
            off += norm(symbol[k]);
            ++off_count;
        }
    }
    return {on / static_cast<float>(on_count), off / static_cast<float>(off_count)};
}

/// Largest power over the mean of exponentially distributed powers: larger ones are excluded as interferers.
constexpr float kMaxNoiseOverMean = 9.0F;
template <class Powers> float noise_mean(const Powers& powers, float all) {
    float mean = all;
    for (int pass = 0; pass < 3; ++pass) {
        float sum = 0;
        int count = 0;
        powers([&](float power) {
            if (power > kMaxNoiseOverMean * mean) return;
            sum += power;
            ++count;
        });
        const float next = sum / static_cast<float>(std::max(count, 1));
        if (next > 0.97F * mean) break;
        mean = next;
    }
    return mean;
}

/// The same over the carriers that a preamble symbol leaves empty; stores them in `seen`.
float empty_carriers(const Carriers& symbol, int step, float mean, PerCarrier<float>& seen) {
    const auto powers = [&](const auto& use) {
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
            if (k % step != 0) use(norm(symbol[k]));
    };
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
        if (k % step != 0) seen[k] = std::max(seen[k], norm(symbol[k]));
    return noise_mean(powers, mean);
}

float bounded_noise(float noise, float power) { return std::max(noise, kLeastNoiseOfWeights * power); }

/// Inverse and signal-to-noise ratio of all carriers; returns the mean power of the used ones.
WIMAX_SIMD_BODY float complete_carriers_body(const Complex* response, const float* purity, float noise,
                                             Complex* inverse, float* snr) {
    constexpr int kLanes = 16, kPadded = 208;
    const auto* h = reinterpret_cast<const float*>(response);
    auto* inv = reinterpret_cast<float*>(inverse);
    alignas(64) float sums[kLanes] = {};
    for (int block = 0; block < kPadded; block += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) {
            const int i = block + lane;
            const float square = h[2 * i] * h[2 * i] + h[2 * i + 1] * h[2 * i + 1];
            const float over = square > kTinyPower ? 1.0F / square : 0.0F;
            sums[lane] += square;
            snr[i] = square * purity[i];
            inv[2 * i] = h[2 * i] * over;
            inv[2 * i + 1] = -h[2 * i + 1] * over;
        }
    float sum = 0;
    for (const float part : sums) sum += part;
    const float power = sum / kUsedCarriers, scale = 1.0F / bounded_noise(noise, power);
    for (int i = 0; i < kPadded; ++i) snr[i] *= scale;
    return power;
}
constexpr simd::Dispatched<complete_carriers_body> complete_carriers;

}  // namespace

const PreambleInverse& preamble_inverse() {
    static const auto inverse = [] {
        PreambleInverse out;
        for (int i = 0; i < kGrid; ++i) {
            const auto bin = static_cast<size_t>(bin_of(even_offset(i)));
            const auto odd_bin = static_cast<size_t>(bin_of(grid_offset(PreambleGrid::odd, i)));
            out.even[static_cast<size_t>(i)] = Complex(1) / preamble_carriers(PreambleSymbol::p_even)[bin];
            out.odd[static_cast<size_t>(i)] = Complex(1) / preamble_carriers(PreambleSymbol::p_odd)[odd_bin];
            if (even_offset(i) % 4 == 0)
                out.fourth[static_cast<size_t>(i)] = Complex(1) / preamble_carriers(PreambleSymbol::p_4x64)[bin];
        }
        return out;
    }();
    return inverse;
}

void ChannelEstimate::complete() {
    response[0] = 0;
    const float noise = std::max(noise_variance, kTinyPower);
    power = complete_carriers(response.data(), purity.data(), noise, inverse.data(), snr.data());
    snr_noise = bounded_noise(noise, power);
}

ChannelEstimator::ChannelEstimator() {
    for (const auto grid : {PreambleGrid::even, PreambleGrid::even_twice, PreambleGrid::odd})
        DelaySmoother::prepare(grid);
}

void ChannelEstimator::observe_long(const Carriers& first, const Carriers& second, int cp_samples, float prior_variance,
                                    PreambleObservation& out) {
    const auto [fourth_on, fourth_off] = comb_power(first, 4);
    const auto [even_on, even_off] = comb_power(second, 2);
    out.carriers = PreambleGrid::even_twice;
    out.noise.values.fill(0);
    const float fourth_noise = empty_carriers(first, 4, fourth_off, out.noise);
    const float even_noise = empty_carriers(second, 2, even_off, out.noise);
    out.noise_variance = std::max(0.6F * fourth_noise + 0.4F * even_noise, kTinyPower);  // 150 and 100 carriers
    out.power = std::max((even_on - even_noise) / 4, kTinyPower);
    out.present = fourth_on > kMinFourthRatio * fourth_noise && even_on > kMinEvenRatio * even_noise;

    const auto& inverse = preamble_inverse();
    Complex step{};
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const int k = even_offset(i);
        out.grid[n] = second[k] * inverse.even[n];
        if (k % 4 == 0) step += out.grid[n] * std::conj(first[k] * inverse.fourth[n]);
    }
    // Two looks at 50 carriers, at 8 and 4 times the data's signal-to-noise ratio.
    const float snr = out.power / out.noise_variance;
    const float measured_variance = std::max(0.5F * (1.0F / 8 + 1.0F / 4) / (50 * snr), 1e-9F);
    // A step far outside the prior is a new situation: use the measurement.
    const float angle = std::arg(step);
    const bool surprise = angle * angle > 25 * (prior_variance + measured_variance);
    const float trust = surprise ? 1.0F : prior_variance / (prior_variance + measured_variance);
    out.phase_step = angle * trust;
    out.phase_step_variance = measured_variance * trust;
    const Complex turn = std::polar(1.0F, out.phase_step);
    for (int i = 0; i < kGrid; ++i) {
        const int k = even_offset(i);
        if (k % 4 != 0) continue;
        const auto n = static_cast<size_t>(i);
        out.grid[n] = (out.grid[n] + 2.0F * turn * first[k] * inverse.fourth[n]) / 3.0F;
    }
    paths_.find(cp_samples, &second, out);
}

void ChannelEstimator::observe_short(const Carriers& symbol, int cp_samples, PreambleObservation& out) {
    const auto [even_on, even_off] = comb_power(symbol, 2);
    out.carriers = PreambleGrid::even;
    out.noise.values.fill(0);
    out.noise_variance = std::max(empty_carriers(symbol, 2, even_off, out.noise), kTinyPower);
    out.power = std::max((even_on - out.noise_variance) / 4, kTinyPower);
    out.present = even_on > kMinEvenRatio * out.noise_variance;
    out.phase_step = 0;
    out.phase_step_variance = 1;
    const auto& inverse = preamble_inverse();
    for (int i = 0; i < kGrid; ++i)
        out.grid[static_cast<size_t>(i)] = symbol[even_offset(i)] * inverse.even[static_cast<size_t>(i)];
    paths_.find(cp_samples, &symbol, out);
}

void ChannelEstimator::observe_stc(const Carriers& symbol, int antenna, int cp_samples, float noise_variance,
                                   PreambleObservation& out) {
    out.carriers = antenna == 0 ? PreambleGrid::even : PreambleGrid::odd;
    out.noise.values.fill(0);
    out.noise_variance = std::max(noise_variance, kTinyPower);
    out.present = true;
    out.phase_step = 0;
    out.phase_step_variance = 1;
    const auto& inverse = antenna == 0 ? preamble_inverse().even : preamble_inverse().odd;
    float power = 0;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        out.grid[n] = symbol[grid_offset(out.carriers, i)] * inverse[n];
        power += norm(out.grid[n]);
    }
    // Preamble carriers have four times the power of data carriers, so their noise counts a quarter.
    out.power = std::max(power / kGrid - out.noise_variance / 4, kTinyPower);
    paths_.find(cp_samples, nullptr, out);
}

void ChannelEstimator::take_image_off(Complex image, const Carriers& response, PreambleObservation& observation) const {
    const auto even = preamble_carriers(PreambleSymbol::p_even), fourth = preamble_carriers(PreambleSymbol::p_4x64);
    const auto& inverse = preamble_inverse();
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const int k = even_offset(i);
        const auto mirror = static_cast<size_t>(bin_of(-k));
        Complex share = std::conj(even[mirror]) * inverse.even[n];
        if (observation.carriers == PreambleGrid::even_twice && k % 4 == 0)
            share = (share + 2.0F * std::conj(fourth[mirror]) * inverse.fourth[n]) / 3.0F;
        observation.grid[n] -= image * response[k] * share;
    }
}

void ChannelEstimator::estimate(const PreambleObservation& observation, ChannelEstimate& out) {
    out.noise_variance = std::max(observation.noise_variance, kLeastNoise * observation.power);
    out.first_path = observation.first_path;
    out.early_path = observation.early_path;
    out.last_path = observation.last_path;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        const float power = observation.noise[k];
        out.purity[k] = power > kMaxNoiseOverMean * out.noise_variance ? out.noise_variance / power : 1;
    }
    const float snr = observation.power / observation.noise_variance;
    out.absorbed = DelaySmoother::get(observation.carriers, span_of(observation), snr).absorbed();
    smooth(observation, observation.grid, observation.carriers, snr, out.response);
    if (clean(observation, out)) smooth(observation, cleaned_, observation.carriers, snr, out.response);
    out.complete();
    out.speed = observation.speed;
    out.change_noise = observation.change_noise;
    if (out.speed > 0)
        smooth(observation, observation.change, PreambleGrid::even, out.speed * out.power / out.change_noise,
               out.change);
}

bool ChannelEstimator::clean(const PreambleObservation& observation, ChannelEstimate& out) {
    std::array<float, kGrid> residual;
    float sum = 0;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        // Preamble carriers have at least four times the power of data carriers.
        residual[n] = 4 * norm(observation.grid[n] - out.response[grid_offset(observation.carriers, i)]);
        sum += residual[n];
    }
    const auto residuals = [&](const auto& use) { std::for_each(residual.begin(), residual.end(), use); };
    const float limit = kMaxResidualOverNoise * std::max(out.noise_variance, noise_mean(residuals, sum / kGrid));
    bool found = false;
    for (int i = 0; i < kGrid; ++i) {
        const auto n = static_cast<size_t>(i);
        const int k = grid_offset(observation.carriers, i);
        const float power = residual[n];
        if (power < limit) continue;
        if (!found) cleaned_ = observation.grid;
        found = true;
        cleaned_[n] = out.response[k];
        out.purity[k] = std::min(out.purity[k], out.noise_variance / power);
    }
    return found;
}

void ChannelEstimator::smooth(const PreambleObservation& observation, const Grid& grid, PreambleGrid carriers,
                              float snr, Carriers& out) {
    const auto& smoother = DelaySmoother::get(carriers, span_of(observation), snr);

    const double slope = kTurn * observation.early_path / kFftSize;
    carrier_ramp(0, slope, ramp_);
    for (int i = 0; i < kGrid; ++i)
        turned_[static_cast<size_t>(i)] = grid[static_cast<size_t>(i)] * ramp_[grid_offset(carriers, i)];
    auto taps = interpolate_.in();
    std::fill(taps.begin(), taps.end(), Complex{});
    for (int tap = 0; tap < smoother.taps(); ++tap) {
        lv_32fc_t value;
        volk_32fc_x2_dot_prod_32fc(&value, smoother.row(tap), turned_.data(), kGrid);
        taps[static_cast<size_t>((tap - DelaySmoother::kLeadTaps) & 511)] = value;
    }
    interpolate_.execute();
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
        out[k] = interpolate_.out()[static_cast<size_t>(k & 511)] * std::conj(ramp_[k]);
}

}  // namespace gr::wimax::phy
