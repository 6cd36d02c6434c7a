/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the controllers of all blocks have in common. A block is found by its name in UHD's graph (blocks.h); its
 * constructor refuses a core of another name or version, or another number of streams (uhd::runtime_error). Times are
 * ticks of the radio's clock, as UHD gives and takes them with packets. Registers are those of the headers in
 * fpga/model. Blocks between antenna and host give their cores to the drivers of fpga/host.
 */
#pragma once

#include "fpga/rfnoc/control/blocks.h"

#include <gnuradio/wimax/radio_cores.h>

#include <uhd/rfnoc/noc_block_base.hpp>
#include <uhd/stream.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace wimax::rfnoc {

class BlockControl : public uhd::rfnoc::noc_block_base {
public:
    /// A streamer of an output of a block, which is part of a device that is open.
    using Connect =
        std::function<uhd::rx_streamer::sptr(const uhd::device_addr_t&, const uhd::rfnoc::block_id_t&, size_t output)>;
    /// In the graph that UHD has of the device. None before UHD 4.5, which would make a second one, and that resets the
    /// device.
    static Connect own_graph();

    uint32_t read(uint32_t address) { return regs().peek32(address); }
    void write(uint32_t address, uint32_t value) { regs().poke32(address, value); }

    /// Words of the longest packet that it sends: what the block has after a reset, or fewer, as the stream's MTU
    /// allows.
    uint32_t packet_words() const { return packet_words_; }

protected:
    BlockControl(make_args_ptr args, const BlockFacts& facts);

    /// Of blocks that count samples: 1, 2, 4 .. 128; uhd::value_error else.
    void write_ticks_per_sample(int ticks);

    /// What the host has of the core: packets of an output, orders.
    struct CoreUse {
        std::optional<size_t> packets;
        bool orders = false;
    };
    /// From here on the block's folder has the node kOpenCoreNode, unless packets cannot be had.
    void give_core(CoreUse use, Connect connect);

private:
    void limit_packets();
    gr::wimax::RadioCorePtr open_core(double tick_rate_hz, double sample_rate_hz, CoreUse use, const Connect& connect);

    uint32_t most_words_ = 0, packet_words_ = 0;
    std::weak_ptr<gr::wimax::RadioCore> opened_;
};

}  // namespace wimax::rfnoc
