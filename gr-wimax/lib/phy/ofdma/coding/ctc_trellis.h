// SPDX-License-Identifier: GPL-3.0-or-later
// Trellis of the constituent code of the CTC (internal). A state is 4 S1 + 2 S2 + S3, an input 2 A + B.
#pragma once

#include <array>
#include <cstdint>

namespace gr::wimax::phy::ofdma {

inline constexpr int kCtcStates = 8, kCtcInputs = 4;

struct CtcTrellis {
    std::array<std::array<uint8_t, kCtcInputs>, kCtcStates> next, y, w;
    std::array<std::array<uint8_t, kCtcInputs>, kCtcStates> previous;  // by next state and input
};

inline constexpr CtcTrellis kCtcTrellis = [] {
    CtcTrellis t{};
    for (unsigned s = 0; s < kCtcStates; ++s)
        for (unsigned u = 0; u < kCtcInputs; ++u) {
            const unsigned s1 = s >> 2, s2 = s >> 1 & 1U, s3 = s & 1U, a = u >> 1, b = u & 1U;
            const unsigned x = a ^ b ^ s1 ^ s3;
            const unsigned to = 4 * x + 2 * (s1 ^ b) + (s2 ^ b);
            t.next[s][u] = static_cast<uint8_t>(to);
            t.y[s][u] = static_cast<uint8_t>(x ^ s2 ^ s3);
            t.w[s][u] = static_cast<uint8_t>(x ^ s3);
            t.previous[to][u] = static_cast<uint8_t>(s);
        }
    return t;
}();

}  // namespace gr::wimax::phy::ofdma
