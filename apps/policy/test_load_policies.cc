// SPDX-License-Identifier: GPL-3.0-or-later
// Policies from files: what they are given and return, what is wrong with broken ones, and that none of their faults
// stops a frame.
#include "common/scratch.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "policy/load_policies.h"
#include "policy/policy_library.h"

#include "mac/policy/policies.h"
#include "mac/scheduler/scheduler_policy.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace wimax;

namespace test_load_policies {

using mac::PolicyResult;

const std::string kPython = WIMAX_TEST_PYTHON, kLibrary = WIMAX_TEST_LIBRARY;

mac::BaseStationConfig with(const mac::PolicyFile& downlink, const mac::PolicyFile& uplink = {}) {
    mac::BaseStationConfig config;
    config.policy_files[mac::PolicyRole::downlink] = downlink;
    config.policy_files[mac::PolicyRole::uplink] = uplink;
    return config;
}
mac::PolicyFile python(const std::string& name) { return {kPython + ":" + name, ""}; }
mac::PolicyFile library(const std::string& path = kLibrary) { return {"", path}; }

/// The only fault of the file.
Fault fault_of(const mac::PolicyFile& file) {
    auto config = with({}, file);
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
    EXPECT_NE(fault_of(python("NoMethod")).allowed.find("no method schedule"), std::string::npos);
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

}  // namespace test_load_policies
