// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded classifiers: what they are given, what is remembered of their choices, and the guard.
#include "mac/cs/flow_classifier.h"
#include "mac/test_packets.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_flow_classifier {

/// Selects the flow that a test sets.
struct Loaded final : ClassifierPolicy {
    struct Results {
        PolicyOutcome outcome;
        std::optional<size_t> chosen = 1;
        bool every_packet = false;
        size_t calls = 0;
        uint16_t station = 0;
        size_t octets = 0;
        std::vector<FlowCandidate> flows;
    };
    explicit Loaded(Results& has) : of(has) {}
    PolicyOutcome classify(uint16_t station, const PacketFields&, Octets packet, std::span<const FlowCandidate> flows,
                           std::optional<size_t>& chosen) override {
        ++of.calls;
        of.station = station;
        of.octets = packet.size();
        of.flows.assign(flows.begin(), flows.end());
        chosen = of.chosen;
        return of.outcome;
    }
    bool every_packet() const override { return of.every_packet; }
    std::string reason() const override { return "as the test wants"; }
    Results& of;
};

struct Flow {
    uint16_t cid = 0;
    uint32_t sfid = 0;
    ServiceFlowConfig config;
    bool open = true;
};

class LoadedClassifier : public ::testing::Test {
protected:
    LoadedClassifier() {
        for (uint16_t i = 0; i < 3; ++i) {
            flows.push_back(std::make_unique<Flow>());
            flows.back()->cid = static_cast<uint16_t>(101 + i);
            flows.back()->sfid = 1U + i;
        }
        ClassifierConfig rule;
        rule.protocols = {6};
        flows[0]->config.classifiers = {rule};
    }
    void load(bool every_packet = false, size_t most = 64) {
        results.every_packet = every_packet;
        classifier = std::make_unique<FlowClassifier>(std::make_unique<Loaded>(results), &account, most);
    }
    /// CID of the flow that is chosen; 0: none.
    uint16_t choose(uint16_t port = 5000, uint16_t station = 7, size_t octets = 100) {
        const auto packet = ip_packet(kServer, station_address(1), octets, port);
        const auto* flow = classifier->choose(
            flows, [](const Flow& one) { return one.open; }, station, PacketFields::parse(packet), packet);
        return flow ? flow->cid : 0;
    }
    std::vector<std::unique_ptr<Flow>> flows;
    Loaded::Results results;
    std::vector<std::string> lines;
    PolicyAccount account{"classifier", [this](const std::string& line, bool) { lines.push_back(line); }};
    std::unique_ptr<FlowClassifier> classifier;
};

TEST_F(LoadedClassifier, ThePolicySeesTheFlowsThatCarryThePacket) {
    load();
    flows[2]->config.cs = ConvergenceSublayer::ipv6;
    EXPECT_EQ(choose(5000, 7, 333), 102);
    EXPECT_EQ(results.station, 7);
    EXPECT_EQ(results.octets, 333U);
    ASSERT_EQ(results.flows.size(), 2U);
    EXPECT_EQ(results.flows[0].cid, 101);
    EXPECT_EQ(results.flows[0].sfid, 1U);
    EXPECT_EQ(results.flows[0].rank, -1) << "its rule excludes the packet, and the policy may choose it";
    EXPECT_EQ(results.flows[0].parameters, &flows[0]->config);
    EXPECT_EQ(results.flows[1].rank, 0);
}

TEST_F(LoadedClassifier, ClosedFlowsAreNoCandidates) {
    load();
    flows[0]->open = false;
    EXPECT_EQ(choose(), 103);
    for (auto& flow : flows) flow->open = false;
    EXPECT_EQ(choose(5001), 0);
    EXPECT_EQ(results.calls, 1U) << "without candidates there is no call";
}

TEST_F(LoadedClassifier, AChoiceHoldsForItsConnection) {
    load();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(choose(), 102);
    EXPECT_EQ(results.calls, 1U);
    results.chosen = 2;
    EXPECT_EQ(choose(5001), 103) << "another connection";
    EXPECT_EQ(choose(), 102);
    EXPECT_EQ(choose(5000, 8), 103) << "another station";
    EXPECT_EQ(results.calls, 3U);
    classifier->flows_changed();
    EXPECT_EQ(choose(), 103);
    EXPECT_EQ(results.calls, 4U);
    EXPECT_EQ(account.counters().calls, 4U);
}

TEST_F(LoadedClassifier, NoneIsRememberedToo) {
    load();
    results.chosen.reset();
    EXPECT_EQ(choose(), 0);
    results.chosen = 0;
    EXPECT_EQ(choose(), 0);
    EXPECT_EQ(results.calls, 1U);
}

TEST_F(LoadedClassifier, EveryPacketIsACallOnRequest) {
    load(true);
    for (int i = 0; i < 5; ++i) choose();
    EXPECT_EQ(results.calls, 5U);
}

/// As many connections as are remembered need one call each; more of them need some more, and stay right.
TEST_F(LoadedClassifier, TheMemoryIsBounded) {
    load(false, 8);
    for (int round = 0; round < 2; ++round)
        for (uint16_t port = 1; port <= 8; ++port) EXPECT_EQ(choose(port), 102);
    EXPECT_EQ(results.calls, 8U);
    for (uint16_t port = 1; port <= 1000; ++port) EXPECT_EQ(choose(port), 102);
    EXPECT_GE(results.calls, 1000U);
}

TEST_F(LoadedClassifier, AFaultCostsOnePacketAndIsNotRemembered) {
    load();
    results.outcome.result = PolicyResult::late;
    EXPECT_EQ(choose(), 102) << "the first flow of the highest rank";
    results.outcome = {};
    results.chosen = 3;
    EXPECT_EQ(choose(), 102);
    EXPECT_EQ(account.counters().late, 1U);
    EXPECT_EQ(account.counters().nonsense, 1U);
    EXPECT_NE(lines.at(1).find("nonsense: flow 3 of 3"), std::string::npos) << lines[1];
    results.chosen = 2;
    EXPECT_EQ(choose(), 103);
    results.outcome.result = PolicyResult::failed;
    EXPECT_EQ(choose(), 103) << "remembered";
    EXPECT_TRUE(classifier->loaded());
    EXPECT_EQ(choose(5001), 102);
    EXPECT_FALSE(classifier->loaded()) << "the third fault";
    EXPECT_EQ(lines.back(), "classifier: the built-in policy replaces the loaded one after 3 faults");
}

TEST(RankClassifier, SelectsTheFirstOfTheHighestRank) {
    RankClassifier builtin;
    std::vector<FlowCandidate> flows(4);
    flows[1].rank = flows[2].rank = 5;
    flows[3].rank = 0;
    std::optional<size_t> chosen;
    builtin.classify(0, {}, {}, flows, chosen);
    EXPECT_EQ(chosen, 1U);
    for (auto& flow : flows) flow.rank = -1;
    builtin.classify(0, {}, {}, flows, chosen);
    EXPECT_FALSE(chosen);
}

}  // namespace test_flow_classifier
