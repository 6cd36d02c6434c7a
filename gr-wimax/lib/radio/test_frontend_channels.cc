// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: two transmit channels as one burst.
#include "radio/test_frontend.h"

#include <cmath>

namespace gr::wimax::test {
namespace {

/// Both channels in one burst of one time; the second is silent without samples.
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
    EXPECT_TRUE(transmit(1000, {first, 600, second}));
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
    EXPECT_TRUE(transmit(start, {x, 500, std::span(x).subspan(500)}));
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
    EXPECT_FALSE(transmit(1000, {ramp(100), 50, ramp(50)}));
    TearDown();
    MockSettings s;
    s.tx_channels = config.tx_channels = 2;
    open(s);
    EXPECT_FALSE(transmit(1000, {ramp(100), 51, ramp(50)}));
    EXPECT_FALSE(transmit(1000, {ramp(100), 101, ramp(1)}));
    EXPECT_EQ(piece_fault.kind, PieceFault::Kind::antennas);
    EXPECT_TRUE(transmit(1000, {ramp(100), 50, ramp(50)}));
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

}  // namespace
}  // namespace gr::wimax::test
