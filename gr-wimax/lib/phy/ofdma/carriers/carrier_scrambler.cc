// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/carriers/carrier_scrambler.h>

namespace gr::wimax::phy::ofdma {
namespace {

constexpr unsigned kStages = 11;

uint16_t frame_bits(uint32_t frame_number) {
    const unsigned low = frame_number & 0xFU;
    if (kUlScramblerFrameMsbFirst) return static_cast<uint16_t>(low);
    return static_cast<uint16_t>((low & 1U) << 3 | (low & 2U) << 1 | (low & 4U) >> 1 | low >> 3);
}

}  // namespace

void scrambler_bits(uint16_t seed, std::span<uint8_t> bits) {
    unsigned stages = seed;  // b0 is bit 10, b10 bit 0
    for (uint8_t& bit : bits) {
        bit = static_cast<uint8_t>(stages & 1U);
        const unsigned feedback = (stages ^ stages >> 2) & 1U;
        stages = stages >> 1 | feedback << (kStages - 1);
    }
}

CarrierScrambler::CarrierScrambler(uint16_t seed) {
    std::array<uint8_t, kUsed + kOffsets> bits;
    scrambler_bits(seed, bits);
    for (size_t i = 0; i < bits.size(); ++i) signs_[i] = bits[i] != 0 ? -1.0F : 1.0F;
}

CarrierScrambler CarrierScrambler::downlink(int id_cell, int segment) {
    return CarrierScrambler(static_cast<uint16_t>(id_cell << 6 | (segment + 1) << 4 | 0xF));
}

CarrierScrambler CarrierScrambler::uplink(int id_cell, uint32_t frame_number) {
    return CarrierScrambler(static_cast<uint16_t>(id_cell << 6 | 0x3 << 4 | frame_bits(frame_number)));
}

}  // namespace gr::wimax::phy::ofdma
