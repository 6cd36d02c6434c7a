// SPDX-License-Identifier: GPL-3.0-or-later
// Outer code of clause 8.3.3.2.1: RS(255,239) over GF(256), field polynomial 0x11D, generator roots 2^0..2^15,
// shortened to k data bytes and punctured to the first 2t parity bytes. On the air the parity is first.
#pragma once

#include <gnuradio/wimax/api.h>

#include <array>
#include <cstdint>
#include <span>

namespace gr::wimax::phy {

/// Result of decoding one block.
struct RsResult {
    bool ok = false;    ///< false: more errors than the code corrects; the data stay as received
    int corrected = 0;  ///< bytes changed, parity included
};

/// One shortened and punctured code (n, k, t). Immutable, so one object may serve several threads.
class WIMAX_API ReedSolomon {
public:
    static constexpr int kMotherParity = 16;
    static constexpr unsigned kFieldPolynomial = 0x11D;

    /// 1 <= k <= 239, 0 <= t <= 8; t = 0 is the bypass (n = k).
    ReedSolomon(int k, int t);

    int k() const { return k_; }
    int n() const { return k_ + 2 * t_; }
    int t() const { return t_; }

    /// `data`: k bytes; `block`: n bytes, 2t parity bytes and then the data.
    void encode(std::span<const uint8_t> data, std::span<uint8_t> block) const;

    /// Corrects `block` (n bytes as sent) in place: up to t wrong bytes; the punctured parity counts as erasures.
    RsResult decode(std::span<uint8_t> block) const;

private:
    int k_, t_;
    int erasures_;  // punctured parity bytes: those of powers 0 .. erasures_ - 1
    // See reed_solomon.cc.
    std::array<uint8_t, kMotherParity> parity_factor_{};  // by place
    std::array<uint8_t, 255> magnitude_factor_{};         // by power
};

}  // namespace gr::wimax::phy
