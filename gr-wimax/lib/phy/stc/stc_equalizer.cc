// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/stc/stc_equalizer.h"

#include "phy/carriers/soft_demapper.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kSamplesPerSlope = kFftSize / (2 * std::numbers::pi);  // delay for 1 rad per carrier
/// Some decisions are wrong, which their sums do not show: their variance is increased.
constexpr double kDecisionCaution = 2.0;
/// Errors against decisions above the preamble's noise lower the trust in soft bits; averaged over about this many
/// pairs.
constexpr float kExcessPairs = 2;
constexpr float kMinExcess = 1.15F;
/// Error of the channel estimates without noise, over their power. It matters where the signals of both antennas
/// cancel.
constexpr double kEstimateError = 1e-4;
constexpr float kTinyPower = 1e-20F;

/// Sums over carriers of received values against expected ones, and the phase and delay that follow.
struct Alignment {
    Complex sum{}, tilt{};
    double power = 0, tilt_power = 0;

    void add(Complex received, Complex expected, int offset) {
        const Complex z = received * std::conj(expected);
        const double square = std::norm(expected);
        sum += z;
        tilt += static_cast<float>(offset) * z;
        power += square;
        tilt_power += square * offset * offset;
    }
    void correct(LinkTracker& tracker, double noise_variance) const {
        if (!(power > 0)) return;
        const float angle = std::arg(sum);
        const double slope = (tilt * std::polar(1.0F, -angle)).imag() / tilt_power;
        tracker.correct_phase(angle, 0.5 * noise_variance / power);
        tracker.correct_delay(-slope * kSamplesPerSlope,
                              0.5 * noise_variance / tilt_power * kSamplesPerSlope * kSamplesPerSlope);
    }
};

/// tanh within 3 %.
float soft_sign(float x) {
    const float y = std::clamp(x, -3.0F, 3.0F);
    return y * (27.0F + y * y) / (27.0F + 9.0F * y * y);
}

/// Conditional mean of a BPSK or QPSK point given the received one, nearest point of the others.
Complex decided(int bits_per_carrier, Complex z, float snr) {
    constexpr float kQpskLevel = 0.70710678F;
    if (bits_per_carrier == 1) return soft_sign(2 * snr * z.real());
    if (bits_per_carrier > 2) return constellation(bits_per_carrier)[hard_label(bits_per_carrier, z)];
    const float scale = 2 * kQpskLevel * snr;
    return kQpskLevel * Complex(soft_sign(scale * z.real()), soft_sign(scale * z.imag()));
}

Complex point(const SymbolPlanes& symbol, size_t place) { return {symbol.re[place], symbol.im[place]}; }

}  // namespace

void StcEqualizer::configure(int bits_per_carrier) {
    bits_per_carrier_ = bits_per_carrier;
    noise_excess_ = 0;
}

void StcEqualizer::use_channels(const ChannelEstimate& antenna_0, const ChannelEstimate& antenna_1) {
    channels_ = {&antenna_0, &antenna_1};
    const float scale = 1.0F / std::max(noise_variance(), kTinyPower);
    for (const int k : kDataOffsets)
        for (auto& symbol : sent_)
            symbol.snr[SymbolPlanes::place(k)] =
                (std::norm(antenna_0.response[k]) + std::norm(antenna_1.response[k])) * scale;
    expectation_variance_ = noise_variance() + kEstimateError * (antenna_0.power + antenna_1.power);
}

void StcEqualizer::correct_by_pilots(const Carriers& symbol, int which, int window_shift,
                                     const std::array<Pilots, 2>& pilots, LinkTracker& tracker, QualityMeter& meter) {
    const double slope = (window_shift - tracker.delay()) / kSamplesPerSlope;
    Alignment alignment;
    float error = 0;
    for (size_t p = 0; p < kPilotOffsets.size(); ++p) {
        const int k = kPilotOffsets[p];
        Complex expected{};
        for (size_t a = 0; a < channels_.size(); ++a) {
            const StcPilot& pilot = kStcPilots[a][which];
            expected += pilot.sign * pilots[static_cast<size_t>(pilot.of)][p] * channels_[a]->response[k];
        }
        const auto angle = static_cast<float>(-tracker.phase() - slope * k);
        const Complex received = symbol[k] * std::polar(1.0F, angle);
        alignment.add(received, expected, k);
        error += std::norm(received - expected);
    }
    alignment.correct(tracker, expectation_variance_);
    meter.add_pilots(error, kPilotCarriers);
}

void StcEqualizer::combine(const std::array<Carriers, 2>& symbols, int window_shift, const LinkTracker& tracker) {
    const double slope = (window_shift - tracker.delay()) / kSamplesPerSlope;
    for (size_t which = 0; which < symbols.size(); ++which) {
        // The tracker is at the second symbol.
        const double phase = tracker.phase() - (which == 0 ? tracker.phase_rate() : 0.0);
        carrier_ramp(phase, slope, ramp_);
        volk_32fc_x2_multiply_conjugate_32fc(received_[which].data(), symbols[which].data(), ramp_.data(),
                                             kCarrierSpan);
    }
    for (const int k : kDataOffsets) {
        const auto s = combined(k);
        const size_t place = SymbolPlanes::place(k);
        for (size_t which = 0; which < s.size(); ++which) {
            sent_[which].re[place] = s[which].real();
            sent_[which].im[place] = s[which].imag();
        }
    }
}

std::array<Complex, 2> StcEqualizer::combined(int offset) const {
    const Complex h0 = channels_[0]->response[offset], h1 = channels_[1]->response[offset];
    const Complex r0 = received_[0][offset], r1 = received_[1][offset];
    const float scale = 1.0F / std::max(std::norm(h0) + std::norm(h1), kTinyPower);
    return {scale * (std::conj(h0) * r0 + h1 * std::conj(r1)), scale * (std::conj(h1) * r0 - h0 * std::conj(r1))};
}

std::span<const Complex> StcEqualizer::points(int which) {
    for (size_t i = 0; i < kDataOffsets.size(); ++i)
        points_[i] = point(sent_[static_cast<size_t>(which)], SymbolPlanes::place(kDataOffsets[i]));
    return points_;
}

std::span<const Complex> StcEqualizer::pilots(int which) {
    static_assert(kStcPilots[0][0].of == 0 && kStcPilots[0][1].of == 1 && kStcPilots[0][1].sign < 0 &&
                      kStcPilots[1][0].of == 1 && kStcPilots[1][1].of == 0,
                  "pilots that are not coded like data need a separate combination");
    const auto symbol = static_cast<size_t>(which);
    for (size_t p = 0; p < kPilotOffsets.size(); ++p)
        pilot_points_[p] = combined(kPilotOffsets[p])[symbol] * pilots_[symbol][p];
    return pilot_points_;
}

void StcEqualizer::correct_by_decisions(LinkTracker& tracker) {
    Alignment alignment;
    for (const int k : kDataOffsets) {
        const Complex h0 = channels_[0]->response[k], h1 = channels_[1]->response[k];
        const size_t place = SymbolPlanes::place(k);
        const Complex d0 = decided(bits_per_carrier_, point(sent_[0], place), sent_[0].snr[place]);
        const Complex d1 = decided(bits_per_carrier_, point(sent_[1], place), sent_[1].snr[place]);
        alignment.add(received_[0][k], h0 * d0 + h1 * d1, k);
        alignment.add(received_[1][k], h1 * std::conj(d0) - h0 * std::conj(d1), k);
    }
    alignment.correct(tracker, kDecisionCaution * expectation_variance_);
}

void StcEqualizer::equalize(const std::array<Carriers, 2>& symbols, int window_shift,
                            const std::array<Pilots, 2>& pilots, LinkTracker& tracker, QualityMeter& meter) {
    pilots_ = pilots;
    correct_by_pilots(symbols[0], 0, window_shift, pilots, tracker, meter);
    tracker.advance_to(tracker.position() + 1);
    correct_by_pilots(symbols[1], 1, window_shift, pilots, tracker, meter);
    combine(symbols, window_shift, tracker);
    correct_by_decisions(tracker);
    combine(symbols, window_shift, tracker);
    float excess = 0;
    for (auto& symbol : sent_) {
        const ErrorSums sums = sum_errors(bits_per_carrier_, {}, 0, symbol);
        meter.add_data(sums.reference * noise_variance(), sums.error * noise_variance(), sums.point_error,
                       sums.point_reference, kDataCarriers);
        excess += 0.5F * sums.error / kDataCarriers;
    }
    if (std::isfinite(excess)) noise_excess_ += (excess - noise_excess_) / (noise_excess_ > 0 ? kExcessPairs : 1);
}

std::span<const SoftBit> StcEqualizer::soft_of_repeated() {
    auto& mean = sent_[0];
    for (const int k : kDataOffsets) {
        const size_t place = SymbolPlanes::place(k);
        mean.re[place] = 0.5F * (mean.re[place] + sent_[1].re[place]);
        mean.im[place] = 0.5F * (mean.im[place] + sent_[1].im[place]);
    }
    return demap(mean, 2.0F);
}

std::span<const SoftBit> StcEqualizer::demap(const SymbolPlanes& symbol, float snr_factor) {
    const float factor = snr_factor / (noise_excess_ > kMinExcess ? noise_excess_ : 1.0F);
    const std::span<SoftBit> soft(soft_.data(), kDataCarriers * static_cast<size_t>(bits_per_carrier_));
    soft_demap(bits_per_carrier_, symbol, factor, carrier_set(kFullSubchannel).data(), soft);
    return soft;
}

}  // namespace gr::wimax::phy
