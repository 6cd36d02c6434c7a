// SPDX-License-Identifier: GPL-3.0-or-later
// Common part of all blocks' controllers. A block is found by its name in UHD's graph (blocks.h); its constructor
// refuses a core of another name or version, or another number of streams (uhd::runtime_error). Times are ticks of the
// radio's clock, as in UHD's packets. Registers are those of the headers in fpga/model. Blocks between antenna and host
// make their cores available to the drivers of fpga/host.
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
    /// Makes a streamer for an output of a block in an open device.
    using Connect =
        std::function<uhd::rx_streamer::sptr(const uhd::device_addr_t&, const uhd::rfnoc::block_id_t&, size_t output)>;
    /// Connects in UHD's graph of the device. None before UHD 4.5, which would make a second graph and thereby reset
    /// the device.
    static Connect own_graph();

    uint32_t read(uint32_t address) { return regs().peek32(address); }
    void write(uint32_t address, uint32_t value) { regs().poke32(address, value); }

    /// Words of the longest packet that it sends: the block's value after a reset, or fewer if the stream's MTU
    /// requires it.
    uint32_t packet_words() const { return packet_words_; }

protected:
    BlockControl(make_args_ptr args, const BlockFacts& facts);

    /// For blocks that count samples: 1, 2, 4 .. 128; otherwise uhd::value_error.
    void write_ticks_per_sample(int ticks);

    /// The host's access to the core: packets of an output, orders.
    struct CoreUse {
        std::optional<size_t> packets;
        bool orders = false;
    };
    /// Adds the node kOpenCoreNode to the block's folder, unless its packets are not accessible.
    void give_core(CoreUse use, Connect connect);

private:
    void limit_packets();
    gr::wimax::RadioCorePtr open_core(double tick_rate_hz, double sample_rate_hz, CoreUse use, const Connect& connect);

    uint32_t most_words_ = 0, packet_words_ = 0;
    std::weak_ptr<gr::wimax::RadioCore> opened_;
};

}  // namespace wimax::rfnoc
