/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "equalizer.h"

#include "soft_demapper.h"

#include <gnuradio/wimax/phy/pilots.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kSamplesPerSlope = kFftSize / kTurn;  // delay for a phase slope of 1 rad per carrier
/// Decisions are partly wrong, which their sums do not show: their variance counts for more.
constexpr double kDecisionCaution = 1.2;
/// Decisions that turn with the points by more than the rest of this tell nothing.
constexpr float kLeastSteepness = 0.1F;
/// Errors against decisions above the preamble's noise (interference, phase noise, a channel that moves) lower the
/// trust in soft bits; averaged over about this many symbols.
constexpr float kExcessSymbols = 4;
constexpr float kMinExcess = 1.15F;

constexpr float kTinyLevel = 1e-20F;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

/// Phases of long frames grow beyond what a float resolves.
float wrapped(double phase) { return static_cast<float>(std::remainder(phase, kTurn)); }
float slope_of(double delay_samples) { return static_cast<float>(delay_samples / kSamplesPerSlope); }

/// How the tracker's opinion of this symbol's phase and delay has changed since.
PhaseLine moved(const LinkTracker& tracker, double phase, double delay) {
    return {static_cast<float>(tracker.phase() - phase), slope_of(delay - tracker.delay())};
}

}  // namespace

void Equalizer::configure(int bits_per_carrier, int subchannel_index) {
    bits_per_carrier_ = bits_per_carrier;
    noise_excess_ = 0;
    carriers_ = &carrier_set(subchannel_index);
    planes_ = SymbolPlanes{};
}

void Equalizer::use_channel(const ChannelEstimate& channel) {
    channel_ = &channel;
    for (size_t i = 0; i < kCarrierSpan; ++i) {
        planes_.inverse_re[i] = channel.inverse.data()[i].real();
        planes_.inverse_im[i] = channel.inverse.data()[i].imag();
    }
    for (const int k : carriers_->data()) planes_.snr[SymbolPlanes::place(k)] = channel.snr[k];
}

Complex Equalizer::point(int offset) const {
    return {planes_.re[SymbolPlanes::place(offset)], planes_.im[SymbolPlanes::place(offset)]};
}

std::span<const Complex> Equalizer::points() {
    const auto offsets = carriers_->data();
    for (size_t i = 0; i < offsets.size(); ++i) points_[i] = point(offsets[i]);
    return {points_.data(), offsets.size()};
}

PhaseLine Equalizer::correct_by_pilots(const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker) {
    std::array<Complex, kPilotCarriers> error{};
    Complex sum{};
    double weight = 0, tilt_weight = 0;
    for (const auto p : carriers_->pilot_indices()) {
        const int k = kPilotOffsets[p];
        error[p] = point(k) * (pilots[p] * channel_->snr[k]);
        sum += error[p];
        weight += channel_->snr[k];
        tilt_weight += static_cast<double>(channel_->snr[k]) * k * k;
    }
    if (!(weight > 0)) return {};
    const Complex back = std::conj(sum) / std::max(std::abs(sum), kTinyLevel);
    double tilt = 0;
    for (const auto p : carriers_->pilot_indices())
        tilt += kPilotOffsets[p] * static_cast<double>((error[p] * back).imag());
    const double phase = tracker.phase(), delay = tracker.delay();
    tracker.correct_phase(std::arg(sum), 0.5 / weight);
    if (carriers_->pilot_count == kPilotCarriers)
        tracker.correct_delay(-tilt / tilt_weight * kSamplesPerSlope,
                              0.5 / tilt_weight * kSamplesPerSlope * kSamplesPerSlope);
    return moved(tracker, phase, delay);
}

PhaseLine Equalizer::correct_by_decisions(const DecisionSums& sums, LinkTracker& tracker) const {
    if (!(sums.steepness > kLeastSteepness * sums.weight)) return {};
    const double phase = tracker.phase(), delay = tracker.delay();
    const double steepness = sums.steepness, tilt_steepness = sums.tilt_steepness;
    tracker.correct_phase(std::atan2(sums.quadrature, sums.steepness),
                          0.5 * kDecisionCaution * sums.weight / (steepness * steepness));
    if (carriers_->data_count == kDataCarriers && tilt_steepness > kLeastSteepness * sums.tilt_weight)
        tracker.correct_delay(-sums.tilt / tilt_steepness * kSamplesPerSlope,
                              0.5 * kDecisionCaution * sums.tilt_weight / (tilt_steepness * tilt_steepness) *
                                  kSamplesPerSlope * kSamplesPerSlope);
    return moved(tracker, phase, delay);
}

float Equalizer::measure(const ErrorSums& sums, const std::array<float, kPilotCarriers>& pilots, QualityMeter& meter) {
    const float noise = channel_->noise_variance;
    const int count = carriers_->data_count;
    meter.add_data(sums.reference * noise, sums.error * noise, sums.point_error, sums.point_reference, count);
    float pilot_error = 0;
    for (const auto p : carriers_->pilot_indices()) {
        const int k = kPilotOffsets[p];
        pilot_error += norm(point(k) - Complex(pilots[p])) * channel_->snr[k] * noise;
        planes_.lack_re[SymbolPlanes::place(k)] += point(k).real() * pilots[p] - 1;
        planes_.lack_im[SymbolPlanes::place(k)] += point(k).imag() * pilots[p];
    }
    meter.add_pilots(pilot_error, carriers_->pilot_count);
    return sums.error / static_cast<float>(count);
}

std::span<const SoftBit> Equalizer::equalize(const Carriers& symbol, int window_shift,
                                             const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker,
                                             QualityMeter& meter) {
    divide_by_channel(symbol, {wrapped(tracker.phase()), slope_of(window_shift - tracker.delay())}, planes_);
    const PhaseLine by_pilots = correct_by_pilots(pilots, tracker);
    const DecisionSums decisions = decide_points(bits_per_carrier_, by_pilots, planes_);
    const PhaseLine by_decisions = correct_by_decisions(decisions, tracker);
    const ErrorSums errors = sum_errors(bits_per_carrier_, by_decisions, planes_);
    const float excess = measure(errors, pilots, meter);
    if (std::isfinite(excess)) noise_excess_ += (excess - noise_excess_) / (noise_excess_ > 0 ? kExcessSymbols : 1);
    const auto offsets = carriers_->data();
    const std::span<SoftBit> soft(soft_.data(), offsets.size() * static_cast<size_t>(bits_per_carrier_));
    soft_demap(bits_per_carrier_, planes_, noise_excess_ > kMinExcess ? 1 / noise_excess_ : 1, offsets, soft);
    return soft;
}

}  // namespace gr::wimax::phy
