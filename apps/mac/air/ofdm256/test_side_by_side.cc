// SPDX-License-Identifier: GPL-3.0-or-later
// Grants on some subchannels in the same symbols.
#include "mac/air/ofdm256/side_by_side.h"
#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/scheduler/uplink_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace wimax::mac;

namespace test_side_by_side {

struct Group : ::testing::Test {
    std::vector<UplinkClaim> claims;
    std::vector<ServiceHistory> histories = std::vector<ServiceHistory>(32);
    SideBySide group;

    UplinkClaim& add(uint16_t cid, uint8_t subchannels, size_t requested, uint32_t waiting = 0) {
        auto& claim = claims.emplace_back();
        claim.cid = cid;
        claim.shape.width = subchannels;
        claim.requested_octets = requested;
        claim.frames_waiting = waiting;
        claim.history = &histories[cid];
        return claim;
    }
    /// The leader's symbols; the others' results are in group.share().
    uint32_t schedule(uint32_t symbols) {
        group.gather(claims, {});
        UplinkScheduler scheduler(kSymbolGrid, {0, false, 64, SchedulerPolicy::fair});
        scheduler.schedule(claims, symbols, 64);
        for (const auto& claim : claims)
            if (group.leads(claim.cid)) return claim.units;
        return 0;
    }
    const SideBySide::Member* member(uint16_t cid, std::vector<SideBySide::Member>& all) const {
        for (const auto& m : all)
            if (m.cid == cid) return &m;
        return nullptr;
    }
};

TEST_F(Group, SixteenStationsTakeTheSymbolsOfOne) {
    for (uint16_t cid = 1; cid <= 16; ++cid) add(cid, 1, 40);  // BPSK 1/2: 0.75 octets per symbol
    const uint32_t symbols = schedule(100);
    EXPECT_EQ(symbols, 55U);
    auto& members = group.share(symbols, 0);
    ASSERT_EQ(members.size(), 16U);
    EXPECT_EQ(group.more_elements(), 15U);
    for (const auto& m : members) {
        EXPECT_EQ(m.data_symbols, 55U);
        for (const auto& other : members)
            if (other.cid != m.cid) {
                EXPECT_FALSE(share_carriers(m.subchannel, other.subchannel));
            }
    }
    EXPECT_EQ(claims.size(), 1U);
}

TEST_F(Group, EachGetsWhatItClaimsAndTheNeediestItsTime) {
    add(1, 8, 10, 5);  // leads: it waits longest; 7 symbols, for 40 octets
    add(2, 4, 60);     // 21 symbols
    add(3, 16, 500);   // the whole band
    const uint32_t symbols = schedule(100);
    EXPECT_EQ(symbols, 21U);
    auto& members = group.share(symbols, 0);
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].cid, 1);
    EXPECT_EQ(members[0].data_symbols, 7U);
    EXPECT_EQ(members[1].data_symbols, 21U);
    ASSERT_EQ(claims.size(), 2U);
    EXPECT_GT(claims[1].units, 40U);
    EXPECT_EQ(histories[2].served, 21);
}

TEST_F(Group, WhatIsOwedToOneIsGivenBeforeRequestsOfOthers) {
    add(1, 1, 5, 9);
    add(2, 1, 0).guaranteed_octets = 30;  // 42 symbols
    add(3, 16, 5000);
    const uint32_t symbols = schedule(60);
    EXPECT_GE(symbols, 42U);
    EXPECT_EQ(member(2, group.share(symbols, 0))->data_symbols, 42U);
}

TEST_F(Group, WhoFindsNoRoomComesNext) {
    for (uint16_t cid = 1; cid <= 3; ++cid) add(cid, 8, 50, cid == 3 ? 4 : 1);
    schedule(100);
    auto& members = group.share(40, 0);
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].cid, 3);
    EXPECT_EQ(members[1].cid, 1);
    EXPECT_TRUE(std::none_of(claims.begin(), claims.end(), [](const auto& c) { return c.cid == 2; }));
}

TEST_F(Group, AStationThatClaimsNothingWaitsBehindThoseThatDo) {
    add(1, 8, 0, 100);
    add(2, 8, 40);
    add(3, 8, 40);
    schedule(100);
    auto& members = group.share(40, 0);
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(member(1, members), nullptr);
}

TEST_F(Group, ActiveStationsHaveAllOfTheTime) {
    add(1, 4, 40).active = true;
    add(2, 4, 40);
    schedule(100);
    auto& members = group.share(50, 0);
    EXPECT_EQ(member(1, members)->data_symbols, 50U);
    EXPECT_EQ(member(2, members)->data_symbols, 14U);
}

/// Six octets of a request take ten symbols on one subchannel at BPSK 1/2.
TEST_F(Group, APollHasRoomForARequest) {
    add(1, 1, 0).poll = true;
    EXPECT_EQ(schedule(100), 10U);
    EXPECT_EQ(group.share(10, 0)[0].data_symbols, 10U);
    claims.clear();
    add(1, 1, 0).active = true;
    EXPECT_EQ(schedule(100), 10U);
    EXPECT_EQ(group.share(9, 0)[0].data_symbols, 0U);
}

TEST_F(Group, NobodyIsThere) {
    add(1, 16, 100);
    EXPECT_EQ(schedule(100), 0U);
    EXPECT_FALSE(group.leads(1));
    EXPECT_EQ(group.more_elements(), 0U);
    EXPECT_EQ(claims[0].units, 9U);
}

/// The scheduler records the leader's units: share() records only the others, each once and by its weight.
TEST_F(Group, EachMemberIsBookedOnce) {
    for (uint16_t cid = 1; cid <= 4; ++cid) add(cid, 4, 1000).weight = cid;
    const uint32_t symbols = schedule(60);
    ASSERT_GE(symbols, 59U);
    const auto leader = std::ranges::find_if(claims, [&](const auto& c) { return group.leads(c.cid); })->cid;
    const double booked = histories[leader].served;
    EXPECT_GT(booked, 0);
    for (const auto& m : group.share(symbols, 0)) {
        EXPECT_EQ(m.data_symbols, symbols);
        EXPECT_DOUBLE_EQ(histories[m.cid].served, m.cid == leader ? booked : symbols / double(m.cid)) << m.cid;
    }
}

/// Over many frames stations with equal claims get equal shares, regardless of the leader. A station with a grant
/// outside the group does not get more.
TEST_F(Group, EqualSharesOverTime) {
    std::map<uint16_t, uint64_t> symbols;
    std::map<uint16_t, uint32_t> waiting;
    std::map<uint16_t, int> led;
    for (int frame = 0; frame < 300; ++frame) {
        claims.clear();
        for (uint16_t cid = 1; cid <= 6; ++cid) add(cid, 8, 500, waiting[cid]++);  // two at a time
        const uint32_t given = schedule(50);
        for (const auto& m : group.share(given, 0)) {
            symbols[m.cid] += m.data_symbols;
            if (m.data_symbols > 0) waiting[m.cid] = 0;
            led[m.cid] += group.leads(m.cid);
        }
    }
    for (uint16_t cid = 1; cid <= 6; ++cid) {
        EXPECT_NEAR(static_cast<double>(symbols[cid]), 300 * 50 * 2 / 6.0, 100) << cid;
        EXPECT_NEAR(histories[cid].served, histories[1].served, 60) << cid;
    }
}

}  // namespace test_side_by_side
