// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/rfnoc/control/block_core.h"

#include "fpga/model/axis_word.h"
#include "fpga/rfnoc/control/wrapper_registers.h"

#include <uhd/exception.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace wimax::rfnoc {
namespace {

constexpr size_t kOrderWords = 4;

/// Longest packet that is read whole: more than any core sends.
constexpr size_t kMostWords = 1024;

}  // namespace

uhd::rx_streamer::sptr connect_output(uhd::rfnoc::rfnoc_graph& graph, const uhd::rfnoc::block_id_t& block,
                                      size_t output) {
    const auto active = graph.enumerate_active_connections();
    const auto enters = [&](const auto& edge) { return edge.dst_blockid == block.to_string(); };
    if (std::none_of(active.begin(), active.end(), enters))
        for (const auto& edge : graph.enumerate_static_connections())
            if (enters(edge)) graph.connect(edge.src_blockid, edge.src_port, edge.dst_blockid, edge.dst_port, false);
    auto streamer = graph.create_rx_streamer(1, uhd::stream_args_t("sc16", "sc16"));
    graph.connect(block, output, streamer, 0);
    graph.commit();
    return streamer;
}

BlockCore::BlockCore(uhd::rfnoc::register_iface& registers, Times times, uhd::rx_streamer::sptr packets, bool orders)
    : registers_(registers),
      times_(times),
      packets_(std::move(packets)),
      orders_(orders),
      received_(packets_ ? kMostWords : 0) {}

uint32_t BlockCore::peek(uint32_t address) try { return registers_.peek32(address); } catch (const uhd::exception&) {
    return 0;
}

void BlockCore::poke(uint32_t address, uint32_t value) try {
    registers_.poke32(address, value);
} catch (const uhd::exception&) {
    return;  // the streams show the error
}

gr::wimax::RadioCore::Packet BlockCore::take(std::span<uint32_t> words) try {
    if (!packets_) return {};
    uhd::rx_metadata_t beside;
    const size_t most = std::min(words.size(), received_.size());
    const size_t count = packets_->recv(received_.data(), most, beside, 0.0, true);
    if (count == 0 || beside.error_code != uhd::rx_metadata_t::ERROR_CODE_NONE) return {};
    std::transform(received_.begin(), received_.begin() + static_cast<ptrdiff_t>(count), words.begin(), fpga::pack);
    return {count, beside.has_time_spec ? beside.time_spec.to_ticks(times_.sample_rate_hz) : 0, beside.has_time_spec,
            beside.end_of_burst};
} catch (const uhd::exception&) {
    return {};
}

bool BlockCore::order(std::span<const uint32_t> words) try {
    if (!orders_ || words.size() != kOrderWords) return false;
    // The first two words are its time.
    const uint64_t ticks = (static_cast<uint64_t>(words[1]) << 32 | words[0]) << times_.ticks_log2;
    registers_.block_poke32(wrapper::kOwn,
                            {static_cast<uint32_t>(ticks), static_cast<uint32_t>(ticks >> 32), words[2], words[3]});
    return true;
} catch (const uhd::exception&) {
    return false;
}

}  // namespace wimax::rfnoc
