// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/carriers/constellation.h>

#include "phy/base/simd.h"
#include "phy/carriers/soft_demapper.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

// Wide vectors stay within inlined functions.
#pragma GCC diagnostic ignored "-Wpsabi"

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

template <size_t Bytes> using Floats = simd::Vector<float, Bytes>;
template <size_t Bytes> using Ints = simd::Vector<int32_t, Bytes>;

constexpr int32_t kSignBit = std::numeric_limits<int32_t>::min();

// Numbers that are not negative compare like their bits, for which there is one instruction everywhere.
template <size_t Bytes> WIMAX_SIMD_BODY Ints<Bytes> magnitude(Floats<Bytes> v) { return Ints<Bytes>(v) & ~kSignBit; }
/// `a` is not negative; `b` may be.
template <size_t Bytes> WIMAX_SIMD_BODY Floats<Bytes> larger(Floats<Bytes> a, Floats<Bytes> b) {
    const auto i = Ints<Bytes>(a), j = Ints<Bytes>(b);
    return Floats<Bytes>(i > j ? i : j);
}

constexpr float kMostSoft = 127.0F;
/// `most`: kMostSoft. Soft bit of this magnitude (not negative) and the sign of `sign`: rounded, clamped, in the lowest
/// byte.
template <size_t Bytes>
WIMAX_SIMD_BODY Ints<Bytes> soft_byte(Floats<Bytes> size, Floats<Bytes> sign, Ints<Bytes> most) {
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: added, it leaves the nearest integer in the lowest bits
    const auto bits = Ints<Bytes>(size);
    const auto clamped = (bits < most ? bits : most) | (Ints<Bytes>(sign) & kSignBit);
    return Ints<Bytes>(Floats<Bytes>(clamped) + kRound) & 0xFF;
}
template <size_t Bytes> WIMAX_SIMD_BODY Ints<Bytes> soft_byte(Floats<Bytes> v, Ints<Bytes> most) {
    return soft_byte<Bytes>(Floats<Bytes>(magnitude<Bytes>(v)), v, most);
}

// Max-log differences of squared distances in units where neighbouring levels are 2 apart and signs of bits are those
// of the axis tables. They are piecewise linear: each follows from the nearest level of either half. `w` is the weight.
template <size_t Bytes>
WIMAX_SIMD_BODY Ints<Bytes> sign_bit4(Floats<Bytes> u, Floats<Bytes> w, Ints<Bytes> most) {  // levels +-1, +-3
    const auto a = Floats<Bytes>(magnitude<Bytes>(u));
    return soft_byte<Bytes>(w * larger<Bytes>(4.0F * a, 8.0F * a - 8.0F), u, most);
}
template <size_t Bytes>
WIMAX_SIMD_BODY Ints<Bytes> sign_bit8(Floats<Bytes> u, Floats<Bytes> w, Ints<Bytes> most) {  // levels +-1 .. +-7
    const auto a = Floats<Bytes>(magnitude<Bytes>(u));
    const auto near = larger<Bytes>(4.0F * a, 8.0F * a - 8.0F);
    return soft_byte<Bytes>(w * larger<Bytes>(near, larger<Bytes>(12.0F * a - 24.0F, 16.0F * a - 48.0F)), u, most);
}
/// True if |u| is below 2, with levels +-1, +-3.
template <size_t Bytes> WIMAX_SIMD_BODY Ints<Bytes> inner_bit(Floats<Bytes> u, Floats<Bytes> w, Ints<Bytes> most) {
    return soft_byte<Bytes>(w * (8.0F - 4.0F * Floats<Bytes>(magnitude<Bytes>(u))), most);
}

/// What the demapper stores: the octets of each carrier one after the other if there are six, otherwise a word for each
/// carrier with its first octet lowest.
template <int Bits> using Stored = std::conditional_t<Bits == 6, int8_t, uint32_t>;
template <int Bits> constexpr size_t kStoredPerCarrier = Bits == 6 ? 6 : 1;

/// Octets after the last carrier that a store of sixes overwrites, at most.
constexpr size_t kBeyond = 4;
/// In 16 octets, two carriers of eight octets each: their first six octets without a gap.
constexpr size_t without_gap(size_t octet) { return octet / 16 * 16 + (octet % 16 + (octet % 16 < 6 ? 0 : 2)) % 16; }

/// Stores the carriers of `a` and `b`, two from each 16 octets of either in turn. kBeyond octets are overwritten.
template <size_t Bytes, size_t... I>
WIMAX_SIMD_BODY void store_twelves(simd::Vector<uint64_t, Bytes> a, simd::Vector<uint64_t, Bytes> b,
                                   std::index_sequence<I...>, int8_t* out) {
    using Octets = simd::Vector<int8_t, Bytes>;
    using Words = simd::Vector<uint64_t, Bytes>;
    using Part = simd::Vector<uint64_t, 16>;
    const auto x = Words(__builtin_shufflevector(Octets(a), Octets(a), without_gap(I)...));
    const auto y = Words(__builtin_shufflevector(Octets(b), Octets(b), without_gap(I)...));
    for (size_t i = 0; i < Bytes / 8; i += 2) {
        simd::store(Part{x[i], x[i + 1]}, out + 12 * i);
        simd::store(Part{y[i], y[i + 1]}, out + 12 * i + 12);
    }
}

/// Stores six octets of each carrier, four from `low`, two from `high`. kBeyond octets are overwritten.
template <size_t Bytes, size_t... I>
WIMAX_SIMD_BODY void store_sixes(Ints<Bytes> low, Ints<Bytes> high, std::index_sequence<I...>, int8_t* out) {
    // Interleaved within 16 octets, which is one instruction: `a` has the first two carriers of each four.
    constexpr size_t kOther = sizeof...(I);
    using Words = simd::Vector<uint64_t, Bytes>;
    const auto a = Words(__builtin_shufflevector(low, high, (I / 4 * 4 + I % 4 / 2 + I % 2 * kOther)...));
    const auto b = Words(__builtin_shufflevector(low, high, (I / 4 * 4 + 2 + I % 4 / 2 + I % 2 * kOther)...));
    if constexpr (Bytes > 16) return store_twelves<Bytes>(a, b, std::make_index_sequence<Bytes>(), out);
    const uint64_t words[] = {a[0], a[1], b[0], b[1]};  // SSE2 has no instruction that moves octets
    for (size_t k = 0; k < 4; ++k) std::memcpy(out + 6 * k, &words[k], sizeof words[k]);
}

/// Points in planes; whole blocks of kBlock places.
constexpr size_t kBlock = 16;
template <size_t Bytes, int Bits>
WIMAX_SIMD_BODY void demap_body(const float* re, const float* im, const float* snr, float trust, size_t places,
                                Stored<Bits>* out) {
    using F = Floats<Bytes>;
    constexpr size_t kStep = Bytes / sizeof(float);
    constexpr float kUnit = scale_of(Bits);
    const float scale = trust * kSoftBitScale * kUnit * kUnit;
    const auto most = simd::unfolded(Ints<Bytes>(F{} + kMostSoft));
    for (size_t i = 0; i < places; i += kStep) {
        const F w = simd::load<F>(snr + i) * scale;
        const F x = simd::load<F>(re + i) * (1 / kUnit), y = simd::load<F>(im + i) * (1 / kUnit);
        // (1 + x)^2 - (1 - x)^2 = 4 x
        if constexpr (Bits == 1) simd::store(soft_byte<Bytes>(w * 4.0F * x, most), out + i);
        if constexpr (Bits == 2)
            simd::store(soft_byte<Bytes>(w * 4.0F * x, most) | soft_byte<Bytes>(w * 4.0F * y, most) << 8, out + i);
        if constexpr (Bits == 4)
            simd::store(sign_bit4<Bytes>(x, w, most) | inner_bit<Bytes>(x, w, most) << 8 |
                            sign_bit4<Bytes>(y, w, most) << 16 | inner_bit<Bytes>(y, w, most) << 24,
                        out + i);
        if constexpr (Bits == 6) {
            // Measured from the middle of the half axis.
            const F vx = 4.0F - F(magnitude<Bytes>(x)), vy = 4.0F - F(magnitude<Bytes>(y));
            store_sixes<Bytes>(sign_bit8<Bytes>(x, w, most) | sign_bit4<Bytes>(vx, w, most) << 8 |
                                   inner_bit<Bytes>(vx, w, most) << 16 | sign_bit8<Bytes>(y, w, most) << 24,
                               sign_bit4<Bytes>(vy, w, most) | inner_bit<Bytes>(vy, w, most) << 8,
                               std::make_index_sequence<kStep>(), out + 6 * i);
        }
    }
}
template <int Bits> constexpr simd::Dispatched<demap_body<16, Bits>, demap_body<32, Bits>, demap_body<64, Bits>> demap;

static_assert(std::endian::native == std::endian::little);

/// Soft bits of neighbouring carriers.
template <int Bits> void put_run(const Stored<Bits>* from, size_t count, int8_t* out) {
    if constexpr (Bits == 6) std::memcpy(out, from, 6 * count);
    else
        for (size_t i = 0; i < count; ++i) std::memcpy(out + i * Bits, from + i, Bits);
}

/// Carriers between two pilots, or between a pilot and carrier 0, without gaps: a length known to the compiler.
constexpr size_t kRun = 12;

template <int Bits> void put_labels(const Stored<Bits>* stored, std::span<const int16_t> offsets, int8_t* out) {
    for (size_t n = 0; n < offsets.size();) {
        const auto* first = stored + kStoredPerCarrier<Bits> * SymbolPlanes::place(offsets[n]);
        const bool whole = n + kRun <= offsets.size() && offsets[n + kRun - 1] - offsets[n] == int{kRun} - 1;
        if (whole) put_run<Bits>(first, kRun, out + n * Bits);
        else put_run<Bits>(first, 1, out + n * Bits);
        n += whole ? kRun : 1;
    }
}

constexpr size_t kPlaces = SymbolPlanes::kPlaces;
static_assert(kPlaces % kBlock == 0);
/// Of all places, and what the last store of sixes overwrites.
template <int Bits> struct alignas(64) StoredPlaces {
    std::array<Stored<Bits>, kPlaces * kStoredPerCarrier<Bits> + kBeyond> values;
};

template <int Bits> void demap_points(const Complex* points, const float* snr, size_t count, int8_t* out) {
    StoredPlaces<Bits> stored;
    alignas(64) std::array<float, kPlaces> re, im, weight;
    for (size_t done = 0; done < count; done += kPlaces) {
        const size_t n = std::min(kPlaces, count - done), whole = (n + kBlock - 1) / kBlock * kBlock;
        for (size_t i = 0; i < n; ++i) {
            re[i] = points[done + i].real();
            im[i] = points[done + i].imag();
            weight[i] = snr[done + i];
        }
        for (size_t i = n; i < whole; ++i) re[i] = im[i] = weight[i] = 0;
        demap<Bits>(re.data(), im.data(), weight.data(), 1.0F, whole, stored.values.data());
        put_run<Bits>(stored.values.data(), n, out + done * Bits);
    }
}

template <int Bits>
void demap_planes(const SymbolPlanes& s, float trust, std::span<const int16_t> offsets, int8_t* out) {
    StoredPlaces<Bits> stored;
    demap<Bits>(s.re.data(), s.im.data(), s.snr.data(), trust, kPlaces, stored.values.data());
    put_labels<Bits>(stored.values.data(), offsets, out);
}

/// Axis bits of the nearest level.
template <size_t N> unsigned nearest(const std::array<float, N>& levels, float value) {
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
    switch (bits_per_carrier) {
        case 1: demap_points<1>(equalized.data(), snr.data(), equalized.size(), out.data()); break;
        case 2: demap_points<2>(equalized.data(), snr.data(), equalized.size(), out.data()); break;
        case 4: demap_points<4>(equalized.data(), snr.data(), equalized.size(), out.data()); break;
        case 6: demap_points<6>(equalized.data(), snr.data(), equalized.size(), out.data()); break;
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
