/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "equalizer_kernels.h"

#include "simd.h"

namespace gr::wimax::phy {
namespace {

constexpr int kLanes = DataCarriers::kLanes;
constexpr float kQpskLevel = 0.70710678F;
constexpr float kQam16Unit = 0.31622777F, kQam64Unit = 0.15430335F;

/// tanh within 3 %.
inline float soft_sign(float x) {
    const float y = x > 3.0F ? 3.0F : (x < -3.0F ? -3.0F : x);
    return y * (27.0F + y * y) / (27.0F + 9.0F * y * y);
}

/// Nearest odd multiple of `unit` within +-top.
inline float nearest_level(float x, float unit, float inverse, float top) {
    // Adding and taking off 1.5 * 2^23 rounds to the nearest integer.
    constexpr float kRound = 12582912.0F;
    float cell = ((x * inverse - 1.0F) * 0.5F + kRound) - kRound;
    const float high = (top - 1.0F) * 0.5F, low = -(top + 1.0F) * 0.5F;
    cell = cell > high ? high : (cell < low ? low : cell);
    return (2.0F * cell + 1.0F) * unit;
}

inline float sign(float x, float level) { return x < 0 ? -level : level; }

WIMAX_SIMD_BODY void decide_bpsk_body(DataCarriers& b, int count) {
    for (int i = 0; i < count; ++i) {
        const auto n = static_cast<size_t>(i);
        b.want_re[n] = soft_sign(2.0F * b.snr[n] * b.re[n]);
        b.want_im[n] = 0;
    }
}
constexpr simd::Dispatched<decide_bpsk_body> decide_bpsk;

WIMAX_SIMD_BODY void decide_qpsk_body(DataCarriers& b, int count) {
    for (int i = 0; i < count; ++i) {
        const auto n = static_cast<size_t>(i);
        const float scale = 2.0F * kQpskLevel * b.snr[n];
        b.want_re[n] = kQpskLevel * soft_sign(scale * b.re[n]);
        b.want_im[n] = kQpskLevel * soft_sign(scale * b.im[n]);
    }
}
constexpr simd::Dispatched<decide_qpsk_body> decide_qpsk;

WIMAX_SIMD_BODY void decide_qam_body(DataCarriers& b, int count, float unit, float inverse, float top) {
    for (int i = 0; i < count; ++i) {
        const auto n = static_cast<size_t>(i);
        b.want_re[n] = nearest_level(b.re[n], unit, inverse, top);
        b.want_im[n] = nearest_level(b.im[n], unit, inverse, top);
    }
}
constexpr simd::Dispatched<decide_qam_body> decide_qam;

float total(const float* lanes) {
    float sum = 0;
    for (int i = 0; i < kLanes; ++i) sum += lanes[i];
    return sum;
}

WIMAX_SIMD_BODY void accumulate_decisions_body(const DataCarriers& b, int count, float* sums) {
    alignas(64) float in_phase[kLanes] = {}, quadrature[kLanes] = {}, tilt[kLanes] = {}, weight[kLanes] = {},
                      tilt_weight[kLanes] = {};
    for (int block = 0; block < count; block += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto n = static_cast<size_t>(block + lane);
            const float w = b.snr[n], k = b.offset[n];
            const float cross = w * (b.want_re[n] * b.im[n] - b.want_im[n] * b.re[n]);
            const float level = w * (b.want_re[n] * b.want_re[n] + b.want_im[n] * b.want_im[n]);
            in_phase[lane] += w * (b.want_re[n] * b.re[n] + b.want_im[n] * b.im[n]);
            quadrature[lane] += cross;
            tilt[lane] += k * cross;
            weight[lane] += level;
            tilt_weight[lane] += k * k * level;
        }
    sums[0] = total(in_phase);
    sums[1] = total(quadrature);
    sums[2] = total(tilt);
    sums[3] = total(weight);
    sums[4] = total(tilt_weight);
}
constexpr simd::Dispatched<accumulate_decisions_body> accumulate_decisions;

WIMAX_SIMD_BODY void turn_body(DataCarriers& b, int count, float phase, float slope) {
    for (int i = 0; i < count; ++i) {
        const auto n = static_cast<size_t>(i);
        const float a = phase + slope * b.offset[n];
        const float c = 1.0F - 0.5F * a * a, s = a - a * a * a * (1.0F / 6.0F);
        const float re = b.re[n] * c + b.im[n] * s;
        b.im[n] = b.im[n] * c - b.re[n] * s;
        b.re[n] = re;
    }
}
constexpr simd::Dispatched<turn_body> turn;

/// `level`: 0 takes the decisions of the block; else the signs' level on I, and on Q that times `q_level`.
WIMAX_SIMD_BODY void accumulate_errors_body(const DataCarriers& b, int count, float level, float q_level, float* sums) {
    alignas(64) float reference[kLanes] = {}, error[kLanes] = {}, point_reference[kLanes] = {},
                      point_error[kLanes] = {};
    for (int block = 0; block < count; block += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto n = static_cast<size_t>(block + lane);
            const float x = level > 0 ? sign(b.re[n], level) : b.want_re[n];
            const float y = level > 0 ? sign(b.im[n], q_level) : b.want_im[n];
            const float e = (b.re[n] - x) * (b.re[n] - x) + (b.im[n] - y) * (b.im[n] - y);
            const float d = x * x + y * y;
            const float used = b.snr[n] > 0 ? 1.0F : 0.0F;
            reference[lane] += b.snr[n] * d;
            error[lane] += b.snr[n] * e;
            point_reference[lane] += used * d;
            point_error[lane] += used * e;
        }
    sums[0] = total(reference);
    sums[1] = total(error);
    sums[2] = total(point_reference);
    sums[3] = total(point_error);
}
constexpr simd::Dispatched<accumulate_errors_body> accumulate_errors;

}  // namespace

void decide_points(int bits_per_carrier, DataCarriers& block) {
    switch (bits_per_carrier) {
        case 1: decide_bpsk(block, block.padded()); break;
        case 2: decide_qpsk(block, block.padded()); break;
        case 4: decide_qam(block, block.padded(), kQam16Unit, 1 / kQam16Unit, 3); break;
        default: decide_qam(block, block.padded(), kQam64Unit, 1 / kQam64Unit, 7);
    }
}

DecisionSums sum_decisions(const DataCarriers& block) {
    std::array<float, 5> s{};
    accumulate_decisions(block, block.padded(), s.data());
    return {s[0], s[1], s[2], s[3], s[4]};
}

void turn_points(float phase, float slope, DataCarriers& block) { turn(block, block.padded(), phase, slope); }

ErrorSums sum_errors(int bits_per_carrier, const DataCarriers& block) {
    std::array<float, 4> s{};
    const float level = bits_per_carrier == 1 ? 1.0F : bits_per_carrier == 2 ? kQpskLevel : 0.0F;
    accumulate_errors(block, block.padded(), level, bits_per_carrier == 1 ? 0.0F : level, s.data());
    return {s[0], s[1], s[2], s[3]};
}

}  // namespace gr::wimax::phy
