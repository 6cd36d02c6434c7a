// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: the lines of an external amplifier, and the zeros that switch them on early
// and long.
#include "radio/test_frontend.h"

namespace gr::wimax::test {
namespace {

using Writes = std::vector<std::pair<std::string, uint32_t>>;

class Amplifier : public Frontend {
protected:
    /// 576 and 288 samples at 5.76 MS/s.
    void SetUp() override {
        Frontend::SetUp();
        config.amplifier = {"FP0", 0b101, true, 100, 50, 0};
    }
    std::string refusal() {
        try {
            open();
        } catch (const std::exception& e) {
            return e.what();
        }
        return "";
    }
};

TEST_F(Amplifier, LinesFollowTheTransmitterByItself) {
    open();
    // Bit 8 has another user.
    EXPECT_EQ(device->gpio, (Writes{{"CTRL", 0b101},
                                    {"ATR_0X", 0x100},
                                    {"ATR_RX", 0x100},
                                    {"ATR_TX", 0x105},
                                    {"ATR_XX", 0x105},
                                    {"DDR", 0b101}}));
    EXPECT_NE(
        radio->describe().find("amplifier     FP0 lines 5, high while it sends, 100 us before and 50 us after a burst"),
        std::string::npos)
        << radio->describe();
    TearDown();
    config.amplifier.active_high = false;
    open();
    EXPECT_EQ(device->gpio, (Writes{{"CTRL", 0b101},
                                    {"ATR_0X", 0x105},
                                    {"ATR_RX", 0x105},
                                    {"ATR_TX", 0x100},
                                    {"ATR_XX", 0x100},
                                    {"DDR", 0b101}}));
    TearDown();
    config.amplifier = {};
    open();
    EXPECT_TRUE(device->gpio.empty());
}

TEST_F(Amplifier, WhatTheDeviceDoesNotHaveIsRefused) {
    config.amplifier.bank = "FP7";
    EXPECT_EQ(refusal(),
              "amplifier bank 'FP7': RuntimeError: The hardware has no GPIO bank `FP7'; the device has FP0, RXA, TXA");
    config.amplifier = {"FP0", 0x10000, true, -1, 1001, 2000};
    EXPECT_EQ(refusal(),
              "amplifier_lines: value 65536: allowed 0..65535; amplifier_lead_us: value -1: allowed 0..1000; "
              "amplifier_lag_us: value 1001: allowed 0..1000; amplifier_receive_after_us: value 2000: allowed 0..1000");
    config.amplifier = {};
    config.amplifier.bank = "FP0";
    EXPECT_EQ(refusal(), "amplifier_lines: value 0: allowed with a bank: a bit for each line, 1 for the first");
    config.amplifier = {};
    config.amplifier.lines = 1;
    EXPECT_EQ(refusal(),
              "amplifier_bank: value (empty): allowed with lines: the GPIO bank that has them, for instance FP0");
}

TEST_F(Amplifier, ZerosGoBeforeAndBehind) {
    config.burst_edge_samples = 32;
    expect_zeros(true, 32 + 576, 32 + 288);  // 100 us and 50 us at the device's rate
    expect_zeros(false, 32 + 625, 32 + 313);
}

TEST_F(Amplifier, BetweenBurstsThatAreCloseItStaysOn) {
    struct Case {
        std::optional<int64_t> told;
        int64_t apart;
        int64_t tail;  // zeros after the first
    };
    for (const Case c :
         {Case{{}, 1000, 288}, Case{{}, 500, 288}, Case{{}, 300, 288}, Case{500, 500, 288}, Case{100, 100, 100}}) {
        SCOPED_TRACE(c.apart);
        TearDown();
        open();
        const Samples x = ramp(576), y = ramp(300, 7);
        TransmitPiece first(x);
        first.silence_samples = c.told;
        EXPECT_TRUE(transmit(10'000, first));
        EXPECT_TRUE(transmit(10'576 + c.apart, y));
        ASSERT_TRUE(device->tx->wait_for_pieces(2));
        const auto calls = device->tx->calls();
        ASSERT_EQ(calls.size(), 2u);
        EXPECT_EQ(calls[0].samples.size(), 576 + 576 + static_cast<size_t>(c.tail));
        const int64_t off = 10'576 + c.tail;  // without a gap from there, or its lead before
        EXPECT_EQ(tick_of(calls[1]), std::max(off, 10'576 + c.apart - 576));
        EXPECT_EQ(calls[1].samples.back(), Samples(1).back());
        const size_t front = calls[1].samples.size() - 300 - 288;
        EXPECT_EQ(Samples(calls[1].samples.begin() + static_cast<std::ptrdiff_t>(front), calls[1].samples.end() - 288),
                  y);
    }
}

TEST_F(Amplifier, WhatHasNoTimeForItsLeadIsLate) {
    open();
    receives(10'000, 500);
    receive();  // to 10 500
    EXPECT_FALSE(transmit(11'075, ramp(10)));
    EXPECT_EQ(piece_fault.late_samples, 1);
    EXPECT_TRUE(transmit(11'076, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(tick_of(device->tx->calls().at(0)), 10'500);
    EXPECT_EQ(radio->counters().least_slack_samples, 0);
    EXPECT_EQ(radio->counters().late, 0u);  // the caller counts it
}

/// A lead does not break a promise, and a promise does not shorten a lead.
TEST_F(Amplifier, PromisesLeaveRoomForTheLead) {
    MockSettings s;
    s.chunk = 576;
    config.burst_edge_samples = 32;
    open(s);
    EXPECT_EQ(radio->chunk_samples(), 576 + 576);
    radio->commit(10'000);
    EXPECT_TRUE(transmit(10'000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    radio->commit(20'000);
    radio.reset();
    EXPECT_EQ(device->commits, (std::vector<std::pair<int64_t, uint64_t>>{{10'000 - 576, 0}, {20'000 - 576, 1}}));
    EXPECT_EQ(tick_of(device->tx->calls().at(0)), 10'000 - 576);  // only its edge is omitted
}

TEST_F(Amplifier, TimesToTurn) {
    config.burst_edge_samples = 576;
    config.amplifier.receive_after_us = 7;
    open();
    EXPECT_DOUBLE_EQ(radio->turn_times().to_send_us, 200);
    EXPECT_DOUBLE_EQ(radio->turn_times().to_receive_us, 157);
    TearDown();
    config.amplifier = {};
    open();
    EXPECT_EQ(radio->turn_times().to_send_us, 0);
}

}  // namespace
}  // namespace gr::wimax::test
