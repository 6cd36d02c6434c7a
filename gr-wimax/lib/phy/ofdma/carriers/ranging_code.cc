// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/carriers/ranging_code.h>

#include <algorithm>

namespace gr::wimax::phy::ofdma {
namespace {

constexpr int kSeedBits = 7;  // of UL_PermBase

/// Register at the start of code 0: bits b14..b0 are 0 0 1 0 1 0 1 1 s0..s6. b0 is the stage next to the input; stage i
/// is bit i of the result.
unsigned first_register(int ul_perm_base) {
    unsigned stages = 0b00101011U << kSeedBits;
    for (int i = 0; i < kSeedBits; ++i) {
        const unsigned s = static_cast<unsigned>(ul_perm_base) >> (kRangingS0IsLsb ? i : kSeedBits - 1 - i) & 1U;
        stages |= s << (kSeedBits - 1 - i);
    }
    return stages;
}

}  // namespace

std::array<uint8_t, kRangingCarriers> ranging_code(int code, int ul_perm_base) {
    std::array<uint8_t, kRangingCarriers> bits;
    unsigned stages = first_register(ul_perm_base);
    for (int i = -code * kRangingCarriers; i < kRangingCarriers; ++i) {
        // 1 + x + x^4 + x^7 + x^15; the bit that is fed back is the output.
        const unsigned out = (stages ^ stages >> 3 ^ stages >> 6 ^ stages >> 14) & 1U;
        stages = (stages << 1 | out) & 0x7FFFU;
        if (i >= 0) bits[static_cast<size_t>(i)] = static_cast<uint8_t>(out);
    }
    return bits;
}

std::array<int16_t, kRangingCarriers> ranging_carriers(const UlPusc& pusc, int first_subchannel) {
    std::array<int16_t, kRangingCarriers> carriers;
    size_t next = 0;
    for (int s = 0; s < kRangingSubchannels; ++s)
        for (const int16_t first : pusc.tiles(first_subchannel + s))
            for (int offset = 0; offset < kTileCarriers; ++offset)
                carriers[next++] = static_cast<int16_t>(first + offset);
    if (kRangingCarriersByFrequency) std::ranges::sort(carriers);
    return carriers;
}

}  // namespace gr::wimax::phy::ofdma
