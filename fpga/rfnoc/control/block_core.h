// SPDX-License-Identifier: GPL-3.0-or-later
// Access of the drivers of fpga/host to a block (gnuradio/wimax/radio_cores.h): registers by control packets, packets
// by a separate streamer. Times are in samples; the block's are in ticks.
#pragma once

#include <gnuradio/wimax/radio_cores.h>

#include <uhd/rfnoc/block_id.hpp>
#include <uhd/rfnoc/register_iface.hpp>
#include <uhd/rfnoc_graph.hpp>
#include <uhd/stream.hpp>

#include <complex>
#include <vector>

namespace wimax::rfnoc {

/// Connects the image's predecessor to the block, unless it is connected, and the block's output to a streamer with one
/// packet per call. Throws uhd::exception if the image has no stream endpoint there.
uhd::rx_streamer::sptr connect_output(uhd::rfnoc::rfnoc_graph& graph, const uhd::rfnoc::block_id_t& block,
                                      size_t output);

class BlockCore final : public gr::wimax::RadioCore {
public:
    struct Times {
        int ticks_log2;  ///< of a sample
        double sample_rate_hz;
    };
    /// Without `packets` there are none to read; `orders`: it has registers for them. The block must outlive it.
    BlockCore(uhd::rfnoc::register_iface& registers, Times times, uhd::rx_streamer::sptr packets, bool orders);

    /// 0, and no effect, if the device does not respond.
    uint32_t peek(uint32_t address) override;
    void poke(uint32_t address, uint32_t value) override;
    Packet take(std::span<uint32_t> words) override;
    bool order(std::span<const uint32_t> words) override;

private:
    uhd::rfnoc::register_iface& registers_;
    const Times times_;
    const uhd::rx_streamer::sptr packets_;
    const bool orders_;
    std::vector<std::complex<int16_t>> received_;
};

}  // namespace wimax::rfnoc
