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

/// tanh within 0.09.
WIMAX_SIMD_BODY float soft_sign(float x) {
    const float y = limited(x, 1.5F);
    return y * (1.0F - y * y * (4.0F / 27.0F));
}

/// What a coordinate tells about the level sent, which is one of the two next to it.
struct Level {
    float hard, mean, variance;  // the nearest; mean and variance given what was received
};

/// Levels are odd multiples of `Unit` within +-Top. `snr` belongs to the carrier: half its noise is in a coordinate.
template <int Top>
WIMAX_SIMD_BODY Level decide_level(float x, float snr, float unit) {
    // Adding and taking off 1.5 * 2^23 rounds to the nearest integer: the middle between the two levels.
    constexpr float kRound = 12582912.0F, kLast = static_cast<float>(Top - 1) / 2;
    const float middle = Top == 1 ? 0.0F : 2 * unit * ((limited(x * (0.5F / unit), kLast) + kRound) - kRound);
    const float off = x - middle, sign = soft_sign(2.0F * snr * unit * off);
    return {middle + (off < 0 ? -unit : unit), middle + unit * sign, unit * unit * (1 - sign * sign)};
}

struct Decision {
    Level re, im;
};
template <int Bits>
WIMAX_SIMD_BODY Decision decide(Point z, float snr) {
    if constexpr (Bits == 1) return {decide_level<1>(z.re, snr, 1.0F), {0, 0, 0}};
    if constexpr (Bits == 2) return {decide_level<1>(z.re, snr, kQpskLevel), decide_level<1>(z.im, snr, kQpskLevel)};
    if constexpr (Bits == 4) return {decide_level<3>(z.re, snr, kQam16Unit), decide_level<3>(z.im, snr, kQam16Unit)};
    if constexpr (Bits == 6) return {decide_level<7>(z.re, snr, kQam64Unit), decide_level<7>(z.im, snr, kQam64Unit)};
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
    Lanes quadrature{}, tilt{}, weight{}, tilt_weight{}, steepness{}, tilt_steepness{};
    for (size_t block = 0; block < kPlaces; block += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) {
            const size_t i = block + lane;
            const Point z = turn_back({s.re[i], s.im[i]}, turn, static_cast<int>(i));
            s.re[i] = z.re;
            s.im[i] = z.im;
            const float w = s.snr[i], k = static_cast<float>(static_cast<int>(i) - kEdgeCarrier);
            const Decision d = decide<Bits>(z, w);
            const Point want{d.re.mean, d.im.mean};
            const float cross = w * (want.re * z.im - want.im * z.re);
            const float level = w * (want.re * want.re + want.im * want.im);
            // A mean changes with its coordinate by 2 w times the variance.
            const float follow = 2 * w * (d.re.variance * z.im * z.im + d.im.variance * z.re * z.re);
            const float steep = w * (want.re * z.re + want.im * z.im - follow);
            quadrature[lane] += cross;
            tilt[lane] += k * cross;
            weight[lane] += level;
            tilt_weight[lane] += k * k * level;
            steepness[lane] += steep;
            tilt_steepness[lane] += k * k * steep;
        }
    out = {total(quadrature),  total(tilt),      total(weight),
           total(tilt_weight), total(steepness), total(tilt_steepness)};
}
constexpr simd::Dispatched<decide_body<1>> decide_bpsk;
constexpr simd::Dispatched<decide_body<2>> decide_qpsk;
constexpr simd::Dispatched<decide_body<4>> decide_qam16;
constexpr simd::Dispatched<decide_body<6>> decide_qam64;

/// Coordinates beyond this do not come from a point and ordinary noise: one spacing outside the outer levels.
template <int Bits>
constexpr float kFarOut = Bits == 1 ? 3.0F : Bits == 2 ? 3 * kQpskLevel : Bits == 4 ? 5 * kQam16Unit : 9 * kQam64Unit;

template <int Bits>
WIMAX_SIMD_BODY void errors_body(Turn turn, float weight, SymbolPlanes& s, ErrorSums& out) {
    Lanes reference{}, error{}, point_reference{}, point_error{};
    for (size_t block = 0; block < kPlaces; block += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) {
            const size_t i = block + lane;
            const Point z = turn_back({s.re[i], s.im[i]}, turn, static_cast<int>(i));
            s.re[i] = z.re;
            s.im[i] = z.im;
            const Decision decided = decide<Bits>(z, s.snr[i]);
            const Point want{decided.re.hard, decided.im.hard}, mean{decided.re.mean, decided.im.mean};
            const float e = (z.re - want.re) * (z.re - want.re) + (z.im - want.im) * (z.im - want.im);
            const float d = want.re * want.re + want.im * want.im;
            const float used = s.snr[i] > 0 ? 1.0F : 0.0F;
            reference[lane] += s.snr[i] * d;
            error[lane] += s.snr[i] * e;
            point_reference[lane] += used * d;
            point_error[lane] += used * e;
            // A doubtful decision follows the noise a little, by as much as its variance.
            const float bias = mean.re * mean.re + mean.im * mean.im + decided.re.variance + decided.im.variance;
            const float share = weight * s.tracked[i];
            s.error[i] += e;
            // What is thrown far beyond the outer points by an impulse must not look like a louder channel.
            const float x = limited(z.re, kFarOut<Bits>), y = limited(z.im, kFarOut<Bits>);
            s.lack_re[i] += share * (mean.re * x + mean.im * y - bias);
            s.lack_im[i] += share * (mean.re * y - mean.im * x);
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

ErrorSums sum_errors(int bits_per_carrier, PhaseLine line, float weight, SymbolPlanes& planes) {
    const Turn turn(line);
    ErrorSums sums;
    switch (bits_per_carrier) {
        case 1: errors_bpsk(turn, weight, planes, sums); break;
        case 2: errors_qpsk(turn, weight, planes, sums); break;
        case 4: errors_qam16(turn, weight, planes, sums); break;
        default: errors_qam64(turn, weight, planes, sums);
    }
    return sums;
}

}  // namespace gr::wimax::phy
