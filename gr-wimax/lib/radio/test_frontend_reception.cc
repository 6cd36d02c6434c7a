// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: received samples and their times, losses and their counters, a device that
// disappears.
#include "radio/test_frontend.h"

namespace gr::wimax::test {
namespace {

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
    // That was too late: starts again, from the present time.
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

TEST_F(Frontend, OnlyAVirtualRadioCanBePolled) {
    std::vector<int> watched;
    config.watch = [&watched](int descriptor) { watched.push_back(descriptor); };
    EXPECT_THROW(open(), std::runtime_error);
    EXPECT_TRUE(watched.empty());
    MockSettings settings;
    settings.poll_descriptor = 42;
    open(settings);
    EXPECT_EQ(watched, std::vector{42});
}

/// A stream that the device restarts may be between the ticks of the rate.
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
    while (!radio->lost() && looks < 100) receive(), ++looks;  // of 0.1 s each, as the mock reports
    EXPECT_EQ(looks, 35);
    EXPECT_EQ(*radio->lost(), "no samples for 3 s");
}

/// The signal is constant: the received samples show only the pause.
TEST_F(Frontend, AReceiveGainChangesBetweenSamples) {
    config.rx_gain_db = 30;
    open();
    const std::string gain = "/mboards/0/dboards/A/rx_frontends/0/gains/PGA/value";
    const auto arrive = [&](int64_t tick, size_t n) {
        const float a = std::pow(10.0F, static_cast<float>(device->value<double>(gain) - 30) / 20);
        device->rx->packets.push_back({tick, Samples(n, {0.1F * a, 0}), {}});
        const auto r = receive();
        EXPECT_EQ(r.first_sample, tick);
        EXPECT_EQ(r.samples, n);
        buffer.resize(n);
    };
    const auto expect = [&](size_t from, size_t to, float value) {
        for (size_t i = from; i < to; ++i) ASSERT_NEAR(buffer.at(i).real(), value, 1e-5F) << i;
    };
    arrive(1000, 500);
    EXPECT_TRUE(radio->change_receive_gain(2000, 18));
    EXPECT_FALSE(radio->change_receive_gain(2000, 20));  // one at a time
    arrive(1500, 400);
    expect(0, 400, 0.1F);
    EXPECT_EQ(device->value<double>(gain), 30);
    device->settings.now = 2600;  // time that the device needed
    arrive(1900, 1000);           // with the old gain
    EXPECT_EQ(device->value<double>(gain), 18);
    expect(0, 100, 0.1F);
    expect(100, 1000, 0);  // unknown gain
    arrive(2900, 3000);
    expect(0, 852, 0);  // 2600 and 0.2 ms
    expect(852, 3000, 0.1F);
    EXPECT_EQ(radio->rx_gain_db(), 30);
    EXPECT_EQ(radio->gains_now().rx_db, 18);
    EXPECT_NEAR(radio->peak_dbfs(), -20, 0.1);
    // A request for another gain replaces it.
    radio->set_gains(0, 40);
    arrive(5900, 10);
    expect(0, 10, 0.1F * std::pow(10.0F, 0.5F));
    EXPECT_EQ(radio->gains_now().rx_db, 40);
}

TEST_F(Frontend, PeaksAreThoseOfTheConverterWithoutOwnTransmissions) {
    open();
    EXPECT_EQ(radio->peak_dbfs(), -200);
    device->rx->packets.push_back({1000, Samples(500, {0, -0.25F}), {}});
    receive();
    EXPECT_NEAR(radio->peak_dbfs(), -12.04, 0.01);
    transmit(10'000, Samples(100, {1, 0}));
    ASSERT_TRUE(device->tx->wait_for_pieces(1));
    Samples heard(1000, {0.25F, 0});
    std::fill(heard.begin() + 100, heard.begin() + 230, std::complex<float>(1, 1));
    device->rx->packets.push_back({9900, heard, {}});
    receive();
    EXPECT_EQ(radio->counters().clipped_samples, 130u);  // counted nevertheless
    EXPECT_NEAR(radio->peak_dbfs(), -12.04, 0.01);
}

/// With a carrier for each direction, what arrives during a transmission is the other side's signal.
TEST_F(Frontend, PeaksDuringTransmissionsCountOnAnotherCarrier) {
    for (const double spacing_hz : {config.sample_rate_hz - 1, config.sample_rate_hz}) {
        config.tx_frequency_hz = config.rx_frequency_hz + spacing_hz;
        open();
        transmit(10'000, Samples(100, {1, 0}));
        ASSERT_TRUE(device->tx->wait_for_pieces(1));
        Samples heard(1000, {0.25F, 0});
        std::fill(heard.begin() + 100, heard.begin() + 230, std::complex<float>(0.5F, 0));
        device->rx->packets.push_back({9900, heard, {}});
        receive();
        EXPECT_NEAR(radio->peak_dbfs(), spacing_hz < config.sample_rate_hz ? -12.04 : -6.02, 0.01) << spacing_hz;
        TearDown();
    }
}

}  // namespace
}  // namespace gr::wimax::test
