/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/constellation.h>

#include "simd.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gr::wimax::phy {
namespace {

constexpr float kQpskScale = 0.70710678F;
constexpr float kQam16Scale = 0.31622777F;
constexpr float kQam64Scale = 0.15430335F;

/// Axis levels by the axis bits read as a number.
constexpr std::array<float, 2> kLevels1{1, -1};
constexpr std::array<float, 4> kLevels2{1, 3, -1, -3};
constexpr std::array<float, 8> kLevels3{3, 1, 5, 7, -3, -1, -5, -7};

constexpr float scale_of(int bits_per_carrier) {
    switch (bits_per_carrier) {
        case 2: return kQpskScale;
        case 4: return kQam16Scale;
        case 6: return kQam64Scale;
        default: return 1.0F;
    }
}

struct Constellations {
    std::array<Complex, 2> bpsk;
    std::array<Complex, 4> qpsk;
    std::array<Complex, 16> qam16;
    std::array<Complex, 64> qam64;
};

template <size_t N, size_t Axis>
constexpr void fill(std::array<Complex, N>& points, const std::array<float, Axis>& levels, float scale) {
    for (size_t label = 0; label < N; ++label)
        points[label] = Complex(levels[label / Axis] * scale, levels[label % Axis] * scale);
}

constexpr Constellations kConstellations = [] {
    Constellations c{};
    c.bpsk = {Complex(1, 0), Complex(-1, 0)};
    fill(c.qpsk, kLevels1, kQpskScale);
    fill(c.qam16, kLevels2, kQam16Scale);
    fill(c.qam64, kLevels3, kQam64Scale);
    return c;
}();

inline int8_t to_soft(float v) {
    const float clamped = std::max(-127.0F, std::min(127.0F, v));
    return static_cast<int8_t>(static_cast<int>(clamped + (clamped < 0 ? -0.5F : 0.5F)));
}

// Max-log differences of squared distances in units where neighbouring levels are 2 apart and signs of bits are those
// of the axis tables. They are piecewise linear: each comes from the nearest level of either half.
inline float sign_bit4(float u) {  // levels +-1, +-3
    const float a = std::fabs(u);
    return std::copysign(std::max(4.0F * a, 8.0F * a - 8.0F), u);
}
inline float sign_bit8(float u) {  // levels +-1 .. +-7
    const float a = std::fabs(u);
    const float near = std::max(4.0F * a, 8.0F * a - 8.0F);
    const float far = std::max(12.0F * a - 24.0F, 16.0F * a - 48.0F);
    return std::copysign(std::max(near, far), u);
}

/// One row of soft bits for each bit of the label, so that every loop runs over carriers.
constexpr int kBlock = 64;
using Planes = int8_t[6][kBlock];

WIMAX_SIMD_BODY void demap_planes1_body(const float* iq, const float* snr, int n, Planes& out) {
    const float c = 4.0F * kSoftBitScale;  // (1 + y)^2 - (1 - y)^2 = 4 y
    for (int i = 0; i < n; ++i) out[0][i] = to_soft(iq[2 * i] * snr[i] * c);
}
constexpr simd::Dispatched<demap_planes1_body> demap_planes1;

WIMAX_SIMD_BODY void demap_planes2_body(const float* iq, const float* snr, int n, Planes& out) {
    const float c = 4.0F * kQpskScale * kSoftBitScale;
    for (int i = 0; i < n; ++i) {
        out[0][i] = to_soft(iq[2 * i] * snr[i] * c);
        out[1][i] = to_soft(iq[2 * i + 1] * snr[i] * c);
    }
}
constexpr simd::Dispatched<demap_planes2_body> demap_planes2;

WIMAX_SIMD_BODY void demap_planes4_body(const float* iq, const float* snr, int n, Planes& out) {
    const float c = kQam16Scale * kQam16Scale * kSoftBitScale;
    for (int i = 0; i < n; ++i) {
        const float w = snr[i] * c;
        const float x = iq[2 * i] / kQam16Scale, y = iq[2 * i + 1] / kQam16Scale;
        out[0][i] = to_soft(w * sign_bit4(x));
        out[1][i] = to_soft(w * (8.0F - 4.0F * std::fabs(x)));
        out[2][i] = to_soft(w * sign_bit4(y));
        out[3][i] = to_soft(w * (8.0F - 4.0F * std::fabs(y)));
    }
}
constexpr simd::Dispatched<demap_planes4_body> demap_planes4;

WIMAX_SIMD_BODY void demap_planes6_body(const float* iq, const float* snr, int n, Planes& out) {
    const float c = kQam64Scale * kQam64Scale * kSoftBitScale;
    for (int i = 0; i < n; ++i) {
        const float w = snr[i] * c;
        const float x = iq[2 * i] / kQam64Scale, y = iq[2 * i + 1] / kQam64Scale;
        const float vx = 4.0F - std::fabs(x), vy = 4.0F - std::fabs(y);  // distance inside the middle of the half axis
        out[0][i] = to_soft(w * sign_bit8(x));
        out[1][i] = to_soft(w * sign_bit4(vx));
        out[2][i] = to_soft(w * (8.0F - 4.0F * std::fabs(vx)));
        out[3][i] = to_soft(w * sign_bit8(y));
        out[4][i] = to_soft(w * sign_bit4(vy));
        out[5][i] = to_soft(w * (8.0F - 4.0F * std::fabs(vy)));
    }
}
constexpr simd::Dispatched<demap_planes6_body> demap_planes6;

// Rows to label order. Neighbouring rows are joined first, so that a carrier is put together from few words.
static_assert(std::endian::native == std::endian::little);

WIMAX_SIMD_BODY void interleave_planes2_body(const Planes& in, int n, uint16_t* out) {
    for (int i = 0; i < n; ++i)
        out[i] = static_cast<uint16_t>(static_cast<uint8_t>(in[0][i]) | static_cast<uint8_t>(in[1][i]) << 8);
}
constexpr simd::Dispatched<interleave_planes2_body> interleave_planes2;

WIMAX_SIMD_BODY void interleave_planes4_body(const Planes& in, int n, uint32_t* out) {
    for (int i = 0; i < n; ++i)
        out[i] = uint32_t{static_cast<uint8_t>(in[0][i])} | uint32_t{static_cast<uint8_t>(in[1][i])} << 8 |
                 uint32_t{static_cast<uint8_t>(in[2][i])} << 16 | uint32_t{static_cast<uint8_t>(in[3][i])} << 24;
}
constexpr simd::Dispatched<interleave_planes4_body> interleave_planes4;

template <int Bits>
void interleave_planes(const Planes& planes, int n, int8_t* out) {
    const auto bytes = static_cast<size_t>(n);
    if constexpr (Bits == 1) std::memcpy(out, planes[0], bytes);
    if constexpr (Bits == 2) {
        uint16_t pairs[kBlock];
        interleave_planes2(planes, n, pairs);
        std::memcpy(out, pairs, 2 * bytes);
    }
    if constexpr (Bits >= 4) {
        uint32_t fours[kBlock];
        interleave_planes4(planes, n, fours);
        if constexpr (Bits == 4) std::memcpy(out, fours, 4 * bytes);
        for (int i = 0; Bits == 6 && i < n; ++i, out += 6) {
            std::memcpy(out, &fours[i], 4);
            out[4] = planes[4][i];
            out[5] = planes[5][i];
        }
    }
}

template <int Bits>
void demap(const float* iq, const float* snr, size_t count, int8_t* out) {
    Planes planes;
    for (size_t done = 0; done < count; done += kBlock) {
        const int n = static_cast<int>(std::min<size_t>(kBlock, count - done));
        const float* p = iq + 2 * done;
        if constexpr (Bits == 1) demap_planes1(p, snr + done, n, planes);
        if constexpr (Bits == 2) demap_planes2(p, snr + done, n, planes);
        if constexpr (Bits == 4) demap_planes4(p, snr + done, n, planes);
        if constexpr (Bits == 6) demap_planes6(p, snr + done, n, planes);
        interleave_planes<Bits>(planes, n, out + done * Bits);
    }
}

/// Axis bits of the nearest level.
template <size_t N>
unsigned nearest(const std::array<float, N>& levels, float value) {
    unsigned best = 0;
    for (unsigned i = 1; i < N; ++i)
        if (std::fabs(levels[i] - value) < std::fabs(levels[best] - value)) best = i;
    return best;
}

}  // namespace

std::span<const Complex> constellation(int bits_per_carrier) {
    switch (bits_per_carrier) {
        case 1: return kConstellations.bpsk;
        case 2: return kConstellations.qpsk;
        case 4: return kConstellations.qam16;
        case 6: return kConstellations.qam64;
        default: return {};
    }
}

void map_labels(int bits_per_carrier, std::span<const uint8_t> labels, std::span<Complex> points) {
    const auto table = constellation(bits_per_carrier);
    for (size_t i = 0; i < labels.size(); ++i) points[i] = table[labels[i]];
}

void soft_demap(int bits_per_carrier, std::span<const Complex> equalized, std::span<const float> snr,
                std::span<int8_t> out) {
    const auto* iq = reinterpret_cast<const float*>(equalized.data());
    switch (bits_per_carrier) {
        case 1: demap<1>(iq, snr.data(), equalized.size(), out.data()); break;
        case 2: demap<2>(iq, snr.data(), equalized.size(), out.data()); break;
        case 4: demap<4>(iq, snr.data(), equalized.size(), out.data()); break;
        case 6: demap<6>(iq, snr.data(), equalized.size(), out.data()); break;
        default: break;
    }
}

uint8_t hard_label(int bits_per_carrier, Complex equalized) {
    const float x = equalized.real() / scale_of(bits_per_carrier), y = equalized.imag() / scale_of(bits_per_carrier);
    switch (bits_per_carrier) {
        case 1: return x < 0 ? 1 : 0;
        case 2: return static_cast<uint8_t>(nearest(kLevels1, x) << 1 | nearest(kLevels1, y));
        case 4: return static_cast<uint8_t>(nearest(kLevels2, x) << 2 | nearest(kLevels2, y));
        case 6: return static_cast<uint8_t>(nearest(kLevels3, x) << 3 | nearest(kLevels3, y));
        default: return 0;
    }
}

Complex nearest_point(int bits_per_carrier, Complex equalized) {
    const auto table = constellation(bits_per_carrier);
    return table.empty() ? Complex{} : table[hard_label(bits_per_carrier, equalized)];
}

}  // namespace gr::wimax::phy
