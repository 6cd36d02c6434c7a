// SPDX-License-Identifier: GPL-3.0-or-later
// The drivers of preamble_detect and ofdm_frontend on the cores' models.
#include "fpga/host/ofdm_frontend_driver.h"
#include "fpga/host/preamble_detect_driver.h"
#include "fpga/model/preamble_detect.h"
#include "fpga/model/test_ofdm_support.h"

#include <gtest/gtest.h>

#include <deque>

namespace wimax::fpga {
namespace {

namespace phy = gr::wimax::phy;

/// A model instead of a radio's core, with its packets.
template <class Model> class ModelCore final : public gr::wimax::RadioCore {
public:
    Model model;
    uint32_t changed = 0;  ///< added to the value read
    std::deque<std::vector<AxisWord>> packets;

    uint32_t peek(uint32_t address) override { return model.read(address) + changed; }
    void poke(uint32_t address, uint32_t value) override { model.write(address, value); }
    Packet take(std::span<uint32_t> words) override {
        if (packets.empty()) return {};
        const auto packet = packets.front();
        packets.pop_front();
        const size_t n = std::min(words.size(), packet.size());
        for (size_t i = 0; i < n; ++i) words[i] = packet[i].data;
        return {n, static_cast<int64_t>(packet[0].time), packet[0].has_time, packet.back().end_of_burst};
    }
    bool order(std::span<const uint32_t> words) override {
        if constexpr (requires(Model m, ofdm_frontend::Order o) { m.order(o); }) {
            if (words.size() != 4) return false;
            ordered.assign(words.begin(), words.end());
            return true;
        }
        return false;
    }
    std::vector<uint32_t> ordered;
};

// ---- preamble_detect ----

using DetectorCore = ModelCore<PreambleDetect>;

void hear(DetectorCore& core, const test::FrameOnAir& air) {
    std::vector<AxisWord> passed;
    std::vector<Detection> found;
    core.model.process(test::radio_words(air.samples, test::kHeadroom, test::kFirstTime), passed, found);
    for (const auto& detection : found) {
        core.packets.emplace_back();
        detection.append_to(core.packets.back());
    }
}

TEST(PreambleDetectDriver, TellsStartPrefixAndOffset) {
    for (const auto cp : phy::kCyclicPrefixes) {
        const test::FrameOnAir air(cp, "awgn", 40'000);
        const auto core = std::make_shared<DetectorCore>();
        const auto detector = make_preamble_detect(core, air.num);
        ASSERT_TRUE(detector);
        EXPECT_FALSE(detector->next());
        hear(*core, air);
        const auto found = detector->next();
        ASSERT_TRUE(found) << static_cast<int>(cp);
        EXPECT_EQ(found->start_sample, static_cast<int64_t>(test::kFirstTime + test::kLead));
        EXPECT_EQ(found->cp, cp);
        EXPECT_NEAR(found->cycles_per_sample * 5.76e6, 40'000, 300);
        EXPECT_FALSE(detector->next());
    }
}

TEST(PreambleDetectDriver, SearchesAsFarAsTheReceiver) {
    const test::FrameOnAir air(phy::CyclicPrefix::g1_8, "awgn", phy::kMaxCarrierOffsetHz);
    const auto core = std::make_shared<DetectorCore>();
    const auto detector = make_preamble_detect(core, air.num);
    hear(*core, air);
    ASSERT_TRUE(detector->next());
    core->poke(preamble_detect::kMaxSteps, 0);
    hear(*core, air);
    EXPECT_FALSE(detector->next()) << "no further than it has to";
}

TEST(PreambleDetectDriver, SearchesOnePrefixWhereItIsKnown) {
    const test::FrameOnAir air(phy::CyclicPrefix::g1_4);
    const auto core = std::make_shared<DetectorCore>();
    const auto detector = make_preamble_detect(core, air.num, phy::CyclicPrefix::g1_32);
    hear(*core, air);
    const auto found = detector->next();
    EXPECT_TRUE(!found || found->cp == phy::CyclicPrefix::g1_32);
}

TEST(PreambleDetectDriver, SwitchesOffAndOn) {
    const test::FrameOnAir air;
    const auto core = std::make_shared<DetectorCore>();
    switch_off_preamble_detect(*core);
    hear(*core, air);
    EXPECT_TRUE(core->packets.empty());
    const auto detector = make_preamble_detect(core, air.num);
    hear(*core, air);
    EXPECT_TRUE(detector->next());
}

TEST(PreambleDetectDriver, LeavesOutWhatIsNoRecord) {
    const test::FrameOnAir air;
    const auto core = std::make_shared<DetectorCore>();
    const auto detector = make_preamble_detect(core, air.num);
    core->packets = {{{1, 5, true}, {2, 5, true}},                          // too short
                     {{8U << 16, 5, false}, {1, 5, false}, {1, 5, false}},  // without a time
                     {{9U << 16, 5, true}, {1, 5, true}, {1, 5, true}},     // an impossible prefix
                     {{8U << 16 | 0xFFFFU, 6, true}, {1, 6, true}, {1, 6, true}}};
    const auto found = detector->next();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->start_sample, 6);
    EXPECT_EQ(found->cp, phy::CyclicPrefix::g1_32);
    EXPECT_DOUBLE_EQ(found->cycles_per_sample, -1 / 65536.0);
    core->changed = 1;
    EXPECT_FALSE(make_preamble_detect(core, air.num)) << "another core";
}

// ---- ofdm_frontend ----

using FrontendCore = ModelCore<OfdmFrontend>;

/// The model's output for the driver's order.
void transform(FrontendCore& core, const ofdm_frontend::Order& expected, const test::FrameOnAir& air) {
    const auto word = expected.word();
    EXPECT_EQ(core.ordered, (std::vector{static_cast<uint32_t>(word.low), static_cast<uint32_t>(word.low >> 32),
                                         static_cast<uint32_t>(word.high), static_cast<uint32_t>(word.high >> 32)}));
    core.model.order(expected);
    std::vector<AxisWord> words;
    core.model.process(test::radio_words(air.samples, test::kHeadroom, test::kFirstTime), words);
    for (const auto& w : words) {
        if (core.packets.empty() || core.packets.back().back().last) core.packets.emplace_back();
        core.packets.back().push_back(w);
    }
}

TEST(OfdmFrontendDriver, OrdersAndGivesTheHostsCarriers) {
    const test::FrameOnAir air(phy::CyclicPrefix::g1_16, "sui3", 3'000);
    const auto core = std::make_shared<FrontendCore>();
    const auto frontend = make_ofdm_frontend(core);
    ASSERT_TRUE(frontend);
    phy::TransformedSymbol symbol;
    EXPECT_FALSE(frontend->take(symbol));
    const auto window = static_cast<int64_t>(test::kFirstTime + test::kLead) + 16 - 5;
    const auto exact = frontend->order({.tag = 77,
                                        .first_window = window,
                                        .cp_samples = 16,
                                        .symbols = air.frame.symbols,
                                        .cycles_per_sample = 3'000 / 5.76e6});
    ASSERT_TRUE(exact);
    EXPECT_NEAR(*exact, 3'000 / 5.76e6, 1e-9);
    EXPECT_EQ(*exact, std::round(*exact * 0x1p32) / 0x1p32);
    auto order = air.order(3'000 / 5.76e6, 5);
    order.tag = 77;
    transform(*core, order, air);
    const auto words = test::radio_words(air.samples, test::kHeadroom, test::kFirstTime);
    test::Evm evm;
    for (int number = 0; number < air.frame.symbols; ++number) {
        ASSERT_TRUE(frontend->take(symbol));
        EXPECT_EQ(symbol.tag, 77);
        EXPECT_EQ(symbol.number, number);
        EXPECT_EQ(symbol.window, window + number * 272);
        const auto body = static_cast<size_t>(symbol.window) - test::kFirstTime;
        evm.add(symbol.carriers,
                test::float_carriers(words, body, *exact, static_cast<size_t>(window) - test::kFirstTime));
    }
    EXPECT_LT(evm.db(), -60);
    EXPECT_FALSE(frontend->take(symbol));
}

TEST(OfdmFrontendDriver, LeavesOutWhatTheCoreCouldNotFill) {
    const test::FrameOnAir air;
    const auto core = std::make_shared<FrontendCore>();
    const auto frontend = make_ofdm_frontend(core);
    const auto early = static_cast<int64_t>(test::kFirstTime) - 1;
    ASSERT_TRUE(frontend->order({.tag = 1, .first_window = early + 32, .symbols = 2}));
    transform(*core, {.time = static_cast<uint64_t>(early), .symbols = 2, .tag = 1}, air);
    EXPECT_EQ(core->packets.size(), 1U);
    phy::TransformedSymbol symbol;
    EXPECT_FALSE(frontend->take(symbol));
    core->packets = {{{0, 5, true}, {1}}, {std::vector<AxisWord>(201)}};  // too short; without a time
    EXPECT_FALSE(frontend->take(symbol));
}

TEST(OfdmFrontendDriver, RefusesWhatCannotBe) {
    const auto core = std::make_shared<FrontendCore>();
    const auto frontend = make_ofdm_frontend(core);
    EXPECT_FALSE(frontend->order({.first_window = 100, .symbols = 0}));
    EXPECT_FALSE(frontend->order({.first_window = 100, .symbols = 2049}));
    EXPECT_FALSE(frontend->order({.first_window = 31})) << "before time began";
    EXPECT_TRUE(frontend->order({.first_window = 32}));
    core->changed = 1;
    EXPECT_FALSE(make_ofdm_frontend(core)) << "another core";
}

}  // namespace
}  // namespace wimax::fpga
