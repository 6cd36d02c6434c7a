// SPDX-License-Identifier: GPL-3.0-or-later
// What the midamble repetition field of a UL-MAP means (clause 8.3.6.3.1): data symbols between midambles. The edition
// of 2004 has 8, 16 and 32; the corrigendum has 4, 8 and 16. The latter is from one maker's documents, which agree with
// signal generators that count the midamble.
#pragma once

#include "mac/edition.h"

#include <array>

namespace wimax::mac {

/// BurstFormat::midamble_interval by the field's value.
constexpr std::array<uint8_t, 4> midamble_codes(Edition edition) {
    constexpr uint8_t kNone = 0, kEvery8 = 1, kEvery16 = 2, kEvery32 = 3, kEvery4 = 4;
    if (edition == Edition::ieee2004) return {kNone, kEvery8, kEvery16, kEvery32};
    return {kNone, kEvery4, kEvery8, kEvery16};
}

constexpr uint8_t midamble_code(Edition edition, uint8_t bits) { return midamble_codes(edition)[bits & 3U]; }

/// The field's value; 0 if the edition has no such interval.
constexpr uint8_t midamble_bits(Edition edition, uint8_t code) {
    const auto codes = midamble_codes(edition);
    for (uint8_t bits = 1; bits < codes.size(); ++bits)
        if (codes[bits] == code) return bits;
    return 0;
}

}  // namespace wimax::mac
