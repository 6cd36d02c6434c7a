// SPDX-License-Identifier: GPL-3.0-or-later
// Fair shares, uplink scheduling, backoff, the ranging loop and the frame layout as units.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/bs/ranging_loop.h"
#include "mac/scheduler/uplink_scheduler.h"
#include "mac/ss/backoff.h"

#include <gtest/gtest.h>

using namespace wimax::mac;

namespace test_downlink_scheduler {

TEST(FairShare, MaxMin) {
    std::vector<Claim> claims{{10, 1, 0, 0}, {100, 1, 0, 0}, {100, 1, 0, 0}};
    share_out(claims, 90);
    EXPECT_NEAR(claims[0].share, 10, 1e-6);
    EXPECT_NEAR(claims[1].share, 40, 1e-6);
    EXPECT_NEAR(claims[2].share, 40, 1e-6);
}

TEST(FairShare, WeightsAndHistory) {
    std::vector<Claim> claims{{100, 1, 0, 0}, {100, 3, 0, 0}};
    share_out(claims, 80);
    EXPECT_NEAR(claims[0].share, 20, 1e-6);
    EXPECT_NEAR(claims[1].share, 60, 1e-6);
    claims = {{100, 1, 30, 0}, {100, 1, 0, 0}};
    share_out(claims, 40);
    EXPECT_NEAR(claims[0].share, 5, 1e-6);
    EXPECT_NEAR(claims[1].share, 35, 1e-6);
    claims = {{5, 1, 30, 0}, {7, 1, 0, 0}};
    share_out(claims, 40);
    EXPECT_NEAR(claims[0].share + claims[1].share, 12, 1e-6);
    share_out({}, 40);
}

struct Cell {
    std::vector<UplinkClaim> claims;
    std::vector<ServiceHistory> histories;
    explicit Cell(size_t n) : claims(n), histories(n) {
        for (size_t i = 0; i < n; ++i) {
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = profile_of_fec_code(6);
            claims[i].history = &histories[i];
        }
    }
    uint32_t cost() const {
        uint32_t sum = 0;
        for (const auto& c : claims) sum += grant_cost(c.units);
        return sum;
    }
};

TEST(UplinkScheduler, IdleStationsGetShortGrants) {
    Cell cell(3);
    UplinkScheduler scheduler(kSymbolGrid, {12, true, 64});
    scheduler.schedule(cell.claims, 97, 64);
    for (const auto& c : cell.claims) EXPECT_EQ(c.units, 12U);
}

TEST(UplinkScheduler, BusyStationGetsTheRest) {
    Cell cell(3);
    cell.claims[1].active = true;
    UplinkScheduler scheduler(kSymbolGrid, {12, true, 64});
    scheduler.schedule(cell.claims, 97, 64);
    EXPECT_EQ(cell.claims[0].units, 12U);
    EXPECT_EQ(cell.claims[1].units, 97U - 26 - 1);
    cell.claims[1].requested_octets = 100'000;
    scheduler.schedule(cell.claims, 97, 64);
    EXPECT_EQ(cell.claims[1].units, 96U);
}

/// A station that asks for more than a sixth of the symbols, or lately used half of them, will have more at the time of
/// its grant; one that asks for less leaves the others their short grants.
TEST(UplinkScheduler, WhoAsksForMuchIsGivenWhatTheSilentWouldHave) {
    Cell cell(3);
    cell.claims[1].active = true;
    UplinkScheduler scheduler(kSymbolGrid, {12, true, 64});
    for (const auto& [asked, silent, given] : {std::tuple{16U, 12U, 97U - 26 - 1}, std::tuple{17U, 0U, 96U}}) {
        cell.claims[1].requested_octets = bytes_in(6, asked);
        scheduler.schedule(cell.claims, 97, 64);
        EXPECT_EQ(cell.claims[0].units, silent);
        EXPECT_EQ(cell.claims[2].units, silent);
        EXPECT_EQ(cell.claims[1].units, given);
    }
    cell.claims[1].requested_octets = 0;
    for (const auto& [used, silent] : {std::pair{48.0, 12U}, std::pair{48.1, 0U}}) {  // of 97
        cell.claims[1].used_units = used;
        scheduler.schedule(cell.claims, 97, 64);
        EXPECT_EQ(cell.claims[0].units, silent) << "a queue that is kept short asks for little";
    }
    UplinkScheduler nothing_spare(kSymbolGrid, {12, false, 64});
    nothing_spare.schedule(cell.claims, 97, 64);
    EXPECT_EQ(cell.claims[0].units, 12U) << "else nobody would have it";
}

TEST(UplinkScheduler, GuaranteedFirstThenFairRequests) {
    Cell cell(4);
    UplinkScheduler scheduler(kSymbolGrid, {12, true, 64});
    std::array<uint64_t, 4> sum{};
    for (int frame = 0; frame < 200; ++frame) {
        for (auto& c : cell.claims) c.requested_octets = 50'000;
        cell.claims[3].guaranteed_octets = 2000;
        cell.claims[3].requested_octets = 0;
        scheduler.schedule(cell.claims, 97, 64);
        EXPECT_LE(cell.cost(), 97U);
        EXPECT_GE(cell.cost(), 96U);
        EXPECT_GE(bytes_in(6, cell.claims[3].units), 2000U);
        for (size_t i = 0; i < 4; ++i) sum[i] += cell.claims[i].units;
        // Two of the three are served in a frame: at no time they differ by more than half of its symbols.
        const auto [least, most] = std::minmax_element(sum.begin(), sum.begin() + 3);
        EXPECT_LE(*most - *least, 38U);
    }
    EXPECT_GT(*std::min_element(sum.begin(), sum.begin() + 3), 4900U);
}

TEST(UplinkScheduler, ManyStationsTakeTurns) {
    Cell cell(100);
    UplinkScheduler scheduler(kSymbolGrid, {12, true, 64});
    std::vector<uint64_t> sum(100);
    for (int frame = 0; frame < 1000; ++frame) {
        for (auto& c : cell.claims) {
            c.requested_octets = 20'000;
            ++c.frames_waiting;
        }
        scheduler.schedule(cell.claims, 97, 64);
        ASSERT_LE(cell.cost(), 97U);
        uint32_t grants = 0;
        for (size_t i = 0; i < 100; ++i) {
            grants += cell.claims[i].units > 0;
            sum[i] += cell.claims[i].units;
            if (cell.claims[i].units > 0) cell.claims[i].frames_waiting = 0;
        }
        EXPECT_LE(grants, kMostAtOnce);
    }
    const auto [least, most] = std::minmax_element(sum.begin(), sum.end());
    EXPECT_GT(static_cast<double>(*least), 0.9 * static_cast<double>(*most));
}

TEST(UplinkScheduler, LimitOfMapElements) {
    Cell cell(50);
    UplinkScheduler scheduler(kSymbolGrid, {1, true, 64});
    scheduler.schedule(cell.claims, 500, 7);
    uint32_t grants = 0;
    for (const auto& c : cell.claims) grants += c.units > 0;
    EXPECT_EQ(grants, 7U);
}

TEST(UplinkScheduler, LongGrantsPayForTheirCuts) {
    Cell cell(1);
    cell.claims[0].active = true;
    cell.claims[0].requested_octets = 1'000'000;
    UplinkScheduler scheduler(kSymbolGrid, {12, true, 64});
    scheduler.schedule(cell.claims, 1900, 64);
    EXPECT_LE(cell.cost(), 1900U);
    EXPECT_GE(cell.claims[0].units, 1896U);
}

TEST(Backoff, WindowGrowsToItsEnd) {
    Backoff::Random random(1);
    Backoff backoff;
    backoff.start(0, 3, random);
    EXPECT_EQ(backoff.pass(1), 0U);  // window of one: the next opportunity
    const uint32_t windows[] = {2, 4, 8, 8, 8};
    for (const uint32_t window : windows) {
        backoff.retry(random);
        EXPECT_EQ(backoff.window(), window);
        uint32_t passed = 0;
        while (!backoff.pass(1)) ++passed;
        EXPECT_LT(passed, window);
    }
    EXPECT_EQ(backoff.retries(), 5);
}

TEST(Backoff, CountsOverRegions) {
    Backoff::Random random(5);
    Backoff backoff;
    bool crossed = false;
    for (int i = 0; i < 50; ++i) {
        backoff.start(3, 3, random);
        uint32_t regions = 0;
        std::optional<uint32_t> hit;
        while (!(hit = backoff.pass(3))) ++regions;
        EXPECT_LT(regions * 3 + *hit, 8U);
        crossed = crossed || regions == 2;
    }
    EXPECT_TRUE(crossed);
}

FrameLayout layout_of(const BaseStationConfig& config) { return *FrameLayout::make(config); }

TEST(RangingLoop, ContinuesUntilWithinLimits) {
    BaseStationConfig config;
    RangingLoop loop(config, layout_of(config).timing());
    UplinkMeasurement m{-70, 30, 0, 50, 900};
    auto c = loop.on_request(m, false);
    EXPECT_EQ(c.status, RangingStatus::continue_ranging);
    EXPECT_EQ(c.timing_samples, 50);
    EXPECT_EQ(c.power_qdb, 40);
    EXPECT_EQ(c.frequency_hz, -900);
    m = {-60.5F, 40, 0, 1, 20};
    EXPECT_EQ(loop.on_request(m, false).status, RangingStatus::success);
}

TEST(RangingLoop, AcceptsAStationAtItsLimit) {
    BaseStationConfig config;
    RangingLoop told(config, layout_of(config).timing()), deaf(config, layout_of(config).timing());
    const UplinkMeasurement m{-75, 25, 0, 0, 0};
    EXPECT_EQ(told.on_request(m, true).status, RangingStatus::success);
    EXPECT_EQ(deaf.on_request(m, false).status, RangingStatus::continue_ranging);
    EXPECT_EQ(deaf.on_request(m, false).status, RangingStatus::success);
}

TEST(RangingLoop, PeriodicCorrectionsWaitForTheirEffect) {
    BaseStationConfig config;
    const auto layout = layout_of(config);
    RangingLoop loop(config, layout.timing());
    Samples now = 0;
    int corrections = 0;
    for (int i = 0; i < 20; ++i, now += layout.frame_samples())
        if (loop.on_data({-60, 40, 0, 12, 0}, now)) ++corrections;
    EXPECT_GE(corrections, 2);
    EXPECT_LE(corrections, 3);
    corrections = 0;
    for (int i = 0; i < 100; ++i, now += layout.frame_samples())
        if (loop.on_data({-60.7F, 40, 0, 1, 100}, now)) ++corrections;
    EXPECT_LE(corrections, 1);  // one may still answer the mean of before
}

TEST(FrameLayout, HalvesOfAFrame) {
    BaseStationConfig config;
    const auto layout = layout_of(config);
    EXPECT_EQ(layout.frame_symbols, 200U);
    EXPECT_EQ(layout.uplink.first, 100U * 72);
    EXPECT_EQ(layout.downlink.symbols, 99U);
    EXPECT_EQ(layout.uplink.symbols, 99U);
    config.dl_symbols = 120;
    EXPECT_EQ(layout_of(config).downlink.symbols, 119U);
    EXPECT_EQ(layout_of(config).uplink.symbols, 79U);
}

TEST(FrameLayout, FramesOfNoWholeNumberOfSymbols) {
    for (uint32_t bandwidth : {1'750'000U, 3'500'000U, 5'000'000U, 7'000'000U, 10'000'000U, 20'000'000U})
        for (uint8_t code = 0; code < 7; ++code)
            for (uint8_t cp : {4, 8, 16, 32}) {
                BaseStationConfig config;
                config.bandwidth_hz = bandwidth;
                config.frame_duration_code = code;
                config.cp_denominator = cp;
                const auto layout = FrameLayout::make(config);
                if (!layout) continue;
                EXPECT_EQ(layout->downlink.first + layout->downlink.slots, layout->uplink.first);
                EXPECT_EQ(layout->uplink.first + layout->uplink.slots, layout->frame_slots);
                EXPECT_LE(layout->max_broadcast_symbols + 3, layout->downlink.symbols);
            }
}

}  // namespace test_downlink_scheduler
