/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The front end on a mock USRP: levels, what reaches the device and when, what is late, lost or given up and how it is
 * counted, with and without resampling, in lock-step and not. Samples and times exact.
 */
#include "radio/opening_faults.h"
#include "radio/resampler.h"
#include "radio/test_mock_usrp.h"

#include <gnuradio/wimax/device_arguments.h>
#include <gnuradio/wimax/radio_frontend.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gr::wimax {
namespace {

using test::MockSettings;
using test::MockUsrp;
using test::Samples;
using Async = uhd::async_metadata_t;

constexpr int64_t kRate = 5'760'000, kDeviceRate = 6'250'000;  // of the channel; of a clock of 100 MHz over 16

Samples ramp(size_t n, float from = 1) {
    Samples x(n);
    for (size_t i = 0; i < n; ++i) x[i] = {from + static_cast<float>(i), -from - static_cast<float>(i)};
    return x;
}
Samples tone(size_t n, double hz, double rate, int64_t from = 0) {
    Samples x(n);
    for (size_t i = 0; i < n; ++i)
        x[i] = std::complex<float>(
            std::polar(1.0, 2 * std::numbers::pi * hz / rate * static_cast<double>(from + static_cast<int64_t>(i))));
    return x;
}

class Frontend : public testing::Test {
protected:
    void SetUp() override {
        config.device_args = "type=mock";
        config.lock_timeout_s = 0;
        config.headroom_db = 0;
        config.limits = test::any_transmission();
        config.burst_edge_samples = 0;
    }
    void open(const MockSettings& settings = {}) {
        MockUsrp::next = settings;
        radio = RadioFrontend::open(config);
        device = MockUsrp::latest.lock();
        ASSERT_TRUE(device);
    }
    void TearDown() override {
        radio.reset();
        device.reset();
    }
    static MockSettings resampled() {
        MockSettings s;
        s.clock_hz = 100e6;
        return s;
    }
    void receives(int64_t tick, size_t n) { device->rx->packets.push_back({tick, Samples(n, {1, 0}), {}}); }
    RadioFrontend::Received receive(size_t room = 100'000) {
        buffer.resize(room);
        return radio->receive(buffer, 0.1);
    }
    bool transmit(int64_t start, const Samples& x) { return radio->transmit(start, x, deficit); }
    int64_t tick_of(const test::MockTx::Call& call) const { return call.md.time_spec.to_ticks(device->rx->rate); }

    RadioConfig config;
    std::shared_ptr<RadioFrontend> radio;
    std::shared_ptr<MockUsrp> device;
    Samples buffer;
    int64_t deficit = 0;
};

TEST(DeviceArguments, OfTheVirtualRadioAndOfUsrps) {
    using Keys = std::vector<std::string>;
    EXPECT_EQ(unknown_device_arguments("type=vrf,personality=b210,opening_s=0,fault=fpga,master_clock_rate=46e6"),
              Keys());
    EXPECT_EQ(unknown_device_arguments("type=n3xx,addr0=a,init_cals=ALL,tracking_cals=NONE,force_reinit=1"), Keys());
    EXPECT_EQ(unknown_device_arguments("type=b200,personality=b210,fault=fpga"), (Keys{"personality", "fault"}));
    EXPECT_EQ(unknown_device_arguments("type=vrf,clock_source=gpsdo"), Keys{"clock_source"});
}

TEST_F(Frontend, LevelsOfAnUncalibratedRadio) {
    config.headroom_db.reset();
    config.tx_gain_db = 60;
    config.rx_gain_db = 50;
    open();
    EXPECT_NEAR(radio->tx_reference_dbm(), 10 - (89.75 - 60) - 12, 1e-9);  // 10 dBm at the highest gain, 12 dB headroom
    EXPECT_NEAR(radio->rx_reference_dbm(), -60, 1e-9);
    transmit(1000, Samples(100, {1, -1}));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    const auto sent = device->tx->calls().at(0).samples;
    EXPECT_NEAR(20 * std::log10(sent.at(50).real()), -12, 1e-4);
    EXPECT_NEAR(sent.at(50).imag(), -sent.at(50).real(), 1e-7);
}

TEST_F(Frontend, LevelsOfACalibratedRadio) {
    config.headroom_db = 9;
    config.tx_full_scale_dbm = 7.5;
    config.rx_full_scale_dbm = -31;
    config.tx_gain_db = 60;
    config.rx_gain_db = 50;
    open();
    EXPECT_NEAR(radio->tx_reference_dbm(), -1.5, 1e-9);
    EXPECT_NEAR(radio->rx_reference_dbm(), -31, 1e-9);
    transmit(1000, Samples(100, {1, 0}));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_NEAR(20 * std::log10(device->tx->calls().at(0).samples.at(0).real()), -9, 1e-4);
}

TEST_F(Frontend, LevelsOfARadioThatTellsThem) {
    MockSettings s;
    s.levels = VrfLevels{23.5, -42.5};
    config.headroom_db.reset();
    open(s);
    EXPECT_NEAR(radio->tx_reference_dbm(), 23.5, 1e-9);
    EXPECT_NEAR(radio->rx_reference_dbm(), -42.5, 1e-9);
    transmit(1000, Samples(100, {1, 0}));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(device->tx->calls().at(0).samples.at(0).real(), 1);
    TearDown();
    config.headroom_db = 6;
    open(s);
    EXPECT_NEAR(radio->tx_reference_dbm(), 17.5, 1e-9);
}

TEST_F(Frontend, LevelsOfACalibrationFile) {
    config.calibration = {{"", true, "TX/RX", 3.5e9, 50, 2.5}, {"", false, "TX/RX", 3.5e9, 40, -52}};
    config.headroom_db = 9;
    config.tx_gain_db = 60;
    config.rx_gain_db = 50;
    open();
    EXPECT_NEAR(radio->tx_reference_dbm(), 12.5 - 9, 1e-9);
    EXPECT_NEAR(radio->rx_reference_dbm(), -62, 1e-9);
    TearDown();
    config.tx_full_scale_dbm = 7.5;  // counts before it
    config.calibration[1].serial = "another radio's";
    open();
    EXPECT_NEAR(radio->tx_reference_dbm(), -1.5, 1e-9);
    EXPECT_NEAR(radio->rx_reference_dbm(), -60, 1e-9);
}

TEST_F(Frontend, NothingLeavesATransmitterThatIsOff) {
    config.limits.enable = false;
    config.tx_gain_db = 60;
    open();
    EXPECT_EQ(device->tx_streams, 0);
    const std::string frontend = "/mboards/0/dboards/A/tx_frontends/0/";
    EXPECT_EQ(device->value<double>(frontend + "freq/value"), 1e9);  // neither tuned nor given a gain
    EXPECT_EQ(device->value<double>(frontend + "gains/PGA/value"), 0);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(transmit(1000 * i, ramp(500)));
    EXPECT_EQ(radio->counters().refused.switched_off, 20u);
    EXPECT_EQ(radio->counters().pieces, 0u);
    EXPECT_NE(radio->describe().find("OFF (tx_enable)"), std::string::npos);
    radio.reset();
    EXPECT_TRUE(device->tx->calls().empty());
}

/// No device is asked for what may not be sent.
TEST_F(Frontend, LimitsAreCheckedBeforeAnythingIsOpened) {
    const auto refused = [&](const std::string& words) {
        MockUsrp::latest.reset();
        try {
            RadioFrontend::open(config);
            ADD_FAILURE() << words;
        } catch (const DeviceUnavailable& e) {
            ADD_FAILURE() << e.what();  // would be tried again
        } catch (const std::runtime_error& e) {
            EXPECT_EQ(e.what(), words);
        }
        EXPECT_TRUE(MockUsrp::latest.expired());
    };
    config.limits.allowed_bands = {{3.4e9, 3.5025e9}};
    refused(
        "allowed_bands: value 3400 .. 3502.5 MHz: allowed bands that hold the whole channel at 3500000000 Hz, 3497.12 "
        ".. 3502.88 MHz");
    config.channel_bandwidth_hz = 5e6;
    open();
    TearDown();
    config.frequency_hz += 1;
    refused(
        "allowed_bands: value 3400 .. 3502.5 MHz: allowed bands that hold the whole channel at 3500000001 Hz, "
        "3497.500001 .. 3502.500001 MHz");
    config.limits.allowed_bands.clear();
    config.limits.max_power_dbm.reset();
    refused(
        "allowed_bands: value (none): allowed with tx_enable: a list of {low_hz: ..., high_hz: ...}, the bands you may "
        "transmit in; max_power_dbm: value null: allowed with tx_enable: -100..60");
}

TEST_F(Frontend, FullScaleStaysBelowTheHighestPower) {
    config.tx_full_scale_dbm = 20;
    config.limits.max_power_dbm = 13;
    open();
    EXPECT_NEAR(radio->tx_reference_dbm(), 9.99, 1e-3);  // a preamble has twice the power
    transmit(1000, Samples(512, {1, 0}));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_NEAR(20 * std::log10(device->tx->calls().at(0).samples.at(0).real()), -10.01, 1e-3);
    EXPECT_TRUE(transmit(2000, Samples(512, {1.41F, 0})));
    ASSERT_TRUE(device->tx->wait_for_pieces(2));
    EXPECT_TRUE(transmit(3000, Samples(512, {1.6F, 0})));  // 14.08 dBm
    EXPECT_EQ(radio->counters().refused.too_strong, 1u);
    TearDown();
    config.headroom_db = 12;  // that is more
    open();
    EXPECT_NEAR(radio->tx_reference_dbm(), 8, 1e-9);
}

TEST_F(Frontend, APieceBeyondTheLongestBurstIsCut) {
    config.limits.longest_burst_ms = 1;
    open();
    EXPECT_TRUE(transmit(1000, ramp(6000)));
    EXPECT_TRUE(transmit(7000, ramp(100)));  // without a pause
    EXPECT_TRUE(transmit(8000, ramp(100)));
    ASSERT_TRUE(device->tx->wait_for_pieces(2));
    const auto calls = device->tx->calls();
    EXPECT_EQ(calls.at(0).samples, ramp(5760));
    EXPECT_EQ(tick_of(calls.at(1)), 8000);
    EXPECT_EQ(radio->counters().refused.too_long, 2u);
}

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
        EXPECT_TRUE(calls[i].md.end_of_burst);  // of the samples that are left
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
    EXPECT_EQ(deficit, 1);
    EXPECT_FALSE(transmit(10'000, ramp(10)));
    EXPECT_EQ(deficit, 500);
    EXPECT_EQ(radio->counters().late, 2u);
    EXPECT_TRUE(transmit(10'500, ramp(10)));
    EXPECT_EQ(deficit, 0);
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(device->tx->calls().size(), 1u);
    EXPECT_EQ(radio->counters().least_slack_samples, 0);
    EXPECT_EQ(radio->counters().late, 2u);
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
    EXPECT_EQ(deficit, 0);
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
    EXPECT_EQ(deficit, 0);
    EXPECT_TRUE(transmit(5000, {}));  // nothing is no burst
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

TEST_F(Frontend, StreamingStartsItsDelayAfterTheDevicesTime) {
    config.start_delay_s = 0.25;
    open();
    radio->start();
    radio->start();
    ASSERT_EQ(device->rx->commands.size(), 1u);
    const auto& first = device->rx->commands[0];
    EXPECT_EQ(first.stream_mode, uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS);
    EXPECT_FALSE(first.stream_now);
    EXPECT_EQ(first.time_spec.to_ticks(kRate), 1'000'000 + 1'440'000);
    // That was too late: once more, from the time it is then.
    device->settings.now = 9'000'000;
    device->rx->packets.push_back({0, {}, uhd::rx_metadata_t::ERROR_CODE_LATE_COMMAND});
    EXPECT_EQ(receive().samples, 0u);
    ASSERT_EQ(device->rx->commands.size(), 2u);
    EXPECT_EQ(device->rx->commands[1].time_spec.to_ticks(kRate), 9'000'000 + 1'440'000);
    EXPECT_EQ(radio->counters().overflows, 0u);
    radio->stop();
    radio->stop();
    ASSERT_EQ(device->rx->commands.size(), 3u);
    EXPECT_EQ(device->rx->commands[2].stream_mode, uhd::stream_cmd_t::STREAM_MODE_STOP_CONTINUOUS);
}

TEST_F(Frontend, ReceivedSamplesAndTheirTimes) {
    open();
    device->rx->packets.push_back({50'000, ramp(300), {}});
    auto r = receive(200);
    EXPECT_EQ(r.samples, 200u);
    EXPECT_EQ(r.first_sample, 50'000);
    EXPECT_FALSE(r.timed_out);
    EXPECT_EQ(buffer[199].real(), 200);
    r = receive(200);
    EXPECT_EQ(r.samples, 100u);
    EXPECT_EQ(r.first_sample, 50'200);
    EXPECT_EQ(radio->now(), 50'300);
    r = receive(200);
    EXPECT_TRUE(r.timed_out);
    EXPECT_EQ(r.samples, 0u);
    EXPECT_EQ(radio->now(), 50'300);
}

TEST_F(Frontend, LostSamplesAreCounted) {
    open();
    receives(1000, 100);
    receives(1100, 100);
    device->rx->packets.push_back({0, {}, uhd::rx_metadata_t::ERROR_CODE_OVERFLOW});
    receives(1577, 100);
    receives(1679, 50);
    for (int i = 0; i < 5; ++i) receive();
    const auto c = radio->counters();
    EXPECT_EQ(c.lost_samples, 377u + 2u);
    EXPECT_EQ(c.overflows, 1u);
    EXPECT_EQ(radio->now(), 1729);
}

TEST_F(Frontend, TheRateIsExactWhereTheClockAllows) {
    open();
    EXPECT_EQ(radio->sample_rate_hz(), kRate);
    EXPECT_EQ(device->rate(), 5.76e6);
    EXPECT_NE(radio->describe().find("master clock  92160000 Hz, sample rate 5760000 S/s\n"), std::string::npos)
        << radio->describe();
    EXPECT_FALSE(radio->lock_step());
    EXPECT_EQ(radio->chunk_samples(), 0);
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
    // In the middle the same tone, at the time that the ticks stand for.
    const auto expected = tone(calls[0].samples.size(), 300e3, kDeviceRate, tick_of(calls[0]));
    for (size_t i = 30; i + 30 < expected.size(); ++i)
        ASSERT_NEAR(std::abs(calls[0].samples[i] - expected[i]), 0, 2e-3);
}

TEST_F(Frontend, RingingOfNeighboursDoesNotOverlap) {
    open(resampled());
    struct Case {
        int64_t apart;  // channel samples from the end of one to the start of the next
        bool touch;     // the device sees no gap between them
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
        if (c.touch)
            EXPECT_EQ(begin, end);
        else
            EXPECT_GT(begin, end);
        // Whatever is left out is left out in front: the end, and the samples themselves, are where they belong.
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
        if (next < 0)
            first = r.first_sample;
        else
            EXPECT_EQ(r.first_sample, next);
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

/// Both channels in one burst of one time; the second silent where it has nothing to say.
TEST_F(Frontend, TwoChannelsAreOneBurst) {
    MockSettings s;
    s.tx_channels = 2;
    config.tx_channels = 2;
    config.tx_gain_db = 33;
    config.tx_antenna = "CAL";
    config.second_tx_antenna = "TX/RX";
    config.headroom_db = 6;
    open(s);
    EXPECT_EQ(radio->antennas(), 2);
    EXPECT_EQ(device->tx_args.channels, (std::vector<size_t>{0, 1}));
    EXPECT_EQ(device->rx->args.channels, (std::vector<size_t>{0}));
    const std::string fe = "/mboards/0/dboards/A/tx_frontends/";
    for (const std::string channel : {"0", "1"}) {
        EXPECT_EQ(device->value<double>(fe + channel + "/gains/PGA/value"), 33) << channel;
        EXPECT_EQ(device->value<double>(fe + channel + "/freq/value"), 3.5e9) << channel;
    }
    EXPECT_EQ(device->value<std::string>(fe + "0/antenna/value"), "CAL");
    EXPECT_EQ(device->value<std::string>(fe + "1/antenna/value"), "TX/RX");
    EXPECT_EQ(device->value<double>("/mboards/0/tx_dsps/1/rate/value"), 5.76e6);
    EXPECT_NE(radio->describe().find("tx CAL and TX/RX"), std::string::npos) << radio->describe();
    const Samples first = ramp(1000), second = ramp(300, 5000);
    device->tx->take(5000, 400);  // in several calls
    EXPECT_TRUE(radio->transmit(1000, {first, 600, second}, deficit));
    EXPECT_TRUE(transmit(5000, ramp(50)));
    ASSERT_TRUE(device->tx->wait_for_pieces(2));
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls.size(), 4u);
    EXPECT_EQ(tick_of(calls[0]), 1000);
    EXPECT_TRUE(calls[0].md.start_of_burst);
    Samples sent[2];
    for (size_t i = 0; i < 3; ++i) {
        sent[0].insert(sent[0].end(), calls[i].samples.begin(), calls[i].samples.end());
        sent[1].insert(sent[1].end(), calls[i].second.begin(), calls[i].second.end());
    }
    ASSERT_EQ(sent[0].size(), 1000u);
    ASSERT_EQ(sent[1].size(), 1000u);
    const double scale = std::pow(10, -6 / 20.0);
    for (size_t i = 0; i < 1000; ++i) {
        ASSERT_NEAR(sent[0][i].real(), scale * first[i].real(), 1e-3) << i;
        const double expected = i >= 600 && i < 900 ? scale * second[i - 600].real() : 0;
        ASSERT_NEAR(sent[1][i].real(), expected, 1e-3) << i;
    }
    EXPECT_EQ(calls[3].samples.size(), 50u);
    EXPECT_EQ(calls[3].second, Samples(50));  // nothing left of the piece before
}

TEST_F(Frontend, ASecondChannelIsResampledLikeTheFirst) {
    auto s = resampled();
    s.tx_channels = config.tx_channels = 2;
    open(s);
    const int64_t start = 10'003;
    const auto x = tone(1000, 300e3, kRate, start);
    EXPECT_TRUE(radio->transmit(start, {x, 500, std::span(x).subspan(500)}, deficit));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    const auto calls = device->tx->calls();
    ASSERT_EQ(calls[0].second.size(), calls[0].samples.size());
    for (size_t i = 580; i < calls[0].samples.size(); ++i)
        ASSERT_NEAR(std::abs(calls[0].second[i] - calls[0].samples[i]), 0, 1e-5) << i;
    for (size_t i = 0; i < 530; ++i) ASSERT_EQ(calls[0].second[i], std::complex<float>()) << i;
}

TEST_F(Frontend, SamplesForAnAntennaThatIsNotThereAreRefused) {
    open();
    EXPECT_EQ(radio->antennas(), 1);
    EXPECT_FALSE(radio->transmit(1000, {ramp(100), 50, ramp(50)}, deficit));
    TearDown();
    MockSettings s;
    s.tx_channels = config.tx_channels = 2;
    open(s);
    EXPECT_FALSE(radio->transmit(1000, {ramp(100), 51, ramp(50)}, deficit));
    EXPECT_FALSE(radio->transmit(1000, {ramp(100), 101, ramp(1)}, deficit));
    EXPECT_EQ(deficit, 0);
    EXPECT_TRUE(radio->transmit(1000, {ramp(100), 50, ramp(50)}, deficit));
    EXPECT_TRUE(device->tx->wait_for_pieces(1));
}

TEST_F(Frontend, WhatASecondChannelCannotDoIsRefusedByName) {
    const auto refusal = [&](const MockSettings& s) -> std::string {
        MockUsrp::next = s;
        try {
            RadioFrontend::open(config);
        } catch (const std::exception& e) {
            return e.what();
        }
        return "";
    };
    config.tx_channels = 3;
    EXPECT_EQ(refusal({}), "tx channels: 3, allowed 1 .. 2");
    config.tx_channels = 2;
    EXPECT_EQ(refusal({}),
              "tx channels: 2 wanted, the device has 1 with the subdevices 'A:0'; the virtual radio has 2 with the "
              "device argument tx_channels=2");
    MockSettings s;
    s.tx_channels = 2;
    s.second_frequency_error_hz = 5;
    EXPECT_EQ(refusal(s), "second tx frequency (Hz): 3500000000 wanted, the device gives 3500000005");
    s.second_frequency_error_hz = 0;
    s.second_lo_locked = false;
    EXPECT_NE(refusal(s).find("lo_locked (second tx): not locked"), std::string::npos) << refusal(s);
    s.second_lo_locked = true;
    config.second_tx_antenna = "J9";
    EXPECT_EQ(refusal(s), "second tx antenna: 'J9', the device has TX/RX, CAL");
    config.second_tx_antenna = "";
    config.tx_gain_db = 90;
    EXPECT_EQ(refusal(s), "tx gain: 90 dB, the device allows 0 .. 89.75");
    config.tx_gain_db = 0;
    EXPECT_EQ(refusal(s), "");
    config.tx_subdevice = "A:0";
    EXPECT_NE(refusal(s).find("the device has 1 with the subdevices 'A:0'"), std::string::npos) << refusal(s);
    config.tx_subdevice = "A:0:1";
    EXPECT_TRUE(refusal(s).starts_with("tx subdevice 'A:0:1': ")) << refusal(s);
}

/// Zeros before and behind, at the device's rate, so that nothing stays in its filters.
TEST_F(Frontend, BurstsHaveEdges) {
    config.burst_edge_samples = 32;
    for (const bool exact : {true, false}) {
        SCOPED_TRACE(exact);
        TearDown();
        open(exact ? MockSettings{} : resampled());
        const auto x = ramp(576);
        EXPECT_TRUE(transmit(10'000, x));
        ASSERT_TRUE(device->tx->wait_for_pieces(1));
        const auto call = device->tx->calls().at(0);
        Samples body = x;
        int64_t tick = 10'000;
        if (!exact) tick = TransmitResampler(RatePlan{kRate, kDeviceRate, 625, 576}).convert(10'000, x, body);
        EXPECT_EQ(tick_of(call), tick - 32);
        Samples expected(32);
        expected.insert(expected.end(), body.begin(), body.end());
        expected.resize(expected.size() + 32);
        EXPECT_EQ(call.samples, expected);
    }
}

TEST_F(Frontend, EdgesAreNotInTheNextBurstsWay) {
    config.burst_edge_samples = 32;
    struct Case {
        std::optional<int64_t> told;  // of what follows the first piece
        int64_t apart;
        int64_t first_tail, second_begin;  // zeros; against its first sample
    };
    const Case cases[] = {
        {{}, 64, 32, -32}, {{}, 40, 32, -8}, {{}, 10, 32, 22},  // nobody said so: the tail is on its way
        {10, 10, 10, 0},   {0, 0, 0, 0},     {50, 50, 32, -18},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.apart);
        TearDown();
        open();
        const Samples x = ramp(576), y = ramp(300, 7);
        TransmitPiece first(x);
        first.silence_samples = c.told;
        EXPECT_TRUE(radio->transmit(10'000, first, deficit));
        ASSERT_TRUE(device->tx->wait_for_pieces(1));
        EXPECT_TRUE(transmit(10'576 + c.apart, y));
        ASSERT_TRUE(device->tx->wait_for_pieces(2));
        const auto calls = device->tx->calls();
        ASSERT_EQ(calls.size(), 2u);
        EXPECT_EQ(calls[0].samples.size(), 32 + 576 + static_cast<size_t>(c.first_tail));
        EXPECT_EQ(tick_of(calls[1]), 10'576 + c.apart + c.second_begin);
        // Once it has been seen how close they come, tails are as long as there is room.
        EXPECT_TRUE(transmit(10'876 + 2 * c.apart, y));
        ASSERT_TRUE(device->tx->wait_for_pieces(3));
        const int64_t third = 10'876 + 2 * c.apart;
        EXPECT_LE(tick_of(device->tx->calls()[2]), third + (c.told ? 32 : 0));
    }
}

/// A device whose rate is off by 1.4e-9, as the AD9361's clock: a sample would be lost every 125 s if seconds were of
/// the rate that was asked for.
TEST_F(Frontend, NoSampleIsLostInAMillionSeconds) {
    MockSettings s;
    s.clock_hz = 40e6 * (27 + 1353646.0 / 2088960) / 24;  // 8 times 5 759 999.992
    open(s);
    EXPECT_EQ(radio->sample_rate_hz(), kRate);
    EXPECT_NE(radio->describe().find("(5759999.99"), std::string::npos) << radio->describe();
    constexpr int64_t kApart = 5'759'999'992'017 / 997;
    for (int64_t i = 0; i < 997; ++i) {
        const int64_t sample = i * kApart + i % 13;
        // As the driver does it: the hardware counts its master clock.
        const auto time = uhd::time_spec_t::from_ticks(8 * sample, s.clock_hz);
        ASSERT_EQ(time.to_ticks(device->rx->rate), sample);
        device->rx->packets.push_back({sample, ramp(3), {}});
        ASSERT_EQ(receive().first_sample, sample);
        EXPECT_TRUE(transmit(sample + 1000, ramp(1)));
        ASSERT_TRUE(device->tx->wait_for_pieces(static_cast<size_t>(i) + 1));
        ASSERT_EQ(device->tx->calls().back().md.time_spec.to_ticks(s.clock_hz), 8 * (sample + 1000));
    }
}

/// A stream that the device begins anew by itself may lie between the ticks of the rate.
TEST_F(Frontend, RoundingIsNoGap) {
    open();
    receives(1000, 100);
    receives(1101, 100);
    receives(1199, 100);
    for (const int64_t first : {1000, 1100, 1200}) EXPECT_EQ(receive().first_sample, first);
    EXPECT_EQ(radio->counters().lost_samples, 0u);
}

TEST_F(Frontend, PacketsAreOfATenthOfAMillisecond) {
    open();
    EXPECT_EQ(device->rx->args.args.get("spp", ""), "576");
    TearDown();
    MockSettings s;
    s.rx_packet = 363;  // the model's longest
    open(s);
    EXPECT_FALSE(device->rx->args.args.has_key("spp"));
}

TEST_F(Frontend, SequenceErrorsAndClippingAreCounted) {
    open();
    for (const auto event : {Async::EVENT_CODE_SEQ_ERROR, Async::EVENT_CODE_SEQ_ERROR_IN_BURST})
        device->tx->happens(event);
    EXPECT_TRUE(transmit(100'000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(radio->counters().sequence_errors, 2u);
    EXPECT_EQ(radio->counters().underflows, 0u);
    Samples x(10, {0.5F, -0.9F});
    x[3] = {0, -1};
    x[7] = {1.2F, 0};
    device->rx->packets.push_back({1000, x, {}});
    device->rx->packets.push_back({0, {}, uhd::rx_metadata_t::ERROR_CODE_OVERFLOW, true});
    device->rx->packets.push_back({0, {}, uhd::rx_metadata_t::ERROR_CODE_OVERFLOW});
    for (int i = 0; i < 3; ++i) receive();
    EXPECT_EQ(radio->counters().clipped_samples, 2u);
    EXPECT_EQ(radio->counters().sequence_errors, 3u);
    EXPECT_EQ(radio->counters().overflows, 1u);
}

TEST_F(Frontend, ADeviceThatGoesIsTold) {
    open();
    EXPECT_FALSE(radio->lost());
    device->tx->gone = true;
    EXPECT_TRUE(transmit(1000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    ASSERT_TRUE(radio->lost());
    EXPECT_NE(radio->lost()->find("unplugged"), std::string::npos);
    receives(1000, 10);
    EXPECT_TRUE(receive().timed_out);
    TearDown();
    open();
    device->rx->gone = true;
    EXPECT_TRUE(receive().timed_out);
    EXPECT_TRUE(radio->lost());
}

TEST_F(Frontend, SilenceForSecondsIsALoss) {
    config.start_delay_s = 0.45;
    open();
    int looks = 0;
    while (!radio->lost() && looks < 100) receive(), ++looks;  // of 0.1 s each, by the mock's word
    EXPECT_EQ(looks, 35);
    EXPECT_EQ(*radio->lost(), "no samples for 3 s");
}

TEST_F(Frontend, TimeBeginsAtZero) {
    open();
    EXPECT_EQ(device->set_now, std::vector{uhd::time_spec_t(0.0)});
    EXPECT_TRUE(device->set_at_pulse.empty());
    TearDown();
    config.time_source = "external";
    open();
    EXPECT_EQ(device->set_at_pulse, std::vector{uhd::time_spec_t(0.0)});
    EXPECT_TRUE(device->set_now.empty());
    TearDown();
    MockUsrp::next.pulses = false;
    try {
        RadioFrontend::open(config);
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "time source 'external': no pulse per second arrives");
    }
}

TEST_F(Frontend, OscillatorBandwidthSubdeviceAndWireFormat) {
    config.lo_offset_hz = 4e6;
    config.analog_bandwidth_hz = 6e6;
    config.rx_subdevice = "A:0";
    config.wire_format = "sc12";
    MockSettings s;
    s.dsp_hz = 10e6;
    open(s);
    EXPECT_EQ(device->value<double>("/mboards/0/dboards/A/rx_frontends/0/bandwidth/value"), 6e6);
    EXPECT_EQ(device->value<double>("/mboards/0/dboards/A/tx_frontends/0/bandwidth/value"), 6e6);
    EXPECT_EQ(device->rx->args.otw_format, "sc12");
    EXPECT_EQ(device->tx_args.otw_format, "sc12");
    EXPECT_EQ(device->value<double>("/mboards/0/dboards/A/rx_frontends/0/freq/value"), 3.504e9);
    EXPECT_NE(radio->describe().find("3500000000 Hz, oscillators 4000000 Hz beside, analog bandwidth 6000000 Hz"),
              std::string::npos)
        << radio->describe();
    config.rx_subdevice = "A:0:1";
    EXPECT_THROW(RadioFrontend::open(config), std::runtime_error);
}

TEST_F(Frontend, GainsChangeWhileItRuns) {
    config.rx_full_scale_dbm = -30;
    config.rx_gain_db = 20;
    config.tx_gain_db = 50;
    open();
    const double tx_dbm = radio->tx_reference_dbm();
    radio->set_gains(47, 26);
    EXPECT_EQ(radio->tx_gain_db(), 47);
    EXPECT_EQ(radio->rx_gain_db(), 26);
    EXPECT_NEAR(radio->tx_reference_dbm(), tx_dbm - 3, 1e-9);
    EXPECT_NEAR(radio->rx_reference_dbm(), -36, 1e-9);
    EXPECT_THROW(radio->set_gains(47, 77), std::runtime_error);
    EXPECT_THROW(radio->set_gains(90, 20), std::runtime_error);
    EXPECT_EQ(radio->rx_gain_db(), 26);  // neither
    // What is allowed at the start is not left behind by a gain.
    TearDown();
    config.limits.max_power_dbm = -20;
    open();
    radio->set_gains(40, 20);
    EXPECT_THROW(radio->set_gains(80, 20), std::runtime_error);
    EXPECT_EQ(radio->tx_gain_db(), 40);
}

TEST(OpeningFaults, WhatHelpsIsTold) {
    struct Case {
        const char* text;
        bool again;
        const char* advice;
    };
    for (const Case& c : {
             Case{"LookupError: KeyError: No devices found for ----->", true, "uhd_find_devices"},
             Case{"EnvironmentError: IOError: Could not find path for image: usrp_b200_fw.hex", false,
                  "sudo uhd_images_downloader"},
             Case{"RuntimeError: Expected FPGA compatibility number 16, but got 14", false,
                  "uhd_image_loader --args 'type=x300,addr=a'"},
             Case{"RuntimeError: USB open failed: insufficient permissions", false, "udevadm control"},
             Case{"RuntimeError: Device is claimed by another process: LIBUSB_ERROR_BUSY", true, "another program"},
             Case{"RuntimeError: MPM major compat number mismatch. Expected: 4.2 Actual: 3.0.", false,
                  "mender install"},
             Case{"RuntimeError: Error during RPC call to `init': rpc timeout", true, "uhd_find_devices"},
         }) {
        const auto fault = opening_fault(c.text, "type=x300,addr=a");
        EXPECT_EQ(fault.again, c.again) << c.text;
        EXPECT_NE(fault.advice.find(c.advice), std::string::npos) << fault.advice;
    }
}

TEST(LookForDevice, FoundOrWhatToDo) {
    EXPECT_EQ(look_for_device("type=mock,serial=1"), "found: type=mock,serial=1");
    EXPECT_NE(look_for_device("type=none").find("not found; 'uhd_find_devices'"), std::string::npos);
    EXPECT_EQ(look_for_device("type=vrf,name=bs"), "the virtual radio, which is not asked");
}

class LockStep : public Frontend {
protected:
    static MockSettings settings() {
        MockSettings s;
        s.chunk = 576;
        return s;
    }
};

TEST_F(LockStep, PacketsAreOfEightChunks) {
    open(settings());
    EXPECT_TRUE(radio->lock_step());
    EXPECT_EQ(radio->chunk_samples(), 576);
    EXPECT_EQ(device->rx->args.args.get("spp", ""), "4608");
    EXPECT_FALSE(device->tx_args.args.has_key("spp"));
}

TEST_F(LockStep, ACommitCountsTheBurstsBeforeIt) {
    open(settings());
    radio->commit(1000);
    EXPECT_EQ(device->commits, (std::vector<std::pair<int64_t, uint64_t>>{{1000, 0}}));
    radio->commit(1000);
    radio->commit(999);
    EXPECT_EQ(device->commits.size(), 1u);
    device->tx->take(0);
    EXPECT_TRUE(transmit(2000, ramp(10)));
    EXPECT_TRUE(transmit(3000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_a_call());
    radio->commit(4000);
    radio->commit(5000);
    EXPECT_EQ(device->commits.size(), 1u);  // what is queued goes first
    device->tx->take(SIZE_MAX);
    ASSERT_TRUE(device->tx->wait_for_pieces(2));
    radio.reset();  // joins the sender
    EXPECT_EQ(device->commits, (std::vector<std::pair<int64_t, uint64_t>>{{1000, 0}, {5000, 2}}));
}

/// What has been promised cannot be taken back for the zeros before a burst.
TEST_F(LockStep, EdgesDoNotBreakPromises) {
    config.burst_edge_samples = 32;
    open(settings());
    radio->commit(990);
    EXPECT_TRUE(transmit(1000, ramp(10)));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    EXPECT_EQ(tick_of(device->tx->calls().at(0)), 990);
    EXPECT_EQ(device->tx->calls().at(0).samples.size(), 10u + 10 + 32);
}

TEST_F(LockStep, NothingIsResampled) {
    auto s = settings();
    s.clock_hz = 100e6;
    try {
        open(s);
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("6250000 S/s nearest"), std::string::npos) << e.what();
    }
}

TEST_F(Frontend, CommitsMeanNothingToARadioOfItsOwnTime) {
    open();
    radio->commit(1000);
    EXPECT_TRUE(device->commits.empty());
}

TEST_F(Frontend, SettingsReachTheDevice) {
    config.frequency_hz = 2.5e9;
    config.tx_gain_db = 20.25;
    config.rx_gain_db = 30.5;
    config.rx_antenna = "TX/RX";
    config.tx_antenna = "TX/RX";
    config.clock_source = "external";
    config.time_source = "external";
    open();
    const std::string board = "/mboards/0", a = board + "/dboards/A";
    EXPECT_EQ(device->value<double>(a + "/rx_frontends/0/freq/value"), 2.5e9);
    EXPECT_EQ(device->value<double>(a + "/tx_frontends/0/freq/value"), 2.5e9);
    EXPECT_EQ(device->value<double>(a + "/tx_frontends/0/gains/PGA/value"), 20.25);
    EXPECT_EQ(device->value<double>(a + "/rx_frontends/0/gains/PGA/value"), 30.5);
    EXPECT_EQ(device->value<std::string>(a + "/rx_frontends/0/antenna/value"), "TX/RX");
    EXPECT_EQ(device->value<std::string>(board + "/clock_source/value"), "external");
    EXPECT_EQ(device->value<std::string>(board + "/time_source/value"), "external");
    for (const char* line : {"frequency     2500000000 Hz\n", "gains         tx 20.25 dB, rx 30.5 dB\n",
                             "antennas      tx TX/RX, rx TX/RX\n", "clock, time   external, external\n",
                             "0 dBFS        tx -59.5 dBm, rx -40.5 dBm\n", "time          runs by itself\n"})
        EXPECT_NE(radio->describe().find(line), std::string::npos) << line << radio->describe();
}

TEST_F(Frontend, WhatTheDeviceCannotDoIsRefusedWithWhatItCan) {
    const auto refused = [&](const RadioConfig& wrong, const MockSettings& settings, const std::string& why) {
        MockUsrp::next = settings;
        try {
            RadioFrontend::open(wrong);
            ADD_FAILURE() << why;
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
        }
    };
    const auto with = [&](auto change) {
        RadioConfig c = config;
        change(c);
        return c;
    };
    refused(with([](auto& c) { c.tx_gain_db = 90; }), {}, "tx gain: 90 dB, the device allows 0 .. 89.75");
    refused(with([](auto& c) { c.rx_gain_db = -1; }), {}, "rx gain: -1 dB, the device allows 0 .. 76");
    refused(with([](auto& c) { c.rx_antenna = "J1"; }), {}, "rx antenna: 'J1', the device has TX/RX, RX2");
    refused(with([](auto& c) { c.tx_antenna = "RX2"; }), {}, "tx antenna: 'RX2', the device has TX/RX");
    refused(with([](auto& c) { c.frequency_hz = 7e9; }), {},
            "rx frequency (Hz): 7000000000 wanted, the device gives 6000000000");
    MockSettings s;
    s.frequency_error_hz = 1.5;
    refused(config, s, "rx frequency");
    s = {};
    s.ref_locked = false;
    refused(with([](auto& c) { c.clock_source = "external"; }), s,
            "ref_locked: not locked after 0 s; clock source 'external'");
    MockUsrp::next = s;
    EXPECT_NO_THROW(RadioFrontend::open(config));  // nothing to lock to
    s = {};
    s.lo_locked = false;
    refused(config, s, "lo_locked (rx): not locked");
    MockUsrp::next = {};
    EXPECT_THROW(RadioFrontend::open(with([](auto& c) { c.device_args = "type=none"; })), DeviceUnavailable);
    EXPECT_THROW(RadioFrontend::open(with([](auto& c) { c.device_args = "type=mock,speed=1"; })), std::runtime_error);
    s = {};
    s.frequency_error_hz = 0.5;
    open(s);  // within a hertz
}

}  // namespace
}  // namespace gr::wimax
