// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/randomizer.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gr::wimax::phy {
namespace {

constexpr uint16_t kRegisterMask = 0x7FFF;
/// Squaring a polynomial over GF(2) three times multiplies its distances by eight. The recurrence of the bits (n - 14
/// and n - 15) is therefore also that of the bytes, and eight bytes follow from the bytes before.
constexpr size_t kNear = 14, kFar = 15;
constexpr size_t kChunkBytes = 256;

uint64_t word_at(const uint8_t* bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

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
    std::array<uint8_t, kChunkBytes + sizeof(uint64_t)> sequence;
    while (!data.empty()) {
        const size_t count = std::min(data.size(), kChunkBytes);
        std::generate_n(sequence.begin(), std::min(count, kFar), [this] { return next_byte(); });
        for (size_t n = kFar; n < count; n += sizeof(uint64_t)) {
            const uint64_t word = word_at(&sequence[n - kNear]) ^ word_at(&sequence[n - kFar]);
            std::memcpy(&sequence[n], &word, sizeof word);
        }
        if (count > kFar)
            state_ = static_cast<uint16_t>((sequence[count - 2] << 8 | sequence[count - 1]) & kRegisterMask);
        for (size_t n = 0; n < count; ++n) data[n] ^= sequence[n];
        data = data.subspan(count);
    }
}

void Randomizer::skip_bits(int bits) {
    for (; bits >= 8; bits -= 8) next_byte();
    for (; bits > 0; --bits) {
        const unsigned feedback = ((state_ >> 13) ^ (state_ >> 14)) & 1U;
        state_ = static_cast<uint16_t>((state_ << 1 | feedback) & kRegisterMask);
    }
}

}  // namespace gr::wimax::phy
