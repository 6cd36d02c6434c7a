/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/constellation.h>

#include "simd.h"
#include "soft_demapper.h"

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

/// Rounded and clamped soft bit, in the lowest byte; `shift` moves it to its place in a word.
WIMAX_SIMD_BODY uint32_t soft_byte(float v, int shift) {
    const float clamped = std::max(-127.0F, std::min(127.0F, v));
    const auto bit = static_cast<int32_t>(clamped + (clamped < 0 ? -0.5F : 0.5F));
    return (static_cast<uint32_t>(bit) & 0xFFU) << shift;
}

// Max-log differences of squared distances in units where neighbouring levels are 2 apart and signs of bits are those
// of the axis tables. They are piecewise linear: each comes from the nearest level of either half.
WIMAX_SIMD_BODY float sign_bit4(float u) {  // levels +-1, +-3
    const float a = std::fabs(u);
    return std::copysign(std::max(4.0F * a, 8.0F * a - 8.0F), u);
}
WIMAX_SIMD_BODY float sign_bit8(float u) {  // levels +-1 .. +-7
    const float a = std::fabs(u);
    const float near = std::max(4.0F * a, 8.0F * a - 8.0F);
    const float far = std::max(12.0F * a - 24.0F, 16.0F * a - 48.0F);
    return std::copysign(std::max(near, far), u);
}

/// Soft bits of a block of carriers: the first four of a label in one word, the other two of 64-QAM in a second one.
constexpr size_t kBlock = std::max(SymbolPlanes::kPlaces, size_t{kDataCarriers});
struct alignas(64) Words {
    std::array<uint32_t, kBlock> first, second;
};

/// `re`, `im`: every `Stride`-th value is a point's.
template <int Bits, size_t Stride>
WIMAX_SIMD_BODY void demap_body(const float* re, const float* im, const float* snr, float trust, size_t count,
                                Words& out) {
    const float unit = scale_of(Bits);
    const float scale = trust * kSoftBitScale * unit * unit;
    for (size_t i = 0; i < count; ++i) {
        const float w = snr[i] * scale;
        const float x = re[Stride * i] * (1 / unit), y = im[Stride * i] * (1 / unit);
        if constexpr (Bits == 1) out.first[i] = soft_byte(w * 4.0F * x, 0);  // (1 + x)^2 - (1 - x)^2 = 4 x
        if constexpr (Bits == 2) out.first[i] = soft_byte(w * 4.0F * x, 0) | soft_byte(w * 4.0F * y, 8);
        if constexpr (Bits == 4)
            out.first[i] = soft_byte(w * sign_bit4(x), 0) | soft_byte(w * (8.0F - 4.0F * std::fabs(x)), 8) |
                           soft_byte(w * sign_bit4(y), 16) | soft_byte(w * (8.0F - 4.0F * std::fabs(y)), 24);
        if constexpr (Bits == 6) {
            const float vx = 4.0F - std::fabs(x), vy = 4.0F - std::fabs(y);  // inside the middle of the half axis
            out.first[i] = soft_byte(w * sign_bit8(x), 0) | soft_byte(w * sign_bit4(vx), 8) |
                           soft_byte(w * (8.0F - 4.0F * std::fabs(vx)), 16) | soft_byte(w * sign_bit8(y), 24);
            out.second[i] = soft_byte(w * sign_bit4(vy), 0) | soft_byte(w * (8.0F - 4.0F * std::fabs(vy)), 8);
        }
    }
}
template <int Bits, size_t Stride>
constexpr simd::Dispatched<demap_body<Bits, Stride>> demap;

static_assert(std::endian::native == std::endian::little);

/// Words to label order; `place(n)` is where the n-th carrier's words are.
template <int Bits, class Place>
void put_labels(const Words& words, size_t count, Place place, int8_t* out) {
    // Whole words are quicker to store than parts, each covered by the next; the last does not reach beyond its end.
    constexpr size_t kWide = Bits == 6 ? 4 : Bits;
    for (size_t n = 0; n < count; ++n, out += Bits) {
        const size_t i = place(n);
        std::memcpy(out, &words.first[i], kWide);
        if constexpr (Bits == 6) std::memcpy(out + 4, &words.second[i], n + 1 < count ? 4 : 2);
    }
}

template <int Bits>
void demap_points(const float* iq, const float* snr, size_t count, int8_t* out) {
    Words words;
    for (size_t done = 0; done < count; done += kBlock) {
        const size_t n = std::min(kBlock, count - done);
        demap<Bits, 2>(iq + 2 * done, iq + 2 * done + 1, snr + done, 1.0F, n, words);
        put_labels<Bits>(
            words, n, [](size_t i) { return i; }, out + done * Bits);
    }
}

template <int Bits>
void demap_planes(const SymbolPlanes& s, float trust, std::span<const int16_t> offsets, int8_t* out) {
    Words words;
    demap<Bits, 1>(s.re.data(), s.im.data(), s.snr.data(), trust, SymbolPlanes::kPlaces, words);
    put_labels<Bits>(
        words, offsets.size(), [&](size_t i) { return SymbolPlanes::place(offsets[i]); }, out);
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
        case 1: demap_points<1>(iq, snr.data(), equalized.size(), out.data()); break;
        case 2: demap_points<2>(iq, snr.data(), equalized.size(), out.data()); break;
        case 4: demap_points<4>(iq, snr.data(), equalized.size(), out.data()); break;
        case 6: demap_points<6>(iq, snr.data(), equalized.size(), out.data()); break;
        default: break;
    }
}

void soft_demap(int bits_per_carrier, const SymbolPlanes& planes, float trust, std::span<const int16_t> offsets,
                std::span<int8_t> out) {
    switch (bits_per_carrier) {
        case 1: demap_planes<1>(planes, trust, offsets, out.data()); break;
        case 2: demap_planes<2>(planes, trust, offsets, out.data()); break;
        case 4: demap_planes<4>(planes, trust, offsets, out.data()); break;
        case 6: demap_planes<6>(planes, trust, offsets, out.data()); break;
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
