// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded queue management and classifiers in base station and subscriber station over the burst-moving PHY.
#include "mac/cs/classifier_policy.h"
#include "mac/flow/queue_policy.h"
#include "mac/policy/policies.h"
#include "mac/test_air.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_packet_policies {

constexpr size_t kFlows = 2;  // in each direction

/// What the policies of one end do, and have seen.
struct Wishes {
    size_t flow = 0;  ///< for all packets
    double drop = 0;  ///< probability in all queues
    size_t classified = 0, most_queues = 0;
    std::set<uint16_t> stations;
};

struct FixedClassifier final : ClassifierPolicy {
    explicit FixedClassifier(Wishes& wishes) : of(wishes) {}
    PolicyOutcome classify(uint16_t station, const PacketFields&, Octets, std::span<const FlowCandidate> flows,
                           std::optional<size_t>& chosen) override {
        ++of.classified;
        of.stations.insert(station);
        EXPECT_EQ(flows.size(), kFlows);
        chosen = of.flow;
        return {};
    }
    Wishes& of;
};

struct FixedQueues final : QueuePolicy {
    explicit FixedQueues(Wishes& wishes) : of(wishes) {}
    PolicyOutcome manage(std::span<const QueueState> queues, std::span<QueueDirective> directives) override {
        of.most_queues = std::max(of.most_queues, queues.size());
        for (auto& directive : directives) directive.drop_probability = of.drop;
        return {};
    }
    Wishes& of;
};

std::shared_ptr<const Policies> policies(Wishes& wishes) {
    Policies made;
    made.classifier = [&wishes](const PolicyCell&) { return std::make_unique<FixedClassifier>(wishes); };
    made.queue_management = [&wishes](const PolicyCell&) { return std::make_unique<FixedQueues>(wishes); };
    return std::make_shared<const Policies>(std::move(made));
}

BaseStationConfig config(Wishes& wishes) {
    BaseStationConfig config = Air::with_stations(2);
    for (auto& station : config.stations) {
        station.flows.resize(2 * kFlows);
        for (size_t i = 0; i < station.flows.size(); ++i) {
            station.flows[i].name = "flow " + std::to_string(i);
            station.flows[i].direction = i < kFlows ? FlowDirection::downlink : FlowDirection::uplink;
        }
    }
    config.policies = policies(wishes);
    return config;
}

class PacketPolicies : public ::testing::Test {
protected:
    PacketPolicies() {
        for (size_t i = 0; i < 2; ++i) {
            auto& t = air.add();
            t.config.policies = policies(of_station);
            air.restart(t);
        }
        EXPECT_GE(air.run_until([this] { return air.all_operational(); }), 0);
        air.run(50);  // all flows are set up
        of_base = of_station = {};
    }
    /// Packets both ways at the first station, and until they have arrived.
    void exchange(uint16_t port) {
        for (int i = 0; i < 20; ++i) {
            air.bs->push_sdu(ip_packet(kServer, station_address(0), 500, port));
            air.terminals[0]->mac->push_sdu(ip_packet(station_address(0), kServer, 500, port));
            air.run(2);
        }
        air.run(30);
    }
    /// Status of the first station at the base station.
    Json at_base() {
        const Json status = air.bs_status(), mac = air.terminals[0]->status()["mac"];
        for (const auto& station : status["stations"])
            if (station["mac"] == mac) return station;
        return {};
    }
    /// Packets that the first station's flows in this direction have sent, in serving order.
    std::vector<uint64_t> sent(const char* direction) {
        const Json status = std::string(direction) == "downlink" ? at_base() : air.terminals[0]->status();
        std::vector<uint64_t> packets;
        for (const auto& flow : status["flows"])
            if (flow["direction"] == direction) packets.push_back(flow["sdus"].get<uint64_t>());
        return packets;
    }
    Wishes of_base, of_station;
    Air air{config(of_base)};
};

TEST_F(PacketPolicies, AClassifierSelectsTheFlowAtBothEnds) {
    using Packets = std::vector<uint64_t>;
    of_base.flow = of_station.flow = 1;
    exchange(5000);
    EXPECT_EQ(sent("downlink"), (Packets{0, 20}));
    EXPECT_EQ(sent("uplink"), (Packets{0, 20}));
    EXPECT_EQ(of_base.classified, 1U) << "one connection";
    EXPECT_EQ(of_station.classified, 1U);
    of_base.flow = of_station.flow = 0;
    exchange(5001);
    EXPECT_EQ(sent("downlink"), (Packets{20, 20}));
    EXPECT_EQ(sent("uplink"), (Packets{20, 20}));
    EXPECT_EQ(of_base.stations.size(), 1U);
    EXPECT_EQ(of_station.stations, std::set<uint16_t>{0});
    EXPECT_EQ(air.bs_status()["policies"]["classifier"]["calls"], 2);
    EXPECT_EQ(air.terminals[0]->status()["policies"]["classifier"]["calls"], 2);
    EXPECT_EQ(air.terminals[0]->dl_packets, 40U);
    EXPECT_EQ(air.ul_packets, 40U);
}

TEST_F(PacketPolicies, AnIndexBeyondTheFlowsIsAFault) {
    of_base.flow = 2;
    for (uint16_t port = 5000; port < 5004; ++port) exchange(port);
    const Json policy = air.bs_status()["policies"]["classifier"];
    EXPECT_EQ(policy["nonsense"], 3);
    EXPECT_TRUE(policy["replaced"].get<bool>());
    EXPECT_EQ(air.terminals[0]->dl_packets, 80U) << "the rules of the flows select them";
}

TEST_F(PacketPolicies, QueueManagementDropsArrivalsAtBothEnds) {
    of_base.drop = of_station.drop = 1;
    exchange(5000);
    EXPECT_LT(air.terminals[0]->dl_packets, 5U) << "those before the first call";
    EXPECT_LT(air.ul_packets, 5U);
    const auto dropped = [](const Json& flows) {
        uint64_t sum = 0;
        for (const auto& flow : flows) sum += flow.value("dropped_policy", uint64_t{0});
        return sum;
    };
    EXPECT_EQ(dropped(at_base()["flows"]) + air.terminals[0]->dl_packets, 20U);
    EXPECT_EQ(dropped(air.terminals[0]->status()["flows"]) + air.ul_packets, 20U);
    EXPECT_EQ(of_base.most_queues, 1U) << "only the flow that has packets";
    of_base.drop = of_station.drop = 0;
    air.run(2);
    const auto before = air.terminals[0]->dl_packets;
    exchange(5001);
    EXPECT_EQ(air.terminals[0]->dl_packets - before, 20U);
    EXPECT_GT(air.bs_status()["policies"]["queue_management"]["calls"], 20);
}

TEST_F(PacketPolicies, ProbabilitiesBeyondOneAreAFault) {
    of_station.drop = 2;
    exchange(5000);
    const Json policy = air.terminals[0]->status()["policies"]["queue_management"];
    EXPECT_EQ(policy["nonsense"], 3);
    EXPECT_TRUE(policy["replaced"].get<bool>());
    EXPECT_EQ(air.ul_packets, 20U);
}

}  // namespace test_air_packet_policies
