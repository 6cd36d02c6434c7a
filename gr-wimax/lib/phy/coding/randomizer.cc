// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/randomizer.h>

#include <bit>
#include <cstring>

namespace gr::wimax::phy {
namespace {

constexpr uint16_t kRegisterMask = 0x7FFF;

/// Appends bits to those of the sequence, the last in bit 0. Squaring a polynomial over GF(2) doubles its distances:
/// bits follow from those 14 and 15 times Factor earlier, 14 times Factor at once.
template <int Factor> constexpr uint64_t extended(uint64_t bits) {
    constexpr int kNear = 14 * Factor;
    return bits << kNear | ((bits ^ bits >> Factor) & ((uint64_t{1} << kNear) - 1));
}

/// Bits of the sequence, the first most significant.
struct Sequence {
    uint64_t now, next;
};
constexpr Sequence first_words(uint16_t state) {
    const uint64_t a = extended<2>(extended<1>(extended<1>(state)));  // seven octets after the register
    const uint64_t b = extended<4>(a), c = extended<4>(b);            // seven more each
    return {a << 8 | (b >> 48 & 0xFF), b << 16 | (c >> 40 & 0xFFFF)};
}
/// As extended<8>.
constexpr Sequence advance(const Sequence& w) {
    return {w.next, (w.now << 16 | w.next >> 48) ^ (w.now << 8 | w.next >> 56)};
}

void add_word(uint64_t word, uint8_t* octets) {
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    uint64_t data;
    std::memcpy(&data, octets, sizeof data);
    data ^= word;
    std::memcpy(octets, &data, sizeof data);
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
    constexpr size_t kWord = sizeof(uint64_t);
    if (data.size() >= kWord) {
        uint64_t last = 0;
        for (Sequence words = first_words(state_); data.size() >= kWord; words = advance(words)) {
            last = words.now;
            add_word(last, data.data());
            data = data.subspan(kWord);
        }
        state_ = static_cast<uint16_t>(last & kRegisterMask);
    }
    for (uint8_t& octet : data) octet ^= next_byte();
}

void Randomizer::skip_bits(int bits) {
    for (; bits >= 8; bits -= 8) next_byte();
    for (; bits > 0; --bits) {
        const unsigned feedback = ((state_ >> 13) ^ (state_ >> 14)) & 1U;
        state_ = static_cast<uint16_t>((state_ << 1 | feedback) & kRegisterMask);
    }
}

}  // namespace gr::wimax::phy
