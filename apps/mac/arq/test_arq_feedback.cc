// SPDX-License-Identifier: GPL-3.0-or-later
// Feedback elements: the blocks that each type reports, by hand, and encoding of given blocks.
#include "mac/arq/arq_feedback.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace wimax::mac;

namespace test_arq_feedback {

FeedbackIe element(AckType type, uint16_t bsn, std::vector<uint16_t> maps) {
    FeedbackIe ie;
    ie.cid = 0x2001;
    ie.ack_type = type;
    ie.bsn = bsn;
    ie.map_count = static_cast<uint8_t>(maps.size());
    std::copy(maps.begin(), maps.end(), ie.maps.begin());
    return ie;
}
std::vector<AckRun> runs_of(const FeedbackIe& ie) {
    const AckRuns runs = ack_runs(ie);
    return {runs.begin(), runs.end()};
}
using Runs = std::vector<AckRun>;

TEST(ArqFeedback, CumulativeHasNoMaps) {
    EXPECT_EQ(runs_of(element(AckType::cumulative, 100, {})), Runs{});
    EXPECT_TRUE(is_cumulative(AckType::cumulative));
    EXPECT_TRUE(is_cumulative(AckType::cumulative_selective));
    EXPECT_TRUE(is_cumulative(AckType::cumulative_sequences));
    EXPECT_FALSE(is_cumulative(AckType::selective));
}

/// 0xB00F: blocks 0, 2, 3 and 12 to 15 from the BSN on.
TEST(ArqFeedback, MapsBeginAtTheBsnMostSignificantBitFirst) {
    const Runs expected{{0, 1, true}, {1, 1, false}, {2, 2, true}, {4, 8, false}, {12, 4, true}};
    EXPECT_EQ(runs_of(element(AckType::selective, 5, {0xB00F})), expected);
    EXPECT_EQ(runs_of(element(AckType::cumulative_selective, 5, {0xB00F})), expected);
    const Runs second{{0, 16, true}, {16, 1, false}, {17, 1, true}, {18, 14, false}};
    EXPECT_EQ(runs_of(element(AckType::selective, 5, {0xFFFF, 0x4000})), second);
}

/// Format 0: 0, flags 2, lengths 6 and 6, a spare bit. 0 01 000101 001010 0: five missing, ten received.
TEST(ArqFeedback, TwoLongSequencesBeginBehindTheBsn) {
    const Runs expected{{1, 5, false}, {6, 10, true}};
    EXPECT_EQ(runs_of(element(AckType::cumulative_sequences, 5, {0b0010'0010'1001'0100})), expected);
}

/// Format 1: 1, flags 3, lengths 4, 4, 4. 1 010 0011 0001 1111: three missing, one received, fifteen missing.
TEST(ArqFeedback, ThreeShortSequences) {
    const Runs expected{{1, 3, false}, {4, 1, true}, {5, 15, false}};
    EXPECT_EQ(runs_of(element(AckType::cumulative_sequences, 5, {0b1010'0011'0001'1111})), expected);
}

TEST(ArqFeedback, SequencesGoOnInTheNextMapUntilALengthOfZero) {
    // 63 missing, 40 missing; then 1 110 0010 0000 0011: two received, and no more.
    const Runs expected{{1, 103, false}, {104, 2, true}};
    EXPECT_EQ(runs_of(element(AckType::cumulative_sequences, 5,
                              {0b0001'1111'1101'0000, 0b1110'0010'0000'0011, 0b1111'1111'1111'1111})),
              expected);
}

std::vector<FeedbackIe> made(BlockIndex start, const std::vector<bool>& received,
                             FeedbackTypes types = FeedbackTypes::all) {
    std::array<FeedbackIe, kMaxFeedbackElements> out;
    const size_t count = make_feedback(
        0x2001, start, received.size(), [&](size_t i) { return received[i]; }, types, out);
    return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(ArqFeedback, OfNothingIsNone) { EXPECT_TRUE(made(0, {}).empty()); }

TEST(ArqFeedback, WithoutAHoleIsOneCumulativeElement) {
    EXPECT_EQ(made(2049, {}), std::vector{element(AckType::cumulative, 0, {})});
    EXPECT_EQ(made(2048, {}), std::vector{element(AckType::cumulative, 2047, {})});
}

/// No block before block 0 could be acknowledged cumulatively.
TEST(ArqFeedback, BeforeTheFirstBlockIsSelective) {
    EXPECT_EQ(made(0, {false, true, true}), std::vector{element(AckType::selective, 0, {0x6000})});
}

/// At equal length the map is preferred: more than one source documents it.
TEST(ArqFeedback, AHoleIsAMapWhoseFirstBitIsTheLastBlockBeforeIt) {
    EXPECT_EQ(made(10, {false, true}), std::vector{element(AckType::cumulative_selective, 9, {0xA000})});
}

TEST(ArqFeedback, LongRunsAreSequencesWhereThatIsShorter) {
    std::vector<bool> received(12, false);
    received.resize(12 + 60, true);
    // 0 01 001100 111100 0
    EXPECT_EQ(made(10, received), std::vector{element(AckType::cumulative_sequences, 9, {0b0010'0110'0111'1000})});
}

/// For a peer that does not know sequences; all else is the same.
TEST(ArqFeedback, HasNoSequencesWhereTheyAreSwitchedOff) {
    std::vector<bool> received(12, false);
    received.resize(12 + 60, true);
    const auto elements = made(10, received, FeedbackTypes::without_sequences);
    ASSERT_EQ(elements.size(), 2U);
    EXPECT_EQ(elements[0].ack_type, AckType::cumulative_selective);
    EXPECT_EQ(elements[1].ack_type, AckType::selective);
    for (const auto& pattern : {std::vector<bool>{}, {false, true}, {false, true, false, true}})
        EXPECT_EQ(made(10, pattern, FeedbackTypes::without_sequences), made(10, pattern));
}

/// Whatever is received: a sender that reads it learns exactly that, and within the elements of a full window.
TEST(ArqFeedback, SaysWhatWasMeant) {
    std::mt19937 random(3);
    size_t types[4] = {}, most = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const BlockIndex start = trial % 5 == 1 ? 0 : 1 + random() % 10'000;
        std::vector<bool> received(trial % 50 == 0 ? kMaxArqWindow : trial % 9 == 0 ? 0 : random() % 300);
        const unsigned run = 1 + random() % 80;
        bool value = false;
        for (size_t i = 0; i < received.size(); ++i) {
            if (random() % run == 0) value = !value;
            received[i] = i > 0 && (value || i + 1 == received.size());
        }
        if (received.size() == 1) received.clear();
        const auto elements = made(start, received);
        ASSERT_LE(elements.size(), kMaxFeedbackElements);
        most = std::max(most, elements.size());
        std::set<BlockIndex> told, missing;
        for (const auto& ie : elements) {
            ++types[static_cast<size_t>(ie.ack_type)];
            const auto base = static_cast<int64_t>(start) + bsn_distance(ie.bsn, start);
            ASSERT_TRUE(!is_cumulative(ie.ack_type) || base == static_cast<int64_t>(start) - 1);
            for (const auto& r : ack_runs(ie)) {
                auto& said = r.received ? told : missing;
                for (int64_t i = base + r.first; i < base + r.first + r.count; ++i)
                    if (i >= static_cast<int64_t>(start)) said.insert(static_cast<BlockIndex>(i));
            }
        }
        for (size_t i = 0; i < received.size(); ++i) {
            ASSERT_EQ(told.count(start + i), received[i]) << trial << " block " << i << " of " << received.size();
            ASSERT_EQ(missing.count(start + i), !received[i]);
            told.erase(start + i);
        }
        ASSERT_TRUE(told.empty());
    }
    for (const size_t seen : types) EXPECT_GT(seen, 100U);
    EXPECT_EQ(most, kMaxFeedbackElements);
}

TEST(ArqFeedback, DistancesOfNumbersThatBeginAnew) {
    EXPECT_EQ(bsn_distance(0, 2047), 1);
    EXPECT_EQ(bsn_distance(2047, 2048), -1);
    EXPECT_EQ(bsn_distance(1023, 0), 1023);
    EXPECT_EQ(bsn_distance(1024, 0), -1024);
    EXPECT_EQ(bsn_distance(5, 3 * 2048 + 10), -5);
}

}  // namespace test_arq_feedback
