// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/coding_facts.h"

#include "fpga/model/encoder_mapper.h"
#include "fpga/model/soft_carrier.h"

#include <gnuradio/wimax/phy/base/numerology.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace wimax::fpga {
namespace {

/// A table whose entries have `width` bits each: a power of two, so that an index needs no multiplication.
class Packed {
public:
    explicit Packed(int width) : width_(width) {}
    void add(uint32_t value) {
        for (int i = 0; i < width_; ++i) bits_.push_back(value >> i & 1U);
    }
    std::string line(const std::string& name) const {
        std::string digits;
        for (size_t at = 0; at < bits_.size(); at += 4) {
            unsigned digit = 0;
            for (size_t i = 0; i < 4 && at + i < bits_.size(); ++i) digit |= unsigned{bits_[at + i]} << i;
            digits.insert(digits.begin(), "0123456789abcdef"[digit]);
        }
        return "`define FACT_" + name + " " + std::to_string(bits_.size()) + "'h" + digits + "\n";
    }

private:
    int width_;
    std::vector<uint8_t> bits_;
};

template <class Of> std::string by_rate(const std::string& name, int width, Of of) {
    Packed table(width);
    for (const auto& rate : phy::kRateTable) table.add(static_cast<uint32_t>(of(rate)));
    return table.line(name);
}

constexpr int kParity = phy::ReedSolomon::kMotherParity;

/// The remainder that one byte leaves: parity of the full code, highest power first.
std::array<uint8_t, kParity> remainder_of(uint8_t byte) {
    const phy::ReedSolomon code(1, kParity / 2);
    std::array<uint8_t, kParity + 1> block{};
    code.encode(std::span(&byte, 1), block);
    std::array<uint8_t, kParity> parity;
    std::copy_n(block.begin(), kParity, parity.begin());
    return parity;
}

uint8_t multiply(unsigned a, unsigned b) {
    unsigned product = 0;
    for (; b != 0; b >>= 1) {
        if (b & 1U) product ^= a;
        a <<= 1;
        if (a & 0x100U) a ^= phy::ReedSolomon::kFieldPolynomial;
    }
    return static_cast<uint8_t>(product);
}

uint8_t power(int exponent) {
    unsigned x = 1;
    for (int i = 0; i < exponent; ++i) x = multiply(x, 2);
    return static_cast<uint8_t>(x);
}

uint8_t inverse(unsigned a) {
    unsigned b = 1;
    while (b < 256 && multiply(a, b) != 1) ++b;
    return static_cast<uint8_t>(b);  // 256, so 0, for 0
}

/// Sent bits of each inner rate: per step {Y, X}, a period, and its length.
std::string puncturing() {
    Packed sent(16), period(4);
    for (const auto& pattern : phy::kPuncturePatterns) {
        uint32_t bits = 0;
        for (size_t i = 0; i < pattern.sent.size(); ++i) bits |= uint32_t{pattern.sent[i]} << i;
        sent.add(bits);
        period.add(static_cast<uint32_t>(pattern.input_bits));
    }
    return sent.line("SENT") + period.line("PERIOD");
}

/// By {bits per carrier / 2, bits of the axis}, the first in the highest place.
std::string levels() {
    Packed table(16);
    for (int bits : {1, 2, 4, 6})
        for (unsigned axis = 0; axis < 8; ++axis) table.add(static_cast<uint16_t>(axis_level(bits, axis)));
    return table.line("LEVELS");
}

std::string pilots() {
    Packed index(8), uplink(1), downlink(1);
    for (int offset : phy::kPilotOffsets)
        index.add(static_cast<uint32_t>(offset + phy::kEdgeCarrier - (offset > 0 ? 1 : 0)));
    const auto negative = [](phy::Direction direction, size_t i) {
        return (phy::pilot_values(direction, 0)[i] < 0) != (phy::pilot_bit(direction, 0) == 1) ? 1U : 0U;
    };
    for (size_t i = 0; i < phy::kPilotOffsets.size(); ++i) {
        downlink.add(negative(phy::Direction::downlink, i));
        uplink.add(negative(phy::Direction::uplink, i));
    }
    return index.line("PILOT_INDEX") + downlink.line("PILOT_NEGATIVE_DL") + uplink.line("PILOT_NEGATIVE_UL");
}

}  // namespace

std::string coding_facts_verilog() {
    std::string text =
        "// SPDX-License-Identifier: GPL-3.0-or-later\n// Written by fpga-write-roms from the PHY core's tables.\n";
    text += by_rate("CARRIER_BITS", 4, [](const auto& r) { return r.bits_per_carrier; });
    text += by_rate("RS_K", 8, [](const auto& r) { return r.rs_k; });
    text += by_rate("RS_N", 8, [](const auto& r) { return r.rs_n; });
    text += by_rate("RS_T", 4, [](const auto& r) { return r.rs_t; });
    text += by_rate("INNER", 2, [](const auto& r) { return static_cast<int>(r.inner_rate); });
    text += puncturing() + levels() + pilots();
    Packed interval(8);
    for (size_t code = 0; code < 8; ++code) interval.add(static_cast<uint32_t>(phy::midamble_interval(code)));
    text += interval.line("MIDAMBLE_INTERVAL");
    Packed distance(16), gain(8);
    for (int bits : {1, 2, 4, 6}) {
        distance.add(bits < 4 ? 0 : static_cast<uint32_t>(level_distance(bits)));
        gain.add(static_cast<uint32_t>(soft_gain(bits)));
    }
    text += distance.line("LEVEL_DISTANCE") + gain.line("SOFT_GAIN");
    Packed generator(8);
    for (uint8_t coefficient : remainder_of(1)) generator.add(coefficient);
    text += generator.line("RS_GENERATOR");
    Packed unit(16), polynomial(8);
    unit.add(kCarrierUnit);
    polynomial.add(phy::ReedSolomon::kFieldPolynomial & 0xFFU);
    return text + unit.line("CARRIER_UNIT") + polynomial.line("FIELD_POLYNOMIAL");
}

Rom magnitude_factor_rom() {
    Rom rom{"magnitude_factor", 8, {}};
    for (int erasures = 0; erasures < kParity; erasures += 4)
        for (int p = 0; p < 256; ++p) {
            uint8_t product = 1;
            for (int q = 0; q < erasures; ++q) product = multiply(product, static_cast<uint8_t>(power(p) ^ power(q)));
            rom.words.push_back(inverse(product));
        }
    return rom;
}

Rom inverse_rom() {
    Rom rom{"gf256_inverse", 8, {}};
    for (unsigned a = 0; a < 256; ++a) rom.words.push_back(inverse(a));
    return rom;
}

}  // namespace wimax::fpga
