// SPDX-License-Identifier: GPL-3.0-or-later
// The uplink scheduler by figures: order of stations, the share of polls, the effect of idle time, and that it uses no
// heap after its first run.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/pdu/cid.h"
#include "mac/pdu/management_messages.h"
#include "mac/pdu/pdu.h"
#include "mac/scheduler/uplink_scheduler.h"
#include "phy/base/test_counting_new.h"

#include "mac/air/ofdm256/frame_layout.h"

#include <gtest/gtest.h>

#include <random>

using namespace wimax::mac;

namespace test_uplink_scheduler {

struct Cell {
    std::vector<UplinkClaim> claims;
    std::vector<ServiceHistory> histories;
    explicit Cell(size_t n, uint8_t rate = 6) : claims(n), histories(n) {
        for (size_t i = 0; i < n; ++i) {
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = profile_of_fec_code(rate);
            claims[i].history = &histories[i];
        }
    }
    std::vector<uint32_t> granted() const {
        std::vector<uint32_t> out;
        for (const auto& c : claims) out.push_back(c.units);
        return out;
    }
};
using Symbols = std::vector<uint32_t>;
constexpr UplinkSchedulerConfig kBare{0, false, 64};

TEST(UplinkGrants, NoHeapOnceItHasRun) {
    Cell cell(50);
    UplinkScheduler scheduler(kSymbolGrid, {12, true, 64});
    const auto frame = [&](size_t n) {
        for (size_t i = 0; i < cell.claims.size(); ++i) {
            auto& c = cell.claims[i];
            c.requested_octets = (i + n) % 3 == 0 ? 5000 : 0;
            c.guaranteed_octets = (i + n) % 7 == 0 ? 90 : 0;
            c.poll = (i + n) % 5 == 0;
            c.active = (i + n) % 2 == 0;
            c.frames_waiting = static_cast<uint32_t>((i * 7 + n) % 11);
        }
        scheduler.schedule(cell.claims, 400, 64);
    };
    for (size_t n = 0; n < 210; ++n) frame(n);
    EXPECT_EQ(gr::wimax::phy::test::allocations_of([&] {
                  for (size_t n = 0; n < 210; ++n) frame(n);
              }),
              0U);
}

/// Guaranteed octets are granted by deadline, what follows by waiting time.
TEST(UplinkGrants, ADeadlineComesFirstForGuaranteedOctetsOnly) {
    Cell cell(3);
    std::vector<FlowClaim> flows(1);
    flows[0].unasked_octets = 90;
    flows[0].deadline = 1000;
    cell.claims[2].flow_count = 1;
    cell.claims[0].guaranteed_octets = 90;
    cell.claims[0].frames_waiting = 9;
    cell.claims[1].frames_waiting = 5;
    UplinkScheduler one(kSymbolGrid, {12, false, 1}), two(kSymbolGrid, {12, false, 2});
    one.schedule(cell.claims, flows, 97, 1);
    EXPECT_EQ(cell.granted()[0], 0U);
    EXPECT_GT(cell.granted()[2], 0U) << "the deadline";
    cell.claims[0].guaranteed_octets = 0;
    cell.claims[2].guaranteed_octets = 0;
    two.schedule(cell.claims, flows, 97, 2);
    EXPECT_EQ(cell.granted()[0], 12U) << "waits longest, of those without a grant";
    EXPECT_EQ(cell.granted()[1], 0U);
    EXPECT_GT(cell.granted()[2], 0U);
}

TEST(UplinkGrants, TheLongestWaitComesFirst) {
    Cell cell(4);
    const uint32_t waits[] = {2, 9, 1, 5};
    for (size_t i = 0; i < 4; ++i) cell.claims[i].frames_waiting = waits[i];
    UplinkScheduler unasked(kSymbolGrid, {12, false, 64}), bare(kSymbolGrid, kBare);
    unasked.schedule(cell.claims, 97, 2);
    EXPECT_EQ(cell.granted(), (Symbols{0, 12, 0, 12}));
    for (auto& c : cell.claims) c.poll = true;
    bare.schedule(cell.claims, 97, 3);
    EXPECT_EQ(cell.granted(), (Symbols{1, 1, 0, 1}));
    for (auto& c : cell.claims) c.poll = false, c.active = true;
    bare.schedule(cell.claims, 7, 64);
    EXPECT_EQ(cell.granted(), (Symbols{0, 2, 0, 2}));
    for (auto& c : cell.claims) c.active = false, c.guaranteed_octets = bytes_in(6, 40);
    bare.schedule(cell.claims, 97, 64);
    EXPECT_EQ(cell.granted(), (Symbols{14, 40, 0, 40}));
    // Equal ones have the order of the list, which is that of CIDs.
    for (auto& c : cell.claims) c.frames_waiting = 1;
    bare.schedule(cell.claims, 97, 64);
    EXPECT_EQ(cell.granted(), (Symbols{40, 40, 14, 0}));
}

/// Many active stations without requests leave the symbols to those with requests. They get an eighth, in turn, and the
/// rest.
TEST(UplinkGrants, PollsOfManyActiveStationsLeaveRoomForRequests) {
    Cell cell(21);
    for (auto& c : cell.claims) c.active = true;
    cell.claims[20].requested_octets = bytes_in(6, 500);
    UplinkScheduler scheduler(kSymbolGrid, kBare);
    const auto polled = [&](uint32_t symbols) {
        scheduler.schedule(cell.claims, symbols, 64);
        return std::count_if(cell.claims.begin(), cell.claims.end() - 1, [](const auto& c) { return c.units == 2; });
    };
    EXPECT_EQ(polled(97), 4);  // of 12 symbols
    EXPECT_EQ(cell.claims[20].units, 97U - 4 * 3 - 1);
    EXPECT_EQ(polled(20), 1);  // one always
    EXPECT_EQ(cell.claims[20].units, 16U);
    cell.claims[20].requested_octets = bytes_in(6, 40);
    EXPECT_EQ(polled(97), 4 + (97 - 12 - 41) / 3);
    EXPECT_EQ(cell.claims[20].units, 40U);
    cell.claims[20].requested_octets = 0;
    EXPECT_EQ(polled(97), 20);
}

TEST(UplinkGrants, ActiveStationsArePolled) {
    Cell cell(4);
    cell.claims[1].active = cell.claims[2].active = true;
    cell.claims[2].requested_octets = bytes_in(6, 5);
    cell.claims[3].poll = true;
    UplinkScheduler scheduler(kSymbolGrid, kBare);
    scheduler.schedule(cell.claims, 97, 64);
    EXPECT_EQ(cell.granted(), (Symbols{0, 2, 5, 1}));
}

/// After guaranteed octets a polled station has room for a request.
TEST(UplinkGrants, PollsHaveRoomForARequest) {
    for (uint8_t rate = 0; rate < 7; ++rate)
        for (const uint32_t symbols : {1U, 3U}) {
            Cell cell(1, rate);
            cell.claims[0].guaranteed_octets = bytes_in(rate, symbols);
            UplinkScheduler scheduler(kSymbolGrid, kBare);
            scheduler.schedule(cell.claims, 97, 64);
            EXPECT_EQ(cell.claims[0].units, symbols) << int{rate};
            cell.claims[0].poll = true;
            scheduler.schedule(cell.claims, 97, 64);
            EXPECT_EQ(cell.claims[0].units, symbols + 1) << int{rate};
            cell.claims[0].guaranteed_octets -= 6;
            scheduler.schedule(cell.claims, 97, 64);
            EXPECT_EQ(cell.claims[0].units, symbols) << int{rate};
        }
}

/// Stations that have not registered take no guaranteed octets from registered ones.
TEST(UplinkGrants, EntryComesAfterWhatIsGuaranteed) {
    Cell cell(3);
    cell.claims[0].entering = true;
    cell.claims[0].frames_waiting = 100;
    for (auto& c : cell.claims) c.guaranteed_octets = bytes_in(6, 45);
    UplinkScheduler scheduler(kSymbolGrid, kBare);
    scheduler.schedule(cell.claims, 97, 64);
    EXPECT_EQ(cell.granted(), (Symbols{4, 45, 45}));
}

/// Idle for 1000 frames next to a busy one: at most two frames to itself, then even shares.
TEST(UplinkGrants, IdleTimeIsNotHoarded) {
    for (const double weight : {1.0, 3.0}) {
        Cell cell(2);
        cell.claims[1].weight = weight;
        UplinkScheduler scheduler(kSymbolGrid, kBare);
        for (int frame = 0; frame < 1000; ++frame) {
            cell.claims[0].requested_octets = 50'000;
            scheduler.schedule(cell.claims, 97, 64);
            ASSERT_EQ(cell.granted(), (Symbols{96, 0}));
        }
        for (int frame = 0; frame < 10; ++frame) {
            for (auto& c : cell.claims) c.requested_octets = 50'000;
            scheduler.schedule(cell.claims, 97, 64);
            if (frame < (weight > 1 ? 9 : 4)) continue;
            EXPECT_NEAR(cell.claims[1].units, 95 * weight / (1 + weight), 1) << frame;
            EXPECT_EQ(cell.claims[0].units + cell.claims[1].units, 95U);
        }
    }
}

/// Elements that one station's long grant takes are not others'.
TEST(UplinkGrants, CutsOfLongGrantsNeedElementsToo) {
    Cell cell(3);
    for (auto& c : cell.claims) c.requested_octets = 1'000'000;
    UplinkScheduler scheduler(kSymbolGrid, kBare);
    scheduler.schedule(cell.claims, 1900, 1);
    uint32_t elements = 0;
    for (const auto& c : cell.claims) elements += grant_cost(c.units) - c.units;
    EXPECT_EQ(elements, 1U);
    EXPECT_GT(scheduler.refused(), 0U);
    scheduler.schedule(cell.claims, 1900, 64);
    EXPECT_EQ(scheduler.refused(), 0U);
    scheduler.schedule(cell.claims, 900, 2);
    elements = 0;
    for (const auto& c : cell.claims) elements += c.units > 0;
    EXPECT_EQ(elements, 2U);
}

/// The longest UL-MAP that one PDU holds.
TEST(UplinkGrants, ElementsOfAMap) {
    UlMap map;
    map.ies.resize(kMaxUlMapElements);
    for (auto& ie : map.ies) ie.uiuc = uiuc::kFirstProfile;
    Buffer burst;
    PduWriter writer(burst, 10'000);
    EXPECT_TRUE(writer.message(cid::kBroadcast, map));
    EXPECT_EQ(burst.size(), kUlMapOctets + kUlMapElementOctets * kMaxUlMapElements);
    map.ies.push_back(map.ies.back());
    EXPECT_FALSE(writer.message(cid::kBroadcast, map));
}

/// Among stations that wait equally long, the first of the list are served first.
TEST(UplinkGrants, EqualClaimsKeepTheirOrder) {
    for (const size_t stations : {17, 40, 100}) {
        Cell cell(stations);
        for (auto& c : cell.claims) c.guaranteed_octets = bytes_in(6, 3);
        UplinkScheduler scheduler(kSymbolGrid, kBare);
        const uint32_t served = static_cast<uint32_t>(stations) / 2;
        scheduler.schedule(cell.claims, grant_cost(3) * served, 64);
        for (size_t i = 0; i < stations; ++i)
            EXPECT_EQ(cell.claims[i].units, i < served ? 3 : 0) << stations << ' ' << i;
    }
}

/// Two symbols are left: a grant with one data symbol besides its preamble carries nothing.
TEST(UplinkGrants, UnaskedGrantsLeaveTheLastSymbols) {
    Cell cell(2);
    UplinkScheduler scheduler(kSymbolGrid, {12, false, 64});
    scheduler.schedule(cell.claims, 15, 64);
    EXPECT_EQ(cell.granted(), (Symbols{12, 0}));
    scheduler.schedule(cell.claims, 16, 64);
    EXPECT_EQ(cell.granted(), (Symbols{12, 2}));
}

/// Every frame's symbols and every share sum up, for any mixture of claims.
TEST(UplinkGrants, NeverMoreThanThereIs) {
    std::mt19937 random(11);
    for (int n = 0; n < 2000; ++n) {
        Cell cell(1 + random() % 40, static_cast<uint8_t>(random() % 7));
        UplinkScheduler scheduler(kSymbolGrid, {static_cast<uint32_t>(random() % 20), random() % 2 == 0, 64});
        for (auto& c : cell.claims) {
            c.shape.profile = profile_of_fec_code(static_cast<uint8_t>(random() % 7));
            c.guaranteed_octets = random() % 4 == 0 ? random() % 800 : 0;
            c.requested_octets = random() % 3 == 0 ? random() % 20'000 : 0;
            c.poll = random() % 5 == 0;
            c.active = random() % 2 == 0;
            c.frames_waiting = static_cast<uint32_t>(random() % 30);
            c.history->served = static_cast<double>(random() % 300);
        }
        const auto symbols = static_cast<uint32_t>(random() % (n % 2 ? 150 : 1900)),
                   elements = 1 + static_cast<uint32_t>(random() % 30);
        scheduler.schedule(cell.claims, symbols, elements);
        uint32_t cost = 0, used = 0;
        for (const auto& c : cell.claims) {
            cost += grant_cost(c.units);
            used += grant_cost(c.units) - c.units;
        }
        ASSERT_LE(cost, symbols) << n;
        ASSERT_LE(used, elements) << n;
    }
}

}  // namespace test_uplink_scheduler
