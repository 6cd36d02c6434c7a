// SPDX-License-Identifier: GPL-3.0-or-later
// Header words of a burst for encoder_mapper and demap_viterbi_rs: parameters common to both ends, clause 8.3.3. Three
// 32-bit words, followed by the encoder's payload or the decoder's carriers:
//
//   word 0  [31:29] rate, [28] uplink, [27:26], [25] midamble interval (its low two bits, its third), [10:0] data symbols
//   word 1  [30:16] register of the randomizer, stage i in bit 15 + i; [10:0] register of the pilots' sequence
//   word 2  [17:0]  payload bytes (encoder)
#pragma once

#include <gnuradio/wimax/phy/base/burst_types.h>
#include <gnuradio/wimax/phy/coding/randomizer.h>

#include <array>
#include <optional>

namespace wimax::fpga {

namespace phy = gr::wimax::phy;

/// Full band only: subchannelized and STC bursts stay with the host.
struct BurstHeader {
    static constexpr size_t kWords = 3;

    uint8_t rate_id = 0;  ///< 0..6
    phy::Direction direction = phy::Direction::downlink;
    uint8_t midamble_interval = 0;  ///< 0..7; the pilots' sequence has another step at each midamble
    int data_symbols = 0;           ///< 1..2047
    phy::Randomizer randomizer = phy::Randomizer::frame_start();
    int pilot_k = 0;        ///< pilot index (pilots.h) of the first data symbol
    int payload_bytes = 0;  ///< 0..capacity; padding follows
};

/// Register of the pilots' sequence before symbol k: bit 10 is the next output, bit 0 the one ten symbols later.
uint32_t pilot_register(phy::Direction direction, int k);

std::array<uint32_t, BurstHeader::kWords> pack(const BurstHeader& header);

/// nullopt if the cores refuse it, too: rate 7 or no symbols. The sequence of the pilots is given by its register, so
/// pilot_k is any index with it.
std::optional<BurstHeader> unpack(const std::array<uint32_t, BurstHeader::kWords>& words);

}  // namespace wimax::fpga
