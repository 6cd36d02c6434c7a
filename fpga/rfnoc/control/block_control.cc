// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/rfnoc/control/block_control.h"

#include "fpga/rfnoc/control/block_core.h"
#include "fpga/rfnoc/control/wrapper_registers.h"

#include <uhd/exception.hpp>
#include <uhd/rfnoc_graph.hpp>
#include <uhd/version.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace wimax::rfnoc {
namespace {

using uhd::rfnoc::res_source_info;

constexpr int kOneGraphADevice = 4050000;

std::string hexadecimal(uint32_t value) {
    std::array<char, 8> digits{};
    char* const end = std::to_chars(digits.begin(), digits.end(), value, 16).ptr;
    return "0x" + std::string(digits.data(), end);
}

void refuse(const BlockFacts& facts, const char* what, uint32_t there, uint32_t wanted) {
    throw uhd::runtime_error(std::string(facts.name) + ": " + what + " is " + hexadecimal(there) + ", not " +
                             hexadecimal(wanted));
}

}  // namespace

BlockControl::BlockControl(make_args_ptr args, const BlockFacts& facts) : noc_block_base(std::move(args)) {
    // All cores have their name and version at the same place.
    const uint32_t core = read(0x00), version = read(0x04);
    if (core != facts.core) refuse(facts, "the core's name", core, facts.core);
    if (version != facts.version) refuse(facts, "the core's version", version, facts.version);
    const auto inputs = static_cast<uint32_t>(get_num_input_ports());
    const auto outputs = static_cast<uint32_t>(get_num_output_ports());
    if (inputs != 1) refuse(facts, "the number of inputs", inputs, 1);
    if (outputs != facts.outputs) refuse(facts, "the number of outputs", outputs, static_cast<uint32_t>(facts.outputs));

    // The block makes its output packets itself.
    most_words_ = packet_words_ = read(wrapper::kPacketWords);
    set_mtu_forwarding_policy(uhd::rfnoc::node_t::forwarding_policy_t::DROP);
    for (size_t port = 0; port < facts.outputs; ++port)
        add_property_resolver({get_mtu_prop_ref({res_source_info::OUTPUT_EDGE, port})}, {},
                              [this] { limit_packets(); });
    limit_packets();
}

void BlockControl::limit_packets() {
    uint32_t words = most_words_;
    for (size_t port = 0; port < get_num_output_ports(); ++port)
        words = std::min(words, static_cast<uint32_t>(get_max_payload_size({res_source_info::OUTPUT_EDGE, port}) / 4));
    if (words == packet_words_) return;
    packet_words_ = words;
    write(wrapper::kPacketWords, words);
}

BlockControl::Connect BlockControl::own_graph() {
    if constexpr (UHD_VERSION < kOneGraphADevice) return nullptr;
    return [](const uhd::device_addr_t& device, const uhd::rfnoc::block_id_t& block, size_t output) {
        return connect_output(*uhd::rfnoc::rfnoc_graph::make(device), block, output);
    };
}

void BlockControl::give_core(CoreUse use, Connect connect) {
    if (use.packets && !connect) return;
    get_tree()
        ->create<gr::wimax::OpenRadioCore>(gr::wimax::kOpenCoreNode)
        .set([this, use, connect = std::move(connect)](double tick_rate_hz, double sample_rate_hz) {
            return open_core(tick_rate_hz, sample_rate_hz, use, connect);
        });
}

gr::wimax::RadioCorePtr BlockControl::open_core(double tick_rate_hz, double sample_rate_hz, CoreUse use,
                                                const Connect& connect) {
    if (auto core = opened_.lock()) return core;
    const double ticks = tick_rate_hz / sample_rate_hz;
    if (std::abs(ticks - std::round(ticks)) > 1e-9 * ticks)
        throw uhd::value_error("ticks per sample: " + std::to_string(ticks) + " is not 1, 2, 4 .. 128");
    const int whole = static_cast<int>(std::lround(ticks));
    write_ticks_per_sample(whole);
    const BlockCore::Times times{std::countr_zero(static_cast<unsigned>(whole)), sample_rate_hz};
    auto packets = use.packets ? connect(get_block_args(), get_block_id(), *use.packets) : nullptr;
    auto core = std::make_shared<BlockCore>(regs(), times, std::move(packets), use.orders);
    opened_ = core;
    return core;
}

void BlockControl::write_ticks_per_sample(int ticks) {
    if (ticks < 1 || ticks > 128 || !std::has_single_bit(static_cast<unsigned>(ticks)))
        throw uhd::value_error("ticks per sample: " + std::to_string(ticks) + " is not 1, 2, 4 .. 128");
    write(wrapper::kTicksLog2, static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(ticks))));
}

}  // namespace wimax::rfnoc
