// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/soft_carrier.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace wimax::fpga {
namespace {

constexpr int kWeightOffset = 9;
constexpr int kWeightMax = 255;

/// Half the distance of neighbouring levels.
float scale_of(int bits_per_carrier) {
    const auto points = gr::wimax::phy::constellation(bits_per_carrier);
    float least = 1;
    for (const auto& point : points) least = std::min(least, std::fabs(point.real()));
    return least;
}

uint32_t weight_of(float snr) {
    for (int weight = 1; weight <= kWeightMax; ++weight) {
        const auto value = [](int w) { return std::ldexp(static_cast<float>(16 + w % 16), w / 16 - kWeightOffset); };
        if (snr < (value(weight) + value(weight + 1)) / 2)
            return static_cast<uint32_t>(snr < value(1) / 2 ? 0 : weight);
    }
    return kWeightMax;
}

uint32_t axis_of(float value) {
    const long fixed = std::lround(std::clamp(value, -4.0F, 4.0F) * kPointUnit);
    return static_cast<uint32_t>(std::clamp(fixed, -2048L, 2047L)) & 0xFFFU;
}

int axis(uint32_t bits) { return static_cast<int>(bits & 0x7FFU) - static_cast<int>(bits & 0x800U); }

/// Rounded and clamped magnitude of a distance, with its sign.
int8_t soft(int distance, int gain, uint32_t weight) {
    if (weight == 0) return 0;
    const int product = std::abs(distance) * (gain * (16 + static_cast<int>(weight & 15U)));
    const int size = std::min(((product >> (21 - (weight >> 4))) + 1) >> 1, kMaxSoft);
    return static_cast<int8_t>(distance < 0 ? -size : size);
}

}  // namespace

uint32_t soft_carrier(gr::wimax::phy::Complex equalized, float snr) {
    return axis_of(equalized.real()) << 20 | axis_of(equalized.imag()) << 8 | weight_of(snr);
}

int level_distance(int bits) { return static_cast<int>(std::lround(2 * scale_of(bits) * kPointUnit)); }
int soft_gain(int bits) { return static_cast<int>(std::lround(4 * 16 * scale_of(bits))); }

std::array<int8_t, 6> soft_bits(int bits, uint32_t carrier) {
    const int d = level_distance(bits), gain = soft_gain(bits);
    const uint32_t weight = carrier & 0xFFU;
    std::array<int8_t, 6> out{};
    for (size_t part = 0; part < 2; ++part) {
        const int x = axis(part == 0 ? carrier >> 20 : carrier >> 8), a = std::abs(x);
        const auto signed_as = [](int size, int sign) { return sign < 0 ? -size : size; };
        const auto put = [&](size_t bit, int distance) { out[bit] = soft(distance, gain, weight); };
        const int inner = 2 * d - a, size = std::abs(inner);
        switch (bits) {
            case 1:
            case 2: put(part, x); break;
            case 4:
                put(2 * part, signed_as(std::max(a, 2 * a - d), x));
                put(2 * part + 1, d - a);
                break;
            default:
                put(3 * part, signed_as(std::max({a, 2 * a - d, 3 * a - 3 * d, 4 * a - 6 * d}), x));
                put(3 * part + 1, signed_as(std::max(size, 2 * size - d), inner));
                put(3 * part + 2, d - size);
        }
    }
    if (bits == 1) out[1] = 0;
    return out;
}

}  // namespace wimax::fpga
