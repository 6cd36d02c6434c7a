// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of models: installed ones are readable and have the required values, a wrong one is refused with its
// line. Clocks: a driver's choice for a rate, compared with its formula computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/scratch.h"
#include "vrf/model_clock.h"

namespace wimax::vrf {
namespace {

using testing::HasSubstr;

Personality model(const std::string& name) {
    auto p = load_personality(name);
    EXPECT_TRUE(p) << p.error().str();
    return p.value_or(Personality{});
}

ModelClock clock_of(const std::string& name, std::optional<double> hz = {}) {
    return ModelClock::make(model(name), 5.76e6, hz).value();
}

std::string printed(Personality p) {
    config::Schema schema;
    declare(schema, p);
    return schema.print();
}

TEST(Personality, IdealIsWhatNoDescriptionSays) {
    EXPECT_EQ(printed(model(WIMAX_RADIOS "/ideal.yml")), printed(Personality{}));
    EXPECT_EQ(printed(model("ideal")), printed(Personality{}));
}

TEST(Personality, ModelsByName) {
    EXPECT_EQ(model("b210").rx.max_gain_db, 76);
    EXPECT_EQ(model("b210").tx.gain_step_db, 0.25);
    EXPECT_FALSE(model("b210").internal_ref_locked);
    EXPECT_EQ(model("n210-sbx").tx.max_gain_db, 31.5);
    EXPECT_EQ(model("x310-ubx").clocks_hz, (std::vector{200e6, 184.32e6}));
    EXPECT_EQ(model("n310").rx.antenna, "RX2");
    for (const char* name : {"b210", "n210-sbx", "x310-ubx", "n310"}) {
        EXPECT_EQ(model(name).rx.antenna, "RX2") << name;
        EXPECT_EQ(model(name).cabled_antenna, "TX/RX") << name;
        EXPECT_TRUE(model(name).late_packets) << name;
    }
}

TEST(Personality, WrongOnesAreRefused) {
    const auto unknown = load_personality("b211");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().str(), HasSubstr("b210, ideal, n210-sbx, n310, x310-ubx"));
    const std::string path = Scratch::path("mine.yml");
    std::ofstream(path) << "board: mine\nrx: { antennas: [A], antenna: B }\n";
    const auto wrong = load_personality(path);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().str(), HasSubstr("mine.yml:2: rx.antenna: value B: allowed one of rx.antennas"));
    EXPECT_FALSE(load_personality(path + ".not"));
}

TEST(Personality, AnalogPartsThatCannotBeAreRefused) {
    const std::string path = Scratch::path("analog.yml");
    const auto refused = [&path](const std::string& rf) {
        std::ofstream(path) << "board: mine\nrf:\n  " << rf << "\n";
        const auto p = load_personality(path);
        return p ? "accepted" : p.error().str();
    };
    EXPECT_EQ(refused("noise_figure: [{ gain_db: 0, figure_db: 9 }, { gain_db: 1, figure_db: 9 }]"), "accepted");
    EXPECT_THAT(refused("noise_figure: [{ gain_db: 9, figure_db: 9 }, { gain_db: 9, figure_db: 5 }]"),
                HasSubstr("analog.yml:3: rf.noise_figure: value not ascending: allowed gains that ascend"));
    EXPECT_THAT(refused("rx: { image_dbc: -30, iq_phase_deg: 1 }"), HasSubstr("rf.rx.image_dbc"));
    EXPECT_THAT(refused("tx: { bits: 1 }"), HasSubstr("rf.tx.bits"));
    EXPECT_THAT(refused("own_isolation_db: -1"), HasSubstr("rf.own_isolation_db"));
    EXPECT_THAT(refused("port_isolation_db: -1"), HasSubstr("rf.port_isolation_db"));
    EXPECT_THAT(refused("switch_us: 1001"), HasSubstr("rf.switch_us"));
    EXPECT_THAT(refused("recovery_us: -1"), HasSubstr("rf.recovery_us"));
    EXPECT_THAT(refused("recovery_dbfs: 21"), HasSubstr("rf.recovery_dbfs"));
}

/// 46.08 MHz: times 12 and 2 is 1105.92 MHz, 27.648 times the reference; 0.648 x 2088960 = 1353646.08 is rounded.
TEST(ModelClock, FractionalDividerOfTheAd9361) {
    const double vco_hz = 40e6 * (27 + 1353646.0 / 2088960);
    EXPECT_DOUBLE_EQ(ad9361_clock_hz(46.08e6), vco_hz / 24);
    EXPECT_DOUBLE_EQ(ad9361_clock_hz(32e6), 32e6);
    EXPECT_EQ(ad9361_clock_hz(62e6), 0);
    auto clock = clock_of("b210");
    EXPECT_NEAR(clock.set_rate(false, 5.76e6), 5759999.992, 1e-3);
    EXPECT_NEAR(clock.clock_hz(), 8 * 5759999.992, 8e-3);
    EXPECT_EQ(clock.set_rate(true, 4e6), 4e6);
    EXPECT_EQ(clock.clock_hz(), 32e6);
    EXPECT_NEAR(clock.set_clock(57.6e6), 57.6e6, 1);  // chosen by the host: it stays
    EXPECT_NEAR(clock.set_rate(false, 4e6), 57.6e6 / 14, 1);
}

/// A rate without a possible clock leaves the clock unchanged; the rate is then the nearest one of that clock.
TEST(ModelClock, ImpossibleRatesLeaveTheClock) {
    for (const double before_hz : {4e6, 5.76e6}) {
        auto clock = clock_of("b210");
        clock.set_rate(false, before_hz);
        const double clock_hz = clock.clock_hz();
        const auto rates = clock.rates_hz();
        for (const double hz : {0.0, 0.4, -5.76e6, 1e9, 6.2e7}) {
            const double rate_hz = clock.set_rate(true, hz);
            EXPECT_EQ(clock.clock_hz(), clock_hz) << hz;
            EXPECT_EQ(rate_hz, hz < 1 ? rates.front() : rates.back()) << hz;
        }
    }
}

TEST(ModelClock, WholePartsOfFixedClocks) {
    auto n210 = clock_of("n210-sbx");
    EXPECT_EQ(n210.set_clock(61.44e6), 100e6);
    EXPECT_DOUBLE_EQ(n210.set_rate(false, 5.76e6), 100e6 / 17);
    EXPECT_TRUE(n210.cic_alone(false));
    n210.set_rate(false, 100e6 / 18);
    EXPECT_FALSE(n210.cic_alone(false));
    EXPECT_DOUBLE_EQ(n210.set_rate(false, 100e6 / 301), 100e6 / 300);  // in fours from 256 on
    EXPECT_EQ(n210.rates_hz().back(), 25e6);                           // limit of its Ethernet
    EXPECT_EQ(clock_of("x310-ubx").set_clock(184.32e6), 200e6);        // only when it is opened
    EXPECT_EQ(clock_of("x310-ubx", 184.32e6).set_rate(true, 5.76e6), 5.76e6);
    const auto wrong = ModelClock::make(model("x310-ubx"), 5.76e6, 100e6);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().str(), HasSubstr("184320000, 2e+08"));
    EXPECT_EQ(clock_of("n310").set_clock(123e6), 122.88e6);
    auto ideal = clock_of("ideal");
    EXPECT_EQ(ideal.set_rate(false, 1e6), 5.76e6);
    EXPECT_FALSE(ideal.cic_alone(false));
    EXPECT_EQ(ideal.set_clock(1e6), 5.76e6);
}

}  // namespace
}  // namespace wimax::vrf
