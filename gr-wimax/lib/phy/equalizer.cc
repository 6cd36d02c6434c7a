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
/// Decisions are partly wrong and partly the same noise as the pilots' state: their variance counts for more.
constexpr double kDecisionCaution = 2.0;
constexpr double kMaxVariance = 1e3;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

/// tanh within 3 %, without a library call.
inline float soft_sign(float x) {
    const float y = std::clamp(x, -3.0F, 3.0F);
    return y * (27.0F + y * y) / (27.0F + 9.0F * y * y);
}

/// Nearest odd level within +-top, with the constellation's spacing.
inline float nearest_level(float x, float unit, float inverse, float top) {
    const float scaled = std::clamp(x * inverse, -top, top);
    const auto cell = static_cast<float>(static_cast<int>((scaled + top + 1.0F) * 0.5F));
    return std::min(2.0F * cell - top, top) * unit;
}

/// Phase and its slope over carriers, from products conj(reference) * received.
struct PhaseSums {
    Complex sum{};
    double weight = 0, slope = 0, slope_weight = 0;
};

}  // namespace

void Equalizer::configure(int bits_per_carrier, int subchannel_index) {
    bits_per_carrier_ = bits_per_carrier;
    carriers_ = &carrier_set(subchannel_index);
}

void Equalizer::correct_by_pilots(const Carriers& symbol, const ChannelEstimate& channel, int window_shift,
                                  const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker) {
    const double slope = (window_shift - tracker.delay()) / kSamplesPerSlope;
    std::array<Complex, kPilotCarriers> error{};
    Complex sum{};
    double weight = 0, slope_weight = 0;
    for (const auto p : carriers_->pilot_indices()) {
        const int k = kPilotOffsets[p];
        const double angle = tracker.phase() + slope * k;
        const Complex turn(static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle)));
        error[p] = symbol[k] * channel.inverse[k] * turn * (pilots[p] * channel.snr[k]);
        sum += error[p];
        weight += channel.snr[k];
        slope_weight += static_cast<double>(channel.snr[k]) * k * k;
    }
    if (weight <= 0) return;
    const double phase = std::arg(sum);
    const Complex unturn = std::polar(1.0F, static_cast<float>(-phase));
    double tilt = 0;
    for (const auto p : carriers_->pilot_indices()) tilt += kPilotOffsets[p] * static_cast<double>((error[p] * unturn).imag());
    tracker.correct_phase(phase, 0.5 / weight);
    // The linear estimate of the slope holds while the phase at the outer pilots stays well below half a turn.
    if (carriers_->pilot_count == kPilotCarriers)
        tracker.correct_delay(-tilt / slope_weight * kSamplesPerSlope,
                              std::min(0.5 / slope_weight * kSamplesPerSlope * kSamplesPerSlope, kMaxVariance));
}

void Equalizer::decide() {
    const auto count = static_cast<size_t>(carriers_->data_count);
    switch (bits_per_carrier_) {
        case 1:
            for (size_t i = 0; i < count; ++i) decisions_[i] = {soft_sign(2.0F * snr_[i] * points_[i].real()), 0.0F};
            break;
        case 2: {
            constexpr float kLevel = 0.70710678F;
            for (size_t i = 0; i < count; ++i) {
                const float scale = 2.0F * kLevel * snr_[i];
                decisions_[i] = {kLevel * soft_sign(scale * points_[i].real()), kLevel * soft_sign(scale * points_[i].imag())};
            }
            break;
        }
        default: {
            const float top = bits_per_carrier_ == 4 ? 3.0F : 7.0F;
            const float unit = bits_per_carrier_ == 4 ? 0.31622777F : 0.15430335F;
            const float inverse = 1.0F / unit;
            for (size_t i = 0; i < count; ++i)
                decisions_[i] = {nearest_level(points_[i].real(), unit, inverse, top),
                                 nearest_level(points_[i].imag(), unit, inverse, top)};
        }
    }
}

void Equalizer::correct_by_decisions(LinkTracker& tracker) {
    const auto data = carriers_->data();
    float re = 0, im = 0, weight = 0, tilt = 0, slope_weight = 0;
    for (size_t i = 0; i < data.size(); ++i) {
        const Complex z = points_[i], d = decisions_[i];
        const auto k = static_cast<float>(data[i]);
        const float w = snr_[i];
        const float cross = w * (d.real() * z.imag() - d.imag() * z.real());
        const float level = w * norm(d);
        re += w * (d.real() * z.real() + d.imag() * z.imag());
        im += cross;
        tilt += k * cross;
        weight += level;
        slope_weight += k * k * level;
    }
    if (re <= 0 || weight <= 0 || carriers_->data_count < kDataCarriers) return;
    const double phase = std::atan2(im, re);
    const double before = tracker.phase(), delay_before = tracker.delay();
    tracker.correct_phase(phase, 0.5 * kDecisionCaution / weight);
    tracker.correct_delay(-tilt / slope_weight * kSamplesPerSlope,
                          0.5 * kDecisionCaution / slope_weight * kSamplesPerSlope * kSamplesPerSlope);
    carrier_ramp(tracker.phase() - before, (delay_before - tracker.delay()) / kSamplesPerSlope, ramp_);
    for (size_t i = 0; i < data.size(); ++i) {
        const Complex z = points_[i], r = ramp_[data[i]];
        points_[i] = {z.real() * r.real() + z.imag() * r.imag(), z.imag() * r.real() - z.real() * r.imag()};
    }
}

void Equalizer::measure(const Carriers& symbol, const ChannelEstimate& channel,
                        const std::array<float, kPilotCarriers>& pilots, QualityMeter& meter) {
    if (bits_per_carrier_ <= 2)
        for (size_t i = 0; i < points().size(); ++i) {
            const float level = bits_per_carrier_ == 1 ? 1.0F : 0.70710678F;
            decisions_[i] = {std::copysign(level, points_[i].real()),
                             bits_per_carrier_ == 1 ? 0.0F : std::copysign(level, points_[i].imag())};
        }
    float reference = 0, error = 0, point_error = 0, point_reference = 0;
    for (size_t i = 0; i < points().size(); ++i) {
        const float e = norm(points_[i] - decisions_[i]), d = norm(decisions_[i]);
        const float power = snr_[i] * channel.noise_variance;
        reference += power * d;
        error += power * e;
        point_error += e;
        point_reference += d;
    }
    meter.add_data(reference, error, point_error, point_reference, carriers_->data_count);
    float pilot_error = 0;
    for (const auto p : carriers_->pilot_indices()) {
        const int k = kPilotOffsets[p];
        const Complex z = equalized_[k];
        pilot_error += norm(z - Complex(pilots[p])) * channel.snr[k] * channel.noise_variance;
    }
    (void)symbol;
    meter.add_pilots(pilot_error, carriers_->pilot_count);
}

std::span<const SoftBit> Equalizer::equalize(const Carriers& symbol, const ChannelEstimate& channel, int window_shift,
                                             const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker,
                                             QualityMeter& meter) {
    correct_by_pilots(symbol, channel, window_shift, pilots, tracker);
    carrier_ramp(tracker.phase(), (window_shift - tracker.delay()) / kSamplesPerSlope, ramp_);
    volk_32fc_x2_multiply_32fc(equalized_.data(), symbol.data(), channel.inverse.data(), kCarrierSpan);
    volk_32fc_x2_multiply_conjugate_32fc(equalized_.data(), equalized_.data(), ramp_.data(), kCarrierSpan);
    const auto data = carriers_->data();
    for (size_t i = 0; i < data.size(); ++i) {
        points_[i] = equalized_[data[i]];
        snr_[i] = channel.snr[data[i]];
    }
    decide();
    correct_by_decisions(tracker);
    if (bits_per_carrier_ > 2) decide();
    measure(symbol, channel, pilots, meter);
    const std::span<SoftBit> soft(soft_.data(), data.size() * static_cast<size_t>(bits_per_carrier_));
    soft_demap(bits_per_carrier_, points(), {snr_.data(), data.size()}, soft);
    return soft;
}

}  // namespace gr::wimax::phy
