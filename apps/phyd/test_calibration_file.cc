// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/calibration_file.h"

#include <gtest/gtest.h>

namespace wimax::phyd {
namespace test_calibration_file {

using Lines = std::vector<std::string>;

Lines faults_of(const std::string& yaml) {
    const auto points = parse_calibration(yaml, "cal.yml");
    return points ? Lines{} : points.error().lines();
}

TEST(CalibrationFile, AListOfPoints) {
    const auto points = parse_calibration(
        "# measured\n- {serial: 30AD, direction: tx, antenna: TX/RX, frequency_hz: 3.5e9, gain_db: 60, full_scale_dbm: "
        "7.5}\n"
        "- {direction: rx, frequency_hz: 3.5e9, gain_db: 30, full_scale_dbm: -41.25}\n",
        "cal.yml");
    ASSERT_TRUE(points) << points.error().str();
    ASSERT_EQ(points->size(), 2u);
    const auto& first = points->front();
    EXPECT_EQ(first.serial, "30AD");
    EXPECT_TRUE(first.transmit);
    EXPECT_EQ(first.antenna, "TX/RX");
    EXPECT_EQ(first.frequency_hz, 3.5e9);
    EXPECT_EQ(first.gain_db, 60);
    EXPECT_EQ(first.full_scale_dbm, 7.5);
    EXPECT_FALSE(points->back().transmit);
    EXPECT_EQ(points->back().full_scale_dbm, -41.25);
}

TEST(CalibrationFile, FaultsNameLineAndKey) {
    EXPECT_EQ(faults_of("- {direction: up, frequency_hz: 1e9, gain_db: 1, full_scale_dbm: 0}\n"
                        "- {direction: rx, frequency_hz: 1e9, gain_db: 999}\n"),
              (Lines{"cal.yml:1: points[0].direction: value up: allowed tx, rx",
                     "cal.yml:2: points[1].gain_db: value 999: allowed numbers -200..200",
                     "cal.yml:2: points[1].full_scale_dbm: value (missing): allowed numbers -200..100"}));
    EXPECT_FALSE(faults_of("serial: 1\n").empty());
    EXPECT_FALSE(faults_of("").empty());  // the file may have been cut
    EXPECT_EQ(read_calibration("/nowhere/cal.yml").error().lines(),
              Lines{"value /nowhere/cal.yml: allowed a readable YAML list; this one: No such file or directory"});
}

}  // namespace test_calibration_file
}  // namespace wimax::phyd
