// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/calibration.h>

#include <gtest/gtest.h>

namespace gr::wimax {
namespace {

const std::vector<CalibrationPoint> kPoints{
    {"30AD", true, "TX/RX", 2e9, 40, -2},   {"30AD", true, "TX/RX", 2e9, 60, 16}, {"30AD", true, "TX/RX", 3e9, 40, -6},
    {"30AD", false, "RX2", 2e9, 30, -40},   {"30AD", false, "", 2e9, 50, -58},    {"", false, "", 2e9, 30, -35},
    {"other", true, "TX/RX", 2e9, 40, 100},
};

std::optional<double> tx(double frequency_hz, double gain_db, const char* serial = "30AD") {
    return full_scale_dbm(kPoints, {serial, true, "TX/RX", frequency_hz, gain_db});
}
std::optional<double> rx(double gain_db, const char* serial = "30AD", const char* antenna = "RX2") {
    return full_scale_dbm(kPoints, {serial, false, antenna, 2e9, gain_db});
}

TEST(Calibration, PointsThemselves) {
    EXPECT_DOUBLE_EQ(tx(2e9, 40).value(), -2);
    EXPECT_DOUBLE_EQ(tx(2e9, 60).value(), 16);
    EXPECT_DOUBLE_EQ(tx(3e9, 40).value(), -6);
    EXPECT_DOUBLE_EQ(tx(2e9, 40, "other").value(), 100);
}
TEST(Calibration, BetweenPointsByGainThenByFrequency) {
    EXPECT_DOUBLE_EQ(tx(2e9, 45).value(), 2.5);
    EXPECT_DOUBLE_EQ(tx(2.25e9, 40).value(), -3);
    EXPECT_DOUBLE_EQ(tx(2.5e9, 50).value(), (7 + 4) / 2.0);  // 4: 3 GHz has one gain, ten below
}
TEST(Calibration, BeyondThePoints) {
    EXPECT_DOUBLE_EQ(tx(2e9, 70).value(), 26);
    EXPECT_DOUBLE_EQ(tx(2e9, 30).value(), -12);
    EXPECT_DOUBLE_EQ(tx(1e9, 40).value(), -2);
    EXPECT_DOUBLE_EQ(tx(6e9, 40).value(), -6);
    EXPECT_DOUBLE_EQ(rx(20).value(), -30);  // receiving, full scale falls with the gain
    EXPECT_DOUBLE_EQ(rx(60).value(), -68);
}
TEST(Calibration, OfWhichRadioAndPort) {
    EXPECT_DOUBLE_EQ(rx(30).value(), -40);  // this radio's value has priority over that for any radio
    EXPECT_DOUBLE_EQ(rx(30, "unknown").value(), -35);
    EXPECT_DOUBLE_EQ(rx(30, "30AD", "TX/RX").value(), -35);
    EXPECT_FALSE(tx(2e9, 40, "unknown"));
    EXPECT_FALSE(full_scale_dbm({}, {"30AD", true, "TX/RX", 2e9, 40}));
}

}  // namespace
}  // namespace gr::wimax
