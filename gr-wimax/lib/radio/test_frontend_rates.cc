// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: the channel's rate on the device's clock, exact, odd by a billionth, or
// resampled.
#include "radio/test_frontend.h"

#include <cmath>

namespace gr::wimax::test {
namespace {

TEST_F(Frontend, TheRateIsExactWhereTheClockAllows) {
    open();
    EXPECT_EQ(radio->sample_rate_hz(), kRate);
    EXPECT_EQ(device->rate(), 5.76e6);
    EXPECT_NE(radio->describe().find("master clock  92160000 Hz, sample rate 5760000 S/s\n"), std::string::npos)
        << radio->describe();
    EXPECT_FALSE(radio->lock_step());
    EXPECT_EQ(radio->chunk_samples(), 0);
}

/// A device whose rate is off by 1.4e-9, like the AD9361's clock. Seconds of the requested rate would lose a sample
/// every 125 s.
TEST_F(Frontend, NoSampleIsLostInAMillionSeconds) {
    MockSettings s;
    s.clock_hz = 40e6 * (27 + 1353646.0 / 2088960) / 24;  // 8 times 5 759 999.992
    open(s);
    EXPECT_EQ(radio->sample_rate_hz(), kRate);
    EXPECT_NE(radio->describe().find("(5759999.99"), std::string::npos) << radio->describe();
    constexpr int64_t kApart = 5'759'999'992'017 / 997;
    for (int64_t i = 0; i < 997; ++i) {
        const int64_t sample = i * kApart + i % 13;
        // Like the driver: the hardware counts its master clock.
        const auto time = uhd::time_spec_t::from_ticks(8 * sample, s.clock_hz);
        ASSERT_EQ(time.to_ticks(device->rx->rate), sample);
        device->rx->packets.push_back({sample, ramp(3), {}});
        ASSERT_EQ(receive().first_sample, sample);
        EXPECT_TRUE(transmit(sample + 1000, ramp(1)));
        ASSERT_TRUE(device->tx->wait_for_pieces(static_cast<size_t>(i) + 1));
        ASSERT_EQ(device->tx->calls().back().md.time_spec.to_ticks(s.clock_hz), 8 * (sample + 1000));
    }
}

TEST_F(Frontend, AResampledPieceRingsFourSamplesOnEitherSide) {
    open(resampled());
    ASSERT_EQ(device->rate(), kDeviceRate);
    EXPECT_EQ(radio->sample_rate_hz(), kRate);
    EXPECT_NE(radio->describe().find("resampled from 6250000 x 576/625"), std::string::npos) << radio->describe();
    const int64_t start = 576'000'100;
    EXPECT_TRUE(transmit(start, tone(1000, 300e3, kRate, start)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 1u);
    const auto ceil_tick = [](int64_t sample) { return (sample * 625 + 575) / 576; };
    EXPECT_EQ(tick_of(calls[0]), ceil_tick(start - 4));
    EXPECT_EQ(calls[0].samples.size(), static_cast<size_t>(ceil_tick(start + 1004) - ceil_tick(start - 4)));
    // In the middle the same tone, at the time of the ticks.
    const auto expected = tone(calls[0].samples.size(), 300e3, kDeviceRate, tick_of(calls[0]));
    for (size_t i = 30; i + 30 < expected.size(); ++i)
        ASSERT_NEAR(std::abs(calls[0].samples[i] - expected[i]), 0, 2e-3);
}

TEST_F(Frontend, RingingOfNeighboursDoesNotOverlap) {
    open(resampled());
    struct Case {
        int64_t apart;  // channel samples from the end of one to the start of the next
        bool touch;     // the device gets no gap between them
    };
    for (const Case c : {Case{0, true}, Case{1, true}, Case{7, true}, Case{50, false}}) {
        SCOPED_TRACE(c.apart);
        TearDown();
        open(resampled());
        EXPECT_TRUE(transmit(10'000, ramp(576)));
        EXPECT_TRUE(transmit(10'576 + c.apart, ramp(576, 5)));
        ASSERT_TRUE(device->tx->wait_for_pieces(2));
        const auto calls = device->tx->calls();
        ASSERT_EQ(calls.size(), 2u);
        const int64_t end = tick_of(calls[0]) + static_cast<int64_t>(calls[0].samples.size());
        const int64_t begin = tick_of(calls[1]), last = begin + static_cast<int64_t>(calls[1].samples.size());
        if (c.touch) EXPECT_EQ(begin, end);
        else EXPECT_GT(begin, end);
        // Samples are only omitted at the front: the end, and the samples, are at the correct positions.
        const TransmitResampler alone(RatePlan{kRate, kDeviceRate, 625, 576});
        Samples whole;
        const int64_t first = alone.convert(10'576 + c.apart, ramp(576, 5), whole);
        EXPECT_EQ(last, first + static_cast<int64_t>(whole.size()));
        EXPECT_EQ(calls[1].samples, Samples(whole.begin() + (begin - first), whole.end()));
        EXPECT_EQ(calls[0].samples.size(), whole.size());
    }
}

TEST_F(Frontend, PiecesThatTrulyOverlapAreLeftToTheDevice) {
    open(resampled());
    EXPECT_TRUE(transmit(10'000, ramp(576)));
    EXPECT_TRUE(transmit(10'500, ramp(576)));
    ASSERT_TRUE(device->tx->wait_for_pieces(2));
    const auto calls = device->tx->calls();
    EXPECT_EQ(tick_of(calls[1]), ((10'500 - 4) * 625 + 575) / 576);
    EXPECT_EQ(calls[1].samples.size(), calls[0].samples.size());
}

TEST_F(Frontend, ReceptionIsResampledToTheChannelsTime) {
    open(resampled());
    radio->start();
    EXPECT_EQ(device->rx->commands.at(0).time_spec.to_ticks(kDeviceRate), 1'000'000 + 1'875'000);
    const int64_t tick = 62'500'017;
    for (int i = 0; i < 5; ++i)
        device->rx->packets.push_back({tick + i * 1000, tone(1000, 300e3, kDeviceRate, tick + i * 1000), {}});
    int64_t next = -1, first = -1;
    for (int i = 0; i < 100 && !device->rx->packets.empty(); ++i) {
        const auto r = receive(333);
        if (r.samples == 0) continue;
        if (next < 0) first = r.first_sample;
        else EXPECT_EQ(r.first_sample, next);
        next = r.first_sample + static_cast<int64_t>(r.samples);
        const auto expected = tone(r.samples, 300e3, kRate, r.first_sample);
        for (size_t n = 0; n < r.samples; ++n) ASSERT_NEAR(std::abs(buffer[n] - expected[n]), 0, 2e-3) << n;
    }
    // The filter reaches 12 channel samples to either side.
    EXPECT_EQ(first, static_cast<int64_t>(std::ceil(static_cast<double>(tick) * 576 / 625)) + 12);
    EXPECT_NEAR(static_cast<double>(next), static_cast<double>(tick + 5000) * 576 / 625 - 12, 1.5);
    EXPECT_EQ(radio->now(), next);
    EXPECT_EQ(radio->counters().lost_samples, 0u);
    // A gap of 6250 ticks is one of 5760 samples, and the filter's length.
    device->rx->packets.push_back({tick + 5000 + 6250, tone(1000, 300e3, kDeviceRate, tick + 11'250), {}});
    RadioFrontend::Received r;
    for (int i = 0; i < 10 && r.samples == 0; ++i) r = receive(2000);
    EXPECT_NEAR(static_cast<double>(r.first_sample), static_cast<double>(tick + 11'250) * 576 / 625 + 12, 1);
    EXPECT_EQ(radio->counters().lost_samples, static_cast<uint64_t>(r.first_sample - next));
}

}  // namespace
}  // namespace gr::wimax::test
