// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated ofdm_backend outputs the words of its model under any stalls.
#include "fpga/model/ofdm_backend.h"
#include "fpga/sim/ofdm_backend_core.h"

#include <gtest/gtest.h>

#include <random>

namespace wimax::fpga {
namespace {

using namespace ofdm_backend;

/// Bursts of carriers with the register values before each.
struct Script {
    struct Step {
        uint32_t prefix = 0, gain = 0;
        std::vector<AxisWord> carriers;
    };
    std::vector<Step> steps;
};

/// Carriers of all levels up to the largest, in packets of correct length, too short and too long.
Script script_of(size_t symbols, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t n) { return random() % n; };
    Script script;
    for (size_t made = 0; made < symbols;) {
        Script::Step step{static_cast<uint32_t>(below(4)), static_cast<uint32_t>(below(70'000)), {}};
        const size_t count = 1 + below(5);
        const float level = std::exp2(-static_cast<float>(below(12)));
        std::normal_distribution<float> gauss(0, level);
        const bool tone = below(8) == 0;  // all of one sign: the largest possible sample
        for (size_t symbol = 0; symbol < count; ++symbol, ++made) {
            const uint64_t kind = below(10);
            const size_t length = kind == 0 ? 1 + below(199) : kind == 1 ? 201 + below(300) : 200;
            for (size_t n = 0; n < length; ++n) {
                AxisWord word;
                const std::complex<float> noise{gauss(random), gauss(random)};
                word.data = tone ? 0x80008000 : pack(fixed_sample(noise));
                word.has_time = symbol == 0 && n == 0 && below(4) != 0;
                if (word.has_time) word.time = random();
                word.last = n + 1 == length;
                word.end_of_burst = word.last && symbol + 1 == count;
                step.carriers.push_back(word);
            }
        }
        script.steps.push_back(std::move(step));
    }
    return script;
}

template <class Core> std::vector<AxisWord> run(Core& core, const Script& script) {
    std::vector<AxisWord> out;
    for (const auto& step : script.steps) {
        core.write(kRegisterPrefix, step.prefix);
        core.write(kRegisterGain, step.gain);
        core.process(step.carriers, out);
    }
    return out;
}

size_t expect_same(const Script& script, OfdmBackendCore& core) {
    OfdmBackend model;
    const auto expected = run(model, script);
    const auto got = run(core, script);
    EXPECT_EQ(got.size(), expected.size());
    size_t wrong = 0;
    for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i) wrong += got[i] != expected[i];
    EXPECT_EQ(wrong, 0U);
    for (const uint32_t address : {kRegisterId, kRegisterVersion, kRegisterPrefix, kRegisterGain, kRegisterSymbols,
                                   kRegisterSaturated, kRegisterBadLengths})
        EXPECT_EQ(core.read(address), model.read(address)) << address;
    EXPECT_EQ(core.read(0x100), 0U);
    EXPECT_GT(model.read(kRegisterSaturated), 0U);
    EXPECT_GT(model.read(kRegisterBadLengths), 0U);
    return got.size();
}

TEST(OfdmBackendCore, AMillionSamplesAreTheModels) {
    OfdmBackendCore core;
    EXPECT_GT(expect_same(script_of(3600, 1), core), 1'000'000U);
}

TEST(OfdmBackendCore, StallsChangeNothing) {
    uint32_t seed = 10;
    size_t samples = 0;
    for (const double source : {0.0, 0.5, 0.9})
        for (const double sink : {0.3, 0.8}) {
            OfdmBackendCore core({source, seed}, {sink, seed + 1});
            samples += expect_same(script_of(620, seed), core);
            seed += 2;
        }
    EXPECT_GT(samples, 1'000'000U);
}

TEST(OfdmBackendCore, SymbolsBackToBackAndLatency) {
    OfdmBackendCore core;
    core.write(kRegisterPrefix, 0);
    std::vector<AxisWord> carriers(200), out;
    carriers.back().last = true;
    core.process(carriers, out);
    RecordProperty("latency_cycles", static_cast<int>(core.latency_cycles()));
    EXPECT_LE(core.latency_cycles(), 345U);
    std::vector<AxisWord> many;
    for (int i = 0; i < 40; ++i) many.insert(many.end(), carriers.begin(), carriers.end());
    out.clear();
    const uint64_t before = core.cycles();
    core.process(many, out);
    const uint64_t cycles = core.cycles() - before - 2000;
    EXPECT_EQ(out.size(), 40U * 264);
    RecordProperty("cycles_per_symbol", static_cast<int>(cycles / 40));
    EXPECT_LE(cycles / 40, 430U);
}

}  // namespace
}  // namespace wimax::fpga
