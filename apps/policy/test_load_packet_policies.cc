// SPDX-License-Identifier: GPL-3.0-or-later
// Queue management and classifiers from files: the fields that they are given, their results, and malformed results.
#include "policy/load_policies.h"

#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/cs/classifier_policy.h"
#include "mac/flow/queue_policy.h"
#include "mac/policy/policies.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

using namespace wimax;

namespace test_load_packet_policies {

using mac::PolicyResult;
using mac::PolicyRole;

const std::string kPython = WIMAX_TEST_PYTHON, kLibrary = WIMAX_TEST_LIBRARY;

mac::PolicyFile python(const std::string& name) { return {kPython + ":" + name, ""}; }
const mac::PolicyFile kInLibrary{"", kLibrary};

/// Loads a file for one role at both ends, and has the policy of one of them.
struct Loaded {
    template <class Config> void load(Config config, PolicyRole role, const mac::PolicyFile& file) {
        config.policy_files[role] = file;
        const Faults faults = policy::load_policies(config, policy::kHangLimit);
        EXPECT_TRUE(faults.empty()) << faults.str();
        if (!config.policies) return;
        const mac::PolicyCell cell{mac::kSymbolGrid, clock, 0.01};
        if (config.policies->queue_management) queues = config.policies->queue_management(cell);
        if (config.policies->classifier) classifier = config.policies->classifier(cell);
    }
    Loaded(PolicyRole role, const mac::PolicyFile& file, bool base_station = true) {
        clock.sample_rate_hz = 1000;
        clock.now = 5000;
        if (base_station) load(mac::BaseStationConfig(), role, file);
        else load(mac::SubscriberConfig(), role, file);
    }
    mac::FrameClock clock;
    std::unique_ptr<mac::QueuePolicy> queues;
    std::unique_ptr<mac::ClassifierPolicy> classifier;
};

struct TwoQueues {
    TwoQueues() {
        parameters.scheduling = mac::SchedulingType::rtps;
        parameters.traffic_priority = 13;
        parameters.min_reserved_rate_bps = 14;
        parameters.max_sustained_rate_bps = 15;
        parameters.max_latency_ms = 16;
        states[0] = {11, 12, &parameters, 17, 18, 19, 500, 20, 21, 22, 23, 2.5};
        states[1].cid = 12;
        states[1].parameters = &parameters;
    }
    PolicyResult call(Loaded& of) {
        directives.assign(2, {});
        return of.queues->manage(states, directives).result;
    }
    mac::ServiceFlowConfig parameters;
    std::vector<mac::QueueState> states{2};
    std::vector<mac::QueueDirective> directives;
};

TEST(ForeignQueues, PythonSeesEachFieldAndSetsEachDirective) {
    for (const bool base_station : {true, false}) {
        Loaded of(PolicyRole::queue_management, python("SumsOfQueues"), base_station);
        ASSERT_TRUE(of.queues);
        TwoQueues two;
        EXPECT_EQ(two.call(of), PolicyResult::done) << of.queues->reason();
        EXPECT_EQ(two.directives[0].drop_probability, 0.25);
        EXPECT_EQ(two.directives[0].mark_probability, 0.5);
        EXPECT_EQ(two.directives[0].drop_head, 3U);
        EXPECT_FALSE(two.directives[0].codel);
        EXPECT_EQ(two.directives[1].drop_probability, 0);
        EXPECT_TRUE(two.directives[1].codel) << "None is the default";
    }
}

TEST(ForeignQueues, WhatIsNoListOfDirectivesIsNonsense) {
    Loaded of(PolicyRole::queue_management, python("Directives"));
    TwoQueues two;
    for (const char* reason : {"NoneType", "1 values", "a value of type int", "the key drop,",
                               "no number for drop_probability", "drop_head out of range", "a value of type str"}) {
        EXPECT_EQ(two.call(of), PolicyResult::nonsense) << reason;
        EXPECT_NE(of.queues->reason().find(reason), std::string::npos) << of.queues->reason();
        EXPECT_NE(of.queues->reason().find("manage() returned"), std::string::npos) << of.queues->reason();
    }
}

TEST(ForeignQueues, AnExceptionIsAFaultWithItsPlace) {
    Loaded of(PolicyRole::queue_management, python("Raises"));
    TwoQueues two;
    EXPECT_EQ(two.call(of), PolicyResult::failed);
    EXPECT_NE(of.queues->reason().find("KeyError: 'no such flow' ("), std::string::npos) << of.queues->reason();
}

TEST(ForeignQueues, ALibrarySetsDirectives) {
    Loaded of(PolicyRole::queue_management, kInLibrary, false);
    ASSERT_TRUE(of.queues);
    TwoQueues two;
    two.states[0].packets = 4;
    EXPECT_EQ(two.call(of), PolicyResult::done);
    EXPECT_EQ(two.directives[0].drop_probability, 0.4);
    EXPECT_FALSE(two.directives[0].codel);
    two.states[0].packets = 13;
    EXPECT_EQ(two.call(of), PolicyResult::failed);
    EXPECT_EQ(of.queues->reason(), "thirteen");
}

struct TwoFlows {
    TwoFlows() {
        parameters[1].name = "voice \xFF";
        parameters[1].scheduling = mac::SchedulingType::ugs;
        parameters[1].traffic_priority = 5;
        parameters[1].min_reserved_rate_bps = 1;
        parameters[1].max_sustained_rate_bps = 2;
        parameters[1].max_latency_ms = 3;
        flows[0] = {101, 1, &parameters[0], 0};
        flows[1] = {102, 2, &parameters[1], -1};
    }
    PolicyResult call(Loaded& of) {
        const auto fields = mac::PacketFields::parse(packet);
        return of.classifier->classify(7, fields, packet, flows, chosen).result;
    }
    std::array<mac::ServiceFlowConfig, 2> parameters;
    std::array<mac::FlowCandidate, 2> flows;
    std::vector<uint8_t> packet = mac::test::ip_packet(0x0A000001, 0x0A000102, 60);
    std::optional<size_t> chosen;
};

TEST(ForeignClassifier, PythonSeesEachFieldOfThePacket) {
    for (const bool base_station : {true, false}) {
        Loaded of(PolicyRole::classifier, python("FieldsOfPacket"), base_station);
        ASSERT_TRUE(of.classifier);
        EXPECT_TRUE(of.classifier->every_packet());
        TwoFlows two;
        EXPECT_EQ(two.call(of), PolicyResult::done) << of.classifier->reason();
        EXPECT_EQ(two.chosen, 1U);
    }
}

TEST(ForeignClassifier, ResultsAreAnIndexOrNone) {
    Loaded of(PolicyRole::classifier, python("Choices"));
    EXPECT_FALSE(of.classifier->every_packet());
    TwoFlows two;
    EXPECT_EQ(two.call(of), PolicyResult::done);
    EXPECT_EQ(two.chosen, 0U);
    EXPECT_EQ(two.call(of), PolicyResult::done);
    EXPECT_FALSE(two.chosen);
    EXPECT_EQ(two.call(of), PolicyResult::done);
    EXPECT_EQ(two.chosen, 1U) << "Python's True is 1";
    for (const char* reason : {"str", "float", "no index of flows", "no index of flows"}) {
        EXPECT_EQ(two.call(of), PolicyResult::nonsense) << reason;
        EXPECT_NE(of.classifier->reason().find(reason), std::string::npos) << of.classifier->reason();
    }
}

TEST(ForeignClassifier, ALibrarySelects) {
    Loaded of(PolicyRole::classifier, kInLibrary);
    ASSERT_TRUE(of.classifier);
    EXPECT_TRUE(of.classifier->every_packet());
    TwoFlows two;
    EXPECT_EQ(two.call(of), PolicyResult::done);
    EXPECT_EQ(two.chosen, 1U);
}

TEST(LoadPacketPolicies, AFileWithoutTheMethodIsAFault) {
    mac::SubscriberConfig config;
    config.policy_files[PolicyRole::classifier] = python("Directives");
    const Faults faults = policy::load_policies(config, policy::kHangLimit);
    ASSERT_EQ(faults.count(), 1U);
    EXPECT_EQ(faults.list()[0].key, "classifier.python");
    EXPECT_NE(faults.list()[0].allowed.find("class Directives has no method classify"), std::string::npos)
        << faults.list()[0].allowed;
}

}  // namespace test_load_packet_policies
