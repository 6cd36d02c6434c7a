// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: samples at the device and their times, edges, pieces that are late, abandoned
// or refused.
#include "radio/test_frontend.h"

namespace gr::wimax::test {
namespace {

TEST_F(Frontend, APieceIsOneTimedBurst) {
    open();
    const auto x = ramp(5000);
    device->tx->take(SIZE_MAX, 2000);
    EXPECT_TRUE(transmit(123'456'789'012, x));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 3u);
    Samples all;
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(calls[i].md.start_of_burst, i == 0);
        EXPECT_EQ(calls[i].md.has_time_spec, i == 0);
        EXPECT_TRUE(calls[i].md.end_of_burst);  // of the remaining samples
        all.insert(all.end(), calls[i].samples.begin(), calls[i].samples.end());
    }
    EXPECT_EQ(tick_of(calls[0]), 123'456'789'012);
    EXPECT_EQ(all, x);
    const auto c = radio->counters();
    EXPECT_EQ(c.pieces, 1u);
    EXPECT_EQ(c.late + c.underflows + c.overflows + c.lost_samples, 0u);
}

TEST_F(Frontend, NothingIsLateBeforeAnythingIsReceived) {
    open();
    EXPECT_TRUE(transmit(1000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(device->tx->calls().size(), 1u);
    EXPECT_EQ(radio->counters().late, 0u);
    EXPECT_EQ(radio->counters().least_slack_samples, INT64_MAX);
}

TEST_F(Frontend, LateIsWhatStartsBeforeTheNewestSample) {
    open();
    receives(10'000, 500);
    EXPECT_EQ(receive().samples, 500u);
    EXPECT_EQ(radio->now(), 10'500);
    EXPECT_FALSE(transmit(10'499, ramp(10)));
    EXPECT_EQ(piece_fault.late_samples, 1);
    EXPECT_FALSE(transmit(10'000, ramp(10)));
    EXPECT_EQ(piece_fault.late_samples, 500);
    EXPECT_EQ(radio->counters().late, 0u);  // the caller counts it
    EXPECT_TRUE(transmit(10'500, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(device->tx->calls().size(), 1u);
    EXPECT_EQ(radio->counters().least_slack_samples, 0);
    EXPECT_EQ(radio->counters().late, 0u);
}

/// Measured from the packet with the last sample before it. Responses to samples that have not arrived are ignored, as
/// are all without a response lead.
TEST_F(Frontend, TimesOfAnswersAreThoseOfWhatWasHeard) {
    for (const auto& [lead_s, expected] :
         {std::pair(std::optional(1e-3), 1U), std::pair(std::optional<double>(), 0U)}) {
        config.answer_lead_s = lead_s;
        open();
        receives(0, 10'000);
        receive();
        EXPECT_TRUE(transmit(10'000 + 5760, ramp(10)));
        EXPECT_TRUE(transmit(10'000 + 5761, ramp(10)));
        ASSERT_TRUE(device->tx->wait_for_pieces(2));
        EXPECT_EQ(radio->answer_times().count(), expected);
    }
}

TEST_F(Frontend, APieceThatBecomesLateInTheQueueIsNotSent) {
    open();
    receives(0, 1000);
    receives(1000, 9001);
    receive();
    device->tx->take(0);
    EXPECT_TRUE(transmit(5000, ramp(100)));  // the device holds it up
    ASSERT_TRUE(device->tx->wait_for_a_call());
    EXPECT_TRUE(transmit(10'000, ramp(100)));
    EXPECT_TRUE(transmit(10'001, ramp(100)));
    receive();  // to 10 001
    device->tx->take(SIZE_MAX);
    ASSERT_TRUE(device->tx->wait_for_pieces(3));
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(tick_of(calls[0]), 5000);
    EXPECT_EQ(tick_of(calls[1]), 10'001);
    const auto c = radio->counters();
    EXPECT_EQ(c.late, 1u);
    EXPECT_EQ(c.pieces, 2u);
    EXPECT_EQ(c.least_slack_samples, -1);
}

TEST_F(Frontend, TheQueueHoldsSixteenPieces) {
    open();
    device->tx->take(0);
    for (int i = 0; i < 16; ++i) EXPECT_TRUE(transmit(1000 * i, ramp(100, static_cast<float>(i))));
    EXPECT_FALSE(transmit(16'000, ramp(100)));
    EXPECT_EQ(piece_fault.kind, PieceFault::Kind::queue_full);
    device->tx->take(SIZE_MAX);
    ASSERT_TRUE(device->tx->wait_for_pieces(16));
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 16u);
    for (size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(tick_of(calls[i]), 1000 * static_cast<int64_t>(i));
        EXPECT_EQ(calls[i].samples, ramp(100, static_cast<float>(i)));
    }
    EXPECT_EQ(radio->counters().late, 0u);
}

TEST_F(Frontend, PiecesLongerThanAgreedAreRefused) {
    config.max_piece_samples = 1000;
    open();
    EXPECT_TRUE(transmit(0, ramp(1000)));
    EXPECT_FALSE(transmit(2000, ramp(1001)));
    EXPECT_EQ(piece_fault.kind, PieceFault::Kind::length);
    EXPECT_TRUE(transmit(5000, Samples()));  // an empty piece is no burst
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(radio->counters().pieces, 1u);
}

TEST_F(Frontend, ABurstThatTheDeviceStopsTakingIsGivenUpAndEnded) {
    open();
    device->tx->take(300);
    EXPECT_TRUE(transmit(1000, ramp(1000)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].samples.size(), 300u);
    EXPECT_TRUE(calls[1].samples.empty());
    EXPECT_TRUE(calls[1].md.end_of_burst);
    EXPECT_FALSE(calls[1].md.start_of_burst);
    EXPECT_EQ(radio->counters().underflows, 1u);
    EXPECT_EQ(radio->counters().pieces, 1u);
    device->tx->take(SIZE_MAX);
    EXPECT_TRUE(transmit(9000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(2));
    calls = device->tx->calls();
    EXPECT_TRUE(calls.back().md.start_of_burst);
    EXPECT_EQ(tick_of(calls.back()), 9000);
}

TEST_F(Frontend, WhatTheDeviceSaysLaterIsCounted) {
    open();
    for (const auto event : {Async::EVENT_CODE_BURST_ACK, Async::EVENT_CODE_UNDERFLOW,
                             Async::EVENT_CODE_UNDERFLOW_IN_PACKET, Async::EVENT_CODE_TIME_ERROR,
                             Async::EVENT_CODE_TIME_ERROR, Async::EVENT_CODE_TIME_ERROR, Async::EVENT_CODE_BURST_ACK})
        device->tx->happens(event);
    EXPECT_TRUE(transmit(1000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    const auto c = radio->counters();
    EXPECT_EQ(c.underflows, 2u);
    EXPECT_EQ(c.late, 3u);
    EXPECT_EQ(c.overflows, 0u);
}

TEST_F(Frontend, BurstsHaveEdges) {
    config.burst_edge_samples = 32;
    for (const bool exact : {true, false}) expect_zeros(exact, 32, 32);
}

TEST_F(Frontend, EdgesAreNotInTheNextBurstsWay) {
    config.burst_edge_samples = 32;
    struct Case {
        std::optional<int64_t> told;  // of the samples after the first piece
        int64_t apart;
        int64_t first_tail, second_begin;  // zeros; against its first sample
    };
    const Case cases[] = {
        {{}, 64, 32, -32}, {{}, 40, 32, -8}, {{}, 10, 32, 22},  // the successor was unknown: the tail has been sent
        {10, 10, 10, 0},   {0, 0, 0, 0},     {50, 50, 32, -18},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.apart);
        TearDown();
        open();
        const Samples x = ramp(576), y = ramp(300, 7);
        TransmitPiece first(x);
        first.silence_samples = c.told;
        EXPECT_TRUE(transmit(10'000, first));
        ASSERT_TRUE(device->tx->wait_for_pieces(1));
        EXPECT_TRUE(transmit(10'576 + c.apart, y));
        ASSERT_TRUE(device->tx->wait_for_pieces(2));
        const auto calls = device->tx->calls();
        ASSERT_EQ(calls.size(), 2u);
        EXPECT_EQ(calls[0].samples.size(), 32 + 576 + static_cast<size_t>(c.first_tail));
        EXPECT_EQ(tick_of(calls[1]), 10'576 + c.apart + c.second_begin);
        // When the gaps are known, tails are as long as possible.
        EXPECT_TRUE(transmit(10'876 + 2 * c.apart, y));
        ASSERT_TRUE(device->tx->wait_for_pieces(3));
        const int64_t third = 10'876 + 2 * c.apart;
        EXPECT_LE(tick_of(device->tx->calls()[2]), third + (c.told ? 32 : 0));
    }
}

}  // namespace
}  // namespace gr::wimax::test
