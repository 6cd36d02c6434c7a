// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/host/burst_gate_driver.h"
#include "fpga/model/burst_gate.h"

#include <gtest/gtest.h>

namespace wimax::fpga {
namespace {

using gr::wimax::GateSettings;

/// The model instead of a radio's core.
class GateCore final : public gr::wimax::RadioCore {
public:
    BurstGate gate;
    std::vector<uint32_t> written;  ///< addresses
    uint32_t version = burst_gate::kVersion;

    uint32_t peek(uint32_t address) override {
        return address == burst_gate::kVersionAddress ? version : gate.read(address);
    }
    void poke(uint32_t address, uint32_t value) override {
        written.push_back(address);
        gate.write(address, value);
    }
    Packet take(std::span<uint32_t>) override { return {}; }
    bool order(std::span<const uint32_t>) override { return false; }

    /// Sends a burst at a time, and ticks up to another time; returns the number of samples sent.
    size_t send(uint64_t time, size_t samples, uint64_t until) {
        std::vector<AxisWord> words(samples, AxisWord{0x40004000}), out;
        if (samples > 0) {
            words.front().has_time = words.back().end_of_burst = true;
            words.front().time = time;
        }
        std::vector<uint8_t> line;
        gate.process(words, now, until - now, out, line);
        now = until;
        lit += static_cast<size_t>(std::count(line.begin(), line.end(), 1));
        return static_cast<size_t>(std::count_if(out.begin(), out.end(), [](const auto& w) { return w.data != 0; }));
    }
    uint64_t now = 1000;
    size_t lit = 0;
};

class GateDriver : public ::testing::Test {
protected:
    std::shared_ptr<GateCore> core = std::make_shared<GateCore>();
    std::shared_ptr<gr::wimax::TransmitGate> gate = make_burst_gate(core);
};

TEST_F(GateDriver, RefusesAnotherVersion) {
    EXPECT_TRUE(gate);
    core->version = 2;
    EXPECT_FALSE(make_burst_gate(core));
}

TEST_F(GateDriver, SetsUpLimitsAndLineAndOpensLast) {
    gate->set_up({.enable = true, .edge_samples = 4, .lead_samples = 20, .lag_samples = 10, .longest_samples = 100});
    EXPECT_EQ(core->written.front(), burst_gate::kEnable);
    EXPECT_EQ(core->written.back(), burst_gate::kEnable);
    EXPECT_EQ(core->send(1100, 150, 1400), 100U);
    EXPECT_EQ(core->lit, 20 + 100 + 10U);
    EXPECT_EQ(gate->counters().too_long, 1U);
    EXPECT_EQ(gate->counters().bursts, 1U);
}

TEST_F(GateDriver, WithoutPermissionAllIsSilent) {
    gate->set_up({});
    EXPECT_EQ(core->send(1100, 50, 1400), 0U);
    EXPECT_EQ(gate->counters().silenced, 1U);
}

TEST_F(GateDriver, TellsOfTheLastLateBurst) {
    gate->set_up({.enable = true, .lead_samples = 20});
    EXPECT_EQ(gate->counters().last_late.by_samples, 0);
    core->now = 0x1'0000'0000;
    EXPECT_EQ(core->send(0x1'0000'0010, 50, 0x1'0000'0100), 0U) << "4 samples less than its lead";
    const auto counters = gate->counters();
    EXPECT_EQ(counters.late, 1U);
    EXPECT_EQ(counters.last_late.sample, 0x1'0000'0010);
    EXPECT_EQ(counters.last_late.by_samples, 4);
}

TEST_F(GateDriver, WithoutABeatAllIsSilent) {
    gate->set_up({.enable = true, .patience_samples = 500});
    EXPECT_EQ(core->send(1100, 50, 1450), 50U);
    gate->beat();
    EXPECT_EQ(core->send(1900, 30, 1940), 30U);
    EXPECT_EQ(core->send(2100, 30, 2200), 0U);
    EXPECT_EQ(gate->counters().silenced, 1U);
}

TEST_F(GateDriver, HoldsTheShareOfAWindow) {
    gate->set_up({.enable = true, .window_samples = 1600, .share_samples = 170});
    EXPECT_EQ(core->send(1100, 100, 1300) + core->send(1400, 100, 1600), 170U);
    EXPECT_EQ(gate->counters().too_often, 1U);
    gate->set_up({.enable = true, .window_samples = int64_t{16} << 21, .share_samples = 170});
    EXPECT_EQ(core->send(3700, 100, 3900) + core->send(4000, 100, 4200), 200U) << "a window that it cannot have";
}

TEST_F(GateDriver, CountsOnBeyondTheRegisters) {
    gate->set_up({.enable = true});
    for (int i = 0; i < 3; ++i) core->send(core->now + 5, 2, core->now + 10);
    gate->set_up({.enable = true});
    EXPECT_EQ(gate->counters().bursts, 0U) << "of who had it before";
    for (int part = 0; part < 4; ++part) {
        for (int i = 0; i < 0x8000; ++i) core->send(core->now + 2, 1, core->now + 5);
        EXPECT_EQ(gate->counters().bursts, 0x8000U * static_cast<unsigned>(part + 1));
    }
}

TEST_F(GateDriver, NumbersThatAreTooLargeAreTheLargest) {
    gate->set_up({.enable = true, .edge_samples = 1000, .lag_samples = 1 << 20});
    core->send(3000, 10, 200'000);
    EXPECT_EQ(core->lit, 10 + 0xFFFFU);
}

}  // namespace
}  // namespace wimax::fpga
