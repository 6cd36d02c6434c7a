// SPDX-License-Identifier: GPL-3.0-or-later
// Model of encoder_mapper: bytes of a burst to the 200 active carriers of each of its symbols, clause 8.3.3.
// Full band, all seven rates. The coding chain is the host's (BurstEncoder); the core adds the format of its words.
//
// In: the three words of burst_header.h, then the payload, four bytes per word, the first in [31:24]; end_of_burst on
// the last. A payload that ends early is padded like a short one; words beyond it are dropped; a refused header drops
// its burst. Out: carriers -100 .. -1, 1 .. 100, last on each symbol's last, end_of_burst on the burst's last. The
// first word has the time of the header's first.
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/burst_header.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>

#include <vector>

namespace wimax::fpga {

/// Amplitude 1.0 of a carrier in the host: 12 dB below full scale.
inline constexpr int kCarrierUnit = 1 << 13;

/// Level of one axis of a constellation, in the words of the core. `bits` 1, 2, 4, 6 per carrier; BPSK has I only.
int16_t axis_level(int bits_per_carrier, unsigned axis_bits);

class EncoderMapper {
public:
    /// Takes one word; appends the resulting carriers to `out`.
    void push(const AxisWord& word, std::vector<AxisWord>& out);

    uint32_t bursts() const { return bursts_; }
    uint32_t symbols() const { return symbols_; }
    uint32_t refused() const { return refused_; }

private:
    void send(const BurstHeader& header, std::vector<AxisWord>& out);

    std::vector<AxisWord> burst_;  // words since the last end of a burst
    phy::BurstEncoder encoder_;
    std::vector<uint8_t> payload_;
    uint32_t bursts_ = 0, symbols_ = 0, refused_ = 0;
};

}  // namespace wimax::fpga
