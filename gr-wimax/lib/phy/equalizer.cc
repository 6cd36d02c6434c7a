/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "equalizer.h"

#include <gnuradio/wimax/phy/constellation.h>
#include <gnuradio/wimax/phy/pilots.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kSamplesPerSlope = kFftSize / kTurn;  // delay for a phase slope of 1 rad per carrier
/// Decisions are partly wrong, which their sums do not show: their variance counts for more.
constexpr double kDecisionCaution = 2.0;
/// Errors against decisions above the preamble's noise (interference, phase noise, a channel that moves) lower the
/// trust in soft bits; averaged over about this many symbols.
constexpr float kExcessSymbols = 4;
constexpr float kMinExcess = 1.15F;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

}  // namespace

void Equalizer::configure(int bits_per_carrier, int subchannel_index) {
    bits_per_carrier_ = bits_per_carrier;
    noise_excess_ = 0;
    carriers_ = &carrier_set(subchannel_index);
    data_ = DataCarriers{};
    data_.count = carriers_->data_count;
    for (int i = 0; i < data_.count; ++i)
        data_.offset[static_cast<size_t>(i)] = carriers_->data_offsets[static_cast<size_t>(i)];
}

void Equalizer::use_channel(const ChannelEstimate& channel) {
    channel_ = &channel;
    for (int i = 0; i < data_.count; ++i)
        data_.snr[static_cast<size_t>(i)] = channel.snr[carriers_->data_offsets[static_cast<size_t>(i)]];
}

void Equalizer::correct_by_pilots(const Carriers& symbol, int window_shift,
                                  const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker) {
    const double slope = (window_shift - tracker.delay()) / kSamplesPerSlope;
    std::array<Complex, kPilotCarriers> error{};
    Complex sum{};
    double weight = 0, tilt_weight = 0;
    for (const auto p : carriers_->pilot_indices()) {
        const int k = kPilotOffsets[p];
        const auto angle = static_cast<float>(-tracker.phase() - slope * k);
        error[p] = symbol[k] * channel_->inverse[k] * std::polar(pilots[p] * channel_->snr[k], angle);
        sum += error[p];
        weight += channel_->snr[k];
        tilt_weight += static_cast<double>(channel_->snr[k]) * k * k;
    }
    if (!(weight > 0)) return;
    const double phase = std::arg(sum);
    const Complex back = std::polar(1.0F, static_cast<float>(-phase));
    double tilt = 0;
    for (const auto p : carriers_->pilot_indices())
        tilt += kPilotOffsets[p] * static_cast<double>((error[p] * back).imag());
    tracker.correct_phase(phase, 0.5 / weight);
    if (carriers_->pilot_count == kPilotCarriers)
        tracker.correct_delay(-tilt / tilt_weight * kSamplesPerSlope,
                              0.5 / tilt_weight * kSamplesPerSlope * kSamplesPerSlope);
}

void Equalizer::correct_by_decisions(LinkTracker& tracker) {
    const DecisionSums sums = sum_decisions(data_);
    if (!(sums.in_phase > 0 && sums.weight > 0)) return;
    const double phase = tracker.phase(), delay = tracker.delay();
    tracker.correct_phase(std::atan2(sums.quadrature, sums.in_phase), 0.5 * kDecisionCaution / sums.weight);
    if (data_.count == kDataCarriers)
        tracker.correct_delay(-sums.tilt / sums.tilt_weight * kSamplesPerSlope,
                              0.5 * kDecisionCaution / sums.tilt_weight * kSamplesPerSlope * kSamplesPerSlope);
    turn_points(static_cast<float>(tracker.phase() - phase),
                static_cast<float>((delay - tracker.delay()) / kSamplesPerSlope), data_);
}

float Equalizer::measure(const std::array<float, kPilotCarriers>& pilots, QualityMeter& meter) {
    const ErrorSums sums = sum_errors(bits_per_carrier_, data_);
    const float noise = channel_->noise_variance;
    meter.add_data(sums.reference * noise, sums.error * noise, sums.point_error, sums.point_reference, data_.count);
    float pilot_error = 0;
    for (const auto p : carriers_->pilot_indices()) {
        const int k = kPilotOffsets[p];
        pilot_error += norm(equalized_[k] - Complex(pilots[p])) * channel_->snr[k] * noise;
    }
    meter.add_pilots(pilot_error, carriers_->pilot_count);
    return sums.error / static_cast<float>(data_.count);
}

std::span<const SoftBit> Equalizer::equalize(const Carriers& symbol, int window_shift,
                                             const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker,
                                             QualityMeter& meter) {
    correct_by_pilots(symbol, window_shift, pilots, tracker);
    carrier_ramp(tracker.phase(), (window_shift - tracker.delay()) / kSamplesPerSlope, ramp_);
    volk_32fc_x2_multiply_32fc(equalized_.data(), symbol.data(), channel_->inverse.data(), kCarrierSpan);
    volk_32fc_x2_multiply_conjugate_32fc(equalized_.data(), equalized_.data(), ramp_.data(), kCarrierSpan);
    const auto offsets = carriers_->data();
    for (size_t i = 0; i < offsets.size(); ++i) {
        const Complex z = equalized_[offsets[i]];
        data_.re[i] = z.real();
        data_.im[i] = z.imag();
    }
    decide_points(bits_per_carrier_, data_);
    correct_by_decisions(tracker);
    const float excess = measure(pilots, meter);
    if (std::isfinite(excess)) noise_excess_ += (excess - noise_excess_) / (noise_excess_ > 0 ? kExcessSymbols : 1);
    std::span<const float> snr(data_.snr.data(), offsets.size());
    if (noise_excess_ > kMinExcess) {
        for (size_t i = 0; i < offsets.size(); ++i) trusted_snr_[i] = data_.snr[i] / noise_excess_;
        snr = {trusted_snr_.data(), offsets.size()};
    }
    for (size_t i = 0; i < offsets.size(); ++i) points_[i] = {data_.re[i], data_.im[i]};
    const std::span<SoftBit> soft(soft_.data(), offsets.size() * static_cast<size_t>(bits_per_carrier_));
    soft_demap(bits_per_carrier_, points(), snr, soft);
    return soft;
}

}  // namespace gr::wimax::phy
