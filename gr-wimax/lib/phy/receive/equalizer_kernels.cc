// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/equalizer_kernels.h"

#include "phy/base/simd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

// Wide vectors stay within inlined functions.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gr::wimax::phy {
namespace {

/// Places are processed in blocks of this many in every instruction set, so that sums are equal except for rounding of
/// products.
constexpr size_t kBlock = 16, kBlocks = SymbolPlanes::kPlaces / kBlock;
static_assert(kBlocks * kBlock == SymbolPlanes::kPlaces && kBlocks <= kBlock);
constexpr float kQpskLevel = 0.70710678F;
constexpr float kQam16Unit = 0.31622777F, kQam64Unit = 0.15430335F;

template <size_t Bytes> using Floats = simd::Vector<float, Bytes>;
template <size_t Bytes> constexpr size_t kStep = Bytes / sizeof(float);

template <size_t Bytes> WIMAX_SIMD_BODY Floats<Bytes> load(const float* from) {
    return simd::load<Floats<Bytes>>(from);
}

template <size_t Bytes> struct Point { Floats<Bytes> re, im; };

/// exp(j angle) within 4e-6 for |angle| up to pi / 2.
template <size_t Bytes> WIMAX_SIMD_BODY Point<Bytes> small_turn(Floats<Bytes> angle) {
    const Floats<Bytes> q = angle * angle;
    const Floats<Bytes> c = 1 + q * (-1.0F / 2 + q * (1.0F / 24 + q * (-1.0F / 720 + q * (1.0F / 40320))));
    const Floats<Bytes> s = 1 + q * (-1.0F / 6 + q * (1.0F / 120 + q * (-1.0F / 5040 + q * (1.0F / 362880))));
    return {c, s * angle};
}

alignas(64) constexpr auto kLaneNumbers = [] {
    std::array<float, kBlock> numbers{};
    for (size_t i = 0; i < kBlock; ++i) numbers[i] = static_cast<float>(i);
    return numbers;
}();

/// A phase line: cosine and sine of its phase, slope within its bounds.
struct Turn {
    explicit Turn(PhaseLine line)
        : re(std::cos(line.phase)),
          im(std::sin(line.phase)),
          slope(std::clamp(line.slope, -PhaseLine::kMaxSlope, PhaseLine::kMaxSlope)) {}
    float re, im, slope;
};

/// The same over all places: the product of a turn for each block and one for each place in a block.
struct alignas(64) TurnTable {
    std::array<float, kBlock> block_re, block_im, lane_re, lane_im;
};

template <size_t Bytes> WIMAX_SIMD_BODY TurnTable table_of(const Turn& turn) {
    constexpr auto kFirst = static_cast<float>(-kEdgeCarrier), kWidth = static_cast<float>(kBlock);
    TurnTable t;
    for (size_t i = 0; i < kBlock; i += kStep<Bytes>) {
        const auto number = load<Bytes>(&kLaneNumbers[i]);
        const auto block = small_turn<Bytes>(turn.slope * (number * kWidth + kFirst));
        const auto lane = small_turn<Bytes>(turn.slope * number);
        simd::store(block.re, &t.block_re[i]);
        simd::store(block.im, &t.block_im[i]);
        simd::store(lane.re * turn.re - lane.im * turn.im, &t.lane_re[i]);
        simd::store(lane.re * turn.im + lane.im * turn.re, &t.lane_im[i]);
    }
    return t;
}

/// `z` turned back by the line at places from `lane` of a block on.
template <size_t Bytes>
WIMAX_SIMD_BODY Point<Bytes> turn_back(const Point<Bytes>& z, const TurnTable& t, size_t block, size_t lane) {
    const auto lane_re = load<Bytes>(&t.lane_re[lane]), lane_im = load<Bytes>(&t.lane_im[lane]);
    const Point<Bytes> w{lane_re * t.block_re[block] - lane_im * t.block_im[block],
                         lane_re * t.block_im[block] + lane_im * t.block_re[block]};
    return {z.re * w.re + z.im * w.im, z.im * w.re - z.re * w.im};
}

/// Points of a symbol's planes turned back, stored and returned.
template <size_t Bytes>
WIMAX_SIMD_BODY Point<Bytes> turn_points(SymbolPlanes& s, const TurnTable& t, size_t block, size_t lane) {
    const size_t i = block * kBlock + lane;
    const auto z = turn_back<Bytes>({load<Bytes>(&s.re[i]), load<Bytes>(&s.im[i])}, t, block, lane);
    simd::store(z.re, &s.re[i]);
    simd::store(z.im, &s.im[i]);
    return z;
}

/// Splits interleaved complex numbers into coordinates.
template <size_t Bytes, size_t... I> WIMAX_SIMD_BODY Point<Bytes> apart(const float* from, std::index_sequence<I...>) {
    const auto a = load<Bytes>(from), b = load<Bytes>(from + kStep<Bytes>);
    return {__builtin_shufflevector(a, b, (2 * I)...), __builtin_shufflevector(a, b, (2 * I + 1)...)};
}

template <size_t Bytes> WIMAX_SIMD_BODY void divide_body(const float* symbol, const Turn& turn, SymbolPlanes& s) {
    const TurnTable t = table_of<Bytes>(turn);
    for (size_t block = 0; block < kBlocks; ++block)
        for (size_t lane = 0; lane < kBlock; lane += kStep<Bytes>) {
            const size_t i = block * kBlock + lane;
            const auto y = apart<Bytes>(symbol + 2 * i, std::make_index_sequence<kStep<Bytes>>());
            const auto re = load<Bytes>(&s.inverse_re[i]), im = load<Bytes>(&s.inverse_im[i]);
            const auto z = turn_back<Bytes>({y.re * re - y.im * im, y.re * im + y.im * re}, t, block, lane);
            simd::store(z.re, &s.re[i]);
            simd::store(z.im, &s.im[i]);
        }
}
constexpr simd::Dispatched<divide_body<16>, divide_body<32>, divide_body<64>> divide;

/// Limits of a coordinate, +-limit; made before a loop.
template <size_t Bytes> struct Limits { Floats<Bytes> most, least; };
template <size_t Bytes> WIMAX_SIMD_BODY Limits<Bytes> limits_of(float limit) {
    return {simd::unfolded(Floats<Bytes>{} + limit), simd::unfolded(Floats<Bytes>{} - limit)};
}
/// Clamped, also if NaN.
template <size_t Bytes> WIMAX_SIMD_BODY Floats<Bytes> limited(Floats<Bytes> x, const Limits<Bytes>& limits) {
    const Floats<Bytes> y = x < limits.most ? x : limits.most;
    return y > limits.least ? y : limits.least;
}

/// tanh within 0.09; limits: +-kSoftSignEnd.
constexpr float kSoftSignEnd = 1.5F;
template <size_t Bytes> WIMAX_SIMD_BODY Floats<Bytes> soft_sign(Floats<Bytes> x, const Limits<Bytes>& limits) {
    const Floats<Bytes> y = limited<Bytes>(x, limits);
    return y * (1.0F - y * y * (4.0F / 27.0F));
}

/// Estimates of the sent level, one of the two next to the coordinate: the nearest; mean, variance and mean square
/// given what was received.
template <size_t Bytes> struct Level { Floats<Bytes> hard, mean, variance, mean_square; };

/// Limits of decisions; levels are odd multiples of a unit within +-Top.
template <size_t Bytes> struct DecisionLimits { Limits<Bytes> middle, sign; };
template <size_t Bytes, int Top> WIMAX_SIMD_BODY DecisionLimits<Bytes> decision_limits() {
    return {limits_of<Bytes>(static_cast<float>(Top - 1) / 2), limits_of<Bytes>(kSoftSignEnd)};
}

/// `snr` belongs to the carrier: half its noise is in a coordinate.
template <size_t Bytes, int Top>
WIMAX_SIMD_BODY Level<Bytes> decide_level(Floats<Bytes> x, Floats<Bytes> snr, float unit,
                                          const DecisionLimits<Bytes>& limits) {
    // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer: the middle between the two levels.
    constexpr float kRound = 12582912.0F;
    const Floats<Bytes> none{}, up = none + unit;
    Floats<Bytes> middle{};
    if constexpr (Top > 1) middle = 2 * unit * ((limited<Bytes>(x * (0.5F / unit), limits.middle) + kRound) - kRound);
    const Floats<Bytes> off = x - middle, lean = unit * soft_sign<Bytes>((2.0F * unit) * snr * off, limits.sign);
    return {middle + (off < none ? -up : up), middle + lean, unit * unit - lean * lean,
            middle * (middle + 2 * lean) + unit * unit};
}

template <int Bits>
constexpr float kUnit = Bits == 1   ? 1.0F
                        : Bits == 2 ? kQpskLevel
                        : Bits == 4 ? kQam16Unit
                                    : kQam64Unit;
template <int Bits> constexpr int kTop = Bits <= 2 ? 1 : Bits == 4 ? 3 : 7;

template <size_t Bytes> struct Decision { Level<Bytes> re, im; };
template <size_t Bytes, int Bits>
WIMAX_SIMD_BODY Decision<Bytes> decide(const Point<Bytes>& z, Floats<Bytes> snr, const DecisionLimits<Bytes>& limits) {
    const auto re = decide_level<Bytes, kTop<Bits>>(z.re, snr, kUnit<Bits>, limits);
    if constexpr (Bits == 1) return {re, {Floats<Bytes>{}, Floats<Bytes>{}, Floats<Bytes>{}, Floats<Bytes>{}}};
    else return {re, decide_level<Bytes, kTop<Bits>>(z.im, snr, kUnit<Bits>, limits)};
}

/// A sum in kBlock lanes.
template <size_t Bytes> struct Sum {
    Floats<Bytes> part[kBlock / kStep<Bytes>] = {};
};
template <size_t Bytes> WIMAX_SIMD_BODY float total(const Sum<Bytes>& sum) {
    using Quad = simd::Vector<float, 16>;
    std::array<Quad, kBlock / 4> q;
    static_assert(sizeof q == sizeof sum.part);
    std::memcpy(q.data(), sum.part, sizeof q);
    const Quad four = (q[0] + q[2]) + (q[1] + q[3]);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

template <size_t Bytes, int Bits>
WIMAX_SIMD_BODY void decide_body(const Turn& turn, SymbolPlanes& s, DecisionSums& out) {
    const TurnTable t = table_of<Bytes>(turn);
    const auto limits = decision_limits<Bytes, kTop<Bits>>();
    Sum<Bytes> quadrature, tilt, weight, tilt_weight, steepness, tilt_steepness;
    for (size_t block = 0; block < kBlocks; ++block)
        for (size_t part = 0; part < kBlock / kStep<Bytes>; ++part) {
            const size_t lane = part * kStep<Bytes>;
            const auto z = turn_points<Bytes>(s, t, block, lane);
            const auto w = load<Bytes>(&s.snr[block * kBlock + lane]);
            const auto k =
                load<Bytes>(&kLaneNumbers[lane]) + static_cast<float>(static_cast<int>(block * kBlock) - kEdgeCarrier);
            const auto d = decide<Bytes, Bits>(z, w, limits);
            const Point<Bytes> want{d.re.mean, d.im.mean};
            const Floats<Bytes> cross = w * (want.re * z.im - want.im * z.re);
            const Floats<Bytes> level = w * (want.re * want.re + want.im * want.im);
            // A mean changes with its coordinate by 2 w times the variance.
            const Floats<Bytes> follow = 2 * w * (d.re.variance * (z.im * z.im) + d.im.variance * (z.re * z.re));
            const Floats<Bytes> steep = w * (want.re * z.re + want.im * z.im - follow);
            quadrature.part[part] += cross;
            tilt.part[part] += k * cross;
            weight.part[part] += level;
            tilt_weight.part[part] += k * k * level;
            steepness.part[part] += steep;
            tilt_steepness.part[part] += k * k * steep;
        }
    out = {total(quadrature), total(tilt), total(weight), total(tilt_weight), total(steepness), total(tilt_steepness)};
}
template <int Bits>
constexpr simd::Dispatched<decide_body<16, Bits>, decide_body<32, Bits>, decide_body<64, Bits>> decide_all;

/// Coordinates beyond this do not come from a point and ordinary noise: one spacing outside the outer levels.
template <int Bits> constexpr float kFarOut = static_cast<float>(kTop<Bits> + 2) * kUnit<Bits>;

template <size_t Bytes, int Bits>
WIMAX_SIMD_BODY void errors_body(const Turn& turn, float weight, SymbolPlanes& s, ErrorSums& out) {
    const TurnTable t = table_of<Bytes>(turn);
    const Floats<Bytes> none{}, one = none + 1.0F;
    const auto limits = decision_limits<Bytes, kTop<Bits>>();
    const auto far = limits_of<Bytes>(kFarOut<Bits>);
    Sum<Bytes> reference, error, point_reference, point_error;
    for (size_t block = 0; block < kBlocks; ++block)
        for (size_t part = 0; part < kBlock / kStep<Bytes>; ++part) {
            const size_t lane = part * kStep<Bytes>, i = block * kBlock + lane;
            const auto z = turn_points<Bytes>(s, t, block, lane);
            const auto w = load<Bytes>(&s.snr[i]);
            const auto decided = decide<Bytes, Bits>(z, w, limits);
            const Point<Bytes> want{decided.re.hard, decided.im.hard};
            const Point<Bytes> mean{decided.re.mean, decided.im.mean};
            const Point<Bytes> off{z.re - want.re, z.im - want.im};
            const Floats<Bytes> e = off.re * off.re + off.im * off.im;
            const Floats<Bytes> d = want.re * want.re + want.im * want.im;
            const Floats<Bytes> used = w > 0 ? one : none;
            reference.part[part] += w * d;
            error.part[part] += w * e;
            point_reference.part[part] += used * d;
            point_error.part[part] += used * e;
            // A doubtful decision follows the noise a little, by as much as its variance.
            const Floats<Bytes> bias = decided.re.mean_square + decided.im.mean_square;
            const Floats<Bytes> share = weight * load<Bytes>(&s.tracked[i]);
            // Points thrown far beyond the outer ones by an impulse must not look like a louder channel.
            const auto x = limited<Bytes>(z.re, far), y = limited<Bytes>(z.im, far);
            simd::store(load<Bytes>(&s.error[i]) + e, &s.error[i]);
            simd::store(load<Bytes>(&s.lack_re[i]) + share * (mean.re * x + mean.im * y - bias), &s.lack_re[i]);
            simd::store(load<Bytes>(&s.lack_im[i]) + share * (mean.re * y - mean.im * x), &s.lack_im[i]);
        }
    out = {total(reference), total(error), total(point_reference), total(point_error)};
}
template <int Bits>
constexpr simd::Dispatched<errors_body<16, Bits>, errors_body<32, Bits>, errors_body<64, Bits>> errors_all;

/// Pairs of places from the edges to the middle.
WIMAX_SIMD_BODY void mirror_body(Complex image, const float* mirror, float* re, float* im) {
    const float a = image.real(), b = image.imag();
    for (size_t i = 0; i < kEdgeCarrier; ++i) {
        const size_t j = kCarrierSpan - 1 - i;
        const float x = re[i], y = im[i], u = re[j], v = im[j];
        re[i] = x - mirror[i] * (a * u + b * v);
        im[i] = y - mirror[i] * (b * u - a * v);
        re[j] = u - mirror[j] * (a * x + b * y);
        im[j] = v - mirror[j] * (b * x - a * y);
    }
}
constexpr simd::Dispatched<mirror_body> mirror_pairs;

struct ImageSums {
    float re = 0, im = 0, weight = 0;
};

template <int Bits> WIMAX_SIMD_BODY void hard_body(const SymbolPlanes& s, HardPoints& out) {
    const auto limits = decision_limits<16, kTop<Bits>>();
    for (size_t i = 0; i < SymbolPlanes::kPlaces; i += kStep<16>) {
        const auto d = decide<16, Bits>({load<16>(&s.re[i]), load<16>(&s.im[i])}, Floats<16>{}, limits);
        simd::store(d.re.hard, &out.re[i]);
        simd::store(d.im.hard, &out.im[i]);
    }
}
template <int Bits> constexpr simd::Dispatched<hard_body<Bits>> hard_all;

/// Sums of w (z - d) d' and w |d'|^2, d and d' the decisions at a carrier and its mirror.
template <int Bits> WIMAX_SIMD_BODY void image_body(const SymbolPlanes& s, ImageSums& out) {
    HardPoints d;
    hard_body<Bits>(s, d);
    for (size_t i = 0; i < kCarrierSpan; ++i) {
        const size_t j = kCarrierSpan - 1 - i;
        const float w = s.snr[i] * s.tracked[i] * s.tracked[j], x = s.re[i] - d.re[i], y = s.im[i] - d.im[i];
        out.re += w * (x * d.re[j] - y * d.im[j]);
        out.im += w * (x * d.im[j] + y * d.re[j]);
        out.weight += w * (d.re[j] * d.re[j] + d.im[j] * d.im[j]);
    }
}
template <int Bits> constexpr simd::Dispatched<image_body<Bits>> image_sums;

WIMAX_SIMD_BODY void compare_body(const HardPoints& sent, float weight, float limit, SymbolPlanes& s) {
    const auto far = limits_of<16>(limit);
    for (size_t i = 0; i < SymbolPlanes::kPlaces; i += kStep<16>) {
        const auto x = limited<16>(load<16>(&s.re[i]), far), y = limited<16>(load<16>(&s.im[i]), far);
        const auto re = load<16>(&sent.re[i]), im = load<16>(&sent.im[i]), share = weight * load<16>(&s.tracked[i]);
        simd::store(share * (re * x + im * y - (re * re + im * im)), &s.lack_re[i]);
        simd::store(share * (re * y - im * x), &s.lack_im[i]);
    }
}
constexpr simd::Dispatched<compare_body> compare_all;

}  // namespace

void divide_by_channel(const Carriers& symbol, PhaseLine line, SymbolPlanes& planes) {
    divide(reinterpret_cast<const float*>(symbol.data()), Turn(line), planes);
}

void take_image_off(Complex image, const SymbolPlanes::Plane& mirror, SymbolPlanes& planes) {
    mirror_pairs(image, mirror.data(), planes.re.data(), planes.im.data());
}

Complex image_left(int bits_per_carrier, const SymbolPlanes& planes) {
    ImageSums sums;
    switch (bits_per_carrier) {
        case 1: image_sums<1>(planes, sums); break;
        case 2: image_sums<2>(planes, sums); break;
        case 4: image_sums<4>(planes, sums); break;
        default: image_sums<6>(planes, sums);
    }
    return sums.weight > 0 ? Complex(sums.re, sums.im) / sums.weight : Complex{};
}

void decide_hard(int bits_per_carrier, const SymbolPlanes& planes, HardPoints& out) {
    switch (bits_per_carrier) {
        case 1: hard_all<1>(planes, out); break;
        case 2: hard_all<2>(planes, out); break;
        case 4: hard_all<4>(planes, out); break;
        default: hard_all<6>(planes, out);
    }
}

void compare_with_sent(int bits_per_carrier, const HardPoints& sent, float weight, SymbolPlanes& planes) {
    const float limit = bits_per_carrier == 1   ? kFarOut<1>
                        : bits_per_carrier == 2 ? kFarOut<2>
                        : bits_per_carrier == 4 ? kFarOut<4>
                                                : kFarOut<6>;
    compare_all(sent, weight, limit, planes);
}

DecisionSums decide_points(int bits_per_carrier, PhaseLine line, SymbolPlanes& planes) {
    const Turn turn(line);
    DecisionSums sums;
    switch (bits_per_carrier) {
        case 1: decide_all<1>(turn, planes, sums); break;
        case 2: decide_all<2>(turn, planes, sums); break;
        case 4: decide_all<4>(turn, planes, sums); break;
        default: decide_all<6>(turn, planes, sums);
    }
    return sums;
}

ErrorSums sum_errors(int bits_per_carrier, PhaseLine line, float weight, SymbolPlanes& planes) {
    const Turn turn(line);
    ErrorSums sums;
    switch (bits_per_carrier) {
        case 1: errors_all<1>(turn, weight, planes, sums); break;
        case 2: errors_all<2>(turn, weight, planes, sums); break;
        case 4: errors_all<4>(turn, weight, planes, sums); break;
        default: errors_all<6>(turn, weight, planes, sums);
    }
    return sums;
}

}  // namespace gr::wimax::phy
