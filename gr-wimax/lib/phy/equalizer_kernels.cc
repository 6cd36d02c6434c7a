/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "equalizer_kernels.h"

#include "simd.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {
namespace {

constexpr size_t kPlaces = SymbolPlanes::kPlaces;
constexpr float kQpskLevel = 0.70710678F;
constexpr float kQam16Unit = 0.31622777F, kQam64Unit = 0.15430335F;

struct Point {
    float re, im;
};

/// exp(j angle) within 4e-6 for |angle| up to pi / 2.
WIMAX_SIMD_BODY Point small_turn(float angle) {
    const float q = angle * angle;
    const float c = 1 + q * (-1.0F / 2 + q * (1.0F / 24 + q * (-1.0F / 720 + q * (1.0F / 40320))));
    const float s = 1 + q * (-1.0F / 6 + q * (1.0F / 120 + q * (-1.0F / 5040 + q * (1.0F / 362880))));
    return {c, s * angle};
}

/// A phase line ready for use: cosine and sine of its phase, slope within its bounds.
struct Turn {
    explicit Turn(PhaseLine line)
        : start{std::cos(line.phase), std::sin(line.phase)},
          slope(std::clamp(line.slope, -PhaseLine::kMaxSlope, PhaseLine::kMaxSlope)) {}
    Point start;
    float slope;
};

/// `z` turned back by the line at a place.
WIMAX_SIMD_BODY Point turn_back(Point z, Turn turn, int place) {
    const Point t = small_turn(turn.slope * static_cast<float>(place - kEdgeCarrier));
    const Point w{t.re * turn.start.re - t.im * turn.start.im, t.re * turn.start.im + t.im * turn.start.re};
    return {z.re * w.re + z.im * w.im, z.im * w.re - z.re * w.im};
}

WIMAX_SIMD_BODY void divide_body(const float* symbol, Turn turn, SymbolPlanes& s) {
    for (size_t i = 0; i < kPlaces; ++i) {
        const float x = symbol[2 * i], y = symbol[2 * i + 1];
        const Point z{x * s.inverse_re[i] - y * s.inverse_im[i], x * s.inverse_im[i] + y * s.inverse_re[i]};
        const Point back = turn_back(z, turn, static_cast<int>(i));
        s.re[i] = back.re;
        s.im[i] = back.im;
    }
}
constexpr simd::Dispatched<divide_body> divide;

/// Clamped to +-limit; what is no number, too.
WIMAX_SIMD_BODY float limited(float x, float limit) {
    const float y = x < limit ? x : limit;
    return y > -limit ? y : -limit;
}

/// tanh within 3 %.
WIMAX_SIMD_BODY float soft_sign(float x) {
    const float y = limited(x, 3.0F);
    return y * (27.0F + y * y) / (27.0F + 9.0F * y * y);
}

/// Nearest odd multiple of `unit` within +-top.
WIMAX_SIMD_BODY float nearest_level(float x, float unit, float top) {
    // Adding and taking off 1.5 * 2^23 rounds to the nearest integer.
    constexpr float kRound = 12582912.0F;
    const float cell = ((limited(x * (1 / unit), top) - 1.0F) * 0.5F + kRound) - kRound;
    return (2.0F * cell + 1.0F) * unit;
}

/// Nearest point.
template <int Bits>
WIMAX_SIMD_BODY Point hard_decision(Point z) {
    if constexpr (Bits == 1)
        return {z.re < 0 ? -1.0F : 1.0F, 0};
    else if constexpr (Bits == 2)
        return {z.re < 0 ? -kQpskLevel : kQpskLevel, z.im < 0 ? -kQpskLevel : kQpskLevel};
    else if constexpr (Bits == 4)
        return {nearest_level(z.re, kQam16Unit, 3), nearest_level(z.im, kQam16Unit, 3)};
    else
        return {nearest_level(z.re, kQam64Unit, 7), nearest_level(z.im, kQam64Unit, 7)};
}

/// Nearest point, or where many decisions are wrong the mean of the points given the received one.
template <int Bits>
WIMAX_SIMD_BODY Point decision(Point z, float snr) {
    if constexpr (Bits == 1)
        return {soft_sign(2.0F * snr * z.re), 0};
    else if constexpr (Bits == 2) {
        const float scale = 2.0F * kQpskLevel * snr;
        return {kQpskLevel * soft_sign(scale * z.re), kQpskLevel * soft_sign(scale * z.im)};
    } else
        return hard_decision<Bits>(z);
}

/// Sums run in this many lanes in every instruction set, so that they are the same but for rounding of products.
constexpr size_t kLanes = 16;
static_assert(kPlaces % kLanes == 0);
using Lanes = std::array<float, kLanes>;

WIMAX_SIMD_BODY float total(const Lanes& lanes) {
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    return sum;
}

template <int Bits>
WIMAX_SIMD_BODY void decide_body(Turn turn, SymbolPlanes& s, DecisionSums& out) {
    Lanes in_phase{}, quadrature{}, tilt{}, weight{}, tilt_weight{};
    for (size_t block = 0; block < kPlaces; block += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) {
            const size_t i = block + lane;
            const Point z = turn_back({s.re[i], s.im[i]}, turn, static_cast<int>(i));
            s.re[i] = z.re;
            s.im[i] = z.im;
            const float w = s.snr[i], k = static_cast<float>(static_cast<int>(i) - kEdgeCarrier);
            const Point want = decision<Bits>(z, w);
            const float cross = w * (want.re * z.im - want.im * z.re);
            const float level = w * (want.re * want.re + want.im * want.im);
            in_phase[lane] += w * (want.re * z.re + want.im * z.im);
            quadrature[lane] += cross;
            tilt[lane] += k * cross;
            weight[lane] += level;
            tilt_weight[lane] += k * k * level;
        }
    out = {total(in_phase), total(quadrature), total(tilt), total(weight), total(tilt_weight)};
}
constexpr simd::Dispatched<decide_body<1>> decide_bpsk;
constexpr simd::Dispatched<decide_body<2>> decide_qpsk;
constexpr simd::Dispatched<decide_body<4>> decide_qam16;
constexpr simd::Dispatched<decide_body<6>> decide_qam64;

template <int Bits>
WIMAX_SIMD_BODY void errors_body(Turn turn, SymbolPlanes& s, ErrorSums& out) {
    Lanes reference{}, error{}, point_reference{}, point_error{};
    for (size_t block = 0; block < kPlaces; block += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) {
            const size_t i = block + lane;
            const Point z = turn_back({s.re[i], s.im[i]}, turn, static_cast<int>(i));
            s.re[i] = z.re;
            s.im[i] = z.im;
            const Point want = hard_decision<Bits>(z);
            const float e = (z.re - want.re) * (z.re - want.re) + (z.im - want.im) * (z.im - want.im);
            const float d = want.re * want.re + want.im * want.im;
            const float used = s.snr[i] > 0 ? 1.0F : 0.0F;
            reference[lane] += s.snr[i] * d;
            error[lane] += s.snr[i] * e;
            point_reference[lane] += used * d;
            point_error[lane] += used * e;
        }
    out = {total(reference), total(error), total(point_reference), total(point_error)};
}
constexpr simd::Dispatched<errors_body<1>> errors_bpsk;
constexpr simd::Dispatched<errors_body<2>> errors_qpsk;
constexpr simd::Dispatched<errors_body<4>> errors_qam16;
constexpr simd::Dispatched<errors_body<6>> errors_qam64;

}  // namespace

void divide_by_channel(const Carriers& symbol, PhaseLine line, SymbolPlanes& planes) {
    divide(reinterpret_cast<const float*>(symbol.data()), Turn(line), planes);
}

DecisionSums decide_points(int bits_per_carrier, PhaseLine line, SymbolPlanes& planes) {
    const Turn turn(line);
    DecisionSums sums;
    switch (bits_per_carrier) {
        case 1: decide_bpsk(turn, planes, sums); break;
        case 2: decide_qpsk(turn, planes, sums); break;
        case 4: decide_qam16(turn, planes, sums); break;
        default: decide_qam64(turn, planes, sums);
    }
    return sums;
}

ErrorSums sum_errors(int bits_per_carrier, PhaseLine line, SymbolPlanes& planes) {
    const Turn turn(line);
    ErrorSums sums;
    switch (bits_per_carrier) {
        case 1: errors_bpsk(turn, planes, sums); break;
        case 2: errors_qpsk(turn, planes, sums); break;
        case 4: errors_qam16(turn, planes, sums); break;
        default: errors_qam64(turn, planes, sums);
    }
    return sums;
}

}  // namespace gr::wimax::phy
