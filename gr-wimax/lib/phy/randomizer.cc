/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/randomizer.h>

namespace gr::wimax::phy {
namespace {

constexpr uint16_t kRegisterMask = 0x7FFF;

/// Puts the four low bits of `value` into stages `first`..`first` + 3, most significant in the lowest stage.
constexpr unsigned place_nibble(unsigned value, int first_stage) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) bits |= ((value >> (3 - i)) & 1U) << (first_stage - 1 + i);
    return bits;
}

}  // namespace

Randomizer Randomizer::burst(unsigned bsid, unsigned iuc, unsigned frame) {
    constexpr unsigned kFixedOnes = 1U << 4 | 1U << 5 | 1U << 10;  // stages 5, 6 and 11
    return Randomizer(
        static_cast<uint16_t>(place_nibble(bsid, 1) | place_nibble(iuc, 7) | place_nibble(frame, 12) | kFixedOnes));
}

uint8_t Randomizer::next_byte() {
    // Output bit n is output n-14 XOR output n-15, and stage i holds output n-i: eight outputs follow from the register
    // at once.
    const auto byte = static_cast<uint8_t>((state_ >> 6) ^ (state_ >> 7));
    state_ = static_cast<uint16_t>((state_ << 8 | byte) & kRegisterMask);
    return byte;
}

void Randomizer::apply(std::span<uint8_t> data) {
    for (auto& byte : data) byte ^= next_byte();
}

void Randomizer::skip_bits(int bits) {
    for (; bits >= 8; bits -= 8) next_byte();
    for (; bits > 0; --bits) {
        const unsigned feedback = ((state_ >> 13) ^ (state_ >> 14)) & 1U;
        state_ = static_cast<uint16_t>((state_ << 1 | feedback) & kRegisterMask);
    }
}

}  // namespace gr::wimax::phy
