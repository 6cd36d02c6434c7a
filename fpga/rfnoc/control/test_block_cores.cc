// SPDX-License-Identifier: GPL-3.0-or-later
// Access of the drivers of fpga/host to blocks: the drivers with UHD's mock of a block, and a graph that records
// connections.
#include "fpga/host/burst_gate_driver.h"
#include "fpga/host/ofdm_frontend_driver.h"
#include "fpga/host/preamble_detect_driver.h"
#include "fpga/model/preamble_detect.h"
#include "fpga/rfnoc/control/block_core.h"
#include "fpga/rfnoc/control/packets.h"
#include "fpga/rfnoc/control/receive_blocks.h"
#include "fpga/rfnoc/control/test_mock_block.h"
#include "fpga/rfnoc/control/transmit_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <uhd/exception.hpp>
#include <uhd/rfnoc/mb_controller.hpp>
#include <uhd/version.hpp>

#include <deque>
#include <string>

namespace wimax::rfnoc {
namespace {

namespace phy = gr::wimax::phy;
using gr::wimax::OpenRadioCore;
using gr::wimax::RadioCorePtr;
using testing::ElementsAre;
using testing::Pair;
using uhd::rfnoc::block_id_t;
using uhd::rfnoc::graph_edge_t;

constexpr double kTickRate = 184.32e6, kSampleRate = 5.76e6;
constexpr int kTicks = 32;

/// Delivers packets of words, with their time in ticks.
class Streamer final : public uhd::rx_streamer {
public:
    struct Packet {
        std::vector<fpga::AxisWord> words;
        std::optional<int64_t> ticks;
        uhd::rx_metadata_t::error_code_t error = uhd::rx_metadata_t::ERROR_CODE_NONE;
    };
    std::deque<Packet> packets;

    size_t get_num_channels() const override { return 1; }
    size_t get_max_num_samps() const override { return 364; }
    size_t recv(const buffs_type& buffers, size_t most, uhd::rx_metadata_t& beside, double timeout, bool one) override {
        EXPECT_EQ(timeout, 0);
        EXPECT_TRUE(one);
        beside.reset();
        if (packets.empty()) {
            beside.error_code = uhd::rx_metadata_t::ERROR_CODE_TIMEOUT;
            return 0;
        }
        const Packet packet = packets.front();
        packets.pop_front();
        std::vector<fpga::FixedSample> samples;
        append_samples(packet.words, samples);
        const size_t count = std::min(most, samples.size());
        std::copy_n(samples.begin(), count, static_cast<fpga::FixedSample*>(buffers[0]));
        beside.error_code = packet.error;
        beside.has_time_spec = packet.ticks.has_value();
        if (packet.ticks) beside.time_spec = uhd::time_spec_t::from_ticks(*packet.ticks, kTickRate);
        beside.end_of_burst = packet.words.back().end_of_burst;
        return count;
    }
    void issue_stream_cmd(const uhd::stream_cmd_t&) override { ADD_FAILURE() << "what flows are packets, not samples"; }
#if UHD_VERSION >= 4080000
    void post_input_action(const std::shared_ptr<uhd::rfnoc::action_info>&, const size_t) override {}
#endif
};

/// Opened at the rates above, through the controller's node; null: there is none.
RadioCorePtr open_core(Mock& mock) {
    if (!mock.container->tree->exists(gr::wimax::kOpenCoreNode)) return nullptr;
    return mock.container->tree->access<OpenRadioCore>(gr::wimax::kOpenCoreNode).get()(kTickRate, kSampleRate);
}

/// A controller, with a streamer for the requested output.
template <class Control> struct Streamed {
    explicit Streamed(const BlockFacts& facts)
        : mock(facts), control(std::move(mock.container->make_args), [this](const auto&, const auto&, size_t output) {
              outputs.push_back(output);
              return streamer;
          }) {}
    std::vector<size_t> outputs;
    std::shared_ptr<Streamer> streamer = std::make_shared<Streamer>();
    Mock mock;
    Control control;
};

TEST(BlockCores, TheGatesDriverSetsUpTheBlock) {
    Mock mock(kBurstGate);
    const auto block = mock.block<BurstGateControl>();
    const auto core = open_core(mock);
    ASSERT_TRUE(core);
    EXPECT_EQ(open_core(mock), core) << "one for all who ask";
    EXPECT_THAT(mock.registers->writes, ElementsAre(Pair(wrapper::kTicksLog2, 5)));
    for (uint32_t address = 0x2C; address <= 0x4C; address += 4) mock.registers->read_memory[address] = 0;
    const auto gate = fpga::make_burst_gate(core);
    ASSERT_TRUE(gate);
    mock.registers->writes.clear();
    gate->set_up({.enable = true,
                  .edge_samples = 3,
                  .lead_samples = 5,
                  .lag_samples = 2,
                  .longest_samples = 6,
                  .window_samples = 112,
                  .share_samples = 8,
                  .patience_samples = 9});
    EXPECT_THAT(mock.registers->writes,
                ElementsAre(Pair(0x08, 0), Pair(0x0C, 3), Pair(0x10, 5), Pair(0x14, 2), Pair(0x18, 6), Pair(0x1C, 7),
                            Pair(0x20, 8), Pair(0x24, 9), Pair(0x28, 1), Pair(0x08, 1)));
    mock.registers->read_memory[0x2C] = 4;
    EXPECT_EQ(gate->counters().bursts, 4U);
    std::array<uint32_t, 4> words{};
    EXPECT_EQ(core->take(words).words, 0U);
    EXPECT_FALSE(core->order(words));
}

TEST(BlockCores, RatesHaveToGoTogether) {
    Mock mock(kBurstGate);
    const auto block = mock.block<BurstGateControl>();
    const auto open = mock.container->tree->access<OpenRadioCore>(gr::wimax::kOpenCoreNode).get();
    EXPECT_THROW(open(200e6, kSampleRate), uhd::value_error);
    EXPECT_THROW(open(3 * kSampleRate, kSampleRate), uhd::value_error);
    EXPECT_TRUE(open(kSampleRate, kSampleRate));
}

TEST(BlockCores, ADeviceThatHasGoneAnswersNothing) {
    Mock mock(kOfdmFrontend);
    const auto block = mock.block<OfdmFrontendControl>();
    BlockCore core(block->regs(), {0, 1}, nullptr, true);
    std::array<uint32_t, 4> words{};
    EXPECT_TRUE(core.order(words));
    mock.registers->gone = true;
    EXPECT_EQ(core.peek(0), 0U);
    core.poke(8, 1);
    EXPECT_FALSE(core.order(words));
}

TEST(BlockCores, RecordsOfTheDetectorReachItsDriver) {
    Streamed<PreambleDetectControl> block(kPreambleDetect);
    EXPECT_EQ(block.mock.registers->read_memory[fpga::preamble_detect::kControl], 0U) << "off until somebody asks";
    const auto detector =
        fpga::make_preamble_detect(open_core(block.mock), *phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_8));
    ASSERT_TRUE(detector);
    EXPECT_EQ(block.mock.registers->read_memory[fpga::preamble_detect::kControl], 1U);
    EXPECT_THAT(block.outputs, ElementsAre(1));
    EXPECT_FALSE(detector->next());
    const fpga::Detection detection{.time = 123'456'789, .cp_samples = 32, .offset = -77, .metric = 9, .power = 99};
    std::vector<fpga::AxisWord> words;
    detection.append_to(words);
    block.streamer->packets = {{words, 5, uhd::rx_metadata_t::ERROR_CODE_OVERFLOW}, {words, kTicks * 123'456'789LL}};
    EXPECT_FALSE(detector->next()) << "a fault is no record";
    const auto found = detector->next();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->start_sample, 123'456'789);
    EXPECT_EQ(found->cp, phy::CyclicPrefix::g1_8);
}

TEST(BlockCores, OrdersAndSymbolsAreInSamples) {
    Streamed<OfdmFrontendControl> block(kOfdmFrontend);
    const auto frontend = fpga::make_ofdm_frontend(open_core(block.mock));
    ASSERT_TRUE(frontend);
    EXPECT_THAT(block.outputs, ElementsAre(0));
    block.mock.registers->writes.clear();
    const int64_t window = 0x1'2345'6789;
    ASSERT_TRUE(frontend->order({.tag = 7, .first_window = window, .cp_samples = 16, .symbols = 3}));
    const auto ticks = static_cast<uint64_t>(window - 16) * kTicks;
    ASSERT_EQ(block.mock.registers->writes.size(), 4U);
    EXPECT_THAT(block.mock.registers->writes[0], Pair(0x1010, static_cast<uint32_t>(ticks)));
    EXPECT_THAT(block.mock.registers->writes[1], Pair(0x1014, static_cast<uint32_t>(ticks >> 32)));

    std::vector<fpga::AxisWord> words(201);
    words[0].data = fpga::ofdm_frontend::Header{.tag = 7, .symbol = 1}.word();
    words[1].data = 0x4000'0000;
    block.streamer->packets = {{words, window * kTicks}, {words, std::nullopt}};
    phy::TransformedSymbol symbol;
    ASSERT_TRUE(frontend->take(symbol));
    EXPECT_EQ(symbol.tag, 7);
    EXPECT_EQ(symbol.number, 1);
    EXPECT_EQ(symbol.window, window);
    EXPECT_GT(symbol.carriers[0].real(), 0);
    EXPECT_FALSE(frontend->take(symbol)) << "without a time it is nobody's";
}

/// Like UHD before 4.5, which gives no access to packets.
TEST(BlockCores, WithoutAGraphThereAreNoPackets) {
    Mock detector(kPreambleDetect), frontend(kOfdmFrontend);
    const PreambleDetectControl first(std::move(detector.container->make_args), nullptr);
    const OfdmFrontendControl second(std::move(frontend.container->make_args), nullptr);
    EXPECT_FALSE(open_core(detector));
    EXPECT_FALSE(open_core(frontend));
}

/// Only the requested connections are made.
class Graph final : public uhd::rfnoc::rfnoc_graph {
public:
    std::vector<graph_edge_t> fixed, active;
    std::vector<std::string> log;
    uhd::rx_streamer::sptr streamer = std::make_shared<Streamer>();

    void connect(const block_id_t& from, size_t out, const block_id_t& to, size_t in, bool) override {
        log.push_back(from.to_string() + ":" + std::to_string(out) + " " + to.to_string() + ":" + std::to_string(in));
    }
    void connect(const block_id_t& from, size_t out, uhd::rx_streamer::sptr to, size_t in,
                 uhd::transport::adapter_id_t) override {
        EXPECT_EQ(to, streamer);
        log.push_back(from.to_string() + ":" + std::to_string(out) + " streamer:" + std::to_string(in));
    }
    std::vector<graph_edge_t> enumerate_static_connections() const override { return fixed; }
    std::vector<graph_edge_t> enumerate_active_connections() override { return active; }
    void commit() override { log.emplace_back("commit"); }
    uhd::rx_streamer::sptr create_rx_streamer(const size_t ports, const uhd::stream_args_t& args) override {
        EXPECT_EQ(ports, 1U);
        EXPECT_EQ(args.cpu_format + " " + args.otw_format, "sc16 sc16");
        return streamer;
    }

    std::vector<block_id_t> find_blocks(const std::string&) const override { return {}; }
    bool has_block(const block_id_t&) const override { return true; }
    uhd::rfnoc::noc_block_base::sptr get_block(const block_id_t&) const override { return nullptr; }
    bool is_connectable(const block_id_t&, size_t, const block_id_t&, size_t) override { return true; }
    void connect(uhd::tx_streamer::sptr, size_t, const block_id_t&, size_t, uhd::transport::adapter_id_t) override {}
    void disconnect(const block_id_t&, size_t, const block_id_t&, size_t) override {}
    void disconnect(const std::string&) override {}
    void disconnect(const std::string&, size_t) override {}
    std::vector<uhd::transport::adapter_id_t> enumerate_adapters_from_src(const block_id_t&, size_t) override {
        return {};
    }
    std::vector<uhd::transport::adapter_id_t> enumerate_adapters_to_dst(const block_id_t&, size_t) override {
        return {};
    }
    void release() override {}
    uhd::tx_streamer::sptr create_tx_streamer(const size_t, const uhd::stream_args_t&) override { return nullptr; }
    size_t get_num_mboards() const override { return 1; }
    std::shared_ptr<uhd::rfnoc::mb_controller> get_mb_controller(const size_t) override { return nullptr; }
    bool synchronize_devices(const uhd::time_spec_t&, const bool) override { return true; }
    uhd::property_tree::sptr get_tree() const override { return nullptr; }
#if UHD_VERSION >= 4080000
    std::string to_dot() override { return {}; }
    uhd::rfnoc::chdr_w_t get_chdr_width(const size_t) const override { return uhd::rfnoc::CHDR_W_64; }
#endif
};

graph_edge_t edge(const std::string& from, size_t out, const std::string& to, size_t in) {
    graph_edge_t e(out, in, graph_edge_t::STATIC, true);
    e.src_blockid = from;
    e.dst_blockid = to;
    return e;
}

/// UHD connects the samples to the host; the front end is a branch of that path.
TEST(BlockCores, AnOutputIsConnectedWithWhatIsBeforeIt) {
    Graph graph;
    graph.fixed = {edge("0/DDC#0", 0, "0/preamble_detect#0", 0), edge("0/preamble_detect#0", 0, "0/SplitStream#0", 0),
                   edge("0/SplitStream#0", 1, "0/ofdm_frontend#0", 0)};
    graph.active = {graph.fixed[0], graph.fixed[1]};
    EXPECT_EQ(connect_output(graph, block_id_t("0/preamble_detect#0"), 1), graph.streamer);
    EXPECT_EQ(connect_output(graph, block_id_t("0/ofdm_frontend#0"), 0), graph.streamer);
    EXPECT_THAT(graph.log,
                ElementsAre("0/preamble_detect#0:1 streamer:0", "commit", "0/SplitStream#0:1 0/ofdm_frontend#0:0",
                            "0/ofdm_frontend#0:0 streamer:0", "commit"));
}

}  // namespace
}  // namespace wimax::rfnoc
