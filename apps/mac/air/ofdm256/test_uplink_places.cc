// SPDX-License-Identifier: GPL-3.0-or-later
// Places in the uplink, by figures: when one is avoided, for how long, what is cut, and the remaining room.
#include "mac/air/ofdm256/uplink_places.h"
#include "mac/ss/request_record.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using Place = UplinkPlaces::Place;

namespace test_uplink_places {

constexpr Samples kSecond = 100, kFrame = 1;

struct Plan {
    UplinkPlaces places{100, kSecond, kFrame};
    Samples now = 0;
    uint32_t first(uint32_t symbols, bool trial = false) {
        places.begin(now, 8, trial);
        places.count_room(64);
        const auto place = places.burst(symbols, false);
        return place ? place->first : 1000;
    }
    void fail(Place place, int times, uint32_t in_a_row = 1) {
        for (int i = 0; i < times; ++i) places.failed(place, in_a_row, now);
    }
};

TEST(UplinkPlaces, FourFailuresAreEnoughAndThreeAreNot) {
    Plan plan;
    plan.fail({0, 12}, 3);
    EXPECT_EQ(plan.first(12), 0U);
    plan.fail({0, 12}, 1);
    EXPECT_EQ(plan.first(12), 12U);
    // An intact burst cancels one failure.
    Plan other;
    other.fail({0, 12}, 3);
    other.places.whole({0, 12});
    other.fail({0, 12}, 1);
    EXPECT_EQ(other.first(12), 0U);
    // Failures without end count twice.
    Plan twice;
    twice.fail({0, 12}, 2, 5);
    EXPECT_EQ(twice.first(12), 12U);
    Plan once;
    once.fail({0, 12}, 2, 4);
    EXPECT_EQ(once.first(12), 0U);
}

TEST(UplinkPlaces, ShortBurstsSpeakForTheirNeighbours) {
    Plan plan;
    plan.fail({20, 2}, 4);  // 15 to 26
    plan.places.begin(0, 8, false);
    EXPECT_EQ(plan.places.avoided_symbols(), 12U);
    plan.places.count_room(64);
    EXPECT_EQ(plan.places.burst(20, false)->count, 15U);
    EXPECT_EQ(plan.places.burst(20, false)->first, 27U);
}

TEST(UplinkPlaces, TriedAgainAfterOneFourAndSixteenSeconds) {
    Plan plan;
    plan.fail({0, 12}, 4);
    for (const Samples seconds : {1, 4, 16, 16}) {
        const Samples begin = plan.now;
        plan.now = begin + seconds * kSecond - 1;
        EXPECT_EQ(plan.first(12, true), 12U) << seconds;
        plan.now = begin + seconds * kSecond;
        EXPECT_EQ(plan.first(12, true), 0U) << seconds;
        EXPECT_EQ(plan.first(12, false), 12U) << seconds;  // in its turn only
        plan.fail({0, 12}, 1);
    }
    plan.now += 16 * kSecond;
    plan.places.whole({0, 12});
    EXPECT_EQ(plan.first(12, false), 0U);
    plan.places.whole({0, 12});
    plan.places.whole({0, 12});  // forgotten
    plan.fail({0, 12}, 4);
    plan.now += kSecond;
    EXPECT_EQ(plan.first(12, true), 0U);
}

TEST(UplinkPlaces, LongBurstsAreCutUntilTheirPiecesTell) {
    Plan plan;
    plan.fail({0, 90}, 3);
    EXPECT_EQ(plan.first(90), 0U);
    plan.places.begin(0, 8, false);
    plan.places.count_room(64);
    EXPECT_EQ(plan.places.room(), 100U);
    EXPECT_EQ(plan.places.cuts(), 0U);
    plan.fail({0, 90}, 1);
    plan.places.begin(63 * kFrame, 8, false);
    EXPECT_EQ(plan.places.avoided_symbols(), 0U);
    plan.places.count_room(64);
    EXPECT_EQ(plan.places.room(), 87U);  // thirteen pieces
    EXPECT_EQ(plan.places.cuts(), 13U);
    EXPECT_EQ(plan.places.burst(90, false)->count, 8U);
    plan.places.count_room(8);  // few elements: longer pieces
    EXPECT_EQ(plan.places.burst(90, false)->count, 24U);
    plan.places.begin(64 * kFrame, 8, false);
    plan.places.count_room(64);
    EXPECT_EQ(plan.places.burst(90, false)->count, 90U);
    plan.fail({40, 8}, 3);  // of pieces four are enough now, and three are not
    plan.places.begin(64 * kFrame, 8, false);
    EXPECT_EQ(plan.places.avoided_symbols(), 0U);
    plan.fail({40, 8}, 1);
    plan.places.begin(64 * kFrame, 8, false);
    EXPECT_EQ(plan.places.avoided_symbols(), 12U);
}

/// Losses without a place: pieces cost preambles and tell nothing, so they are tried less and less.
TEST(UplinkPlaces, PiecesThatTellNothingAreTriedLessAndLess) {
    Plan plan;
    const auto cut_frames = [&](int seconds) {
        int cut = 0;
        for (const Samples end = plan.now + seconds * kSecond; plan.now < end; plan.now += kFrame) {
            plan.fail({0, 90}, 1);
            plan.places.begin(plan.now, 8, false);
            plan.places.count_room(64);
            cut += plan.places.burst(90, false)->count == 8 ? 1 : 0;
        }
        return cut;
    };
    EXPECT_EQ(cut_frames(22), 3 * 64);  // after 1, 4 and 16 s
    EXPECT_EQ(cut_frames(100), 6 * 64);
    plan.fail({40, 8}, 8);  // a place: pieces tell again at once
    EXPECT_EQ(cut_frames(1), 64);
    plan.now += 300 * kSecond;  // long without losses
    EXPECT_EQ(cut_frames(2), 64 + 36);
}

TEST(UplinkPlaces, WhereAllFailsItIsNoMatterOfPlace) {
    Plan plan;
    for (uint32_t i = 0; i < 70; i += 10) plan.fail({i, 12}, 4);
    plan.places.begin(0, 8, false);
    EXPECT_EQ(plan.places.avoided_symbols(), 72U);
    plan.fail({70, 12}, 4);  // less than a quarter is left
    EXPECT_EQ(plan.first(12), 0U);
    plan.now = kSecond - 1;
    plan.fail({0, 12}, 8);  // and for a second nothing is believed
    EXPECT_EQ(plan.first(12), 0U);
    plan.now = kSecond;
    plan.fail({0, 12}, 4);
    EXPECT_EQ(plan.first(12), 12U);
    // The regions must fit into one piece.
    Plan pieces;
    for (uint32_t i = 8; i < 100; i += 20) pieces.fail({i, 12}, 4);
    pieces.places.begin(0, 8, false);
    EXPECT_EQ(pieces.places.avoided_symbols(), 60U);
    pieces.places.begin(0, 9, false);
    EXPECT_EQ(pieces.places.avoided_symbols(), 0U);
}

TEST(UplinkPlaces, RoomLeavesOutWhatCutsCost) {
    Plan plan;
    plan.fail({30, 12}, 4);
    plan.fail({60, 12}, 4);
    plan.places.begin(0, 8, false);
    EXPECT_EQ(*plan.places.region(6, false), 0U);
    EXPECT_EQ(*plan.places.region(6, true), 94U);
    EXPECT_FALSE(plan.places.region(40, false));
    plan.places.count_room(64);
    EXPECT_EQ(plan.places.cuts(), 2U);
    EXPECT_EQ(plan.places.room(), 64U - 2 * 4);
    std::vector<uint32_t> firsts;
    while (const auto place = plan.places.burst(22, false)) firsts.push_back(place->first);
    EXPECT_EQ(firsts, (std::vector<uint32_t>{6, 42, 72}));  // the last 2 of the first run are no piece
}

TEST(RequestRecord, WhatIsTooLargeIsCorrected) {
    RequestRecord record;
    record.aggregate_sent(5000, 0, 100);
    EXPECT_FALSE(record.outdated(2000));
    EXPECT_TRUE(record.outdated(1999));
    EXPECT_TRUE(record.needs_aggregate(1999));
    EXPECT_TRUE(record.outdated(5001));
    EXPECT_FALSE(record.needs_aggregate(5001));
    record.lost();
    EXPECT_EQ(record.octets(), 0U);
    EXPECT_TRUE(record.needs_aggregate(1));
}

}  // namespace test_uplink_places
