// SPDX-License-Identifier: GPL-3.0-or-later
// The small modules used by all cores, under every pattern of stalls. They also test the harness.
#include "fpga/sim/axis_ports.h"
#include "fpga/sim/verilated_core.h"

#include <Vaxis_register.h>
#include <Vsync_fifo.h>

#include <gtest/gtest.h>

namespace wimax::fpga {
namespace {

std::vector<AxisWord> counted(uint32_t n) {
    std::vector<AxisWord> words(n);
    for (uint32_t i = 0; i < n; ++i) words[i].data = i * 2654435761U;
    return words;
}

template <class Top> uint64_t pass_all(double source_stalls, double sink_stalls) {
    VerilatedCore<Top> core;
    auto& top = core.top();
    AxisSource source({&top.s_axis_tdata, &top.s_axis_tvalid, &top.s_axis_tready}, {source_stalls, 1});
    AxisSink sink({&top.m_axis_tdata, &top.m_axis_tvalid, &top.m_axis_tready}, {sink_stalls, 2});
    core.reset();
    const auto words = counted(5000);
    source.send(words);
    const uint64_t before = core.cycles();
    for (int i = 0; i < 100'000 && sink.words.size() < words.size(); ++i) core.cycle(source, sink);
    const uint64_t cycles = core.cycles() - before;
    for (int i = 0; i < 50; ++i) core.cycle(source, sink);  // nothing is output twice
    EXPECT_EQ(sink.words, words);
    return cycles;
}

template <class Top> class Common : public ::testing::Test {};
using Modules = ::testing::Types<Vaxis_register, Vsync_fifo>;
TYPED_TEST_SUITE(Common, Modules);

TYPED_TEST(Common, OneWordACycle) { EXPECT_LE((pass_all<TypeParam>(0, 0)), 5001u); }

TYPED_TEST(Common, StallsLoseAndRepeatNothing) {
    for (const double source : {0.0, 0.3, 0.8})
        for (const double sink : {0.0, 0.3, 0.8})
            EXPECT_LE((pass_all<TypeParam>(source, sink)), 1.4 * 5000 / (1 - std::max(source, sink))) << source << sink;
}

TEST(SyncFifo, HoldsWhatItSays) {
    VerilatedCore<Vsync_fifo> core;
    auto& top = core.top();
    AxisSource source({&top.s_axis_tdata, &top.s_axis_tvalid, &top.s_axis_tready});
    core.reset();
    source.send(counted(100));
    for (int i = 0; i < 200; ++i) core.cycle(source);
    EXPECT_EQ(source.left(), 100u - 32u);
}

}  // namespace
}  // namespace wimax::fpga
