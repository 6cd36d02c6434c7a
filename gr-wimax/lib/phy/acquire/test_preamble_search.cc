// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the searches for preambles.
#include "phy/acquire/short_preamble_search.h"
#include "phy/acquire/synchronizer.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace {

Samples long_preamble(int cp_samples) {
    Samples out;
    for (const auto symbol : {PreambleSymbol::p_4x64, PreambleSymbol::p_even}) {
        const auto body = preamble_body(symbol);
        out.insert(out.end(), body.end() - cp_samples, body.end());
        out.insert(out.end(), body.begin(), body.end());
    }
    return out;
}

SampleView view_of(const Samples& samples, int64_t first = 0) {
    return {samples.data(), first, static_cast<int64_t>(samples.size())};
}

TEST(PreambleSearch, FindsPrefixFrequencyAndStart) {
    for (const auto cp : kCyclicPrefixes)
        for (const double offset_carriers : {0.0, 0.7, -1.9, 5.2, -13.4, 20.6}) {
            Channel channel;
            channel.snr_db = 5;
            channel.frequency_hz = offset_carriers * 22500;
            channel.delay_samples = 500;
            const auto samples = pass(long_preamble(kFftSize / static_cast<int>(cp)), channel, 5.76e6, 2000, 3);
            PreambleSearch search(std::nullopt, 22);
            search.restart(1000);
            const auto plateau = search.scan(view_of(samples, 1000));
            ASSERT_TRUE(plateau) << offset_carriers;
            const auto found = search.acquire(view_of(samples, 1000), *plateau);
            ASSERT_TRUE(found) << offset_carriers;
            EXPECT_EQ(found->cp, cp);
            EXPECT_NEAR(static_cast<double>(found->start_sample), 1500, 1);
            EXPECT_NEAR(found->cycles_per_sample * kFftSize, offset_carriers, 0.1);
        }
}

TEST(PreambleSearch, IgnoresTonesAndData) {
    Samples samples(6000);
    for (size_t n = 0; n < 3000; ++n) samples[n] = std::polar(1.0F, 0.3F * static_cast<float>(n));
    Modulator modulator(*Numerology::make(5'000'000, CyclicPrefix::g1_4));
    const auto payload = random_bytes(100, 1);
    UplinkBurst burst;
    burst.format = {1, 7, 1, 1, Preamble::short_, 5};
    burst.payload = payload;
    Samples sent(6 * 320);
    ASSERT_EQ(modulator.uplink(burst, sent), sent.size());
    std::copy(sent.begin(), sent.end(), samples.begin() + 3500);
    PreambleSearch search(std::nullopt, 6);
    search.restart(0);
    while (const auto plateau = search.scan(view_of(samples))) EXPECT_FALSE(search.acquire(view_of(samples), *plateau));
}

TEST(PreambleSearch, NoiseIsNoPlateauFromTheFirstSampleOn) {
    PreambleSearch search(std::nullopt, 6);
    int plateaus = 0;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        Channel channel;
        channel.snr_db = 0;
        const auto samples = pass({}, channel, 5.76e6, 1500, seed);
        search.restart(0);
        while (search.scan(view_of(samples))) ++plateaus;
    }
    EXPECT_EQ(plateaus, 0);
}

/// Plateaus in samples from `first` on, and their classification.
std::vector<std::pair<int64_t, int64_t>> plateaus(PreambleSearch& search, const Samples& samples, int64_t first = 0) {
    std::vector<std::pair<int64_t, int64_t>> all;
    while (const auto plateau = search.scan(view_of(samples, first))) {
        const auto found = search.acquire(view_of(samples, first), *plateau);
        all.emplace_back(*plateau, found ? found->start_sample : -1);
    }
    return all;
}

TEST(PreambleSearch, ARestartedOneFindsWhatAFreshOneFinds) {
    // Before it, carriers, a constant, a truncated preamble; after it, a preamble at once, or later.
    for (const double delay : {10.0, 200.0, 700.0}) {
        Channel channel;
        channel.snr_db = 15;
        channel.delay_samples = delay;
        const auto second = pass(long_preamble(32), channel, 5.76e6, 2200, 7);
        PreambleSearch fresh(std::nullopt, 6);
        fresh.restart(5000);
        const auto expected = plateaus(fresh, second, 5000);
        ASSERT_FALSE(expected.empty()) << delay;
        EXPECT_NEAR(static_cast<double>(expected[0].second), 5000 + delay, 1);
        for (const int first_life : {0, 1, 2, 3}) {
            Samples first(3000);
            if (first_life == 3) first = pass(long_preamble(32), {.delay_samples = 100}, 5.76e6, 420, 3);
            for (size_t n = 0; n < first.size(); ++n)
                if (first_life < 3) first[n] = std::polar(1.0F, 0.1F * static_cast<float>(first_life * n));
            PreambleSearch search(std::nullopt, 6);
            search.restart(0);
            plateaus(search, first);
            search.restart(5000);
            EXPECT_EQ(plateaus(search, second, 5000), expected) << delay << ' ' << first_life;
        }
    }
}

Samples a_short_preamble() {
    const auto body = preamble_body(PreambleSymbol::p_even);
    Samples sent(body.end() - 32, body.end());
    sent.insert(sent.end(), body.begin(), body.end());
    Channel channel;
    channel.snr_db = 6;
    channel.delay_samples = 700;
    channel.frequency_hz = 9e3;
    return pass(sent, channel, 5.76e6, 2000, 1);
}

TEST(ShortPreambleSearch, FindsTheHalves) {
    const auto samples = a_short_preamble();
    ShortPreambleSearch search(32);
    const auto window = search.next(view_of(samples), 0, 2000);
    ASSERT_TRUE(window);
    EXPECT_NEAR(static_cast<double>(*window), 716, 24);
    EXPECT_NEAR(search.frequency(view_of(samples), *window) * 5.76e6, 9e3, 400);
    EXPECT_FALSE(search.next(view_of(samples), 1100, 2000));
}

TEST(ShortPreambleSearch, TakesTheMiddleOfThePrefix) {
    // Windows far off it contain the neighbouring symbol, or a path more than half of all delays away.
    const auto body = preamble_body(PreambleSymbol::p_even);
    for (const int cp : {8, 16, 32, 64}) {
        Samples sent(body.end() - cp, body.end());
        sent.insert(sent.end(), body.begin(), body.end());
        int off = 0;
        double sum = 0;
        constexpr int kTrials = 500;
        for (uint64_t seed = 1; seed <= kTrials; ++seed) {
            Channel channel;
            channel.snr_db = 0;
            channel.delay_samples = 600 + static_cast<double>(seed % 16);
            const auto samples = pass(sent, channel, 5.76e6, 1500, seed);
            ShortPreambleSearch search(cp);
            const auto window = search.next(view_of(samples), 0, 1500);
            ASSERT_TRUE(window);
            const double error = static_cast<double>(*window) - (channel.delay_samples + cp / 2.0);
            off += std::abs(error) > 28;
            sum += error;
        }
        EXPECT_LE(off, kTrials / 100) << cp;
        EXPECT_NEAR(sum / kTrials, 0, 5) << cp;
    }
}

/// A known offset has no effect: place and frequency are those of the same samples without it.
TEST(ShortPreambleSearch, TakesAKnownOffsetOff) {
    const auto clean = a_short_preamble();
    ShortPreambleSearch without(32);
    const auto expected = without.next(view_of(clean), 0, 2000);
    ASSERT_TRUE(expected);
    for (const Complex offset : {Complex(0.1F, 0), Complex(0, -0.7F), Complex(-2, 3)}) {
        auto samples = clean;
        for (auto& x : samples) x += offset;
        ShortPreambleSearch search(32);
        search.set_offset(offset);
        EXPECT_EQ(search.next(view_of(samples), 0, 2000), expected) << offset;
        EXPECT_NEAR(search.frequency(view_of(samples), *expected) * kFftSize,
                    without.frequency(view_of(clean), *expected) * kFftSize, 1e-3)
            << offset;
        search.set_offset({});
        EXPECT_EQ(search.next(view_of(clean), 0, 2000), expected);
    }
}

// --- carriers that do not belong to the signal ---

}  // namespace
}  // namespace gr::wimax::phy::test
