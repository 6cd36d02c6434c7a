// SPDX-License-Identifier: GPL-3.0-or-later
// Which symbols are decoded at once so that the channel is followed by what was sent.
#include "phy/channel/test_flat_channel.h"
#include "phy/receive/decision_feedback.h"

#include <gtest/gtest.h>

namespace gr::wimax::phy::test {
namespace test_decision_feedback {

/// Symbols of 64-QAM 3/4 whose soft bits have this magnitude; returns how many were decoded at once.
int symbols_decoded(double doppler_hz, double noise, SoftBit magnitude, const SymbolPace& pace, int symbols) {
    const auto channel = flat_channel(noise);
    ResponseState state;
    state.active = true;
    state.speed = ResponseState::speed_of(doppler_hz, pace);
    BurstFormat format;
    format.rate_id = 6;
    format.data_symbols = symbols;
    BurstDecoder decoder;
    EXPECT_TRUE(decoder.start(format, burst_randomizer(format)));
    const std::vector<SoftBit> soft(static_cast<size_t>(burst_symbol_bits(format)), magnitude);
    DecisionFeedback feedback;
    feedback.start(pace);
    int decoded = 0;
    for (int i = 0; i < symbols; ++i) {
        decoder.feed(soft);
        decoded += feedback.labels(state, channel, soft, decoder).empty() ? 0 : 1;
    }
    return decoded;
}

TEST(DecisionFeedback, DecodesWhatIsInDoubtWhileTheChannelMoves) {
    const SymbolPace usual{};
    EXPECT_EQ(symbols_decoded(195, 0.01, 10, usual, 20), 20 * 1000 / 1040 + 1) << "nearly all";
    EXPECT_EQ(symbols_decoded(195, 0.01, 100, usual, 20), 0) << "no doubt";
    EXPECT_EQ(symbols_decoded(1, 0.001, 10, usual, 20), 0) << "a constant channel";
    EXPECT_EQ(symbols_decoded(60, 1, 10, usual, 20), 0) << "motion far below the noise";
}

/// Twenty steps per microsecond, whatever the symbols' length, after two symbols at once.
TEST(DecisionFeedback, HasALimitOfWork) {
    constexpr int kSymbols = 300, kSteps = 1040;
    for (const double seconds : {200e-6, 50e-6, 12.5e-6, 11e-6}) {
        const SymbolPace pace{seconds, 288};
        const int most = 2 + static_cast<int>(kSymbols * seconds * 20e6) / kSteps;
        const int decoded = symbols_decoded(600, 0.001, 10, pace, kSymbols);
        EXPECT_LE(decoded, most) << seconds;
        EXPECT_GE(decoded, std::min(kSymbols, most - 2)) << seconds;
    }
}

}  // namespace test_decision_feedback
}  // namespace gr::wimax::phy::test
