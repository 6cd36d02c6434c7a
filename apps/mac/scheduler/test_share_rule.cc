// SPDX-License-Identifier: GPL-3.0-or-later
// The policies by figures: long-term shares of saturated stations of different rates, weights and services.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/scheduler/downlink_scheduler.h"
#include "mac/scheduler/uplink_scheduler.h"
#include "phy/base/test_counting_new.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace wimax::mac;

namespace test_share_rule {

using Shares = std::vector<double>;

/// Stations that always have more to send than a frame carries; results in symbols and octets per frame.
struct Cell {
    explicit Cell(SchedulerPolicy policy, std::vector<uint8_t> rates)
        : scheduler(kSymbolGrid, policy), rate_ids(std::move(rates)) {
        histories.resize(rate_ids.size());
        weights.assign(rate_ids.size(), 1);
        orders.assign(rate_ids.size(), 39);
        backlog.assign(rate_ids.size(), 100'000);
        symbols.assign(rate_ids.size(), 0);
    }
    void frame(double capacity = 90) {
        claims.clear();
        flows.clear();
        for (size_t i = 0; i < rate_ids.size(); ++i) {
            if (backlog[i] == 0) continue;
            DownlinkClaim claim;
            claim.cid = static_cast<uint16_t>(i + 1);
            claim.shape.profile = profile_of_fec_code(rate_ids[i]);
            claim.weight = weights[i];
            claim.history = &histories[i];
            claim.first_flow = flows.size();
            claim.flow_count = 1;
            auto& flow = flows.emplace_back();
            flow.backlog_octets = backlog[i];
            flow.order = orders[i];
            claims.push_back(claim);
        }
        scheduler.schedule(claims, flows, capacity);
        double sum = 0;
        for (const auto& claim : claims) {
            scheduler.served(claim, claim.units);
            symbols[claim.cid - 1U] += claim.units;
            sum += claim.units;
        }
        EXPECT_LE(sum, capacity + 1e-6);
    }
    Shares run(int frames) {
        symbols.assign(symbols.size(), 0);
        for (int i = 0; i < frames; ++i) frame();
        Shares mean;
        for (const double s : symbols) mean.push_back(s / frames);
        return mean;
    }

    DownlinkScheduler scheduler;
    std::vector<uint8_t> rate_ids;
    std::vector<ServiceHistory> histories;
    std::vector<double> weights, symbols;
    std::vector<int> orders;
    std::vector<size_t> backlog;
    std::vector<DownlinkClaim> claims;
    std::vector<FlowClaim> flows;
};

void expect_near(const Shares& got, const Shares& wanted, double by = 0.2) {
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], by) << i;
}

TEST(Policies, FairIsSymbolsByWeightOverTime) {
    Cell cell(SchedulerPolicy::fair, {6, 1, 1});
    cell.weights = {1, 1, 2};
    expect_near(cell.run(100), {22.5, 22.5, 45});
}

/// 108 and 24 octets per symbol: nine symbols of the slow one carry what two of the fast one do.
TEST(Policies, WeightedIsOctetsByWeight) {
    Cell cell(SchedulerPolicy::weighted, {6, 1});
    expect_near(cell.run(100), {90.0 * 24 / 132, 90.0 * 108 / 132});
    cell.weights = {3, 1};
    expect_near(cell.run(200), {90.0 * 72 / 180, 90.0 * 108 / 180});
}

TEST(Policies, WeightedChannelIsTimeByWeightInEachFrame) {
    Cell cell(SchedulerPolicy::weighted_channel, {6, 1});
    expect_near(cell.run(1), {45, 45}, 1e-6);
    cell.backlog[1] = 0;
    cell.run(50);
    cell.backlog[1] = 100'000;
    expect_near(cell.run(1), {45, 45}, 1e-6);  // no memory of the time alone
    cell.weights = {2, 1};
    expect_near(cell.run(1), {60, 30}, 1e-6);
}

/// A station whose rate rises and falls gets its symbols while it is high; over time both get as many.
TEST(Policies, ProportionalFairServesWhoIsAtItsBest) {
    Cell cell(SchedulerPolicy::proportional_fair, {3, 3});
    cell.run(400);
    double good = 0, bad = 0;
    for (int n = 0; n < 400; ++n) {
        const bool up = n / 10 % 2 == 0;
        cell.rate_ids[0] = up ? 6 : 1;
        const double before = cell.symbols[0];
        cell.frame();
        const double had = cell.symbols[0] - before;
        good += up ? had : 0;
        bad += up ? 0 : had;
    }
    EXPECT_GT(good, 2 * bad);
    Cell still(SchedulerPolicy::proportional_fair, {6, 1});
    still.run(1000);
    expect_near(still.run(500), {45, 45}, 1);
}

TEST(Policies, PriorityDrrServesClassAfterClassAndOctetsInside) {
    Cell cell(SchedulerPolicy::priority_drr, {6, 1, 6});
    cell.orders = {39, 39, 23};
    cell.backlog[2] = 3240;  // 30 symbols
    expect_near(cell.run(200), {60.0 * 24 / 132, 60.0 * 108 / 132, 30}, 0.6);
    cell.backlog[2] = 100'000;
    expect_near(cell.run(1), {0, 0, 90}, 1e-6);
}

TEST(Policies, NoneLeavesSymbolsWhileSomebodyWaits) {
    for (const auto policy : {SchedulerPolicy::fair, SchedulerPolicy::priority_drr, SchedulerPolicy::proportional_fair,
                              SchedulerPolicy::weighted, SchedulerPolicy::weighted_channel}) {
        Cell cell(policy, {6, 0, 3, 5});
        cell.backlog = {500, 100'000, 700, 0};
        double sum = 0;
        for (const double s : cell.run(20)) sum += s;
        EXPECT_NEAR(sum, 90, 1e-3) << static_cast<int>(policy);
    }
}

TEST(Policies, NoHeapOnceTheyHaveRun) {
    for (const auto policy :
         {SchedulerPolicy::fair, SchedulerPolicy::priority_drr, SchedulerPolicy::proportional_fair}) {
        Cell cell(policy, {6, 0, 3, 5});
        cell.run(3);
        EXPECT_EQ(gr::wimax::phy::test::allocations_of([&] {
                      for (int i = 0; i < 20; ++i) cell.frame();
                  }),
                  0U);
    }
}

/// More octets are owed than fit into the frame: the earliest deadline wins, and management precedes all.
TEST(Owed, ByDeadlineWhereItIsTooMuch) {
    for (const auto policy : {SchedulerPolicy::fair, SchedulerPolicy::priority_drr, SchedulerPolicy::weighted}) {
        DownlinkScheduler scheduler(kSymbolGrid, policy);
        std::vector<ServiceHistory> histories(3);
        std::vector<FlowClaim> flows(3);
        std::vector<DownlinkClaim> claims(3);
        const std::array<Samples, 3> deadlines{3000, 1000, 2000};
        for (size_t i = 0; i < 3; ++i) {
            flows[i].backlog_octets = flows[i].reserved_octets = 108 * 50;
            flows[i].deadline = deadlines[i];
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = profile_of_fec_code(6);
            claims[i].history = &histories[i];
            claims[i].first_flow = i;
            claims[i].flow_count = 1;
        }
        claims[0].management_octets = 108 * 4;
        scheduler.schedule(claims, flows, 90);
        expect_near({claims[0].units, claims[1].units, claims[2].units}, {4, 50, 36}, 1e-6);
    }
}

/// Polls and unasked grants are served by deadline in the uplink, regardless of waiting time.
TEST(Owed, ByDeadlineInTheUplink) {
    UplinkScheduler scheduler(kSymbolGrid, {0, false, 64, SchedulerPolicy::fair});
    std::vector<ServiceHistory> histories(3);
    std::vector<FlowClaim> flows(3);
    std::vector<UplinkClaim> claims(3);
    const std::array<Samples, 3> deadlines{3000, 1000, 2000};
    for (size_t i = 0; i < 3; ++i) {
        flows[i].unasked_octets = 24 * 20 - 1;
        flows[i].deadline = deadlines[i];
        claims[i].cid = static_cast<uint16_t>(i + 1);
        claims[i].shape.profile = profile_of_fec_code(1);
        claims[i].history = &histories[i];
        claims[i].frames_waiting = static_cast<uint32_t>(10 - i);
        claims[i].first_flow = i;
        claims[i].flow_count = 1;
    }
    scheduler.schedule(claims, flows, 44, 64);
    EXPECT_EQ(claims[0].units, 0U);
    EXPECT_EQ(claims[1].units, 20U);
    EXPECT_EQ(claims[2].units, 20U);
}

/// Uplink: of the classes that ask, the first one's stations, in turn.
TEST(Policies, PriorityDrrInTheUplink) {
    UplinkScheduler scheduler(kSymbolGrid, {0, false, 64, SchedulerPolicy::priority_drr});
    std::vector<ServiceHistory> histories(3);
    std::array<double, 3> sum{};
    for (int n = 0; n < 60; ++n) {
        std::vector<FlowClaim> flows(3);
        std::vector<UplinkClaim> claims(3);
        for (size_t i = 0; i < 3; ++i) {
            flows[i].backlog_octets = i == 2 ? 107 * 10 : 50'000;
            flows[i].order = i == 2 ? 23 : 39;
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = profile_of_fec_code(6);
            claims[i].history = &histories[i];
            claims[i].first_flow = i;
            claims[i].flow_count = 1;
        }
        scheduler.schedule(claims, flows, 90, 64);
        for (size_t i = 0; i < 3; ++i) sum[i] += claims[i].units;
    }
    EXPECT_NEAR(sum[2] / 60, 10, 0.5);
    EXPECT_NEAR(sum[0] / 60, 38.5, 1.5);
    EXPECT_NEAR(sum[1] / 60, 38.5, 1.5);
}

/// Largest number served in each of 300 frames, the longest wait of one, and the greatest final difference.
struct Turns {
    size_t most_served = 0;
    int longest_wait = 0;
    double spread = 0;
    bool operator==(const Turns&) const = default;
};

Turns downlink_turns(size_t stations) {
    Cell cell(SchedulerPolicy::fair, std::vector<uint8_t>(stations, 6));
    std::vector<int> waits(stations);
    Turns turns;
    for (int frame = 0; frame < 300; ++frame) {
        cell.frame();
        size_t served = 0;
        for (size_t i = 0; i < stations; ++i) {
            const bool is = cell.claims[i].units > 0;
            served += is ? 1 : 0;
            waits[i] = is ? 0 : waits[i] + 1;
            turns.longest_wait = std::max(turns.longest_wait, waits[i]);
        }
        turns.most_served = std::max(turns.most_served, served);
    }
    const auto [least, most] = std::ranges::minmax(cell.symbols);
    turns.spread = std::round(most - least);
    return turns;
}

/// An idle time of any length gives no credit: from then on the shares are equal. Also if all were idle.
TEST(Turns, IdleTimeGivesNoCredit) {
    for (const auto policy : {SchedulerPolicy::fair, SchedulerPolicy::weighted})
        for (const int idle_frames : {1, 5, 100})
            for (const bool all_idle : {false, true}) {
                Cell cell(policy, std::vector<uint8_t>(5, 6));
                cell.run(3);
                cell.backlog[1] = 0;
                cell.run(idle_frames);
                if (all_idle) {
                    cell.backlog.assign(5, 0);
                    cell.frame();
                }
                cell.backlog.assign(5, 100'000);
                expect_near(cell.run(10), Shares(5, 18), 1e-6);
            }
}

/// What a frame withholds from a station that stays busy, the next ones give.
TEST(Turns, BusyStationKeepsItsCredit) {
    Cell cell(SchedulerPolicy::fair, {6, 6});
    cell.frame();
    cell.histories[1].served -= 60;
    expect_near(cell.run(1), {15, 75}, 1e-6);
    cell.histories[1].served -= 1000;  // limited to two frames
    expect_near(cell.run(4), {45 - 180 / 2 / 4, 45 + 180 / 2 / 4}, 0.6);
}

struct UplinkCell {
    explicit UplinkCell(size_t stations) : histories(stations), octets(stations, 100'000), units(stations) {}
    void frame() {
        std::vector<UplinkClaim> claims(histories.size());
        for (size_t i = 0; i < claims.size(); ++i) {
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = profile_of_fec_code(6);
            claims[i].history = &histories[i];
            claims[i].requested_octets = octets[i];
        }
        scheduler.schedule(claims, 94, 64);
        for (size_t i = 0; i < claims.size(); ++i) units[i] += claims[i].units;
    }

    UplinkScheduler scheduler{kSymbolGrid, {0, false, 64}};
    std::vector<ServiceHistory> histories;
    std::vector<size_t> octets;
    std::vector<uint32_t> units;
};

/// 8 symbols of 108 octets, and an octet for the tail.
TEST(Turns, RequestsUpToEightSymbolsAreNotLong) {
    for (const size_t octets : {8 * 108 - 1, 8 * 108}) {
        UplinkCell cell(10);
        cell.octets.assign(10, octets);
        cell.frame();
        const auto served = std::ranges::count_if(cell.units, [](uint32_t units) { return units > 0; });
        EXPECT_EQ(served, octets < 8 * 108 ? 10 : 3) << octets;
        EXPECT_EQ(std::ranges::max(cell.units), octets < 8 * 108 ? 8U : 9U);
    }
}

/// Even if its station is served after those with long requests, as long as the shares reach its level.
TEST(Turns, SmallRequestIsServedBesideLongOnes) {
    UplinkCell cell(8);
    cell.frame();
    for (size_t i = 0; i < 8; ++i) cell.histories[i].served = i == 7 ? 20 : 0;
    cell.octets[7] = 300;
    const uint32_t before = cell.units[7];
    cell.frame();
    EXPECT_EQ(cell.units[7] - before, 3U);
}

TEST(Turns, SmallRequestBelowItsShareIsServedAtOnce) {
    UplinkCell cell(17);
    for (int frame = 0; frame < 400; ++frame) {
        cell.octets[3] = frame % 5 == 0 ? 300 : 0;
        const uint32_t before = cell.units[3];
        cell.frame();
        ASSERT_EQ(cell.units[3] - before, cell.octets[3] > 0 ? 3U : 0U) << frame;
    }
}

Turns uplink_turns(size_t stations) {
    UplinkCell cell(stations);
    std::vector<int> waits(stations);
    Turns turns;
    for (int frame = 0; frame < 300; ++frame) {
        const auto before = cell.units;
        cell.frame();
        size_t served = 0;
        for (size_t i = 0; i < stations; ++i) {
            const bool is = cell.units[i] > before[i];
            served += is ? 1 : 0;
            waits[i] = is ? 0 : waits[i] + 1;
            turns.longest_wait = std::max(turns.longest_wait, waits[i]);
        }
        turns.most_served = std::max(turns.most_served, served);
    }
    const auto [least, most] = std::ranges::minmax(cell.units);
    turns.spread = most - least;
    return turns;
}

TEST(Turns, OfThreeAndMoreWithMuchToSendHalfHaveAGrant) {
    const size_t most[] = {0, 1, 2, 2, 2, 3, 3, 3};
    for (size_t stations = 1; stations <= 7; ++stations) {
        EXPECT_EQ(uplink_turns(stations).most_served, most[stations]) << stations;
        EXPECT_LE(uplink_turns(stations).longest_wait, stations > 2 ? 2 : 0) << stations;
        EXPECT_LE(uplink_turns(stations).spread, 47) << stations;
    }
    for (const size_t stations : {8U, 16U, 32U}) {
        EXPECT_EQ(uplink_turns(stations).most_served, 3U) << stations;
        EXPECT_LE(uplink_turns(stations).longest_wait, static_cast<int>(stations / 3 + 6)) << stations;
        EXPECT_LE(uplink_turns(stations).spread, 47) << stations;
    }
}

TEST(Turns, UpToSixWithMuchToSendAreServedInADownlink) {
    for (size_t stations = 1; stations <= 5; ++stations) {
        EXPECT_EQ(downlink_turns(stations).most_served, stations);
        EXPECT_EQ(downlink_turns(stations).longest_wait, 0) << stations;
        EXPECT_EQ(downlink_turns(stations).spread, 0) << stations;
    }
    for (const size_t stations : {7U, 16U}) {
        EXPECT_EQ(downlink_turns(stations).most_served, 6U);
        EXPECT_EQ(downlink_turns(stations).longest_wait, stations == 7 ? 1 : 2);
        EXPECT_LE(downlink_turns(stations).spread, 15) << stations;
    }
}

TEST(Turns, WhoHasLittleToSendIsNotHeldBack) {
    Cell cell(SchedulerPolicy::fair, std::vector<uint8_t>(16, 6));
    cell.backlog[2] = cell.backlog[5] = 300;
    for (int frame = 0; frame < 50; ++frame) {
        cell.frame();
        ASSERT_NEAR(cell.claims[2].units, 301 / 108.0, 1e-6);
        ASSERT_NEAR(cell.claims[5].units, 301 / 108.0, 1e-6);
        const auto served =
            std::count_if(cell.claims.begin(), cell.claims.end(), [](const auto& c) { return c.units > 1e-6; });
        ASSERT_LE(served, 2 + ptrdiff_t{kMostAtOnce});
        ASSERT_GE(served, 4);
    }
}

/// The grid of another air interface: its profiles and its overhead are in no other file.
class SlotGrid final : public ResourceGrid {
public:
    static constexpr std::array<BurstProfile, 2> kProfiles{{{"QPSK 1/2", 6, 0, 3}, {"Test 7/8", 21, 2, 20}}};

    constexpr SlotGrid() : ResourceGrid(BurstProfiles(kProfiles), {3, 40}) {}
    constexpr uint32_t units_for(const BurstShape& shape, size_t octets) const override {
        const auto& profile = profiles()[shape.profile];
        return static_cast<uint32_t>((octets + profile.tail_octets) / profile.octets_per_unit) + 1;
    }
    constexpr size_t octets_in(const BurstShape& shape, uint32_t units) const override {
        const auto& profile = profiles()[shape.profile];
        const size_t octets = size_t{units} * profile.octets_per_unit;
        return octets - std::min<size_t>(octets, profile.tail_octets);
    }
};
constexpr SlotGrid kSlotGrid;

TEST(OtherGrid, DownlinkSharesFollowItsProfiles) {
    DownlinkScheduler scheduler(kSlotGrid, SchedulerPolicy::weighted);
    std::vector<ServiceHistory> histories(2);
    std::vector<FlowClaim> flows(2);
    Shares mean(2);
    for (int frame = 0; frame < 100; ++frame) {
        std::vector<DownlinkClaim> claims(2);
        for (size_t i = 0; i < 2; ++i) {
            flows[i].backlog_octets = 10'000;
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = ProfileId{static_cast<uint8_t>(i)};
            claims[i].history = &histories[i];
            claims[i].first_flow = i;
            claims[i].flow_count = 1;
        }
        scheduler.schedule(claims, flows, 90);
        for (size_t i = 0; i < 2; ++i) {
            scheduler.served(claims[i], claims[i].units);
            mean[i] += claims[i].units / 100;
        }
    }
    expect_near(mean, {90.0 * 21 / 27, 90.0 * 6 / 27});
}

TEST(OtherGrid, GrantsPayItsOverheadAndAreCutByItsLimit) {
    std::vector<ServiceHistory> histories(40);
    for (uint32_t units = 1; units < 200; ++units) {
        UplinkScheduler scheduler(kSlotGrid, {units % 13, units % 2 == 0, 64});
        std::vector<UplinkClaim> claims(1 + units % 40);
        for (size_t i = 0; i < claims.size(); ++i) {
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = ProfileId{static_cast<uint8_t>(i % 2)};
            claims[i].history = &histories[i];
            claims[i].guaranteed_octets = i % 3 == 0 ? 30 + units : 0;
            claims[i].requested_octets = i % 4 == 1 ? 40 * units : 0;
            claims[i].active = i % 5 == 2;
        }
        const uint32_t elements = 1 + units % 17;
        scheduler.schedule(claims, units, elements);
        uint32_t cost = 0, bursts = 0;
        for (const auto& claim : claims) {
            cost += claim.units + (claim.units + 39) / 40 * 3;
            bursts += (claim.units + 39) / 40;
        }
        ASSERT_LE(cost, units);
        ASSERT_LE(bursts, elements) << units;
    }
    UplinkScheduler scheduler(kSlotGrid, {0, false, 64});
    std::vector<UplinkClaim> claims(1);
    claims[0].shape.profile = ProfileId{1};
    claims[0].history = histories.data();
    claims[0].guaranteed_octets = 21 * 50 - 3;
    scheduler.schedule(claims, 56, 64);
    EXPECT_EQ(claims[0].units, 50U);
    scheduler.schedule(claims, 55, 64);
    EXPECT_LT(claims[0].units, 50U);
}

}  // namespace test_share_rule
