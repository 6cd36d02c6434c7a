// SPDX-License-Identifier: GPL-3.0-or-later
// Gain control against a made-up channel: a base station's level at the antenna, noise, a converter that cuts off. How
// soon steps settle, that nothing oscillates, and that a base station is found from any gain.
#include "blocks/gain_control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

namespace gr::wimax {
namespace {

constexpr ReceiveGainRange kB210{0, 76, 1, 40}, kSbx{0, 31.5, 0.5, 20};

/// Levels in dBm at the antenna; full scale is -10 dBm at gain 0.
class Channel {
public:
    explicit Channel(const ReceiveGainRange& range) : range_(range), control(range) {}

    /// Level that a receiver reports for a frame: on the scale of the configured gain, clipped by the converter.
    void frame(double dbm) {
        const double at_converter = std::min(converter(dbm), kCutDbfs);
        note(control.on_frame(at_converter - control.gain_db() + range_.asked_db));
    }
    void look(double loudest_dbm) {
        const double at_converter = std::min(converter(loudest_dbm), kCutDbfs);
        note(control.on_search(at_converter - control.gain_db() + range_.asked_db));
    }
    double converter(double dbm) const { return dbm + 10 + control.gain_db(); }
    int changes = 0;

private:
    static constexpr double kCutDbfs = -1;
    void note(std::optional<double> gain) {
        if (!gain) return;
        ++changes;
        EXPECT_NE(*gain, control.gain_db());
        EXPECT_GE(*gain, range_.low_db);
        EXPECT_LE(*gain, range_.high_db);
        const double steps = (*gain - range_.low_db) / range_.step_db;
        EXPECT_NEAR(steps, std::round(steps), 1e-9);
        control.use(*gain);
    }
    const ReceiveGainRange range_;

public:
    GainControl control;
};

bool settled(const Channel& c, double dbm) {
    return c.converter(dbm) <= GainControl::kHighestDbfs && c.converter(dbm) >= GainControl::kLowestDbfs;
}

TEST(GainControl, StepsOfTwentyDecibelsSettle) {
    for (const auto& [range, start] : {std::pair(kB210, -65.0), std::pair(kSbx, -45.0)})
        for (const double step : {20.0, -20.0, 10.0, -10.0}) {
            SCOPED_TRACE(step);
            Channel c(range);
            for (int i = 0; i < 50; ++i) c.frame(start);
            ASSERT_TRUE(settled(c, start));
            if (range.step_db == 0.5 && step == -20) continue;  // beyond its range
            const int before = c.changes;
            int frames = 0;
            for (; frames < 100 && !settled(c, start + step); ++frames) c.frame(start + step);
            EXPECT_LE(frames, step > 0 ? 2 : GainControl::kPatienceFrames);
            for (int i = 0; i < 500; ++i) c.frame(start + step);
            EXPECT_LE(c.changes, before + 2);
        }
}

/// The window is wider than the fading of a decent path; slow fades are followed, with few changes.
TEST(GainControl, FadingDoesNotMakeItOscillate) {
    Channel c(kB210);
    std::mt19937 random(5);
    std::normal_distribution<double> fade(0, 2);
    for (int i = 0; i < 100; ++i) c.frame(-60);
    const int before = c.changes;
    for (int i = 0; i < 2000; ++i) c.frame(-60 + std::clamp(fade(random), -6.0, 5.5));
    EXPECT_EQ(c.changes, before);
    for (int i = 0; i < 2000; ++i) c.frame(-60 + 15 * std::sin(2 * 3.14159 * i / 500));
    EXPECT_LE(c.changes, before + 4 * 2 * 5);  // four slow fades
}

/// One weak frame is a fade or an obstacle, no reason to raise the gain.
TEST(GainControl, SingleWeakFramesAreLeftAlone) {
    Channel c(kB210);
    for (int i = 0; i < 100; ++i) c.frame(-60);
    const int before = c.changes;
    for (int i = 0; i < 200; ++i) c.frame(i % 8 == 7 ? -60 : -95);
    EXPECT_EQ(c.changes, before);
}

TEST(GainControl, EndsAtItsLimits) {
    Channel c({10, 50, 1, 40});
    for (int i = 0; i < 100; ++i) c.frame(-120);
    EXPECT_EQ(c.control.gain_db(), 50);
    for (int i = 0; i < 100; ++i) c.frame(10);
    EXPECT_EQ(c.control.gain_db(), 10);
    EXPECT_LE(c.changes, 4);
}

/// Noise alone: the gain leaves margin on both sides and stays. A base station 40 dB stronger or weaker than the
/// configured gain expects then reaches a detectable level within half a second of looks.
TEST(GainControl, SearchesWithASaneGain) {
    constexpr double kNoiseDbm = -98, kMadeForDbm = -65;
    for (const double asked : {0.0, 40.0, 76.0})
        for (const double base_dbm : {kMadeForDbm - 30, kMadeForDbm, kMadeForDbm + 40}) {
            SCOPED_TRACE(testing::Message() << asked << " dB, base station at " << base_dbm);
            Channel c({0, 76, 1, asked});
            for (int i = 0; i < 300; ++i) c.look(kNoiseDbm + 0.1 * (i % 7));
            EXPECT_GE(c.converter(kNoiseDbm), GainControl::kSearchLowestDbfs);
            EXPECT_LE(c.converter(kNoiseDbm), GainControl::kSearchHighestDbfs);
            const int before = c.changes;
            for (int i = 0; i < 300; ++i) c.look(kNoiseDbm + 0.1 * (i % 7));
            EXPECT_EQ(c.changes, before);
            for (int i = 0; i < 50; ++i) c.look(base_dbm + 3);  // its preamble
            EXPECT_LE(c.converter(base_dbm), -9);               // not cut off
            EXPECT_GE(c.converter(base_dbm), -60);              // well above a converter's noise
            for (int i = 0; i < 50; ++i) c.frame(base_dbm);
            EXPECT_TRUE(settled(c, base_dbm) || c.control.gain_db() == 76) << c.converter(base_dbm);
        }
}

/// The rule of the table alone: weak levels since the last level that was good or loud, or the last change.
class PlainRule {
public:
    PlainRule(double target, double highest, double lowest, size_t patience, double most_rise)
        : target_(target), highest_(highest), lowest_(lowest), patience_(patience), most_rise_(most_rise) {}
    /// Gain change in dB.
    std::optional<double> see(double level) {
        if (level > highest_) {
            weak_.clear();
            return target_ - level;
        }
        if (level >= lowest_) weak_.clear();
        if (level >= lowest_) return std::nullopt;
        weak_.push_back(level);
        if (weak_.size() < patience_) return std::nullopt;
        const double strongest = *std::max_element(weak_.begin(), weak_.end());
        weak_.clear();
        return std::min(target_ - strongest, most_rise_);
    }
    void used() { weak_.clear(); }

private:
    double target_, highest_, lowest_;
    size_t patience_;
    double most_rise_;
    std::vector<double> weak_;
};

/// Levels of all kinds in any order, for a control with fine steps. Some requested gains are not used: the radio may be
/// busy.
TEST(GainControl, IsTheRuleOfItsTableWhateverComes) {
    constexpr ReceiveGainRange kFine{-1e6, 1e6, 0, 40};
    for (const bool search : {false, true}) {
        GainControl control(kFine);
        PlainRule rule = search ? PlainRule(-30, -12, -36, 10, 10) : PlainRule(-18, -12, -26, 8, 1000);
        std::mt19937 random(search ? 3 : 4);
        std::uniform_real_distribution<double> weak(-60, search ? -36 : -26), good(search ? -36 : -26, -12);
        std::uniform_real_distribution<double> loud(-11.9, 0);
        int changes = 0;
        for (int i = 0; i < 20'000; ++i) {
            const auto kind = random() % 100;
            const double level = kind < 92 ? weak(random) : kind < 97 ? good(random) : loud(random);
            const double reported = level - control.gain_db() + kFine.asked_db;
            const auto change = rule.see(level);
            const auto gain = search ? control.on_search(reported) : control.on_frame(reported);
            ASSERT_EQ(gain.has_value(), change.has_value()) << i;
            if (!gain) continue;
            ++changes;
            ASSERT_NEAR(*gain, control.gain_db() + *change, 1e-6) << i;
            if (random() % 4 == 0) continue;
            control.use(*gain);
            rule.used();
        }
        EXPECT_GT(changes, 1000);
        for (int i = 0; i < 20; ++i) {
            EXPECT_FALSE(control.on_frame(-40 - control.gain_db() + kFine.asked_db));
            control.use(control.gain_db());  // a gain that was set by hand: patience begins again
        }
    }
}

/// Without any signal the gain rises to its maximum.
TEST(GainControl, SilenceGoesToTheHighestGain) {
    Channel c(kSbx);
    for (int i = 0; i < 100; ++i) c.look(-200);
    EXPECT_EQ(c.control.gain_db(), 31.5);
}

}  // namespace
}  // namespace gr::wimax
