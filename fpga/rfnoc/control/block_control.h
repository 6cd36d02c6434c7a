/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the controllers of all blocks have in common. A block is found by its name in UHD's graph (blocks.h); its
 * constructor refuses a core of another name or version, or another number of streams (uhd::runtime_error). Times are
 * ticks of the radio's clock, as UHD gives and takes them with packets. Registers are those of the headers in
 * fpga/model.
 */
#pragma once

#include "fpga/rfnoc/control/blocks.h"

#include <uhd/rfnoc/noc_block_base.hpp>

#include <cstdint>

namespace wimax::rfnoc {

class BlockControl : public uhd::rfnoc::noc_block_base {
public:
    uint32_t read(uint32_t address) { return regs().peek32(address); }
    void write(uint32_t address, uint32_t value) { regs().poke32(address, value); }

    /// Words of the longest packet that it sends: as the stream's MTU allows, and at most `most`.
    uint32_t packet_words() const { return packet_words_; }

protected:
    static constexpr uint32_t kAsMtuAllows = 0x3fff;

    BlockControl(make_args_ptr args, const BlockFacts& facts, uint32_t most_words = kAsMtuAllows);

    /// Of blocks that count samples: 1, 2, 4 .. 128; uhd::value_error else.
    void write_ticks_per_sample(int ticks);

private:
    void limit_packets();

    uint32_t most_words_, packet_words_ = 0;
};

}  // namespace wimax::rfnoc
