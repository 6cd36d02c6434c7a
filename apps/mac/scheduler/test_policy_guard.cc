// SPDX-License-Identifier: GPL-3.0-or-later
// The guard of loaded schedulers: each kind of fault costs a frame, and the third fault the policy's place.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/scheduler/downlink_scheduler.h"
#include "mac/scheduler/policy_guard.h"
#include "mac/scheduler/uplink_scheduler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace wimax::mac;

namespace test_policy_guard {

/// Gives all units to the last station, or has the fault that a test sets.
struct Loaded {
    PolicyOutcome outcome;
    double units = 90;    ///< of the last station
    uint32_t bursts = 1;  ///< stations with a grant
    int calls = 0;
};

struct LoadedDownlink final : DownlinkPolicy {
    explicit LoadedDownlink(Loaded& has) : of(has) {}
    PolicyOutcome schedule(std::vector<DownlinkClaim>& claims, std::span<const FlowClaim>, double) override {
        ++of.calls;
        for (auto& claim : claims) claim.units = 0;
        claims.back().units = of.units;
        return of.outcome;
    }
    std::string reason() const override { return "as the test wants"; }
    Loaded& of;
};

struct LoadedUplink final : UplinkPolicy {
    explicit LoadedUplink(Loaded& has) : of(has) {}
    PolicyOutcome schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim>, uint32_t, uint32_t) override {
        ++of.calls;
        for (size_t i = 0; i < claims.size(); ++i)
            claims[i].units = i + of.bursts >= claims.size() ? static_cast<uint32_t>(of.units) : 0;
        return of.outcome;
    }
    uint32_t refused() const override { return 77; }
    std::string reason() const override { return "as the test wants"; }
    Loaded& of;
};

template <class Claim> struct Claims {
    explicit Claims(size_t count) : claims(count), histories(count) {
        for (size_t i = 0; i < count; ++i) {
            claims[i].cid = static_cast<uint16_t>(i + 1);
            claims[i].shape.profile = profile_in_row(6);
            claims[i].history = &histories[i];
        }
    }
    std::vector<Claim> claims;
    std::vector<ServiceHistory> histories;
};

class Downlink : public ::testing::Test {
protected:
    /// Units of both stations; the built-in scheduler gives 45 to each.
    std::pair<double, double> frame() {
        for (auto& claim : of.claims) claim.management_octets = 100'000;
        guard.schedule(of.claims, {}, 90);
        for (const auto& claim : of.claims) guard.served(claim, claim.units);
        return {of.claims[0].units, of.claims[1].units};
    }
    Claims<DownlinkClaim> of{2};
    Loaded loaded;
    std::vector<std::string> lines;
    PolicyAccount account{"dl_scheduler", [this](const std::string& line, bool) { lines.push_back(line); }};
    GuardedDownlink guard{std::make_unique<LoadedDownlink>(loaded), std::make_unique<DownlinkScheduler>(kSymbolGrid),
                          account};
    static constexpr std::pair<double, double> kLoaded{0, 90};
};

TEST_F(Downlink, ALoadedPolicyServesFramesAndItsTimeIsCounted) {
    for (const uint32_t us : {10, 40, 20}) {
        loaded.outcome.spent_us = us;
        loaded.outcome.waited_us = 3 * us;
        EXPECT_EQ(frame(), kLoaded);
    }
    EXPECT_EQ(account.counters().calls, 3U);
    EXPECT_EQ(account.counters().spent_us, 70U);
    EXPECT_EQ(account.counters().longest_us, 120U);
    EXPECT_TRUE(lines.empty());
}

TEST_F(Downlink, EachKindOfFaultCostsOneFrameAndTheThirdThePlace) {
    loaded.outcome.result = PolicyResult::late;
    EXPECT_NE(frame(), kLoaded);
    loaded.outcome = {};
    EXPECT_EQ(frame(), kLoaded);
    loaded.outcome.result = PolicyResult::failed;
    EXPECT_NE(frame(), kLoaded);
    loaded.outcome = {};
    EXPECT_EQ(frame(), kLoaded);
    EXPECT_FALSE(account.replaced());
    loaded.units = 90.1;
    EXPECT_NE(frame(), kLoaded);
    const auto& c = account.counters();
    EXPECT_EQ(std::tuple(c.late, c.failed, c.nonsense), std::tuple(1U, 1U, 1U));
    EXPECT_TRUE(account.replaced());
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0], "dl_scheduler: fault 1 of 3 of the loaded policy, late: as the test wants");
    EXPECT_EQ(lines[2],
              "dl_scheduler: fault 3 of 3 of the loaded policy, nonsense: 90.100000 units in a frame of 90.000000");
    EXPECT_EQ(lines[3], "dl_scheduler: the built-in policy replaces the loaded one after 3 faults");
    loaded.units = 90;
    const int before = loaded.calls;
    for (int i = 0; i < 10; ++i) EXPECT_NE(frame(), kLoaded);
    EXPECT_EQ(loaded.calls, before);
    EXPECT_EQ(lines.size(), 4U);
}

TEST_F(Downlink, TheBuiltInSchedulerServesTheFrameOfAFault) {
    loaded.units = std::nan("");
    const auto [one, other] = frame();
    EXPECT_NEAR(one + other, 90, 1e-6);
    EXPECT_GE(std::min(one, other), 0);
}

TEST_F(Downlink, UnitsHaveToBeNumbersOfTheFrame) {
    for (const double units : {-1.0, 91.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
        PolicyAccount fresh("dl_scheduler", [](const std::string&, bool) {});
        GuardedDownlink one(std::make_unique<LoadedDownlink>(loaded), std::make_unique<DownlinkScheduler>(kSymbolGrid),
                            fresh);
        loaded.units = units;
        one.schedule(of.claims, {}, 90);
        EXPECT_EQ(fresh.counters().nonsense, 1U) << units;
        for (const auto& claim : of.claims) EXPECT_TRUE(claim.units >= 0 && claim.units <= 90) << units;
    }
}

/// A call that hangs is one fault, whatever its duration; after 100 frames it is not waited for any longer.
TEST_F(Downlink, ABusyPolicyWaitsAndIsReplacedWhenItHangs) {
    loaded.outcome.result = PolicyResult::late;
    frame();
    loaded.outcome.result = PolicyResult::busy;
    for (uint32_t i = 1; i < PolicyAccount::kMostBusyFrames; ++i) EXPECT_NE(frame(), kLoaded);
    loaded.outcome = {};
    EXPECT_EQ(frame(), kLoaded) << "it has come back";
    EXPECT_EQ(account.counters().busy, PolicyAccount::kMostBusyFrames - 1);
    EXPECT_EQ(account.counters().late, 1U);
    loaded.outcome.result = PolicyResult::busy;
    for (uint32_t i = 0; i < PolicyAccount::kMostBusyFrames; ++i) frame();
    EXPECT_TRUE(account.replaced());
    EXPECT_EQ(account.counters().late, 1U);
}

class Uplink : public ::testing::Test {
protected:
    static constexpr uint32_t kUnits = 90;
    /// Whether the loaded policy's grants are used.
    bool frame(uint32_t elements = 64) {
        PolicyAccount fresh("ul_scheduler", [](const std::string&, bool) {});
        GuardedUplink guard(std::make_unique<LoadedUplink>(loaded),
                            std::make_unique<UplinkScheduler>(kSymbolGrid, UplinkSchedulerConfig{}), kSymbolGrid, 64,
                            fresh);
        for (auto& claim : of.claims) claim.requested_octets = 1000;
        guard.schedule(of.claims, {}, kUnits, elements);
        uint32_t sum = 0;
        for (const auto& claim : of.claims) sum += claim.units > 0 ? kSymbolGrid.grant().total(claim.units) : 0;
        EXPECT_LE(sum, kUnits);
        const bool used = fresh.counters().nonsense == 0;
        EXPECT_EQ(guard.refused() == 77, used);
        return used;
    }
    Claims<UplinkClaim> of{4};
    Loaded loaded;
};

TEST_F(Uplink, TheOverheadOfBurstsCounts) {
    loaded.units = kUnits - kSymbolGrid.grant().overhead_units;
    EXPECT_TRUE(frame());
    loaded.units = kUnits;
    EXPECT_FALSE(frame());
    loaded.units = 4'000'000'000;
    loaded.bursts = 4;
    EXPECT_FALSE(frame()) << "one station has more than the frame";
}

TEST_F(Uplink, BurstsNeedElementsOfTheMap) {
    loaded.units = 5;
    loaded.bursts = 4;
    EXPECT_TRUE(frame(4));
    EXPECT_FALSE(frame(3));
}

}  // namespace test_policy_guard
