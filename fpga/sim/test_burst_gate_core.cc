// SPDX-License-Identifier: GPL-3.0-or-later
// The RTL of burst_gate against its model, tick by tick.
#include "fpga/model/burst_gate.h"
#include "fpga/sim/burst_gate_core.h"

#include <gtest/gtest.h>

#include <random>

namespace wimax::fpga {
namespace {

using namespace burst_gate;

/// Bursts in time and late, touching, too long, untimed, with missing words; settings that change.
class Traffic {
public:
    explicit Traffic(uint32_t seed) : random_(seed) {}

    uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_()) % limit; }

    std::vector<AxisWord> words(uint64_t now) {
        std::vector<AxisWord> all;
        if (now < end_ && starved_) return all;
        starved_ = false;
        uint64_t at = std::max(now, end_);
        for (uint32_t n = below(4); n > 0; --n) {
            const uint32_t kind = below(10);
            at += kind < 2 ? 0 : kind == 2 ? uint64_t{0} - below(50) : below(120);
            const uint32_t length = 1 + below(kind == 3 ? 400 : 60);
            for (uint32_t i = 0; i < length; ++i)
                all.push_back(
                    {1 + below(0xFFFFFFFF), i == 0 ? at : 0, i == 0 && below(30) != 0, below(8) == 0, i + 1 == length});
            at += length;
            if (below(20) == 0) {  // the rest is not in time
                all.resize(all.size() - below(std::min<uint32_t>(length, 5)));
                starved_ = below(2) != 0;
                break;
            }
        }
        end_ = at;
        return all;
    }

private:
    std::mt19937 random_;
    uint64_t end_ = 0;
    bool starved_ = false;
};

void expect_same(uint64_t ticks, uint32_t seed, BurstGateCore& core) {
    BurstGate model;
    Traffic traffic(seed);
    const auto write = [&](uint32_t address, uint32_t value) {
        model.write(address, value);
        core.write(address, value);
    };
    std::vector<AxisWord> expected, got;
    std::vector<uint8_t> expected_line, got_line;
    uint64_t now = uint64_t{0xFFFFFF00} << 8;
    for (const uint64_t end = now + ticks; now < end;) {
        if (traffic.below(20) == 0) {
            write(kEnable, traffic.below(8) != 0);
            write(kEdge, traffic.below(2) * traffic.below(40));
            write(kLead, traffic.below(2) * traffic.below(60));
            write(kLag, traffic.below(2) * traffic.below(60));
            write(kLongest, traffic.below(2) ? 0xFFFFFF : traffic.below(200));
            write(kPart, traffic.below(30));
            write(kShare, traffic.below(2) ? 0x3FFFFFF : 20 + traffic.below(200));
            write(kPatience, traffic.below(2) ? 0x3FFFFFF : traffic.below(1000));
        }
        if (traffic.below(3) == 0) write(kHeartbeat, 0);
        const auto words = traffic.words(now);
        const size_t step = 1 + traffic.below(250);
        model.process(words, now, step, expected, expected_line);
        core.process(words, now, step, got, got_line);
        now += step + (traffic.below(30) == 0 ? traffic.below(400) : 0);  // sometimes set again
        ASSERT_EQ(got_line.size(), expected_line.size());
        ASSERT_EQ(got, expected) << now;
        ASSERT_EQ(got_line, expected_line) << now;
        for (uint32_t address = 0; address < 0x60; address += 4)
            ASSERT_EQ(core.read(address), model.read(address)) << std::hex << address;
        if (expected.size() > 100'000) {
            expected.clear(), got.clear();
            expected_line.clear(), got_line.clear();
        }
    }
    for (const uint32_t counter : {kBursts, kLate, kTooLong, kTooOften, kSilenced, kUnderflows})
        EXPECT_GT(model.read(counter), ticks / 50'000) << std::hex << counter;
}

TEST(BurstGateCore, MillionTicks) {
    BurstGateCore core;
    expect_same(1'000'000, 1, core);
}

/// A million ticks in all.
TEST(BurstGateCore, WithStalls) {
    uint32_t seed = 2;
    for (const double share : {0.3, 0.7}) {
        BurstGateCore core({share, 1}, {share, 2}, {share, 3});
        expect_same(500'000, seed++, core);
    }
}

}  // namespace
}  // namespace wimax::fpga
