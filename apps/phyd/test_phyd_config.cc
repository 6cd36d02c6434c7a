// SPDX-License-Identifier: GPL-3.0-or-later
// The configuration of wimax-phyd: permission to transmit, a calibration file's points, faults with their lines.
#include "phyd/phyd_config.h"

#include "common/scratch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace wimax::phyd {
namespace {

TEST(PhydConfigTest, TransmitsWhereItWasSaid) {
    const auto enabled = [](TransmitSwitch tx_enable, const char* device) {
        PhydConfig c;
        c.tx_enable = tx_enable;
        c.radio.device_args = device;
        return transmit_limits(c).enable;
    };
    EXPECT_FALSE(transmit_limits(PhydConfig{}).enable);
    EXPECT_FALSE(enabled(TransmitSwitch::off, "type=vrf"));
    EXPECT_TRUE(enabled(TransmitSwitch::virtual_only, "type=vrf,name=bs"));
    EXPECT_FALSE(enabled(TransmitSwitch::virtual_only, "type=b200"));
    EXPECT_FALSE(enabled(TransmitSwitch::virtual_only, ""));
    EXPECT_TRUE(enabled(TransmitSwitch::on, "type=b200"));
}

TEST(PhydConfigTest, PrintsTheTimeThatTheMacHasToRespond) {
    PhydConfig c;
    c.tick_lead_us = 4000;
    c.turnaround_us = 3000;
    c.deadline_lead_us = 700;
    const auto response_time = [&c](sap::Role role) {
        c.role = role;
        return derived(c).front().second;
    };
    EXPECT_EQ(response_time(sap::Role::base_station), "3300");
    EXPECT_EQ(response_time(sap::Role::subscriber_station), "2300");
}

TEST(PhydConfigTest, PointsOfTheCalibrationFileAreTheRadios) {
    const std::filesystem::path file = Scratch::path("calibration.yml");
    std::ofstream(file) << "- {direction: rx, frequency_hz: 3.5e9, gain_db: 30, full_scale_dbm: -41.25}\n";
    PhydConfig c;
    config::Schema schema("wimax-phyd");
    declare(schema, c);
    const auto load = [&] {
        return schema.load("role: bs\nradio: {calibration_file: " + file.string() + "}\n", "a.yml");
    };
    EXPECT_TRUE(load().empty());
    ASSERT_EQ(c.radio.calibration.size(), 1u);
    EXPECT_EQ(c.radio.calibration[0].full_scale_dbm, -41.25);
    std::ofstream(file) << "- {direction: rx, frequency_hz: 3.5e9, gain_db: 30}\n";
    EXPECT_EQ(load().lines(),
              std::vector<std::string>{file.string() +
                                       ":1: points[0].full_scale_dbm: value (missing): allowed numbers -200..100"});
    std::filesystem::remove(file);
    EXPECT_EQ(load().lines(),
              std::vector<std::string>{"a.yml:2: radio.calibration_file: value " + file.string() +
                                       ": allowed a readable YAML list; this one: No such file or directory"});
}

TEST(PhydConfigTest, FaultsOfTheLimitsComeAllAtOnceWithTheirLines) {
    PhydConfig c;
    config::Schema schema("wimax-phyd");
    declare(schema, c);
    const auto faults = schema.load(
        "role: bs\nradio:\n  device: type=b200\n  tx_enable: true\n  allowed_bands:\n    - {low_hz: 3e9, high_hz: "
        "2e9}\n",
        "bench.yml");
    EXPECT_EQ(faults.lines(), (std::vector<std::string>{
                                  "bench.yml:3: radio.max_power_dbm: value null: allowed with tx_enable: -100..60",
                                  "bench.yml:6: radio.allowed_bands[0]: value 3000 .. 2000 MHz: allowed low_hz below "
                                  "high_hz, neither below 0"}));
}

}  // namespace
}  // namespace wimax::phyd
