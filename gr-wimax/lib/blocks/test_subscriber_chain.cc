// SPDX-License-Identifier: GPL-3.0-or-later
// A subscriber station's receiver and transmitter in the caller's thread: the same reports as of the core that the
// block has, responses that let it continue, and bursts that reach the radio. 5 MHz, CP 1/8, frames of 10 ms.
#include "blocks/ss_receiver_core.h"
#include "blocks/test_block_doubles.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/subscriber_chain.h>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace gr::wimax {
namespace {

constexpr int64_t kRate = 5'760'000, kFrame = 57'600, kStart = 20'000;

/// Reports as the core's output would get them.
ReportHandler into(test::Heard& heard) {
    return [&heard](Report&& report) {
        std::visit([&heard](auto& m) { static_cast<ReceiverOutput&>(heard).send(std::move(m)); }, report);
    };
}

class SubscriberChainTest : public testing::Test {
protected:
    static constexpr int kCpDenominator = 8;

    void SetUp() override {
        radio->locked = true;
        config.cp_denominator = kCpDenominator;
        config.reports = into(heard);
        chain = SubscriberChain::make(config, {}, radio);
    }
    /// Three frames from kStart on, and silence around them.
    static std::vector<phy::Complex> air() {
        std::vector<phy::Complex> all(kStart + 4 * kFrame);
        phy::Modulator modulator(*phy::Numerology::make(5'000'000, phy::CyclicPrefix::g1_8));
        for (uint8_t n = 0; n < 3; ++n) {
            const phy::test::FramePlan plan{{{1, 6}, {3, 5, false, 4}}, n, 7};
            const auto frame = plan.modulate(modulator);
            std::copy(frame.begin(), frame.end(), all.begin() + kStart + n * kFrame);
        }
        return all;
    }
    /// Passes silence from number `from` on until there is no more room, at most `samples`; returns what was taken.
    int64_t silence(int64_t from, int64_t samples) {
        const std::vector<phy::Complex> zeros(1000);
        int64_t taken = 0;
        while (taken < samples && chain->room() > 0) {
            const size_t n = std::min(chain->room(), zeros.size());
            chain->receive(from + taken, std::span(zeros).first(n));
            taken += static_cast<int64_t>(n);
        }
        return taken;
    }
    /// Passes empty responses to what was reported, once.
    void respond_to(test::Heard& reported) {
        while (reported.order.size() > responded_) {
            const char kind = reported.order[responded_++];
            if (kind == 't') {
                TransmitFrame nothing;
                nothing.frame_number = reported.ticks[ticks_++].frame_number;
                chain->transmit(nothing);
            } else if (kind == 'b' && reported.bursts[bursts_++].burst.index == 1) {
                Expectation maps;
                maps.frame_number = reported.bursts[bursts_ - 1].frame_number;
                maps.want_prefix_bursts = true;
                chain->expect(maps);
            }
        }
    }
    void attach() {
        Control c;
        c.attached = true;
        chain->control(c);
    }

    test::Heard heard;
    ss_receiver::Config config;
    std::shared_ptr<test::RadioDouble> radio = std::make_shared<test::RadioDouble>();
    std::unique_ptr<SubscriberChain> chain;
    std::vector<std::pair<int64_t, int64_t>> spans;

    size_t responded_ = 0, ticks_ = 0, bursts_ = 0;
};

TEST_F(SubscriberChainTest, ReportsWhatTheBlocksCoreReports) {
    phy::DownlinkReceiverConfig receiver;
    receiver.cp = phy::CyclicPrefix::g1_8;
    test::Heard of_core;
    auto core_radio = std::make_shared<test::RadioDouble>();
    core_radio->locked = true;
    SsReceiverCore core(of_core, config, receiver, kRate, core_radio);
    const auto samples = air();
    core.move_time(0);
    for (size_t at = 0; at < samples.size(); at += 1440) {
        const auto piece = std::span(samples).subspan(at, std::min<size_t>(1440, samples.size() - at));
        core.receive(piece);
        chain->receive(static_cast<int64_t>(at), piece);
    }
    EXPECT_EQ(heard.order, of_core.order);
    ASSERT_EQ(heard.bursts.size(), of_core.bursts.size());
    ASSERT_GE(heard.bursts.size(), 4U);
    for (size_t i = 0; i < heard.bursts.size(); ++i) {
        EXPECT_TRUE(heard.bursts[i].burst.fec_ok);
        EXPECT_EQ(heard.bursts[i].burst.payload, of_core.bursts[i].burst.payload);
        EXPECT_EQ(heard.bursts[i].burst.start_sample, of_core.bursts[i].burst.start_sample);
    }
    EXPECT_EQ(chain->status().frames, core.status().frames);
    EXPECT_EQ(chain->status().position, core.status().position);
    EXPECT_EQ(radio->commits, core_radio->commits);
}

/// Attached and in lock-step: it stops at a tick until the frame was transmitted, empty or not.
TEST_F(SubscriberChainTest, WaitsForTheResponseToATick) {
    attach();
    const int64_t taken = silence(0, 100 * kFrame);
    ASSERT_EQ(heard.ticks.size(), 1U);
    EXPECT_LT(taken, 10 * kFrame);
    TransmitFrame frame;
    frame.direction = phy::Direction::uplink;
    frame.frame_number = heard.ticks[0].frame_number;
    chain->transmit(frame);
    EXPECT_EQ(heard.ticks.size(), 2U);
    EXPECT_EQ(chain->counters().frames, 1U);
    EXPECT_EQ(chain->counters().empty, 1U);
    EXPECT_GT(chain->room(), 0U);
}

TEST_F(SubscriberChainTest, WaitsForTheExpectationAfterTheMaps) {
    attach();
    const auto samples = air();
    for (size_t at = 0; at < samples.size() && chain->room() > 0 && heard.bursts.empty(); at += 1440) {
        if (heard.ticks.size() == 1) {  // before the frame was found
            TransmitFrame frame;
            frame.frame_number = heard.ticks[0].frame_number;
            chain->transmit(frame);
        }
        chain->receive(static_cast<int64_t>(at), std::span(samples).subspan(at, 1440));
    }
    ASSERT_EQ(heard.bursts.size(), 1U);
    Expectation none;
    none.frame_number = heard.bursts[0].frame_number;
    const size_t ticks = heard.ticks.size();
    chain->expect(none);
    EXPECT_EQ(heard.ticks.size(), ticks + 1);
}

/// From the second frame on, the radio learns the span after the bursts, and its samples change nothing.
TEST_F(SubscriberChainTest, SamplesBetweenBurstsAndTheNextFrameNeedNotBeReceived) {
    const auto run = [&](bool skip) {
        auto samples = air();
        test::Heard reported;
        responded_ = ticks_ = bursts_ = 0;
        config.reports = into(reported);
        config.skip_unused = skip;
        radio = std::make_shared<test::RadioDouble>();
        radio->locked = true;
        chain = SubscriberChain::make(config, {}, radio);
        attach();
        for (size_t at = 0; at + 1440 <= samples.size(); at += 1440) {
            chain->receive(static_cast<int64_t>(at), std::span(samples).subspan(at, 1440));
            respond_to(reported);
            for (; !radio->skipped.empty() && at + 2880 <= samples.size(); radio->skipped.clear()) {
                const auto [from, until] = radio->skipped.back();
                spans.emplace_back(from, until);
                for (auto i = std::max(from, static_cast<int64_t>(at) + 1440); i < until; ++i)
                    samples[static_cast<size_t>(i)] = {1, -1};
            }
        }
        return reported;
    };
    const auto all = run(false);
    EXPECT_TRUE(spans.empty());
    const auto some = run(true);
    ASSERT_EQ(spans.size(), 2U);
    for (size_t i = 0; i < spans.size(); ++i) {
        const int64_t start = kStart + kFrame * static_cast<int64_t>(i + 1);
        EXPECT_NEAR(static_cast<double>(spans[i].first - start), 14 * 288, 20);
        EXPECT_NEAR(static_cast<double>(spans[i].second - start), kFrame - 256, 3);
    }
    EXPECT_EQ(some.order, all.order);
    ASSERT_EQ(some.bursts.size(), all.bursts.size());
    ASSERT_EQ(some.bursts.size(), 6U);
    for (size_t i = 0; i < some.bursts.size(); ++i) {
        EXPECT_EQ(some.bursts[i].burst.payload, all.bursts[i].burst.payload);
        EXPECT_EQ(some.bursts[i].burst.measured.cinr_db, all.bursts[i].burst.measured.cinr_db);
    }
}

TEST_F(SubscriberChainTest, BurstsReachTheRadio) {
    TransmitFrame frame;
    frame.direction = phy::Direction::uplink;
    frame.frame_start_sample = 1'000'000;
    TransmitBurst burst;
    burst.start_slot = phy::Slot(72 * 10);
    burst.format.rate_id = 1;
    burst.format.data_symbols = 2;
    burst.format.preamble = phy::Preamble::short_;
    burst.payload.assign(10, 0x55);
    frame.bursts.push_back(burst);
    chain->transmit(frame);
    ASSERT_EQ(radio->pieces.size(), 1U);
    EXPECT_EQ(radio->pieces[0].start, 1'000'000 + 72 * 10 * 4);
    EXPECT_EQ(radio->pieces[0].samples.size(), 3U * 288);
    radio->full = true;
    chain->transmit(frame);
    ASSERT_EQ(heard.errors.size(), 1U);
    EXPECT_EQ(chain->counters().invalid, 1U);
}

TEST_F(SubscriberChainTest, AJumpOfTimeIsReported) {
    silence(0, 5000);
    EXPECT_TRUE(heard.errors.empty());
    silence(6000, 1000);
    ASSERT_EQ(heard.errors.size(), 1U);
    EXPECT_EQ(heard.errors[0].kind, ErrorKind::time_jump);
    EXPECT_EQ(heard.errors[0].microseconds, 173);
}

TEST_F(SubscriberChainTest, RefusesWhatTheBlocksRefuse) {
    const auto make = [&](auto change) {
        auto c = config;
        change(c);
        return SubscriberChain::make(c, {}, radio);
    };
    EXPECT_THROW(make([](auto& c) { c.bandwidth_hz = 1; }), std::invalid_argument);
    EXPECT_THROW(make([](auto& c) { c.turnaround_us = c.deadline_lead_us - 1; }), std::invalid_argument);
    EXPECT_THROW(make([](auto& c) { c.response_us = -1; }), std::invalid_argument);
    EXPECT_THROW(make([](auto& c) { c.cp_denominator = 5; }), std::invalid_argument);
    EXPECT_THROW(make([](auto& c) { c.reports = nullptr; }), std::invalid_argument);
    EXPECT_THROW(SubscriberChain::make(config, {}, nullptr), std::invalid_argument);
    phy::TransmitShape shape;
    shape.window_samples = -1;
    EXPECT_THROW(SubscriberChain::make(config, shape, radio), std::invalid_argument);
}

}  // namespace
}  // namespace gr::wimax
