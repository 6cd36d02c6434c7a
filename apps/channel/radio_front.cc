// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/radio_front.h"
#include "channel/draw.h"

#include "phy/base/decibels.h"
#include "phy/base/simd.h"

#include <algorithm>
#include <cmath>

namespace wimax::channel {
namespace {

using Complex = std::complex<float>;
using Wide = std::complex<double>;
using gr::wimax::phy::amplitude_of_db, gr::wimax::phy::power_of_db;

struct Weights {
    Complex direct, mirrored, leakage;
};
struct Turns {
    const float *re, *im, *twice_re, *twice_im;
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

/// The same if the oscillator has an offset from the band's centre: r per sample, and r^2 for the image: direct x +
/// mirrored r^2 conj(x) + leakage r.
WIMAX_SIMD_BODY void mix_beside_body(const Weights& w, const Turns& turn, size_t count, float* x) {
    for (size_t i = 0; i < count; ++i) {
        const float re = x[2 * i], im = x[2 * i + 1];
        const float m_re = w.mirrored.real() * turn.twice_re[i] - w.mirrored.imag() * turn.twice_im[i];
        const float m_im = w.mirrored.real() * turn.twice_im[i] + w.mirrored.imag() * turn.twice_re[i];
        const float l_re = w.leakage.real() * turn.re[i] - w.leakage.imag() * turn.im[i];
        const float l_im = w.leakage.real() * turn.im[i] + w.leakage.imag() * turn.re[i];
        x[2 * i] = w.direct.real() * re - w.direct.imag() * im + (m_re * re + m_im * im) + l_re;
        x[2 * i + 1] = w.direct.real() * im + w.direct.imag() * re + (m_im * re - m_re * im) + l_im;
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
    const double scale = 1 / std::sqrt(std::norm(direct) + std::norm(mirrored));  // the mean power is unchanged
    Wide leakage = config.dc_dbc ? std::polar(amplitude_of_db(*config.dc_dbc), leakage_phase) : 0.0;
    if (2 * std::abs(config.lo_offset_hz) >= rate_hz) leakage = 0;
    if (4 * std::abs(config.lo_offset_hz) >= rate_hz) mirrored = 0;
    direct_ = Complex(direct * scale);
    mirrored_ = Complex(mirrored * scale);
    leakage_ = Complex(leakage);
    if (config.lo_offset_hz == 0) return;
    const double turns = std::remainder(config.lo_offset_hz / rate_hz, 1.0);
    step_ = static_cast<uint64_t>(static_cast<int64_t>(std::llround(turns * 0x1p63))) << 1;
    beside_ = true;
    for (size_t i = 0; i < kBlock; ++i) {
        const Wide once = std::polar(1.0, kTurn * turns * double(i)), twice = once * once;
        turn_re_[i] = float(once.real());
        turn_im_[i] = float(once.imag());
        twice_re_[i] = float(twice.real());
        twice_im_[i] = float(twice.imag());
    }
}

Complex Quadrature::oscillator(int64_t index) const {
    const uint64_t phase = step_ * static_cast<uint64_t>(index);
    return Complex(std::polar(1.0, kTurn * static_cast<double>(phase) * 0x1p-64));
}

void Quadrature::apply(int64_t index, std::span<Complex> samples) const {
    static constexpr gr::wimax::phy::simd::Dispatched<mix_body> kMix;
    static constexpr gr::wimax::phy::simd::Dispatched<mix_beside_body> kMixBeside;
    const Weights weights{direct_, mirrored_, leakage_};
    if (!beside_) {
        kMix(weights, samples.size(), reinterpret_cast<float*>(samples.data()));
        return;
    }
    size_t done = 0;
    while (done < samples.size()) {
        const int64_t at = index + static_cast<int64_t>(done);
        const auto within = static_cast<size_t>(at) % kBlock;
        const size_t count = std::min(samples.size() - done, kBlock - within);
        const Complex begin = oscillator(at - static_cast<int64_t>(within));
        const Weights turned{direct_, mirrored_ * begin * begin, leakage_ * begin};
        const Turns turns{&turn_re_[within], &turn_im_[within], &twice_re_[within], &twice_im_[within]};
        kMixBeside(turned, turns, count, reinterpret_cast<float*>(samples.data() + done));
        done += count;
    }
}

RadioFront::RadioFront(End end, const FrontConfig& config, double rate_hz, uint64_t seed)
    : end_(end), config_(config), rate_hz_(rate_hz), seed_(seed) {
    if (config.bits != 0) converter_.emplace(config.bits, config.full_scale_db);
    if (config.saturation_db) amplifier_.emplace(*config.saturation_db, config.smoothness);
    if (config.phase_noise_deg || !config.phase_noise_mask.empty())
        phase_noise_.emplace(config.phase_noise_mask, config.phase_noise_deg, rate_hz, seed);
    if (config.dc_dbc || config.image_dbc || config.iq_gain_db != 0 || config.iq_phase_deg != 0)
        quadrature_.emplace(config, rate_hz, seed);
}

void RadioFront::tune_beside(double lo_offset_hz) {
    if (!quadrature_ || lo_offset_hz == config_.lo_offset_hz) return;
    config_.lo_offset_hz = lo_offset_hz;
    quadrature_.emplace(config_, rate_hz_, seed_);
}

void RadioFront::set_saturation_db(double db) {
    if (!amplifier_ || config_.saturation_db == db) return;
    config_.saturation_db = db;
    amplifier_->set_saturation_db(db);
}

void RadioFront::set_bits(int bits) {
    if (!converter_ || config_.bits == bits) return;
    config_.bits = bits;
    converter_.emplace(bits, config_.full_scale_db);
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
