// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the front end on a mock USRP: the level of full scale from settings, calibration and the radio's power
// reference, and samples that the transmitter's limits withhold.
#include "radio/test_frontend.h"

#include <cmath>

namespace gr::wimax::test {
namespace {

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
    TearDown();
    config.headroom_db.reset();
    s.converter_bits = 12;  // one sample that clips
    open(s);
    EXPECT_NEAR(radio->tx_reference_dbm(), 23.5 - 12, 1e-9);
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
    config.tx_full_scale_dbm = 7.5;  // has priority over it
    config.calibration[1].serial = "another radio's";
    open();
    EXPECT_NEAR(radio->tx_reference_dbm(), -1.5, 1e-9);
    EXPECT_NEAR(radio->rx_reference_dbm(), -60, 1e-9);
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
    // A later gain cannot exceed the power limit checked at the start.
    TearDown();
    config.limits.max_power_dbm = -20;
    open();
    radio->set_gains(40, 20);
    EXPECT_THROW(radio->set_gains(80, 20), std::runtime_error);
    EXPECT_EQ(radio->tx_gain_db(), 40);
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

/// Limits are checked before a device is opened.
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
    config.tx_frequency_hz += 1;
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

}  // namespace
}  // namespace gr::wimax::test
