// SPDX-License-Identifier: GPL-3.0-or-later
// The division of a transmitter's power over its whole range, for the gain steps of existing models: never above the
// head-room, with good use of the converter's bits and rare changes. Gain and samples together are exact at the front
// end, for any rounding of its device and any calibration.
#include "radio/test_frontend.h"

#include "radio/power_plan.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace gr::wimax::test {
namespace {

struct Model {
    const char* name;
    GainRange gains;
};
/// As in config/radios.
const Model kModels[] = {{"b210", {0, 89.75, 0.25}},
                         {"n210-sbx", {0, 31.5, 0.5}},
                         {"x310-ubx", {0, 31.5, 0.5}},
                         {"n310", {0, 65, 1}},
                         {"coarse", {-10, 30, 6}}};
constexpr double kRangeDb = 12;

TEST(PowerPlan, KeepsSamplesInTheirRangeOverAllLevels) {
    for (const auto& model : kModels)
        for (const double highest : {model.gains.high_db, std::round(model.gains.high_db / 2)}) {
            SCOPED_TRACE(std::string(model.name) + " up to " + std::to_string(highest));
            PowerPlan plan(model.gains, highest, kRangeDb);
            std::mt19937 random(7);
            std::uniform_int_distribution<int> tenths(0, 600);
            for (int i = 0; i < 2000; ++i) {
                const double level = -0.1 * tenths(random);
                for (int repeat = 0; repeat <= PowerPlan::kPatience; ++repeat) {
                    const auto gain = plan.wanted_gain(level);
                    if (gain) plan.use(*gain);
                    const double digital = level + highest - plan.gain_db();
                    ASSERT_LE(digital, 1e-6) << level;  // from the first piece on
                    ASSERT_LE(plan.gain_db(), highest);
                    ASSERT_GE(plan.gain_db(), model.gains.low_db);
                    if (repeat < PowerPlan::kPatience || plan.gain_db() == model.gains.low_db) continue;
                    ASSERT_GE(digital, -kRangeDb - 1e-6) << level;
                }
            }
        }
}

TEST(PowerPlan, ChangesAreRare) {
    const GainRange gains = kModels[0].gains;
    PowerPlan plan(gains, gains.high_db, kRangeDb);
    int changes = 0;
    const auto send = [&](double level) {
        const auto gain = plan.wanted_gain(level);
        if (gain) plan.use(*gain);
        changes += gain.has_value();
    };
    for (int i = 0; i < 100; ++i) send(-30);
    EXPECT_EQ(changes, 1);
    // Power control's steps, and now and then a piece of few carriers: within the range, or too short to count.
    std::mt19937 random(3);
    std::uniform_real_distribution<double> around(-35, -25);
    for (int i = 0; i < 1000; ++i) send(i % 10 == 0 ? -55 : around(random));
    EXPECT_EQ(changes, 1);
    send(-5);
    EXPECT_EQ(changes, 2);
    EXPECT_NEAR(plan.gain_db(), gains.high_db - 5 + kRangeDb / 2 > gains.high_db ? gains.high_db : 0, 1e-9);
}

/// The rule only: levels of the pieces since the last change.
TEST(PowerPlan, IsPatientFromTheLastChangeOn) {
    const GainRange gains{0, 100, 0};
    PowerPlan plan(gains, 80, kRangeDb);
    double gain = 80;
    size_t below = 0, far = 0;
    std::mt19937 random(9);
    std::uniform_real_distribution<double> any(-60, 0), near(-25, -10);
    int changes = 0;
    for (int i = 0; i < 50'000; ++i) {
        const double level = random() % 40 == 0 ? any(random) : gain - 80 + near(random);
        const double digital = std::min(level, 0.0) + 80 - gain;
        below = digital < -kRangeDb - 1e-6 ? below + 1 : 0;
        far = digital < -kRangeDb - PowerPlan::kFarDb - 1e-6 ? far + 1 : 0;
        const bool wanted = digital > 1e-6 || below >= PowerPlan::kPatience || far >= PowerPlan::kFarPatience;
        const double better = std::clamp(80 + std::min(level, 0.0) + kRangeDb / 2, 0.0, 80.0);
        const auto got = plan.wanted_gain(std::min(level, 0.0));
        ASSERT_EQ(got.has_value(), wanted && std::abs(better - gain) > 1e-6) << i;
        if (wanted) below = far = 0;
        if (random() % 500 == 0) {  // a requested gain
            gain = 60 + static_cast<double>(random() % 20);
            plan.use(gain);
            below = far = 0;
            continue;
        }
        if (!got) continue;
        ASSERT_NEAR(*got, better, 1e-9);
        ++changes;
        if (random() % 3 == 0) continue;  // the radio could not set it: the count restarts
        plan.use(gain = *got);
        below = far = 0;
    }
    EXPECT_GT(changes, 500);
}

/// A station's first attempts, 40 dB below: the oscillator's leakage, 37 dB below full scale, hides them.
TEST(PowerPlan, LeakageDoesNotHideWeakPiecesForLong) {
    const GainRange gains = kModels[0].gains;
    PowerPlan plan(gains, gains.high_db - 18, kRangeDb);
    EXPECT_FALSE(plan.wanted_gain(-40));
    const auto gain = plan.wanted_gain(-40);
    ASSERT_TRUE(gain);
    EXPECT_NEAR(*gain, gains.high_db - 18 - 40 + kRangeDb / 2, 1e-9);
}

TEST(PowerPlan, GainsLieOnSteps) {
    const GainRange gains{-10, 30, 6};
    PowerPlan plan(gains, 27, kRangeDb);
    for (int i = 0; i < PowerPlan::kPatience - 1; ++i) EXPECT_FALSE(plan.wanted_gain(-20));
    EXPECT_EQ(plan.wanted_gain(-20), 14);  // 27 - 20 + 6 = 13
    plan.use(14);
    EXPECT_EQ(plan.wanted_gain(0), 27);  // not on a step, but requested
}

/// The output is the product of gain and samples; the mock's gain is read back.
class PowerOfFrontend : public Frontend {
protected:
    void SetUp() override {
        Frontend::SetUp();
        config.tx_gain_db = 80;
        config.digital_range_db = kRangeDb;
        config.headroom_db = 9;
    }
    double gain_db() { return device->value<double>("/mboards/0/dboards/A/tx_frontends/0/gains/PGA/value"); }
    /// In dB below the piece before the first one. Each arrives after a frame.
    double send(double level_dbfs) {
        at_ += 28'800;
        receives(at_ - 5760, 100);
        receive();
        TransmitPiece piece(samples_);
        piece.level_dbfs = level_dbfs;
        samples_.assign(100, {static_cast<float>(std::pow(10, level_dbfs / 20)), 0});
        piece.first = samples_;
        EXPECT_TRUE(transmit(at_, piece));
        EXPECT_TRUE(device->tx->wait_for_pieces(++pieces_));
        loudest_dbfs = 20 * std::log10(device->tx->calls().back().samples.at(50).real());
        return gain_db() + loudest_dbfs;
    }
    double loudest_dbfs = 0;

private:
    Samples samples_{1};
    int64_t at_ = 100'000;
    size_t pieces_ = 0;
};

TEST_F(PowerOfFrontend, IsExactOverSixtyDecibels) {
    open();
    const double full = send(0);
    EXPECT_NEAR(full, 80 - 9, 1e-4);
    double highest = -100;
    for (int i = 0; i <= 600; i += 7)
        for (int repeat = 0; repeat < PowerPlan::kPatience; ++repeat) {
            ASSERT_NEAR(send(-0.1 * i), full - 0.1 * i, 0.01);
            highest = std::max(highest, loudest_dbfs);
        }
    EXPECT_LE(highest, -9 + 1e-3);
    EXPECT_GE(loudest_dbfs, -9 - kRangeDb);
    EXPECT_LT(gain_db(), 80 - 45);
    ASSERT_NEAR(send(0), full, 0.01);  // the first one is as strong as the others
    EXPECT_EQ(radio->tx_gain_db(), 80);
    EXPECT_EQ(radio->gains_now().tx_db, 80);
}

/// A calibration that is not a straight line: the samples compensate the gain's error.
TEST_F(PowerOfFrontend, GoesByTheCalibration) {
    config.calibration = {
        {"", true, "TX/RX", 3.5e9, 80, 10}, {"", true, "TX/RX", 3.5e9, 50, -17}, {"", true, "TX/RX", 3.5e9, 20, -50}};
    open();
    const auto dbm = [&](double level) {
        send(level);
        const double gain = gain_db();
        return loudest_dbfs + (gain > 50 ? 10 + (gain - 80) * 27 / 30 : -17 + (gain - 50) * 33 / 30);
    };
    for (int i = 0; i < 20; ++i) ASSERT_NEAR(dbm(-25), 1 - 25, 0.01);
    EXPECT_LT(gain_db(), 65);
    for (int i = 0; i < 20; ++i) ASSERT_NEAR(dbm(-50), 1 - 50, 0.01);
    EXPECT_LT(gain_db(), 45);
}

TEST_F(PowerOfFrontend, AGainThatWasAskedForBeginsAnew) {
    open();
    for (int i = 0; i < 20; ++i) send(-40);
    EXPECT_LT(gain_db(), 60);
    radio->set_gains(70, 0);
    EXPECT_EQ(gain_db(), 70);
    EXPECT_NEAR(send(0), 70 - 9, 1e-4);
    for (int i = 0; i < 20; ++i) ASSERT_NEAR(send(-40), 70 - 9 - 40, 0.01);
    EXPECT_EQ(radio->tx_gain_db(), 70);
    EXPECT_LT(radio->gains_now().tx_db, 50);
}

/// A limit far below the requested gain is met by a lower gain, not by the lowest bits.
TEST_F(PowerOfFrontend, TheLimitOfThePowerIsKeptByTheGain) {
    config.tx_full_scale_dbm = 20;
    config.limits.max_power_dbm = -20;
    open();
    for (int i = 0; i < 20; ++i) ASSERT_NEAR(send(0), 80 - 43.01, 0.01);
    EXPECT_LT(gain_db(), 60);
    EXPECT_NEAR(loudest_dbfs, -9, kRangeDb);
}

/// While a piece is on the air its gain is left alone.
TEST_F(PowerOfFrontend, NoGainChangesUnderABurst) {
    open();
    for (int i = 0; i < 20; ++i) send(-40);
    const double before = gain_db();
    receives(9'990'000, 100);
    receive();
    Samples samples(100, {1, 0});
    TransmitPiece piece(samples);
    piece.level_dbfs = 0;
    ASSERT_TRUE(transmit(10'000'000, piece));
    ASSERT_TRUE(device->tx->wait_for_pieces(22 - 1));
    EXPECT_GT(gain_db(), before);
    const double now = gain_db();
    for (int i = 0; i < 2 * PowerPlan::kPatience; ++i) {  // before the reception of that time
        piece.level_dbfs = -40;
        ASSERT_TRUE(transmit(10'001'000 + i * 1000, piece));
        ASSERT_TRUE(device->tx->wait_for_pieces(22 + static_cast<size_t>(i)));
        ASSERT_EQ(gain_db(), now);
    }
}

}  // namespace
}  // namespace gr::wimax::test
