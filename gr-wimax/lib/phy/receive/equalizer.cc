// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/equalizer.h"

#include "phy/carriers/soft_demapper.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kSamplesPerSlope = kFftSize / kTurn;  // delay for a phase slope of 1 rad per carrier
/// Some decisions are wrong, which their sums do not show: their variance is increased.
constexpr double kDecisionCaution = 1.2;
/// Decisions that turn with the points by all but this share have no information.
constexpr float kLeastSteepness = 0.1F;
/// Errors against decisions above the preamble's noise (interference, phase noise, a channel that moves) lower the
/// trust in soft bits; averaged over about this many symbols.
constexpr float kExcessSymbols = 4;
constexpr float kMinExcess = 1.15F;
/// From this excess on a symbol is equalized twice. The noise of a short preamble is known within 10 %.
constexpr float kStrained = 1.3F;

/// Noise of one symbol over the mean from which it is an impulse. It is left out of the mean; phase, delay and channel
/// weight it by its noise.
constexpr float kImpulse = 3.0F;
/// Errors of single carriers are looked at after this many symbols, twice as many and so on, then each kLookSymbols.
constexpr int kFirstLook = 2, kLookSymbols = 16;
/// Mean error of a carrier over that of all, after n symbols, that noise reaches in fewer than one of 10 000: 1 +
/// kOutlier n^(-3/4).
constexpr float kOutlier = 9.0F;
/// An interferer disturbs a carrier and its neighbours; errors of a moving channel are as large this far from it.
constexpr size_t kNearest = 2, kFarthest = 8;
/// Hard decisions hide errors beyond half a spacing: mean error against them of points anywhere between levels.
constexpr float hidden_error(int bits_per_carrier) {
    return bits_per_carrier == 6 ? 0.0159F : bits_per_carrier == 4 ? 0.0667F : 0.333F;
}

constexpr float kTinyLevel = 1e-20F;
/// Gain of the image's update per symbol. A sender's frequency correction turns its image twice as fast in the opposite
/// direction: 100 Hz are 4 degrees per symbol at 5 MHz, which leaves an error of a tenth of the image.
constexpr float kImageStep = 0.3F, kMostImage = 0.2F;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }
/// For sums well within the range of a double.
float magnitude(Complex z) {
    const double re = z.real(), im = z.imag();
    return static_cast<float>(std::sqrt(re * re + im * im));
}

/// Phases of long frames grow beyond what a float resolves. Most are within half a turn, where there is nothing to do.
float wrapped(double phase) {
    return static_cast<float>(std::abs(phase) <= kTurn / 2 ? phase : std::remainder(phase, kTurn));
}
float slope_of(double delay_samples) { return static_cast<float>(delay_samples / kSamplesPerSlope); }

/// Change of the tracker's phase and delay of this symbol since.
PhaseLine moved(const LinkTracker& tracker, double phase, double delay) {
    return {static_cast<float>(tracker.phase() - phase), slope_of(delay - tracker.delay())};
}

}  // namespace

void Equalizer::configure(int bits_per_carrier, int subchannel_index) {
    bits_per_carrier_ = bits_per_carrier;
    noise_excess_ = 0;
    error_symbols_ = 0;
    next_look_ = kFirstLook;
    carriers_ = &carrier_set(subchannel_index);
    planes_ = SymbolPlanes{};
    sender_image_ = {};
    image_followed_ = false;
    has_data_.fill(0);
    for (const int k : carriers_->data()) has_data_[SymbolPlanes::place(k)] = 1;
}

void Equalizer::set_sender_image(Complex image, bool follow) {
    sender_image_ = image;
    image_followed_ = follow;
}

void Equalizer::follow_image() {
    if (!image_followed_ || impulse_ > 1 || carriers_->data_count != kDataCarriers) return;
    const Complex moved = sender_image_ + kImageStep * image_left(bits_per_carrier_, planes_);
    if (norm(moved) < kMostImage * kMostImage) sender_image_ = moved;
}

void Equalizer::use_channel(const ChannelEstimate& channel) {
    channel_ = &channel;
    for (size_t i = 0; i < kCarrierSpan; ++i) {
        planes_.inverse_re[i] = channel.inverse.data()[i].real();
        planes_.inverse_im[i] = channel.inverse.data()[i].imag();
    }
    // Read always and without branches, so that the compiler vectorizes it.
    for (size_t i = 0; i < kCarrierSpan; ++i) {
        const float snr = channel.snr.data()[i], pure = channel.purity.data()[i] > 0.5F ? 1.0F : 0.0F;
        planes_.snr[i] = has_data_[i] != 0 ? snr : 0.0F;
        planes_.tracked[i] = has_data_[i] != 0 ? pure : 0.0F;
    }
    if (sender_image_ == Complex{} && !image_followed_) return;
    for (size_t i = 0; i < kCarrierSpan; ++i) {
        const float snr = channel.snr.values[kCarrierSpan - 1 - i];
        mirror_[i] = snr / (1 + snr);
    }
}

std::span<const Complex> Equalizer::points() {
    const auto offsets = carriers_->data();
    for (size_t i = 0; i < offsets.size(); ++i) points_[i] = point(offsets[i]);
    return {points_.data(), offsets.size()};
}

void Equalizer::decided(const std::array<float, kPilotCarriers>& pilots, Carriers& out) const {
    HardPoints hard;
    decide_hard(bits_per_carrier_, planes_, hard);
    for (const int k : carriers_->data()) {
        const size_t place = SymbolPlanes::place(k);
        out[k] = {hard.re[place], hard.im[place]};
    }
    for (const auto p : carriers_->pilot_indices()) out[kPilotOffsets[p]] = pilots[p];
}

PhaseLine Equalizer::correct_by_pilots(const std::array<float, kPilotCarriers>& pilots, LinkTracker& tracker) {
    // Of all pilots, so that the compiler vectorizes it; the sums are over those of the carriers in use.
    std::array<float, kPilotCarriers> snr, re, im, turned_im, off;
    for (size_t p = 0; p < kPilotCarriers; ++p) {
        snr[p] = channel_->snr[kPilotOffsets[p]];
        const Complex error = point(kPilotOffsets[p]) * (pilots[p] * snr[p]);
        re[p] = error.real();
        im[p] = error.imag();
    }
    Complex sum{};
    double weight = 0, tilt_weight = 0;
    for (const auto p : carriers_->pilot_indices()) {
        sum += Complex(re[p], im[p]);
        weight += snr[p];
        tilt_weight += static_cast<double>(snr[p]) * (kPilotOffsets[p] * kPilotOffsets[p]);
    }
    if (!(weight > 0)) return {};
    const Complex back = std::conj(sum) / std::max(magnitude(sum), kTinyLevel);
    for (size_t p = 0; p < kPilotCarriers; ++p) {
        const float lean = re[p] * back.real() - im[p] * back.imag() - snr[p];
        turned_im[p] = re[p] * back.imag() + im[p] * back.real();
        off[p] = (lean * lean + turned_im[p] * turned_im[p]) / std::max(snr[p], kTinyLevel);
    }
    double tilt = 0;
    float scatter = 0;
    for (const auto p : carriers_->pilot_indices()) {
        tilt += kPilotOffsets[p] * static_cast<double>(turned_im[p]);
        scatter += off[p];
    }
    scatter /= std::max(noise_excess_, 1.0F) * static_cast<float>(carriers_->pilot_count);
    // Two in a row, or the first symbol after a preamble, are not an impulse but a channel that has moved.
    const bool single = carriers_->pilot_count == kPilotCarriers && impulse_ == 1 && noise_excess_ > 0;
    impulse_ = single && scatter > kImpulse ? scatter : 1;
    const double phase = tracker.phase(), delay = tracker.delay();
    tracker.correct_phase(std::arg(sum), 0.5 * impulse_ / weight);
    if (carriers_->pilot_count == kPilotCarriers)
        tracker.correct_delay(-tilt / tilt_weight * kSamplesPerSlope,
                              0.5 * impulse_ / tilt_weight * kSamplesPerSlope * kSamplesPerSlope);
    return moved(tracker, phase, delay);
}

PhaseLine Equalizer::correct_by_decisions(const DecisionSums& sums, LinkTracker& tracker) const {
    if (!(sums.steepness > kLeastSteepness * sums.weight)) return {};
    const double phase = tracker.phase(), delay = tracker.delay();
    const double steepness = sums.steepness, tilt_steepness = sums.tilt_steepness;
    tracker.correct_phase(std::atan2(sums.quadrature, sums.steepness),
                          0.5 * kDecisionCaution * impulse_ * sums.weight / (steepness * steepness));
    if (carriers_->data_count == kDataCarriers && tilt_steepness > kLeastSteepness * sums.tilt_weight)
        tracker.correct_delay(-sums.tilt / tilt_steepness * kSamplesPerSlope,
                              0.5 * kDecisionCaution * impulse_ * sums.tilt_weight / (tilt_steepness * tilt_steepness) *
                                  kSamplesPerSlope * kSamplesPerSlope);
    return moved(tracker, phase, delay);
}

float Equalizer::compare_pilots(const std::array<float, kPilotCarriers>& pilots) {
    const float share = 1 / impulse_;
    float sum = 0;
    for (const auto p : carriers_->pilot_indices()) {
        const int k = kPilotOffsets[p];
        // Error of the pilot against its value of +-1.
        const Complex lack = point(k) * pilots[p] - 1.0F;
        sum += norm(lack) * channel_->snr[k];
        if (channel_->purity[k] < 0.5F) continue;
        planes_.lack_re[SymbolPlanes::place(k)] += share * lack.real();
        planes_.lack_im[SymbolPlanes::place(k)] += share * lack.imag();
    }
    return sum;
}

float Equalizer::measure(const ErrorSums& sums, const std::array<float, kPilotCarriers>& pilots, QualityMeter& meter) {
    const float noise = channel_->snr_noise;
    const int count = carriers_->data_count;
    meter.add_data(sums.reference * noise, sums.error * noise, sums.point_error, sums.point_reference, count);
    meter.add_pilots(compare_pilots(pilots) * noise, carriers_->pilot_count);
    return sums.error / static_cast<float>(count);
}

float Equalizer::trust(float excess) {
    if (!std::isfinite(excess)) return noise_excess_ > kMinExcess ? 1 / noise_excess_ : 1;
    if (impulse_ > 1 || (noise_excess_ > 0 && excess > kImpulse * noise_excess_))
        return 1 / std::max({excess, impulse_, 1.0F});
    noise_excess_ += (excess - noise_excess_) / (noise_excess_ > 0 ? kExcessSymbols : 1);
    return noise_excess_ > kMinExcess ? 1 / noise_excess_ : 1;
}

bool Equalizer::learn_interference(ChannelEstimate& channel) {
    if (++error_symbols_ < next_look_) return false;
    next_look_ += std::min(error_symbols_, kLookSymbols);
    const auto symbols = static_cast<float>(error_symbols_);
    const float noise = std::max(channel.noise_variance, kTinyLevel), most = hidden_error(bits_per_carrier_);
    // Errors of carriers over the preamble's noise, as if they had no interferer.
    SymbolPlanes::Plane relative;
    for (size_t i = 0; i < relative.size(); ++i) {
        const float error = planes_.error[i] * norm(channel.response.values[i]) / (symbols * noise);
        relative[i] = has_data_[i] != 0 ? error : 0.0F;
    }
    const float outlier = 1 + kOutlier * std::pow(symbols, -0.75F);
    // The mean below is at least 1: mostly no carrier exceeds that, and the rest is skipped.
    int beyond = 0;
    for (const float error : relative) beyond += error > outlier ? 1 : 0;
    if (beyond == 0) return false;
    float sum = 0, limit = std::numeric_limits<float>::max();
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        sum = 0;
        count = 0;
        for (const int k : carriers_->data()) {
            const float error = relative[SymbolPlanes::place(k)];
            if (!(error < limit)) continue;
            sum += error;
            ++count;
        }
        limit = 4 * sum / static_cast<float>(std::max(count, 1));
    }
    const float mean = std::max(sum / static_cast<float>(std::max(count, 1)), 1.0F);
    const auto data = carriers_->data();
    const auto mean_around = [&](size_t i) {
        float around = 0;
        int neighbours = 0;
        for (size_t j = i - std::min(i, kFarthest); j < std::min(data.size(), i + kFarthest + 1); ++j) {
            if (j < i + kNearest && i < j + kNearest) continue;
            around += std::min(relative[SymbolPlanes::place(data[j])], limit);
            ++neighbours;
        }
        return around / static_cast<float>(neighbours);
    };
    bool changed = false;
    for (size_t i = 0; i < data.size(); ++i) {
        const int k = data[i];
        const float error = relative[SymbolPlanes::place(k)];
        if (!(error > outlier * mean) || !(error > outlier * mean_around(i))) continue;
        const float shown = std::min(planes_.error[SymbolPlanes::place(k)] / symbols / most, 0.95F);
        const float purity = mean * (1 - shown) / error;
        if (purity > 0.8F * channel.purity[k]) continue;
        channel.purity[k] = purity;
        changed = true;
    }
    if (changed) channel.complete();
    return changed;
}

void Equalizer::divide(const Carriers& symbol, int window_shift, const LinkTracker& tracker) {
    divide_by_channel(symbol, {wrapped(tracker.phase()), slope_of(window_shift - tracker.delay())}, planes_);
    if (sender_image_ != Complex{}) take_image_off(sender_image_, mirror_, planes_);
}

void Equalizer::equalize(const Carriers& symbol, int window_shift, const std::array<float, kPilotCarriers>& pilots,
                         LinkTracker& tracker, QualityMeter& meter) {
    divide(symbol, window_shift, tracker);
    const PhaseLine by_pilots = correct_by_pilots(pilots, tracker);
    const DecisionSums decisions = decide_points(bits_per_carrier_, by_pilots, planes_);
    const PhaseLine by_decisions = correct_by_decisions(decisions, tracker);
    const ErrorSums errors = sum_errors(bits_per_carrier_, by_decisions, 1 / impulse_, planes_);
    excess_ = measure(errors, pilots, meter);
}

bool Equalizer::strained() const { return impulse_ == 1 && excess_ > kStrained; }

void Equalizer::equalize_again(const Carriers& symbol, int window_shift, const LinkTracker& tracker) {
    divide(symbol, window_shift, tracker);
    excess_ = sum_errors(bits_per_carrier_, {}, 0, planes_).error / static_cast<float>(carriers_->data_count);
}

void Equalizer::learn_sent(const Carriers& symbol, int window_shift, const std::array<float, kPilotCarriers>& pilots,
                           const LinkTracker& tracker, std::span<const uint8_t> labels) {
    divide(symbol, window_shift, tracker);
    const auto levels = constellation(bits_per_carrier_);
    const auto offsets = carriers_->data();
    HardPoints sent{};
    for (size_t i = 0; i < offsets.size(); ++i) {
        sent.re[SymbolPlanes::place(offsets[i])] = levels[labels[i]].real();
        sent.im[SymbolPlanes::place(offsets[i])] = levels[labels[i]].imag();
    }
    compare_with_sent(bits_per_carrier_, sent, 1 / impulse_, planes_);
    compare_pilots(pilots);
}

std::span<const SoftBit> Equalizer::soft_bits() {
    const auto offsets = carriers_->data();
    const std::span<SoftBit> soft(soft_.data(), offsets.size() * static_cast<size_t>(bits_per_carrier_));
    soft_demap(bits_per_carrier_, planes_, trust(excess_), offsets, soft);
    return soft;
}

}  // namespace gr::wimax::phy
