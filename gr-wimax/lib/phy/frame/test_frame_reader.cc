// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of a frame as read from frame prefixes and DL-MAPs, and that they equal those composed.
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include <gnuradio/wimax/phy/frame/frame_composer.h>
#include <gnuradio/wimax/phy/frame/frame_reader.h>

#include <gtest/gtest.h>

namespace gr::wimax::phy {
namespace test_frame_reader {

constexpr DiucRates kRatesOf{-1, 0, 1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1};
constexpr int kEndOfMap = 14;

FramePrefix prefix_of(std::initializer_list<FramePrefixEntry> entries) {
    FramePrefix prefix{5, 9, 3, {}, 0};
    for (const auto& e : entries) prefix.entries[static_cast<size_t>(prefix.entry_count++)] = e;
    return prefix;
}

Announced announced_by(std::span<const MapElement> map, const FramePrefix& prefix) {
    Announced announced{{1}, {{}}};  // previous contents are overwritten
    read_map(map, prefix, kRatesOf, announced);
    return announced;
}

void expect_burst(const AnnouncedBurst& b, int index, int start, int rate, int iuc, int symbols, Preamble preamble,
                  bool stc = false) {
    EXPECT_EQ(b.index, index);
    EXPECT_EQ(b.start_symbol, start);
    EXPECT_EQ(b.format.rate_id, rate);
    EXPECT_EQ(b.format.iuc, iuc);
    EXPECT_EQ(b.format.data_symbols, symbols);
    EXPECT_EQ(b.format.preamble, preamble);
    EXPECT_EQ(b.format.stc, stc);
    EXPECT_EQ(b.format.bsid_lsb, 5);
    EXPECT_EQ(b.format.frame_lsb, 9);
}

TEST(ReadPrefix, BurstsFollowTheFchAndEachOther) {
    const auto content = read_prefix(prefix_of({{4, false, 6}, {3, true, 5}, {7, false, 2}}), kRatesOf);
    ASSERT_EQ(content.count, 3);
    expect_burst(content.items[0].burst, 1, 3, 4, 0, 6, Preamble::none);  // entry 1 is a rate
    expect_burst(content.items[1].burst, 2, 9, 2, 3, 4, Preamble::short_);
    expect_burst(content.items[2].burst, 3, 14, 6, 7, 2, Preamble::none);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(content.items[i].first, i == 0);
        EXPECT_FALSE(content.items[i].zone);
    }
    EXPECT_EQ(content.end_symbol, 16);
}

TEST(ReadPrefix, ABurstOfUnknownRateKeepsItsPlace) {
    const auto content = read_prefix(prefix_of({{4, false, 6}, {9, false, 5}, {2, false, 2}}), kRatesOf);
    ASSERT_EQ(content.count, 2);
    expect_burst(content.items[1].burst, 3, 14, 1, 2, 2, Preamble::none);
    EXPECT_EQ(content.end_symbol, 16);
}

TEST(ReadPrefix, BehindAZoneEntryAreZonesAlone) {
    const auto content =
        read_prefix(prefix_of({{4, false, 6}, {0, false, 20}, {2, false, 2}, {0, false, 40}}), kRatesOf);
    ASSERT_EQ(content.count, 2);
    EXPECT_TRUE(content.items[1].zone);
    EXPECT_FALSE(content.items[1].first);
    EXPECT_EQ(content.items[1].burst.start_symbol, 20);
    EXPECT_EQ(content.end_symbol, 9);
    const auto two = read_prefix(prefix_of({{4, false, 6}, {0, false, 20}, {0, false, 40}}), kRatesOf);
    ASSERT_EQ(two.count, 3);
    EXPECT_EQ(two.items[2].burst.start_symbol, 40);
}

TEST(ReadPrefix, AZonesOwnBeginsBehindIt) {
    const auto content = read_prefix(prefix_of({{4, false, 6}, {3, false, 4}}), kRatesOf, 2, 20);
    ASSERT_EQ(content.count, 2);
    expect_burst(content.items[0].burst, 201, 23, 4, 0, 6, Preamble::none, true);
    expect_burst(content.items[1].burst, 202, 29, 2, 3, 4, Preamble::none, true);
    EXPECT_EQ(content.end_symbol, 33);
}

TEST(ReadPrefix, AZoneAnnouncesLaterOnesOnly) {
    const auto prefix = prefix_of({{4, false, 6}, {0, false, 19}, {0, false, 20}, {0, false, 21}});
    const auto content = read_prefix(prefix, kRatesOf, 1, 20);
    ASSERT_EQ(content.count, 2);
    EXPECT_EQ(content.items[1].burst.start_symbol, 21);
    EXPECT_EQ(read_prefix(prefix, kRatesOf).count, 4);
}

TEST(ReadPrefix, AnyEntryCountIsSafe) {
    auto prefix = prefix_of({{4, false, 6}});
    prefix.entry_count = -3;
    EXPECT_EQ(read_prefix(prefix, kRatesOf).count, 0);
    prefix.entry_count = 100;
    EXPECT_LE(read_prefix(prefix, kRatesOf).count, kPrefixEntries);
}

TEST(ReadMap, WhatThePrefixAnnouncesIsNotReadTwice) {
    const auto prefix = prefix_of({{4, false, 6}, {3, false, 5}});  // up to symbol 14
    const std::array<MapElement, 6> map{
        {{5, false, 3}, {3, false, 9}, {6, true, 14}, {7, false, 20}, {kGapDiuc, false, 24}, {kEndOfMap, false, 30}}};
    const auto found = announced_by(map, prefix);
    EXPECT_TRUE(found.zones.empty());
    ASSERT_EQ(found.bursts.size(), 2U);
    expect_burst(found.bursts[0], 3, 14, 5, 6, 5, Preamble::short_);
    expect_burst(found.bursts[1], 4, 20, 6, 7, 4, Preamble::none);
}

TEST(ReadMap, ElementsThatBeginTogetherShareABurst) {
    const std::array<MapElement, 5> map{
        {{2, false, 9}, {2, false, 9}, {kExtendedDiuc, false, 10}, {3, false, 12}, {kEndOfMap, false, 14}}};
    const auto found = announced_by(map, prefix_of({{4, false, 6}}));
    ASSERT_EQ(found.bursts.size(), 2U);
    expect_burst(found.bursts[0], 2, 9, 1, 2, 3, Preamble::none);  // extended elements end no burst
    expect_burst(found.bursts[1], 3, 12, 2, 3, 2, Preamble::none);
}

TEST(ReadMap, BurstsWithoutRateOrEndAreLeftOutAndCounted) {
    const std::array<MapElement, 4> map{{{9, false, 9}, {2, false, 12}, {3, false, 14}, {kEndOfMap, false, 14}}};
    const auto found = announced_by(map, prefix_of({{4, false, 6}}));
    ASSERT_EQ(found.bursts.size(), 1U);
    expect_burst(found.bursts[0], 3, 12, 1, 2, 2, Preamble::none);
    EXPECT_TRUE(announced_by({}, prefix_of({})).empty());
}

TEST(ReadMap, ZonesThatNoPrefixAnnouncesAndTheirFifthBurst) {
    std::vector<MapElement> map{{kStcZoneDiuc, false, 9}};
    for (int i = 0; i < 5; ++i) map.push_back({i + 1, true, 12 + 4 * i});
    map.push_back({kEndOfMap, false, 32});
    const auto found = announced_by(map, prefix_of({{4, false, 6}}));
    EXPECT_EQ(found.zones, std::vector<int>{9});
    ASSERT_EQ(found.bursts.size(), 1U);
    expect_burst(found.bursts[0], 105, 28, 4, 5, 4, Preamble::none, true);  // no own preambles there
    const auto announced = announced_by(map, prefix_of({{4, false, 6}, {0, false, 9}}));
    EXPECT_TRUE(announced.zones.empty());
    EXPECT_EQ(announced.bursts.size(), 1U);
}

TEST(ReadPrefix, TellsWhatTheComposerPutIn) {
    FrameComposer frame;
    frame.begin({5, 9, 3});
    BurstFormat format;
    format.bsid_lsb = 5;
    format.frame_lsb = 9;
    for (int i = 0; i < 5; ++i) {
        format.rate_id = static_cast<uint8_t>(i);
        format.iuc = static_cast<uint8_t>(i == 0 || i == 3 ? 0 : i + 1);
        format.data_symbols = 4 + 2 * i;
        format.stc = i >= 3;
        format.preamble = i == 1 ? Preamble::short_ : Preamble::none;
        frame.append(format, {});
    }
    const auto check = [](const PrefixContent& content, std::span<const DownlinkBurst> sent) {
        for (size_t i = 0; i < sent.size(); ++i) {
            const auto& got = content.items[i];
            const auto& f = sent[i].format;
            expect_burst(got.burst, got.burst.index, sent[i].start_symbol, f.rate_id, f.iuc, f.data_symbols, f.preamble,
                         f.stc);
            EXPECT_EQ(got.first, sent[i].first);
        }
    };
    const auto over_air = [](const FramePrefix& prefix) { return *parse_frame_prefix(pack_frame_prefix(prefix)); };
    const auto content = read_prefix(over_air(frame.prefix()), kRatesOf);
    ASSERT_EQ(content.count, 4);
    check(content, frame.bursts());
    EXPECT_TRUE(content.items[3].zone);
    EXPECT_EQ(content.items[3].burst.start_symbol, frame.zone_start());
    const auto zone = read_prefix(over_air(frame.zone_prefix()), kRatesOf, 1, frame.zone_start());
    ASSERT_EQ(zone.count, 2);
    check(zone, frame.zone_bursts());
    EXPECT_EQ(zone.end_symbol, frame.end_symbol());
}

}  // namespace test_frame_reader
}  // namespace gr::wimax::phy
