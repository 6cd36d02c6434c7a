// SPDX-License-Identifier: GPL-3.0-or-later
// Policies from files: what they are given and return, what is wrong with broken ones, and that none of their faults
// stops a frame.
#include "common/scratch.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "policy/load_policies.h"
#include "policy/policy_library.h"

#include "mac/policy/admission_policy.h"
#include "mac/policy/link_policy.h"
#include "mac/scheduler/scheduler_policy.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <set>

using namespace wimax;

namespace test_load_policies {

using mac::PolicyResult, mac::PolicyRole;

const std::string kPython = WIMAX_TEST_PYTHON, kLibrary = WIMAX_TEST_LIBRARY;

mac::BaseStationConfig with(const mac::PolicyFile& downlink, const mac::PolicyFile& uplink = {}) {
    mac::BaseStationConfig config;
    config.policy_files[mac::PolicyRole::downlink] = downlink;
    config.policy_files[mac::PolicyRole::uplink] = uplink;
    return config;
}
mac::PolicyFile python(const std::string& name) { return {kPython + ":" + name, ""}; }
mac::PolicyFile library(const std::string& path = kLibrary) { return {"", path}; }

/// Real-time priorities of this process's threads that run policies; 0: none.
std::set<int> priorities_of_policies() {
    std::set<int> all;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string name;
        std::ifstream(task.path() / "comm") >> name;
        const int thread = std::stoi(task.path().filename());
        sched_param parameters{};
        if (name != "policy" || sched_getparam(thread, &parameters) != 0) continue;
        all.insert(sched_getscheduler(thread) == SCHED_FIFO ? parameters.sched_priority : 0);
    }
    return all;
}

/// The only fault of the file.
Fault fault_of(const mac::PolicyFile& file, PolicyRole role = PolicyRole::uplink) {
    mac::BaseStationConfig config;
    config.policy_files[role] = file;
    const Faults faults = policy::load_policies(config, policy::kHangLimit);
    EXPECT_EQ(faults.count(), 1U) << faults.str();
    EXPECT_FALSE(config.policies);
    return faults.empty() ? Fault{} : faults.list()[0];
}

/// A loaded downlink scheduler with one station.
struct Loaded {
    explicit Loaded(const mac::PolicyFile& file, std::chrono::microseconds limit = policy::kHangLimit) {
        auto config = with(file);
        const Faults faults = policy::load_policies(config, limit);
        EXPECT_TRUE(faults.empty()) << faults.str();
        clock.sample_rate_hz = 1000;
        clock.now = 5000;
        if (config.policies) scheduler = config.policies->downlink({mac::kSymbolGrid, clock, 0.01});
        claims[0].cid = 7;
        claims[0].shape.profile = mac::profile_in_row(6);
        claims[0].weight = 3;
        claims[0].management_octets = 107;
        claims[0].flow_count = 1;
        parameters.traffic_priority = 5;
        parameters.min_reserved_rate_bps = 1'000'000;
        flows[0].parameters = &parameters;
        flows[0].backlog_octets = 1080;
        flows[0].reserved_octets = 109;
        flows[0].deadline = 4000;
    }
    PolicyResult frame(double units = 90) { return scheduler->schedule(claims, flows, units).result; }

    mac::FrameClock clock;
    mac::ServiceFlowConfig parameters;
    std::vector<mac::DownlinkClaim> claims{1};
    std::vector<mac::FlowClaim> flows{1};
    std::unique_ptr<mac::DownlinkPolicy> scheduler;
};

TEST(LoadPolicies, NothingNamedIsNothingLoaded) {
    auto config = with({});
    EXPECT_TRUE(policy::load_policies(config, policy::kHangLimit).empty());
    EXPECT_FALSE(config.policies);
}

TEST(LoadPolicies, ALibraryServesOneDirectionOrBoth) {
    auto one = with(library()), both = with(library(), library());
    EXPECT_TRUE(policy::load_policies(one, policy::kHangLimit).empty());
    EXPECT_TRUE(policy::load_policies(both, policy::kHangLimit).empty());
    EXPECT_TRUE(one.policies->downlink && !one.policies->uplink);
    EXPECT_TRUE(both.policies->downlink && both.policies->uplink);
}

TEST(LoadPolicies, BrokenFilesAreFaultsOfTheirKeys) {
    const auto file = [](const std::string& name, const std::string& text) {
        const std::string path = Scratch::path(name);
        std::ofstream(path) << text;
        return path;
    };
    EXPECT_EQ(fault_of({"my_rules.py", ""}).str(),
              "ul_scheduler.python: value my_rules.py: allowed FILE:CLASS, for instance my_rules.py:MaxWeight");
    EXPECT_EQ(fault_of({"/nowhere/a.py:A", ""}).key, "ul_scheduler.python");
    EXPECT_EQ(fault_of(library("/nowhere/a.so")).str(),
              "ul_scheduler.library: value /nowhere/a.so: allowed a file that exists");
    EXPECT_EQ(fault_of({kPython + ":Fields", kLibrary}).key, "ul_scheduler.library") << "one of both";
    EXPECT_NE(fault_of(library(file("text.so", "no library"))).allowed.find("a shared library"), std::string::npos);
    const auto syntax = fault_of({file("syntax.py", "def x(:\n") + ":A", ""});
    EXPECT_NE(syntax.allowed.find("SyntaxError"), std::string::npos) << syntax.allowed;
    const auto import = fault_of({file("import.py", "\nimport no_such_module_here\n") + ":A", ""});
    EXPECT_NE(import.allowed.find("ModuleNotFoundError: No module named 'no_such_module_here' ("), std::string::npos)
        << import.allowed;
    EXPECT_NE(import.allowed.find("import.py:2)"), std::string::npos) << import.allowed;
    EXPECT_NE(fault_of({file("exit.py", "import sys\nsys.exit(3)\n") + ":A", ""}).allowed.find("SystemExit"),
              std::string::npos);
}

TEST(LoadPolicies, AClassHasToBeThereWithItsMethod) {
    EXPECT_NE(
        fault_of(python("Nothing"))
            .allowed.find("no class Nothing; classes with schedule(): Answers, Fields, Hangs, Raises, RefusesTheCell"),
        std::string::npos)
        << fault_of(python("Nothing")).allowed;
    EXPECT_NE(fault_of(python("NoMethod")).allowed.find("no method schedule()"), std::string::npos);
    EXPECT_NE(fault_of(python("NoMethod"), PolicyRole::admission).allowed.find("no method admit()"), std::string::npos);
    EXPECT_NE(fault_of(python("Fields"), PolicyRole::link_adaptation).allowed.find("no method adapt()"),
              std::string::npos);
    EXPECT_NE(
        fault_of(python("Nothing"), PolicyRole::admission).allowed.find("with admit(): AdmitsNothingUseful, Rule"),
        std::string::npos);
    EXPECT_NE(fault_of(python("schedule")).allowed.find("no class schedule"), std::string::npos);
    const auto refused = fault_of(python("RefusesTheCell"));
    EXPECT_NE(refused.allowed.find("ValueError: not for the uplink ("), std::string::npos) << refused.allowed;
}

TEST(LoadPolicies, ALibraryMayRefuseTheCell) {
    auto config = with(library());
    config.frame_duration_code = 6;
    const Faults faults = policy::load_policies(config, policy::kHangLimit);
    ASSERT_EQ(faults.count(), 1U);
    EXPECT_EQ(faults.list()[0].allowed, "a policy without faults: frames are too long");
}

TEST(ForeignSchedulers, PythonSeesEachFieldOfTheClaim) {
    Loaded of(python("Fields"));
    ASSERT_TRUE(of.scheduler);
    const double owed = (107 + 109) / 108.0, wanted = (107 + 1080 + 1) / 108.0;
    const double flow = 1080 + 109 + 5 + 1e6 + 4.0 + 2;
    const double station = 7 + 6 + 108 + 3 + owed + wanted;
    EXPECT_EQ(of.frame(), PolicyResult::done);
    EXPECT_NEAR(of.claims[0].units, station + flow, 1e-6);
    of.scheduler->served(of.claims[0], 11);
    of.scheduler->served(of.claims[0], 2);
    EXPECT_EQ(of.frame(), PolicyResult::done);
    EXPECT_NEAR(of.claims[0].units, station + flow + 13, 1e-6) << "served units";
    EXPECT_EQ(of.frame(), PolicyResult::done);
    EXPECT_NEAR(of.claims[0].units, station + flow, 1e-6) << "since the previous call";
}

TEST(ForeignSchedulers, UplinkClaimsHaveTheirFlowsAdded) {
    auto config = with({}, python("Fields"));
    ASSERT_TRUE(policy::load_policies(config, policy::kHangLimit).empty());
    mac::FrameClock clock;
    clock.sample_rate_hz = 1000;
    const auto scheduler = config.policies->uplink({mac::kSymbolGrid, clock, 0.01});
    std::vector<mac::UplinkClaim> claims(1);
    claims[0].cid = 7;
    claims[0].shape.profile = mac::profile_in_row(0);
    claims[0].guaranteed_octets = 20;
    claims[0].frames_waiting = 4;
    claims[0].active = true;
    claims[0].used_units = 3;
    claims[0].flow_count = 1;
    std::vector<mac::FlowClaim> flows(1);
    flows[0].backlog_octets = 100;
    flows[0].unasked_octets = 40;
    flows[0].deadline = 2000;
    const auto before = claims;
    EXPECT_EQ(scheduler->schedule(claims, flows, 90, 64).result, PolicyResult::done);
    const double owed = mac::kSymbolGrid.units_for(claims[0].shape, 60);
    const double wanted = mac::kSymbolGrid.units_for(claims[0].shape, 160);
    const double flow = 100 + 40 + 2 + 2;
    EXPECT_EQ(claims[0].units, static_cast<uint32_t>(7 + 12 + 1 + owed + wanted + 3 + 4 + 1 + flow));
    EXPECT_EQ(claims[0].deadline, 2000) << "of its flow";
    EXPECT_EQ(claims[0].requested_octets, before[0].requested_octets) << "the built-in one may follow";
    EXPECT_EQ(claims[0].guaranteed_octets, before[0].guaranteed_octets);
}

TEST(ForeignSchedulers, AnExceptionIsAFaultWithItsPlace) {
    Loaded of(python("Raises"));
    EXPECT_EQ(of.frame(), PolicyResult::failed);
    EXPECT_NE(of.scheduler->reason().find("KeyError: 'no such station' ("), std::string::npos)
        << of.scheduler->reason();
    EXPECT_NE(of.scheduler->reason().find("test_python_policies.py:"), std::string::npos);
    Loaded other(library());
    EXPECT_EQ(other.frame(13), PolicyResult::failed);
    EXPECT_EQ(other.scheduler->reason(), "thirteen");
    EXPECT_EQ(other.frame(90), PolicyResult::done);
    EXPECT_EQ(other.claims[0].units, 90);
}

TEST(ForeignSchedulers, WhatIsNoListOfUnitsIsNonsense) {
    Loaded of(python("Answers"));
    for (const char* reason : {"NoneType", "int, expected: a list of 1 numbers", "5 values", "0 values", "3 values",
                               "not numbers", "nan", "-1.0", "inf"}) {
        EXPECT_EQ(of.frame(), PolicyResult::nonsense) << reason;
        EXPECT_NE(of.scheduler->reason().find(reason), std::string::npos) << of.scheduler->reason();
    }
    Loaded other(library());
    EXPECT_EQ(other.frame(17), PolicyResult::nonsense);
}

/// The call never ends; the limit alone ends the wait.
TEST(ForeignSchedulers, ACallThatHangsIsLateAndThenBusy) {
    for (const auto& file : {python("Hangs"), library()}) {
        Loaded of(file, std::chrono::milliseconds(20));
        EXPECT_EQ(of.frame(19), PolicyResult::late);
        EXPECT_NE(of.scheduler->reason().find("20000 us"), std::string::npos);
        for (int i = 0; i < 3; ++i) EXPECT_EQ(of.frame(90), PolicyResult::busy);
    }
    Loaded next(python("Fields"));
    EXPECT_EQ(next.frame(), PolicyResult::done) << "others are not stopped";
}

TEST(LoadPolicies, EachRoleHasItsKey) {
    EXPECT_EQ(fault_of({"/nowhere/a.py:A", ""}, PolicyRole::admission).key, "admission.python");
    EXPECT_EQ(fault_of(library("/nowhere/a.so"), PolicyRole::link_adaptation).key, "adaptation.policy.library");
    EXPECT_EQ(fault_of(library(WIMAX_TEST_SCHEDULERS), PolicyRole::admission).str(),
              "admission.library: value " WIMAX_TEST_SCHEDULERS ": allowed a library with a policy for admission");
    mac::SubscriberConfig config;
    config.policy_files[PolicyRole::link_adaptation] = {"/nowhere/a.py:A", ""};
    const Faults faults = policy::load_policies(config, policy::kHangLimit);
    ASSERT_EQ(faults.count(), 1U);
    EXPECT_EQ(faults.list()[0].key, "adaptation.policy.python");
}

TEST(LoadPolicies, ASubscriberStationHasItsPolicies) {
    mac::SubscriberConfig config;
    config.policy_files[PolicyRole::link_adaptation] = library();
    EXPECT_TRUE(policy::load_policies(config, policy::kHangLimit).empty());
    ASSERT_TRUE(config.policies);
    EXPECT_TRUE(config.policies->link_adaptation);
    EXPECT_FALSE(config.policies->admission);
}

/// A loaded policy of one role.
template <class Kind> struct LoadedKind {
    LoadedKind(const mac::PolicyFile& file, PolicyRole role, mac::PolicyMaker<Kind> mac::Policies::*kind,
               std::chrono::microseconds limit = policy::kHangLimit) {
        mac::BaseStationConfig config;
        config.policy_files[role] = file;
        const Faults faults = policy::load_policies(config, limit);
        EXPECT_TRUE(faults.empty()) << faults.str();
        clock.sample_rate_hz = 1000;
        clock.now = 5000;
        if (config.policies) policy = ((*config.policies).*kind)({mac::kSymbolGrid, clock, 0.01});
    }
    mac::FrameClock clock;
    std::unique_ptr<Kind> policy;
};

struct LoadedRule : LoadedKind<mac::AdmissionPolicy> {
    explicit LoadedRule(const mac::PolicyFile& file, std::chrono::microseconds limit = policy::kHangLimit)
        : LoadedKind(file, PolicyRole::admission, &mac::Policies::admission, limit) {
        request.station = {2, 0, 0, 0, 0, 10};
        request.basic_cid = 7;
        request.known = true;
        request.stations = 3;
        request.most_stations = 250;
        request.cinr_db = 21.5F;
    }
    /// Empty: admitted.
    std::string reason() {
        const auto verdict = policy->admit(request);
        result = verdict.outcome.result;
        return verdict.admitted ? "" : "refused: " + verdict.admitted.error().allowed;
    }
    mac::AdmissionRequest request;
    PolicyResult result{};
};

TEST(ForeignAdmission, PythonSeesEachField) {
    LoadedRule of(python("Rule"));
    EXPECT_EQ(of.reason(),
              "refused: seen station 5.0 02:00:00:00:00:0a 7 True 3 250 21.5 True   0 1.0 BE 0 0 0 0 0.0 0.0 0.0");
    mac::ServiceFlowConfig flow;
    flow.direction = mac::FlowDirection::uplink;
    flow.scheduling = mac::SchedulingType::rtps;
    flow.traffic_priority = 5;
    flow.min_reserved_rate_bps = 1000;
    flow.max_sustained_rate_bps = 2000;
    flow.max_latency_ms = 30;
    of.request.kind = mac::AdmissionRequest::Kind::changed_flow;
    of.request.flow = &flow;
    of.request.rate = mac::profile_in_row(4);
    of.request.weight = 2;
    of.request.cost_units = 3.5;
    of.request.reserved_units = 40;
    of.request.units = 80;
    of.request.builtin = failure("", "full");
    EXPECT_EQ(of.reason(),
              "refused: seen changed flow 5.0 02:00:00:00:00:0a 7 True 3 250 21.5 False full uplink 4 2.0 rtPS 5 1000 "
              "2000 30 3.5 40.0 80.0");
    flow.traffic_priority = 0;
    EXPECT_EQ(of.reason(), "") << "overbooked";
    flow.max_sustained_rate_bps = 3'000'000;
    EXPECT_EQ(of.reason(), "refused: ");
    EXPECT_EQ(of.result, PolicyResult::done);
}

TEST(ForeignAdmission, ALibraryDecides) {
    LoadedRule of(library());
    EXPECT_EQ(of.reason(), "");
    of.request.builtin = failure("", "full");
    EXPECT_EQ(of.reason(), "refused: no: full");
    of.request.stations = 13;
    of.reason();
    EXPECT_EQ(of.result, PolicyResult::failed);
    EXPECT_EQ(of.policy->reason(), "thirteen stations");
}

TEST(ForeignAdmission, FaultsHaveTheirKinds) {
    LoadedRule of(python("AdmitsNothingUseful"));
    for (const char* type : {"NoneType", "int", "float", "list"}) {
        of.reason();
        EXPECT_EQ(of.result, PolicyResult::nonsense) << type;
        EXPECT_EQ(of.policy->reason(), std::string("admit() returned a value of type ") + type +
                                           ", expected: True, False, or the reason of a refusal");
    }
    LoadedRule hanging(library(), std::chrono::milliseconds(20));
    hanging.request.stations = 19;
    hanging.reason();
    EXPECT_EQ(hanging.result, PolicyResult::late);
    hanging.reason();
    EXPECT_EQ(hanging.result, PolicyResult::busy);
}

struct LoadedRate : LoadedKind<mac::LinkPolicy> {
    explicit LoadedRate(const mac::PolicyFile& file)
        : LoadedKind(file, PolicyRole::link_adaptation, &mac::Policies::link_adaptation) {
        report.ends = {{2, 0, 0, 0, 0, 10}, true};
        report.number = 77;
        report.at = 4000;
        report.rate = mac::profile_in_row(3);
        report.lowest = mac::profile_in_row(1);
        report.highest = mac::profile_in_row(5);
        report.measurements = 2;
        report.cinr_db = 10.5F;
        report.lowest_cinr_db = 9.5F;
        report.highest_cinr_db = 11.5F;
        report.mean_cinr_db = 4.25F;
        report.aim = {mac::LinkGoal::goodput, 0.25F};
        for (size_t row = 0; row < mac::kRateCount; ++row) {
            const auto n = static_cast<uint32_t>(row);
            report.needs_db[row] = static_cast<float>(row);
            report.limits.exit_db[row] = static_cast<float>(10 + row);
            report.limits.entry_db[row] = static_cast<float>(20 + row);
            report.bursts[row] = {30 + n, 40 + n, 50 + n, 60 + n};
        }
    }
    PolicyResult adapt() { return policy->adapt(report, rate).result; }
    mac::LinkReport report;
    mac::ProfileId rate{};
};

TEST(ForeignLink, PythonSeesEachField) {
    LoadedRate of(python("Rate"));
    EXPECT_EQ(of.adapt(), PolicyResult::done);
    EXPECT_EQ(mac::row_of(of.rate), 4U);
    of.report.give_up = true;
    EXPECT_EQ(of.adapt(), PolicyResult::failed);
    const std::string seen =
        "ValueError: 02:00:00:00:00:0a uplink 77 4.0 3 1 5 2 10.5 9.5 11.5 4.25 True 0.25 True "
        "(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0) (10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0) "
        "(20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0) (30, 31, 32, 33, 34, 35, 36) (40, 41, 42, 43, 44, 45, 46) "
        "(50, 51, 52, 53, 54, 55, 56) (60, 61, 62, 63, 64, 65, 66)";
    EXPECT_EQ(of.policy->reason().substr(0, seen.size()), seen);
}

TEST(ForeignLink, WhatIsNoRateIsNonsense) {
    LoadedRate of(python("Rate"));
    for (const float db : {7.0F, 8.0F, 9.0F, 10.0F, 11.0F}) {
        of.report.mean_cinr_db = db;
        EXPECT_EQ(of.adapt(), PolicyResult::nonsense) << db;
        EXPECT_NE(of.policy->reason().find("expected: "), std::string::npos) << of.policy->reason();
    }
    LoadedRate other(library());
    EXPECT_EQ(other.adapt(), PolicyResult::done);
    EXPECT_EQ(mac::row_of(other.rate), 2U);
    other.report.measurements = 7;
    EXPECT_EQ(other.adapt(), PolicyResult::nonsense);
    EXPECT_EQ(other.policy->reason(), "Rate_ID 7, allowed: 0..6");
    other.report.give_up = true;
    EXPECT_EQ(other.adapt(), PolicyResult::failed);
}

/// Where the caller has real-time priority, the thread of the policy gets the one below.
TEST(PolicyWorker, FollowsThePriorityOfItsCaller) {
    LoadedRule of(library());
    const auto policies = [] {
        mac::BaseStationConfig config;
        config.policy_files[PolicyRole::admission] = library();
        EXPECT_TRUE(policy::load_policies(config, policy::kHangLimit).empty());
        return config.policies;
    }();
    const std::set<int> before = priorities_of_policies();
    EXPECT_EQ(before, std::set<int>{0}) << "none before a PHY has started";
    sched_param own{};
    own.sched_priority = 7;
    if (sched_setscheduler(0, SCHED_FIFO, &own) != 0) {
        policies->on_start(false);
        EXPECT_EQ(priorities_of_policies(), std::set<int>{0}) << "a caller without priority gives none";
        return;
    }
    policies->on_start(false);
    own.sched_priority = 0;
    sched_setscheduler(0, SCHED_OTHER, &own);
    EXPECT_EQ(priorities_of_policies(), (std::set<int>{0, 6})) << "that of the other worker stays";
}

}  // namespace test_load_policies
