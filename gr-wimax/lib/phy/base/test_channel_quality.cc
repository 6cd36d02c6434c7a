// SPDX-License-Identifier: GPL-3.0-or-later
// Averages of clause 8.3.9 against the recursion worked out by hand, and the report codes.
#include <gnuradio/wimax/phy/base/channel_quality.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gr::wimax::phy {
namespace test_channel_quality {

TEST(ChannelQuality, MeanAndDeviationByTheRecursion) {
    // CINRs of 100, 200, 50 with alpha 1/4: means 100, 125, 106.25; squares 10000, 17500, 13750.
    RunningPower cinr;
    EXPECT_FALSE(cinr.measured());
    EXPECT_EQ(cinr.mean_db(), -200);
    cinr.add_db(20);
    EXPECT_TRUE(cinr.measured());
    EXPECT_NEAR(cinr.mean_db(), 20, 1e-4);
    EXPECT_LT(cinr.deviation_db(), -50);
    cinr.add_db(10 * std::log10(200.0F));
    EXPECT_NEAR(cinr.mean_db(), 10 * std::log10(125.0), 1e-4);
    EXPECT_NEAR(cinr.deviation_db(), 5 * std::log10(17500.0 - 125 * 125), 1e-3);
    cinr.add_db(10 * std::log10(50.0F));
    EXPECT_NEAR(cinr.mean_db(), 10 * std::log10(106.25), 1e-4);
    EXPECT_NEAR(cinr.deviation_db(), 5 * std::log10(13750.0 - 106.25 * 106.25), 1e-3);
    cinr.reset();
    cinr.add_db(-3);
    EXPECT_NEAR(cinr.mean_db(), -3, 1e-4);
}

TEST(ChannelQuality, AveragingParameter) {
    RunningPower power(1);  // no memory
    power.add_db(-60);
    power.add_db(-80);
    EXPECT_NEAR(power.mean_db(), -80, 1e-3);
    power.set_averaging(8 * kAveragingStep);
    power.add_db(-60);
    EXPECT_NEAR(power.mean_db(), 10 * std::log10(0.75e-8 + 0.25e-6), 1e-3);
    for (const float bad : {0.0F, -1.0F, 1.5F, std::numeric_limits<float>::quiet_NaN()}) {
        RunningPower other(bad);
        other.add_db(0);
        other.add_db(10 * std::log10(5.0F));
        EXPECT_NEAR(other.mean_db(), 10 * std::log10(1 + 4 * kDefaultAveraging), 1e-4) << bad;
    }
}

TEST(ChannelQuality, SettlesWithinTheStandardsAccuracy) {
    // Relative accuracy of CINR: 1 dB. Measurements that vary by +-2 dB around 15 dB.
    ChannelQuality quality;
    for (int i = 0; i < 200; ++i) quality.add(-70, 15 + 2 * std::sin(1.7F * static_cast<float>(i)));
    EXPECT_NEAR(quality.cinr.mean_db(), 15, 1);
    EXPECT_NEAR(quality.rssi.mean_db(), -70, 0.01);
    quality.add(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
    EXPECT_NEAR(quality.cinr.mean_db(), 15, 1);
    quality.reset();
    EXPECT_FALSE(quality.rssi.measured() || quality.cinr.measured());
}

TEST(ChannelQuality, AConstantMeasurementEndsWithTheNextOther) {
    RunningPower power;
    const auto settle = [&] {
        for (int i = 0; i < 1000; ++i) power.add_db(20);
        EXPECT_NEAR(power.mean_db(), 20, 1e-4);
    };
    settle();
    power.add_db(10 * std::log10(200.0F));  // 3/4 of 100 and 1/4 of 200
    EXPECT_NEAR(power.mean_db(), 10 * std::log10(125.0), 1e-4);
    settle();
    power.set_averaging(1);
    power.add_db(10);
    EXPECT_NEAR(power.mean_db(), 10, 1e-4);
    settle();
    power.reset();
    EXPECT_FALSE(power.measured());
    power.add_db(20);
    EXPECT_TRUE(power.measured());
    settle();
    power.add_db(std::numeric_limits<float>::quiet_NaN());
    EXPECT_NEAR(power.mean_db(), 20, 1e-4);
}

TEST(ChannelQuality, ReportCodes) {
    EXPECT_EQ(rssi_mean_code(-123), 0x00);
    EXPECT_EQ(rssi_mean_code(-40), 0x53);
    EXPECT_EQ(rssi_mean_code(-80.4F), 43);
    EXPECT_EQ(rssi_mean_code(-80.6F), 42);
    EXPECT_EQ(rssi_mean_code(-300), 0x00);
    EXPECT_EQ(rssi_mean_code(0), 0x53);
    EXPECT_EQ(cinr_mean_code(-10), 0x00);
    EXPECT_EQ(cinr_mean_code(53), 0x3F);
    EXPECT_EQ(cinr_mean_code(20.6F), 31);
    EXPECT_EQ(cinr_mean_code(-90), 0x00);
    EXPECT_EQ(cinr_mean_code(90), 0x3F);
    EXPECT_EQ(deviation_code(-3), 0);
    EXPECT_EQ(deviation_code(7.2F), 7);
    EXPECT_EQ(deviation_code(1000), 255);
    EXPECT_EQ(rssi_mean_code(std::numeric_limits<float>::quiet_NaN()), 0);
}

}  // namespace test_channel_quality
}  // namespace gr::wimax::phy
