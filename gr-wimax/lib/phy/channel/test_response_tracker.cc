// SPDX-License-Identifier: GPL-3.0-or-later
// The channel followed from symbol to symbol.
#include "phy/channel/response_tracker.h"
#include "phy/channel/test_flat_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gr::wimax::phy::test {
namespace test_response_tracker {

/// Adds errors of noise, and of a response `turn` times the estimate.
void add_errors(double noise, Complex turn, std::mt19937_64& random, SymbolPlanes& planes) {
    std::normal_distribution<float> gauss(0, static_cast<float>(std::sqrt(noise / 2)));
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        if (k == 0) continue;
        planes.lack_re[SymbolPlanes::place(k)] += gauss(random) + turn.real() - 1;
        planes.lack_im[SymbolPlanes::place(k)] += gauss(random) + turn.imag();
    }
}

/// Errors of a constant channel are noise. They are summed over as many symbols as it would need to change by a tenth
/// of the noise's amplitude, at most 16. While the channel's speed is a guess, the sums grow by a symbol after two.
TEST(ResponseTracker, ErrorsOfAStillChannelAreSummedBeforeTheyAreUsed) {
    for (const double noise : {0.1, 0.01, 0.001}) {
        auto channel = flat_channel(noise);
        ResponseTracker tracker;
        ResponseState state;
        tracker.start(channel, 32, {}, 0.5, kLongPreambleLooks, state);
        tracker.begin_burst(3, state, channel);
        SymbolPlanes planes;
        std::mt19937_64 random(11);
        std::normal_distribution<float> gauss(0, static_cast<float>(std::sqrt(noise / 2)));
        double expected = 1;  // nothing is known yet
        int summed = 0, longest = 0, looks = 0;
        for (int symbol = 0; symbol < 400; ++symbol) {
            for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
                if (k == 0) continue;
                const Complex lack = 1.0F / channel.response[k] - 1.0F;
                planes.lack_re[SymbolPlanes::place(k)] += gauss(random) + lack.real();
                planes.lack_im[SymbolPlanes::place(k)] += gauss(random) + lack.imag();
            }
            ++summed;
            if (!tracker.follow(planes, state, channel)) continue;
            EXPECT_NEAR(summed, expected, 1 + 0.1 * expected) << noise << ' ' << symbol;
            longest = std::max(longest, summed);
            summed = 0;
            double change = 0;
            for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n)
                change += static_cast<double>(state.speed * state.power[n]) * kFftSize / kUsedCarriers;
            expected = std::clamp(std::sqrt(0.01 * noise / change), 1.0, std::min(16.0, 1 + 0.5 * ++looks));
        }
        // At 30 dB the slowest channel that is assumed, 1 Hz, changes by a tenth of the noise in fewer symbols.
        EXPECT_GE(longest, noise > 0.005 ? 16 : 12) << noise;
        EXPECT_LE(longest, 16) << noise;
    }
}

/// A speed known from earlier frames needs no growth.
TEST(ResponseTracker, AGuessedSpeedIsLookedAtOften) {
    const auto lengths = [](double known_doppler_hz) {
        auto channel = flat_channel(0.1);
        ResponseTracker tracker;
        ResponseState state;
        if (known_doppler_hz > 0) state.speed = ResponseState::speed_of(known_doppler_hz, {});
        tracker.start(channel, 32, {}, 0.5, kLongPreambleLooks, state);
        tracker.begin_burst(3, state, channel);
        SymbolPlanes planes;
        std::mt19937_64 random(11);
        std::vector<int> all(1);
        for (int symbol = 0; symbol < 100; ++symbol) {
            add_errors(0.1, 1, random, planes);
            ++all.back();
            if (tracker.follow(planes, state, channel)) all.push_back(0);
        }
        all.pop_back();
        return all;
    };
    const auto guessed = lengths(0), known = lengths(1);
    ASSERT_GE(guessed.size(), 10U);
    for (size_t i = 0; i < guessed.size(); ++i) EXPECT_LE(guessed[i], 1 + static_cast<int>(i) / 2) << i;
    ASSERT_GE(known.size(), 2U);
    EXPECT_EQ(known[1], 16);
}

/// What a symbol showed can be taken back, and used again with better decisions.
TEST(ResponseTracker, TakesBackWhatItSaw) {
    auto channel = flat_channel(0.001);
    ResponseTracker tracker, other;
    ResponseState state;
    for (auto* each : {&other, &tracker}) {
        state = {};
        each->start(channel, 32, {}, 0.5, kLongPreambleLooks, state);
        each->begin_burst(3, state, channel);
    }
    EXPECT_FALSE(tracker.take_back(state, channel)) << "nothing was seen";
    const auto channel_before = channel;
    const auto state_before = state;
    SymbolPlanes planes;
    std::mt19937_64 random(3);
    add_errors(0.001, {0, -1}, random, planes);
    ASSERT_TRUE(tracker.see(planes, state, channel));
    EXPECT_NE(state.value_re, state_before.value_re);
    ASSERT_TRUE(tracker.take_back(state, channel));
    EXPECT_FALSE(tracker.take_back(state, channel)) << "only once";
    EXPECT_EQ(channel.response.values, channel_before.response.values);
    EXPECT_EQ(channel.inverse.values, channel_before.inverse.values);
    EXPECT_EQ(channel.snr.values, channel_before.snr.values);
    // From here on it is the same as if nothing had been seen.
    auto other_channel = channel_before;
    auto other_state = state_before;
    add_errors(0.001, {0.9F, 0.1F}, random, planes);
    SymbolPlanes other_planes = planes;
    ASSERT_TRUE(tracker.follow(planes, state, channel));
    ASSERT_TRUE(other.follow(other_planes, other_state, other_channel));
    EXPECT_EQ(state.value_re, other_state.value_re);
    EXPECT_EQ(state.rate_im, other_state.rate_im);
    EXPECT_EQ(state.speed, other_state.speed);
    EXPECT_EQ(state.position, other_state.position);
    EXPECT_EQ(channel.response.values, other_channel.response.values);
}

/// For each carrier the worse of the known value and that of a midamble.
TEST(ResponseTracker, AMidambleTakesTrustAndGivesNone) {
    std::mt19937_64 random(12);
    std::uniform_real_distribution<float> purity(0.05F, 1);
    auto channel = flat_channel(0.01);
    ResponseTracker tracker;
    ResponseState state;
    tracker.start(channel, 32, {}, 0.5, kLongPreambleLooks, state);
    PerCarrier<float> worst = channel.purity;
    for (int midamble = 1; midamble <= 4; ++midamble) {
        ChannelEstimate fresh = channel;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
            fresh.purity[k] = purity(random);
            worst[k] = std::min(worst[k], fresh.purity[k]);
        }
        fresh.complete();
        tracker.merge(fresh, 10 * midamble, kShortPreambleLooks, state, channel);
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
            ASSERT_EQ(channel.purity[k], worst[k]) << midamble << ' ' << k;
            ASSERT_NEAR(channel.snr[k], k == 0 ? 0 : 100 * worst[k], 5) << midamble << ' ' << k;
        }
    }
}

/// If a midamble shows that the estimate is lost, the rates that misled it are discarded; else they are kept.
TEST(ResponseTracker, RatesAreForgottenWithALostEstimate) {
    const auto after_midamble = [](float rate, float response) {
        auto channel = flat_channel(0.001);
        ResponseTracker tracker;
        ResponseState state;
        tracker.start(channel, 32, {}, 0.5, kLongPreambleLooks, state);
        for (size_t n = 0; n < static_cast<size_t>(state.taps); ++n) state.rate_re[n] = state.rate_im[n] = rate;
        ChannelEstimate fresh = channel;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) fresh.response[k] = response;
        fresh.complete();
        tracker.merge(fresh, 0, kShortPreambleLooks, state, channel);
        float difference = 0;
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
            if (k != 0) difference = std::max(difference, std::abs(channel.response[k] - response));
        return std::pair(state, difference);
    };
    const auto [still, unmoved] = after_midamble(0, -3);
    const auto [astray, moved] = after_midamble(0.01F, -3);
    EXPECT_EQ(astray.rate_re, still.rate_re);
    EXPECT_EQ(astray.rate_im, still.rate_im);
    EXPECT_EQ(astray.value_re, still.value_re);
    EXPECT_EQ(moved, unmoved);
    const auto followed = after_midamble(0.01F, 1.0F).first;
    EXPECT_GT(followed.rate_im[ResponseState::kLanes - 1], 0.005F);
}

}  // namespace test_response_tracker
}  // namespace gr::wimax::phy::test
