// SPDX-License-Identifier: GPL-3.0-or-later
// Registers that the wrapper of each RFNoC block adds to those of its core (byte addresses of ctrlport).
#pragma once

#include <cstdint>

namespace wimax::rfnoc::wrapper {

enum Register : uint32_t {
    kTicksLog2 = 0x1000,    ///< 0 .. 7: a sample is 2^this ticks of the radio's time; of blocks that count time
    kPacketWords = 0x1004,  ///< 14 bits, at least 1: words of the longest packet sent
    kStatus = 0x1008,       ///< read only; ofdm_frontend: orders without room
    kOwn = 0x1010,          ///< registers of the block; burst_gate: samples from the gate to the air, 11 bits;
                            ///< ofdm_frontend: the four words of an order, which the last sends
};

}  // namespace wimax::rfnoc::wrapper
