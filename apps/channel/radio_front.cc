/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/radio_front.h"
#include "channel/draw.h"

#include "phy/base/decibels.h"
#include "phy/base/simd.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::channel {
namespace {

using Complex = std::complex<float>;
using Wide = std::complex<double>;
using gr::wimax::phy::amplitude_of_db, gr::wimax::phy::power_of_db;

constexpr size_t kRotationBlock = 64;
constexpr double kTurn = 2 * std::numbers::pi;

struct Weights {
    Complex direct, mirrored, leakage;
};

/// direct x + mirrored conj(x) + leakage, as two real sums.
WIMAX_SIMD_BODY void mix_body(const Weights& w, size_t count, float* x) {
    const float ii = w.direct.real() + w.mirrored.real(), iq = w.mirrored.imag() - w.direct.imag();
    const float qi = w.direct.imag() + w.mirrored.imag(), qq = w.direct.real() - w.mirrored.real();
    for (size_t i = 0; i < count; ++i) {
        const float re = x[2 * i], im = x[2 * i + 1];
        x[2 * i] = ii * re + iq * im + w.leakage.real();
        x[2 * i + 1] = qi * re + qq * im + w.leakage.imag();
    }
}

/// The same where the oscillator turns against the band: (direct x) + (mirrored conj(x) r + leakage) r.
WIMAX_SIMD_BODY void mix_beside_body(const Weights& w, Complex begin, const Complex* rotation, size_t count,
                                     Complex* x) {
    const auto times = [](Complex a, Complex b) {
        return Complex(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    };
    for (size_t i = 0; i < count; ++i) {
        const Complex r = times(begin, rotation[i]);
        const Complex image = times(times(w.mirrored, Complex(x[i].real(), -x[i].imag())), r);
        x[i] = times(w.direct, x[i]) + times(image + w.leakage, r);
    }
}

}  // namespace

bool FrontConfig::ideal() const {
    return !dc_dbc && !image_dbc && iq_gain_db == 0 && iq_phase_deg == 0 && !phase_noise_deg &&
           phase_noise_mask.empty() && bits == 0 && !saturation_db;
}

tl::expected<void, gr::wimax::phy::Fault> check(const FrontConfig& config) {
    if (config.image_dbc && (config.iq_gain_db != 0 || config.iq_phase_deg != 0))
        return tl::unexpected(
            gr::wimax::phy::Fault{"image_dbc", "with iq_gain_db or iq_phase_deg", "one or the other"});
    if (config.bits != 0 && config.bits < kMinConverterBits)
        return tl::unexpected(gr::wimax::phy::Fault{"bits", std::to_string(config.bits), "0, or 2 to 20"});
    return {};
}

FrontConfig at_level(FrontConfig config, double level_db) {
    if (config.dc_dbc) *config.dc_dbc += level_db;
    if (config.saturation_db) *config.saturation_db += level_db;
    config.full_scale_db += level_db;
    return config;
}

Quadrature::Quadrature(const FrontConfig& config, double rate_hz, uint64_t seed) {
    Draw draw(seed ^ 0x6D69786572);
    const double leakage_phase = draw.uniform(0, kTurn), image_phase = draw.uniform(0, kTurn);
    Wide direct = 1, mirrored = 0;
    if (config.image_dbc) {
        mirrored = std::polar(amplitude_of_db(*config.image_dbc), image_phase);
    } else {
        const double gain = amplitude_of_db(config.iq_gain_db), skew = config.iq_phase_deg / 360 * kTurn;
        direct = (1.0 + std::polar(gain, -skew)) / 2.0;
        mirrored = (1.0 - std::polar(gain, skew)) / 2.0;
    }
    const double scale = 1 / std::sqrt(std::norm(direct) + std::norm(mirrored));  // the power stays
    Wide leakage = config.dc_dbc ? std::polar(amplitude_of_db(*config.dc_dbc), leakage_phase) : 0.0;
    if (2 * std::abs(config.lo_offset_hz) >= rate_hz) leakage = 0;
    if (4 * std::abs(config.lo_offset_hz) >= rate_hz) mirrored = 0;
    direct_ = Complex(direct * scale);
    mirrored_ = Complex(mirrored * scale);
    leakage_ = Complex(leakage);
    ideal_ = direct_ == Complex(1) && mirrored_ == Complex(0) && leakage_ == Complex(0);
    if (config.lo_offset_hz == 0) return;
    const double turns = std::remainder(config.lo_offset_hz / rate_hz, 1.0);
    step_ = static_cast<uint64_t>(static_cast<int64_t>(std::llround(turns * 0x1p63))) << 1;
    for (size_t i = 0; i < kRotationBlock; ++i) rotation_.emplace_back(std::polar(1.0, kTurn * turns * double(i)));
}

Complex Quadrature::oscillator(int64_t index) const {
    const uint64_t phase = step_ * static_cast<uint64_t>(index);
    return Complex(std::polar(1.0, kTurn * static_cast<double>(phase) * 0x1p-64));
}

void Quadrature::apply(int64_t index, std::span<Complex> samples) const {
    static constexpr gr::wimax::phy::simd::Dispatched<mix_body> kMix;
    static constexpr gr::wimax::phy::simd::Dispatched<mix_beside_body> kMixBeside;
    const Weights weights{direct_, mirrored_, leakage_};
    if (rotation_.empty()) {
        kMix(weights, samples.size(), reinterpret_cast<float*>(samples.data()));
        return;
    }
    size_t done = 0;
    while (done < samples.size()) {
        const int64_t at = index + static_cast<int64_t>(done);
        const auto within = static_cast<size_t>(at) % kRotationBlock;
        const size_t count = std::min(samples.size() - done, kRotationBlock - within);
        kMixBeside(weights, oscillator(at - static_cast<int64_t>(within)), &rotation_[within], count,
                   samples.data() + done);
        done += count;
    }
}

RadioFront::RadioFront(End end, const FrontConfig& config, double rate_hz, uint64_t seed) : end_(end), config_(config) {
    if (config.bits != 0) converter_.emplace(config.bits, config.full_scale_db);
    if (config.saturation_db) amplifier_.emplace(*config.saturation_db, config.smoothness);
    if (config.phase_noise_deg || !config.phase_noise_mask.empty())
        phase_noise_.emplace(config.phase_noise_mask, config.phase_noise_deg, rate_hz, seed);
    const Quadrature quadrature(config, rate_hz, seed);
    if (!quadrature.ideal()) quadrature_ = quadrature;
}

void RadioFront::pass(int64_t index, std::span<Complex> samples) {
    const bool transmitter = end_ == End::transmitter;
    if (converter_ && transmitter) clipped_ += converter_->convert(samples);
    if (amplifier_ && !transmitter) amplifier_->amplify(samples);
    if (phase_noise_ && !transmitter) phase_noise_->turn(index, samples);
    if (quadrature_) quadrature_->apply(index, samples);
    if (phase_noise_ && transmitter) phase_noise_->turn(index, samples);
    if (amplifier_ && transmitter) amplifier_->amplify(samples);
    if (converter_ && !transmitter) clipped_ += converter_->convert(samples);
}

}  // namespace wimax::channel
