// SPDX-License-Identifier: GPL-3.0-or-later
// Randomizer of clause 8.3.3.1: 15-stage register 1 + x^14 + x^15, data most significant bit first. The same operation
// randomizes and derandomizes.
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstdint>
#include <span>

namespace gr::wimax::phy {

/// FCH and burst #1 of a downlink frame share one running sequence. The FCH's tail byte does not advance it, so burst
/// #1 begins here (uncertain: 96 if the tail byte counts).
inline constexpr int kFirstBurstRandomizerBit = 88;

class WIMAX_API Randomizer {
public:
    /// Register at the start of a downlink frame: FCH.
    static Randomizer frame_start() { return Randomizer(0x00A9); }
    /// Downlink burst #1.
    static Randomizer first_burst() {
        Randomizer r = frame_start();
        r.skip_bits(kFirstBurstRandomizerBit);
        return r;
    }
    /// Downlink burst #2 and later, and every uplink burst; only the low four bits of each argument count.
    /// `frame`: of the frame itself (downlink) or of the frame whose UL-MAP granted the burst (uplink).
    static Randomizer burst(unsigned bsid, unsigned iuc, unsigned frame);
    /// Continues another randomizer; `state` is the result of its state().
    static Randomizer at(uint16_t state) { return Randomizer(state & 0x7FFFU); }

    /// XORs the next bytes of the sequence onto `data`.
    void apply(std::span<uint8_t> data);
    uint8_t next_byte();
    void skip_bits(int bits);

    /// Stage i (1..15) is bit i - 1.
    uint16_t state() const { return state_; }

private:
    explicit Randomizer(uint16_t state) : state_(state) {}
    uint16_t state_;
};

}  // namespace gr::wimax::phy
