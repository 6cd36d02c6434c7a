// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated ofdm_frontend outputs the words of its model under any stalls.
#include "fpga/model/ofdm_frontend.h"
#include "fpga/model/test_ofdm_support.h"
#include "fpga/sim/ofdm_frontend_core.h"

#include <gtest/gtest.h>

#include <random>

namespace wimax::fpga {
namespace {

using namespace ofdm_frontend;

/// Samples and orders in their sequence for both cores.
struct Script {
    struct Step {
        std::vector<Order> orders;
        std::vector<AxisWord> samples;
    };
    std::vector<Step> steps;
    size_t samples = 0;
};

/// Of all levels up to clipping, with orders of every kind: back to back, late, overlapping, cut by gaps.
class ScriptWriter {
public:
    explicit ScriptWriter(uint64_t seed) : random_(seed) {}

    Script write(size_t samples) {
        Script script;
        while (script.samples < samples) {
            script.steps.push_back(step());
            script.samples += script.steps.back().samples.size();
        }
        return script;
    }

private:
    uint64_t below(uint64_t n) { return random_() % n; }

    Script::Step step() {
        Script::Step step;
        uint64_t end = time_ + below(400);
        for (uint64_t i = below(6); i > 0; --i) {
            Order order{.time = end,
                        .increment = static_cast<int32_t>(below(2) ? random_() : random_() << 24),
                        .own_increment = below(4) != 0,
                        .restart = below(2) != 0,
                        .symbols = static_cast<uint16_t>(1 + below(6)),
                        .prefix_samples = static_cast<uint16_t>(8U << below(4)),
                        .tag = static_cast<uint16_t>(random_())};
            end += order.symbols * (256U + order.prefix_samples);
            switch (below(8)) {
                case 0: order.time -= std::min<uint64_t>(order.time, below(600)); break;  // late, or overlaps
                case 1: end += below(300); break;
                default: break;
            }
            step.orders.push_back(order);
        }
        const bool tone = below(4) == 0;  // at full scale: the largest possible carriers
        const float level = std::exp2(-static_cast<float>(tone ? below(3) : below(14)));
        std::normal_distribution<float> gauss(0, level);
        const size_t count = static_cast<size_t>(end - time_) + below(50);
        const size_t gap = below(3) == 0 ? 1 + below(count) : count;
        for (size_t i = 0; i < count; ++i, ++time_) {
            AxisWord word;
            const bool plateau = below(500) == 0;  // full scale on both coordinates
            const std::complex<float> noise{gauss(random_), gauss(random_)};
            word.data = plateau ? 0x80007FFF : pack(fixed_sample(tone ? std::complex<float>(-level, -level) : noise));
            if (i == gap) time_ += below(3) == 0 ? 1 : below(1000);
            word.has_time = first_ || i == gap || below(100) == 0;
            word.last = below(100) == 0;
            if (word.has_time) word.time = time_;
            first_ = false;
            step.samples.push_back(word);
        }
        return step;
    }

    std::mt19937_64 random_;
    uint64_t time_ = 5'000'000'000;
    bool first_ = true;
};

template <class Core> std::vector<AxisWord> run(Core& core, const Script& script) {
    std::vector<AxisWord> out;
    core.write(kRegisterIncrement, 123'456'789);
    bool restart = true;
    for (const auto& step : script.steps) {
        for (const auto& order : step.orders) core.order(order);
        core.process(step.samples, out);
        if (step.samples.size() % 7 == 0) restart = !restart;
        core.write(kRegisterControl,
                   (restart ? kControlRestart : 0) | (step.samples.size() % 11 == 0 ? kControlForget : 0));
    }
    return out;
}

struct Tally {
    size_t carriers = 0, lost = 0;
    std::array<int, 16> exponents{};
    explicit Tally(const std::vector<AxisWord>& words) {
        bool begins = true;
        for (const auto& word : words) {
            if (begins && !word.last) ++exponents[Header::of(word.data).exponent];
            if (begins && word.last) ++lost;
            carriers += begins ? 0 : 1;
            begins = word.last;
        }
    }
};

void expect_same(const Script& script, OfdmFrontendCore& core) {
    OfdmFrontend model;
    const auto expected = run(model, script);
    const auto got = run(core, script);
    ASSERT_EQ(got.size(), expected.size());
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
    EXPECT_EQ(wrong, 0U);
    for (const uint32_t address : {kRegisterId, kRegisterVersion, kRegisterControl, kRegisterIncrement,
                                   kRegisterSamples, kRegisterWords, kRegisterSymbols, kRegisterLost, kRegisterOrders})
        EXPECT_EQ(core.read(address), model.read(address)) << address;
    EXPECT_EQ(core.read(0x100), 0U);
}

TEST(OfdmFrontendCore, AMillionSamplesAreTheModels) {
    const auto script = ScriptWriter(1).write(1'000'000);
    OfdmFrontendCore core;
    expect_same(script, core);
    OfdmFrontend model;
    const Tally tally(run(model, script));
    EXPECT_GT(tally.carriers, 400'000U);
    EXPECT_GT(tally.lost, 100U);
    for (size_t exponent = 0; exponent <= 11; ++exponent) EXPECT_GT(tally.exponents[exponent], 0) << exponent;
}

/// A million samples in all.
TEST(OfdmFrontendCore, StallsChangeNothing) {
    uint32_t seed = 10;
    for (const double source : {0.0, 0.5, 0.9})
        for (const double sink : {0.3, 0.8}) {
            OfdmFrontendCore core({source, seed}, {sink, seed + 1});
            expect_same(ScriptWriter(seed).write(170'000), core);
            seed += 2;
        }
}

/// Frames of all rates from the generator, each prefix, carrier offsets, a fading channel.
TEST(OfdmFrontendCore, FramesOfTheGeneratorAreTheModels) {
    OfdmFrontend model;
    OfdmFrontendCore core({0.2, 1}, {0.2, 2});
    uint64_t time = test::kFirstTime;
    for (const auto cp : gr::wimax::phy::kCyclicPrefixes)
        for (const double offset_hz : {0.0, -11'000.0})
            for (const auto* profile : {"awgn", "sui3"})
                for (const double down_db : {0.0, 30.0}) {
                    const test::FrameOnAir air(cp, profile, offset_hz);
                    const auto words = test::radio_words(air.samples, test::attenuated(down_db), time);
                    auto order = air.order(offset_hz / 5.76e6);
                    order.time += time - test::kFirstTime;
                    time += words.size();
                    std::vector<AxisWord> expected, got;
                    model.order(order);
                    model.process(words, expected);
                    core.order(order);
                    core.process(words, got);
                    EXPECT_EQ(expected.size(), 201U * static_cast<size_t>(air.frame.symbols));
                    EXPECT_TRUE(got == expected) << profile << ' ' << offset_hz << ' ' << down_db;
                }
}

TEST(OfdmFrontendCore, SymbolsBackToBackAndLatency) {
    OfdmFrontendCore core;
    std::vector<AxisWord> samples(1 + 40 * 264), out;
    samples[0] = {0, 1000, true, false, false};
    core.order({.time = 1001, .symbols = 40, .prefix_samples = 8});
    const uint64_t before = core.cycles();
    core.process(samples, out);
    const uint64_t cycles = core.cycles() - before - 700;
    EXPECT_EQ(out.size(), 40U * 201);
    RecordProperty("cycles_per_symbol", static_cast<int>(cycles / 40));
    RecordProperty("latency_cycles", static_cast<int>(core.latency_cycles()));
    EXPECT_LE(cycles / 40, 400U);
    EXPECT_LE(core.latency_cycles(), 600U);
}

}  // namespace
}  // namespace wimax::fpga
