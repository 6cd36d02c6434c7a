// SPDX-License-Identifier: GPL-3.0-or-later
// The guards of loaded admission and link adaptation: each kind of fault costs one decision, and the third fault the
// policy's place.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/policy/admission_policy.h"
#include "mac/policy/guarded_rate.h"

#include <gtest/gtest.h>

using namespace wimax;
using namespace wimax::mac;

namespace test_policy_guards {

constexpr Samples kFrame = 57'600;
constexpr int64_t kRate = 5'760'000;

struct Parts {
    FrameClock clock;
    std::vector<std::string> lines;
    LoadedPolicies policies(Policies of) {
        return {std::make_shared<const Policies>(std::move(of)),
                {kSymbolGrid, clock, 0.01},
                [this](const std::string& line, bool) { lines.push_back(line); }};
    }
};

// Admission

struct Rule final : AdmissionPolicy {
    explicit Rule(AdmissionVerdict& has) : verdict(has) {}
    AdmissionVerdict admit(const AdmissionRequest& request) override {
        asked.push_back(request.kind);
        return verdict;
    }
    std::string reason() const override { return "as the test wants"; }
    AdmissionVerdict& verdict;
    std::vector<AdmissionRequest::Kind> asked;
};

class Admissions : public ::testing::Test, protected Parts {
protected:
    Admissions() {
        Policies of;
        of.admission = [this](const PolicyCell&) { return std::make_unique<Rule>(verdict); };
        loaded.emplace(policies(std::move(of)));
        policy = make_admission_policy(*loaded);
        full.builtin = failure("", "no room");
    }
    /// Whether a flow that does not fit, and one that does, are admitted.
    std::pair<bool, bool> admitted() const {
        return {policy->admit(full).admitted.has_value(), policy->admit(fitting).admitted.has_value()};
    }
    const PolicyCounters& counters() { return loaded->account(PolicyRole::admission).counters(); }

    AdmissionVerdict verdict;
    std::optional<LoadedPolicies> loaded;
    std::unique_ptr<AdmissionPolicy> policy;
    AdmissionRequest full, fitting;
    static constexpr std::pair<bool, bool> kBuiltIn{false, true};
};

TEST_F(Admissions, TheBuiltInPolicyAdmitsWhatFits) {
    LoadedPolicies none(nullptr, {kSymbolGrid, clock, 0.01}, [](const std::string&, bool) {});
    const auto builtin = make_admission_policy(none);
    EXPECT_TRUE(builtin->admit(fitting).admitted);
    ASSERT_FALSE(builtin->admit(full).admitted);
    EXPECT_EQ(builtin->admit(full).admitted.error().allowed, "no room");
    EXPECT_FALSE(none.figures().any());
}

TEST_F(Admissions, ALoadedPolicyRefusesAndOverbooks) {
    EXPECT_EQ(admitted(), std::pair(true, true));
    verdict.admitted = failure("", "not today");
    EXPECT_EQ(admitted(), std::pair(false, false));
    EXPECT_EQ(policy->admit(fitting).admitted.error().allowed, "not today");
    EXPECT_EQ(counters().calls, 5U);
    EXPECT_TRUE(lines.empty());
}

TEST_F(Admissions, EachFaultCostsOneDecisionAndTheThirdThePlace) {
    for (const auto fault : {PolicyResult::late, PolicyResult::failed, PolicyResult::nonsense}) {
        verdict.outcome.result = fault;
        EXPECT_FALSE(policy->admit(full).admitted) << "the built-in policy decides";
        verdict.outcome = {};
        EXPECT_EQ(policy->admit(full).admitted.has_value(), fault != PolicyResult::nonsense);
    }
    EXPECT_EQ(admitted(), kBuiltIn);
    EXPECT_TRUE(counters().replaced);
    EXPECT_EQ(std::tuple(counters().late, counters().failed, counters().nonsense), std::tuple(1U, 1U, 1U));
    EXPECT_EQ(counters().calls, 5U) << "none after the third fault";
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0], "admission: fault 1 of 3 of the loaded policy, late: as the test wants");
    EXPECT_EQ(lines[3], "admission: the built-in policy replaces the loaded one after 3 faults");
}

TEST_F(Admissions, ABusyPolicyIsNoFault) {
    verdict.outcome.result = PolicyResult::busy;
    EXPECT_EQ(admitted(), kBuiltIn);
    EXPECT_EQ(counters().busy, 1U) << "of one frame";
    EXPECT_EQ(counters().calls, 0U);
}

// Link adaptation

struct Adapter final : LinkPolicy {
    struct Has {
        PolicyOutcome outcome;
        size_t row = 3;
        std::vector<LinkReport> reports;
    };
    explicit Adapter(Has& of) : has(of) {}
    PolicyOutcome adapt(const LinkReport& link, ProfileId& rate) override {
        has.reports.push_back(link);
        rate = profile_in_row(has.row);
        return has.outcome;
    }
    std::string reason() const override { return "as the test wants"; }
    Has& has;
};

class Rates : public ::testing::Test, protected Parts {
protected:
    Rates() {
        Policies of;
        of.link_adaptation = [this](const PolicyCell&) { return std::make_unique<Adapter>(has); };
        loaded.emplace(policies(std::move(of)));
        rates.emplace(LinkAdaptationConfig{}, *loaded);
        policy = make(1);
        builtin = make_rate_policy({}, kFrame, kRate, limits);
        for (auto* one : {policy.get(), builtin.get()}) {
            one->set_limits(profile_in_row(1), profile_in_row(5));
            one->start(12);
        }
    }
    std::unique_ptr<RatePolicy> make(uint8_t station) {
        return rates->make({{2, 0, 0, 0, 0, station}, true}, kFrame, kRate, limits);
    }
    /// A frame with a burst of this CINR at the rate in use; its row from then on.
    size_t frame(float cinr_db = 12, const BurstFate& fate = {40, 0}) {
        clock.now += kFrame;
        for (auto* one : {policy.get(), builtin.get()}) {
            one->measured(cinr_db, clock.now);
            one->burst(one->id(), fate, cinr_db, clock.now);
            one->adopt(one->wanted(clock.now), clock.now);
        }
        return row_of(policy->id());
    }
    const PolicyCounters& counters() { return loaded->account(PolicyRole::link_adaptation).counters(); }

    RateThresholds limits;
    Adapter::Has has;
    std::optional<LoadedPolicies> loaded;
    std::optional<LinkAdaptation> rates;
    std::unique_ptr<RatePolicy> policy, builtin;
};

TEST_F(Rates, ALoadedPolicyChoosesTheRate) {
    for (const size_t row : {1, 5, 2}) {
        has.row = row;
        EXPECT_EQ(frame(), row);
    }
    EXPECT_EQ(counters().calls, 3U);
    EXPECT_EQ(policy->changes().rises, 1U);
}

TEST_F(Rates, ItGetsWhatWasMeasuredSinceThePreviousCall) {
    frame(12);
    has.reports.clear();
    policy->set_aim({LinkGoal::goodput, 0.02F});
    clock.now += kFrame;
    policy->measured(9, clock.now);
    policy->measured(14, clock.now);
    policy->measured(11, clock.now);
    policy->burst(profile_in_row(3), {40, 3}, 9, clock.now);
    policy->burst(profile_in_row(3), {20, 0}, 9, clock.now);
    policy->burst(profile_in_row(5), {10, 10}, 9, clock.now);
    policy->give_up(clock.now);
    policy->wanted(clock.now);
    ASSERT_EQ(has.reports.size(), 1U);
    const LinkReport& r = has.reports[0];
    EXPECT_EQ(r.ends.station, (MacAddress{2, 0, 0, 0, 0, 1}));
    EXPECT_TRUE(r.ends.uplink);
    EXPECT_EQ(r.at, clock.now);
    EXPECT_EQ(std::tuple(row_of(r.rate), row_of(r.lowest), row_of(r.highest)), std::tuple(3U, 1U, 5U));
    EXPECT_EQ(r.measurements, 3U);
    EXPECT_EQ(std::tuple(r.cinr_db, r.lowest_cinr_db, r.highest_cinr_db), std::tuple(11.0F, 9.0F, 14.0F));
    EXPECT_TRUE(r.mean_cinr_db > 9 && r.mean_cinr_db < 12) << r.mean_cinr_db;
    EXPECT_TRUE(r.give_up);
    EXPECT_EQ(r.aim, (LinkAim{LinkGoal::goodput, 0.02F}));
    EXPECT_EQ(r.needs_db, needs_db(LinkGoal::goodput, 0.02F));
    EXPECT_EQ(r.bursts[3].bursts, 2U);
    EXPECT_EQ(r.bursts[3].lost_bursts, 1U);
    EXPECT_EQ(r.bursts[3].blocks, 60U);
    EXPECT_EQ(r.bursts[3].lost_blocks, 3U);
    EXPECT_EQ(r.bursts[5].lost_blocks, 10U);
    frame(12);
    EXPECT_EQ(has.reports.back().measurements, 1U);
    EXPECT_EQ(has.reports.back().lowest_cinr_db, 12);
    EXPECT_EQ(has.reports.back().bursts[5].bursts, 0U);
    EXPECT_FALSE(has.reports.back().give_up);
}

TEST_F(Rates, ItIsAskedOncePerFrameInWhichSomethingWasMeasured) {
    frame();
    for (int i = 0; i < 3; ++i) policy->wanted(clock.now);
    policy->measured(12, clock.now);
    policy->wanted(clock.now);
    EXPECT_EQ(has.reports.size(), 1U);
    clock.now += kFrame;
    policy->wanted(clock.now);
    EXPECT_EQ(has.reports.size(), 2U) << "with the measurement after the last call";
    clock.now += kFrame;
    EXPECT_EQ(row_of(policy->wanted(clock.now)), has.row) << "the last decision stays";
    EXPECT_EQ(has.reports.size(), 2U);
}

TEST_F(Rates, LinksHaveNumbersAndOneAccount) {
    const auto other = make(2);
    other->set_limits(profile_in_row(0), profile_in_row(6));
    other->start(20);
    clock.now += kFrame;
    other->measured(20, clock.now);
    other->wanted(clock.now);
    frame();
    policy->start(12);
    frame();
    ASSERT_EQ(has.reports.size(), 3U);
    EXPECT_EQ(has.reports[0].ends.station[5], 2);
    EXPECT_NE(has.reports[0].number, has.reports[1].number);
    EXPECT_NE(has.reports[1].number, has.reports[2].number) << "it has entered again";
    EXPECT_EQ(counters().calls, 3U);
}

TEST_F(Rates, EachFaultCostsOneFrameAndTheThirdThePlace) {
    has.row = 2;
    for (int i = 0; i < 50; ++i) frame();
    const size_t by_builtin = row_of(builtin->id());
    ASSERT_NE(by_builtin, 2U);
    has.outcome.result = PolicyResult::late;
    EXPECT_EQ(frame(), by_builtin) << "it has had all measurements";
    has.outcome = {};
    EXPECT_EQ(frame(), 2U);
    has.outcome.result = PolicyResult::failed;
    EXPECT_EQ(frame(), by_builtin);
    has.outcome = {};
    for (const size_t row : {0, 6}) {
        has.row = row;
        frame();
    }
    EXPECT_EQ(counters().nonsense, 1U) << "the limits are 1..5";
    EXPECT_TRUE(counters().replaced);
    const size_t calls = has.reports.size();
    has.row = 2;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(frame(), by_builtin);
    EXPECT_EQ(has.reports.size(), calls);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[2], "adaptation.policy: fault 3 of 3 of the loaded policy, nonsense: Rate_ID 0, allowed: 1..5");
}

TEST_F(Rates, RatesOutsideTheLimitsAreNonsense) {
    for (const size_t row : {0, 6}) {
        has.row = row;
        const size_t now = frame();
        EXPECT_TRUE(now >= 1 && now <= 5) << now;
    }
    EXPECT_EQ(counters().nonsense, 2U);
    has.row = 5;
    EXPECT_EQ(frame(), 5U);
    policy->set_limits(profile_in_row(1), profile_in_row(2));
    EXPECT_EQ(row_of(policy->wanted(clock.now)), 2U) << "a limit that falls later";
}

TEST_F(Rates, ABusyPolicyKeepsItsReport) {
    has.outcome.result = PolicyResult::busy;
    for (int i = 0; i < 4; ++i) frame();
    EXPECT_EQ(counters().busy, 4U);
    has.outcome = {};
    frame();
    EXPECT_EQ(has.reports.back().measurements, 5U);
}

}  // namespace test_policy_guards
