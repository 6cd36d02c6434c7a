// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutional turbo code, IEEE 802.16-2009 clause 8.4.9.2.3: duo-binary, circular, eight states; interleaver and
// subblock permutation of the 17 block sizes.
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gr::wimax::phy::ofdma {

inline constexpr int kMaxCtcPairs = 2400;  // HARQ with incremental redundancy only; 240 otherwise

/// Tables of one block size.
class WIMAX_API CtcCode {
public:
    /// nullptr if no block has this number of pairs. Tables are made at the first call of any.
    static const CtcCode* find(int pairs);

    int pairs() const { return pairs_; }
    int octets() const { return pairs_ / 4; }
    /// The pair of the block that is pair j of the second encoder. A and B of pairs with odd number change places.
    std::span<const uint16_t> interleaver() const { return interleaver_; }
    /// Subblock permutation T of one of the six blocks of N bits.
    std::span<const uint16_t> subblock() const { return subblock_; }
    /// For each of the 6 N bits in order of transmission: its place in A, B, Y1, Y2, W1, W2, each of N bits.
    std::span<const uint16_t> order() const { return order_; }

    /// First sent bit of the HARQ subpacket SPID, of `bits` sent bits. One source.
    size_t harq_start(int spid, size_t bits) const { return static_cast<size_t>(spid) * bits % order_.size(); }

private:
    CtcCode(int pairs, int p0, int p1, int p2, int p3, int m, int j);

    int pairs_;
    std::vector<uint16_t> interleaver_, subblock_, order_;
};

/// Start states of both encoders for a block.
struct CtcStates {
    int first = 0, second = 0;
};

/// Writes the first bits.size() (at most 6 N) coded bits, one per octet. `octets`: randomized, pairs / 4.
WIMAX_API CtcStates ctc_encode(const CtcCode& code, std::span<const uint8_t> octets, std::span<uint8_t> bits);

}  // namespace gr::wimax::phy::ofdma
