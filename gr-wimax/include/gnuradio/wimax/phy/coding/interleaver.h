// SPDX-License-Identifier: GPL-3.0-or-later
// Block interleaver of clause 8.3.3.3: one block is one OFDM symbol's N_cbps coded bits over the allocated subchannels.
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstdint>
#include <span>
#include <vector>

namespace gr::wimax::phy {

class WIMAX_API Interleaver {
public:
    /// `bits_per_carrier` 1, 2, 4 or 6; `subchannels` 1, 2, 4, 8 or 16.
    Interleaver(int bits_per_carrier, int subchannels);

    /// The tables are built once for the whole process.
    static const Interleaver& get(int bits_per_carrier, int subchannels);

    int block_bits() const { return static_cast<int>(position_.size()); }

    /// position()[k]: new position of bit k of the coder's output; bit j belongs to carrier j / N_cpc, most significant
    /// first.
    std::span<const uint16_t> position() const { return position_; }

    /// The coder's output is spread over twelve parts of the block, bit by bit. In part p, groups of this many bits are
    /// rotated by p places to the right: 1, 2 or 3.
    int group_bits() const { return (bits_per_carrier_ + 1) / 2; }
    static constexpr int kParts = 12;

    /// Converts coded bits (0 or 1, one per byte) to labels, one integer per carrier.
    void interleave(std::span<const uint8_t> coded, std::span<uint8_t> labels) const;

    /// Converts soft bits from carrier order back to coder order.
    void deinterleave(std::span<const int8_t> received, std::span<int8_t> coded) const;

private:
    int bits_per_carrier_;
    std::vector<uint16_t> position_;
};

}  // namespace gr::wimax::phy
