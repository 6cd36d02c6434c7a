// SPDX-License-Identifier: GPL-3.0-or-later
// One transaction machine, message by message: numbers, timers, repetitions, responses to late messages. All orders of
// messages are in test_dsx_model.cc.
#include "mac/dsx/service_transactions.h"
#include "mac/flow/agreed_flow.h"

#include <gtest/gtest.h>

using namespace wimax::mac;

namespace test_service_transactions {

struct Bench final : FlowKeeper {
    explicit Bench(DsxEnd end, const ServiceTransactions::Config& config = {})
        : FlowKeeper(time), machine(end, config) {
        time.sample_rate_hz = 1000;
    }

    void send(const DsxMessage& message) override { sent.push_back(message); }
    uint8_t take(DsxKind, const FlowChange& request, FlowChange& answer) override {
        answer.uplink = request.uplink;
        if (!answer.uplink->sfid) answer.uplink->sfid = 40;
        said += "take ";
        return code;
    }
    void settled(DsxKind, uint32_t, bool holds) override { said += holds ? "holds " : "undone "; }
    uint8_t granted(DsxKind, const FlowChange&, const FlowChange&) override {
        said += "granted ";
        return code;
    }
    void refused(DsxKind, const FlowChange&, uint8_t why) override { said += "refused" + std::to_string(why) + " "; }
    bool remove(uint32_t sfid, const char*) override {
        said += "removed" + std::to_string(sfid) + " ";
        return sfid != 99;
    }
    void peer_lost() override { said += "lost "; }

    static FlowChange flow(uint32_t sfid) {
        FlowChange change;
        change.uplink.emplace().sfid = sfid;
        return change;
    }
    template <class Message> static Message with(uint16_t tid, uint32_t sfid, uint8_t cc = 0) {
        Message message;
        static_cast<FlowChange&>(message) = flow(sfid);
        message.tid = tid;
        if constexpr (requires { message.cc; }) message.cc = cc;
        return message;
    }
    /// Messages sent since the last call.
    template <class Message> std::vector<Message> take_sent() {
        std::vector<Message> of;
        for (const auto& message : std::exchange(sent, {}))
            if (const auto* m = std::get_if<Message>(&message)) of.push_back(*m);
        return of;
    }
    std::string heard(const DsxMessage& message) {
        said.clear();
        machine.receive(message, *this);
        return said;
    }
    std::string pass(int64_t ms) {
        said.clear();
        time.now += ms;
        machine.run_timers(*this);
        return said;
    }

    FrameClock time;
    ServiceTransactions machine;
    std::vector<DsxMessage> sent;
    std::string said;
    uint8_t code = confirmation::kSuccess;
};

TEST(ServiceTransactions, EachEndHasItsNumbers) {
    Bench bs(DsxEnd::base_station), ss(DsxEnd::subscriber_station);
    bs.machine.begin_delete(1, "", bs);
    ss.machine.begin_delete(1, "", ss);
    const uint16_t first = bs.take_sent<DsdReq>().at(0).tid;
    EXPECT_EQ(first, 0x8001);
    EXPECT_EQ(ss.take_sent<DsdReq>().at(0).tid, 1);
    for (int i = 0; i < 0x7FFF; ++i) {  // around, past the one that still runs
        const auto tid = bs.machine.begin_delete(2, "", bs);
        ASSERT_TRUE(tid);
        ASSERT_GE(*tid, 0x8000);
        ASSERT_NE(*tid, first);
        bs.machine.receive(DsdRsp{*tid, 0, 2, {}}, bs);
        bs.sent.clear();
    }
    for (int i = 0; i < 0x8001; ++i) {
        const auto tid = ss.machine.begin_delete(2, "", ss);
        ASSERT_LT(*tid, 0x8000);
        ss.machine.receive(DsdRsp{*tid, 0, 2, {}}, ss);
        ss.sent.clear();
    }
    // A request under a number of the receiver's own is none.
    EXPECT_EQ(ss.heard(Bench::with<DscReq>(7, 3)), "");
    EXPECT_EQ(ss.heard(DsdReq{7, 3, {}}), "");
    EXPECT_TRUE(ss.sent.empty());
    EXPECT_EQ(ss.machine.counters().unknown, 2U);
}

TEST(ServiceTransactions, AnUnansweredRequestIsRepeatedThreeTimes) {
    Bench bs(DsxEnd::base_station);
    ASSERT_TRUE(bs.machine.begin(DsxKind::add, Bench::flow(5), bs));
    EXPECT_FALSE(bs.machine.begin(DsxKind::change, Bench::flow(5), bs)) << "one at a time";
    EXPECT_FALSE(bs.machine.begin_delete(5, "", bs));
    EXPECT_EQ(bs.take_sent<DsaReq>().size(), 1U);
    for (int i = 0; i < 3; ++i) {
        bs.pass(999);
        EXPECT_TRUE(bs.sent.empty());
        EXPECT_EQ(bs.pass(1), "");
        EXPECT_EQ(bs.take_sent<DsaReq>().size(), 1U) << i;
    }
    EXPECT_EQ(bs.machine.open(), 1U);
    EXPECT_EQ(bs.pass(1000), "refused255 ");
    EXPECT_FALSE(bs.machine.busy(5));
    EXPECT_EQ(bs.machine.open(), 0U);
    EXPECT_EQ(bs.heard(Bench::with<DsaRsp>(0x8001, 5)), "") << "too late";
    EXPECT_EQ(bs.take_sent<DsaAck>().at(0).cc, confirmation::kAddAborted);
    bs.pass(2999);
    EXPECT_EQ(bs.machine.transactions().size(), 1U);
    bs.pass(1);  // T10
    EXPECT_TRUE(bs.machine.transactions().empty());
    bs.heard(Bench::with<DsaRsp>(0x8001, 5));
    EXPECT_EQ(bs.take_sent<DsaAck>().at(0).cc, confirmation::kUnknownTransaction);
    EXPECT_EQ(bs.machine.counters().failed, 1U);
    EXPECT_EQ(bs.machine.counters().repeated, 3U);
}

TEST(ServiceTransactions, ASubscriberRepeatsSoonerUntilItIsHeard) {
    Bench ss(DsxEnd::subscriber_station);
    ss.machine.begin(DsxKind::change, Bench::flow(5), ss);
    ss.take_sent<DscReq>();
    ss.pass(199);
    EXPECT_TRUE(ss.sent.empty());
    ss.pass(1);  // T14
    EXPECT_EQ(ss.take_sent<DscReq>().size(), 1U);
    ss.heard(DsxRvd{1, 0});
    ss.pass(999);
    EXPECT_TRUE(ss.sent.empty());
    ss.pass(1);  // T7
    EXPECT_EQ(ss.take_sent<DscReq>().size(), 1U);
    EXPECT_EQ(ss.heard(Bench::with<DscRsp>(1, 5)), "granted ");
    EXPECT_EQ(ss.take_sent<DscAck>().at(0).cc, 0);
    EXPECT_EQ(ss.heard(Bench::with<DscRsp>(1, 5)), "");
    EXPECT_EQ(ss.take_sent<DscAck>().size(), 1U) << "the first acknowledgement was lost";
    Bench bs(DsxEnd::base_station);
    bs.machine.begin(DsxKind::change, Bench::flow(5), bs);
    bs.sent.clear();
    bs.pass(500);
    EXPECT_TRUE(bs.sent.empty()) << "T14 is the subscriber's";
}

TEST(ServiceTransactions, RequestsAndResponsesHaveTheirOwnNumberOfRepetitions) {
    for (const auto& [requests, responses] : {std::pair{1, 3}, {3, 1}, {2, 2}}) {
        ServiceTransactions::Config config;
        config.request_retries = requests;
        config.response_retries = responses;
        Bench asking(DsxEnd::subscriber_station, config);
        asking.machine.begin(DsxKind::change, Bench::flow(5), asking);
        for (int ms = 0; ms < 10'000; ++ms) asking.pass(1);
        EXPECT_EQ(asking.take_sent<DscReq>().size(), 1U + static_cast<size_t>(requests));
        Bench answering(DsxEnd::base_station, config);
        answering.heard(Bench::with<DscReq>(1, 5));
        for (int ms = 0; ms < 10'000; ++ms) answering.pass(1);
        EXPECT_EQ(answering.take_sent<DscRsp>().size(), 1U + static_cast<size_t>(responses));
    }
}

TEST(ServiceTransactions, RequestsAreReceivedAnsweredAndSettled) {
    Bench bs(DsxEnd::base_station);
    EXPECT_EQ(bs.heard(Bench::with<DscReq>(9, 5)), "take ");
    ASSERT_EQ(bs.sent.size(), 2U);
    EXPECT_EQ(std::get<DsxRvd>(bs.sent[0]).tid, 9);  // at once, before the answer
    EXPECT_EQ(std::get<DscRsp>(bs.sent[1]).cc, 0);
    EXPECT_TRUE(bs.machine.busy(5));
    bs.sent.clear();
    EXPECT_EQ(bs.heard(Bench::with<DscReq>(9, 5)), "");  // repeated
    EXPECT_EQ(bs.take_sent<DscRsp>().size(), 1U);
    EXPECT_EQ(bs.heard(Bench::with<DscReq>(10, 5)), "") << "the next one, though the last is not acknowledged";
    EXPECT_EQ(bs.take_sent<DscRsp>().at(0).tid, 9);
    EXPECT_EQ(bs.heard(Bench::with<DsaAck>(9, 5)), "") << "of another kind";
    EXPECT_EQ(bs.heard(Bench::with<DscAck>(9, 5, confirmation::kRejectOther)), "undone ");
    EXPECT_EQ(bs.heard(Bench::with<DscAck>(9, 5)), "") << "once";
    EXPECT_EQ(bs.heard(Bench::with<DscReq>(10, 5)), "take ");
    EXPECT_EQ(bs.heard(Bench::with<DscAck>(10, 5)), "holds ");
    bs.code = confirmation::kPermanent;
    bs.heard(Bench::with<DsaReq>(11, 0));
    EXPECT_EQ(bs.take_sent<DsaRsp>().at(0).cc, confirmation::kPermanent);
    EXPECT_FALSE(bs.machine.busy(40)) << "a refused one holds no flow";
    for (int i = 0; i < 3; ++i) EXPECT_EQ(bs.pass(300), "") << i;
    EXPECT_EQ(bs.take_sent<DsaRsp>().size(), 3U);
    EXPECT_EQ(bs.pass(300), "") << "nothing to delete";
    EXPECT_TRUE(bs.sent.empty());
}

TEST(ServiceTransactions, WhatIsNotAcknowledgedIsDeleted) {
    Bench ss(DsxEnd::subscriber_station);
    ss.heard(Bench::with<DsaReq>(0x8001, 5));
    ss.sent.clear();
    for (int i = 0; i < 3; ++i) ss.pass(300);
    EXPECT_EQ(ss.take_sent<DsaRsp>().size(), 3U);
    EXPECT_EQ(ss.pass(300), "removed5 ");
    EXPECT_EQ(ss.take_sent<DsdReq>().at(0).sfid, 5U);
    ss.heard(Bench::with<DsaReq>(0x8001, 5));
    EXPECT_EQ(ss.take_sent<DsaRsp>().at(0).cc, confirmation::kAddAborted);
    for (int i = 0; i < 3; ++i) ss.pass(1000);
    EXPECT_EQ(ss.take_sent<DsdReq>().size(), 3U);
    EXPECT_EQ(ss.pass(1000), "lost ");
    ss.machine.forget();
    EXPECT_TRUE(ss.machine.transactions().empty());
}

TEST(ServiceTransactions, DeletionEndsWhatRunsOnTheFlow) {
    Bench ss(DsxEnd::subscriber_station);
    ss.machine.begin(DsxKind::change, Bench::flow(5), ss);
    ss.sent.clear();
    EXPECT_EQ(ss.heard(DsdReq{0x8001, 5, {}}), "refused6 removed5 ");
    EXPECT_EQ(ss.take_sent<DsdRsp>().at(0).cc, confirmation::kSuccess);
    EXPECT_EQ(ss.heard(DsdReq{0x8001, 5, {}}), "");
    EXPECT_EQ(ss.take_sent<DsdRsp>().at(0).cc, confirmation::kSuccess) << "the same answer again";
    EXPECT_EQ(ss.heard(DsdReq{0x8002, 99, {}}), "removed99 ");
    EXPECT_EQ(ss.take_sent<DsdRsp>().at(0).cc, confirmation::kFlowNotFound);
    EXPECT_EQ(ss.heard(Bench::with<DsaReq>(0x8003, 99)), "") << "deleted lately";
    EXPECT_EQ(ss.take_sent<DsaRsp>().at(0).cc, confirmation::kFlowNotFound);
    ss.machine.begin_delete(7, "", ss);
    ss.sent.clear();
    ss.heard(Bench::with<DscReq>(0x8004, 7));
    EXPECT_EQ(ss.take_sent<DscRsp>().at(0).cc, confirmation::kFlowNotFound);
    EXPECT_EQ(ss.heard(DsdReq{0x8005, 7, {}}), "removed7 ") << "both at once";
    EXPECT_EQ(ss.take_sent<DsdRsp>().at(0).cc, confirmation::kSuccess);
    EXPECT_TRUE(ss.machine.busy(7));
    ss.heard(DsdRsp{2, 0, 7, {}});
    EXPECT_FALSE(ss.machine.busy(7));
}

TEST(ServiceTransactions, TheTableIsBounded) {
    Bench bs(DsxEnd::base_station);
    for (uint32_t i = 1; i <= ServiceTransactions::kMaxTransactions; ++i)
        ASSERT_TRUE(bs.machine.begin(DsxKind::change, Bench::flow(i), bs));
    EXPECT_FALSE(bs.machine.begin(DsxKind::change, Bench::flow(500), bs));
    EXPECT_EQ(bs.heard(Bench::with<DscReq>(1, 600)), "") << "it will be repeated";
    bs.heard(Bench::with<DscRsp>(0x8001, 1));
    EXPECT_TRUE(bs.machine.begin(DsxKind::change, Bench::flow(500), bs)) << "one that is over gives way";
    EXPECT_EQ(bs.machine.transactions().size(), ServiceTransactions::kMaxTransactions);
}

ServiceFlowConfig polled() {
    ServiceFlowConfig flow;
    flow.max_sustained_rate_bps = 500'000;
    flow.min_reserved_rate_bps = 100'000;
    flow.max_latency_ms = 50;
    flow.traffic_priority = 3;
    return flow;
}

TEST(AgreedFlow, TypesOfTheSetsSayWhatAFlowIs) {
    auto flow = agreed(polled(), FlowState::provisioned);
    EXPECT_EQ(flow.state(), FlowState::provisioned);
    ServiceFlow change_to;
    change_to.qos_set_type = qos_set::kAdmitted | qos_set::kActive;
    change_to.maximum_rate_bps = 400'000;
    ASSERT_EQ(change(flow, change_to), confirmation::kSuccess);
    EXPECT_EQ(flow.state(), FlowState::active);
    EXPECT_EQ(flow.config.max_sustained_rate_bps, 400'000U);
    EXPECT_EQ(flow.config.min_reserved_rate_bps, 100'000U);  // of the provisioned set
    EXPECT_EQ(flow.provisioned_set.max_sustained_rate_bps, 500'000U);
    ServiceFlow less;
    less.qos_set_type = qos_set::kAdmitted;
    ASSERT_EQ(change(flow, less), confirmation::kSuccess);
    EXPECT_EQ(flow.state(), FlowState::admitted);
    EXPECT_EQ(flow.config.max_sustained_rate_bps, 400'000U);
    less.qos_set_type = 0;
    ASSERT_EQ(change(flow, less), confirmation::kSuccess);
    EXPECT_EQ(flow.state(), FlowState::provisioned);
    EXPECT_EQ(flow.config.max_sustained_rate_bps, 500'000U);
    EXPECT_EQ(to_message(flow, 1, 700).qos_set_type, qos_set::kProvisioned);
    EXPECT_EQ(agreed(to_message(flow, 1, 700), FlowDirection::uplink).state(), FlowState::provisioned);
}

TEST(AgreedFlow, AMessageChangesTheParametersThatItNamesAndNoOther) {
    auto config = polled();
    config.traffic_priority = 1;
    config.max_sustained_rate_bps = 100'000;
    config.max_burst_bytes = 2000;
    config.min_reserved_rate_bps = 10'000;
    config.max_latency_ms = 40;
    config.tolerated_jitter_ms = 5;
    const auto before = agreed(config, FlowState::active);
    struct Change {
        ServiceFlow message;
        QosParameters wanted;
    };
    std::array<Change, 6> changes;
    for (auto& one : changes) one.wanted = *before.active_set;
    changes[0].message.traffic_priority = changes[0].wanted.traffic_priority = 6;
    changes[1].message.maximum_rate_bps = changes[1].wanted.max_sustained_rate_bps = 90'000;
    changes[2].message.maximum_burst_octets = changes[2].wanted.max_burst_bytes = 3000;
    changes[3].message.minimum_rate_bps = changes[3].wanted.min_reserved_rate_bps = 20'000;
    changes[4].message.maximum_latency_ms = changes[4].wanted.max_latency_ms = 50;
    changes[5].message.tolerated_jitter_ms = changes[5].wanted.tolerated_jitter_ms = 7;
    for (size_t i = 0; i < changes.size(); ++i) {
        auto flow = before;
        changes[i].message.qos_set_type = qos_sets_of(FlowState::active);
        ASSERT_EQ(change(flow, changes[i].message), confirmation::kSuccess) << i;
        EXPECT_EQ(*flow.active_set, changes[i].wanted) << i;
        EXPECT_EQ(qos_of(flow.config), changes[i].wanted) << i << ": and it is in force";
    }
}

TEST(AgreedFlow, WithinMeansNoMoreOfAnything) {
    const auto outer = qos_of(polled());
    const auto with = [&](auto&& set) {
        auto inner = outer;
        set(inner);
        return within(inner, outer);
    };
    EXPECT_TRUE(within(outer, outer));
    EXPECT_TRUE(with([](auto& q) { q.max_sustained_rate_bps = 1; }));
    EXPECT_FALSE(with([](auto& q) { q.max_sustained_rate_bps = 500'001; }));
    EXPECT_FALSE(with([](auto& q) { q.max_sustained_rate_bps = 0; }));  // no limit
    EXPECT_FALSE(with([](auto& q) { q.min_reserved_rate_bps = 100'001; }));
    EXPECT_FALSE(with([](auto& q) { q.traffic_priority = 4; }));
    EXPECT_FALSE(with([](auto& q) { q.max_latency_ms = 49; }));
    EXPECT_TRUE(with([](auto& q) { q.max_latency_ms = 0; }));
    EXPECT_FALSE(with([](auto& q) { q.tolerated_jitter_ms = 5; }));  // none is provisioned
}

TEST(AgreedFlow, RulesComeChangeAndGoByIndex) {
    auto config = polled();
    config.classifiers.resize(2);
    config.classifiers[0].priority = 1;
    config.classifiers[1].priority = 2;
    auto flow = agreed(config, FlowState::active);
    auto wanted = config;
    wanted.classifiers[1].priority = 7;
    wanted.classifiers.push_back({});
    const auto message = change_message(flow, wanted, FlowState::active, 3, true);
    EXPECT_EQ(message.sfid, 3U);
    EXPECT_FALSE(message.maximum_rate_bps) << "what stays is not told";
    ASSERT_EQ(message.cs_ipv4.size(), 2U);
    EXPECT_EQ(message.cs_ipv4[0].action, ClassifierAction::replace);
    EXPECT_EQ(message.cs_ipv4[0].rule->index, 2);
    EXPECT_EQ(message.cs_ipv4[1].action, ClassifierAction::add);
    EXPECT_EQ(message.cs_ipv4[1].rule->index, 3);
    ASSERT_EQ(change(flow, message), confirmation::kSuccess);
    EXPECT_EQ(flow.config.classifiers, wanted.classifiers);
    EXPECT_EQ(flow.rule_indices, (std::vector<uint16_t>{1, 2, 3}));
    ServiceFlow remove;
    remove.cs_ipv4.resize(1);
    remove.cs_ipv4[0].action = ClassifierAction::remove;
    EXPECT_EQ(change(flow, remove), confirmation::kParameterMissing);
    remove.cs_ipv4[0].rule.emplace().index = 1;
    ASSERT_EQ(change(flow, remove), confirmation::kSuccess);
    EXPECT_EQ(flow.rule_indices, (std::vector<uint16_t>{2, 3}));
    EXPECT_EQ(flow.config.classifiers[0].priority, 7);
    EXPECT_EQ(flow.state(), FlowState::active) << "without a type the sets stay";
    const auto before = flow.rule_indices;
    remove.cs_ipv4.insert(remove.cs_ipv4.begin(), remove.cs_ipv4[0]);
    remove.cs_ipv4[0].rule->index = 2;  // this one there is, the other no more
    EXPECT_EQ(change(flow, remove), confirmation::kRejectOther);
    EXPECT_EQ(flow.rule_indices, before) << "all or nothing";
    remove.cs_ipv4.resize(1);
    remove.cs_ipv4[0].action = ClassifierAction::add;
    EXPECT_EQ(change(flow, remove), confirmation::kRejectOther) << "the index is taken";
    remove.cs_ipv4[0].rule->index.reset();
    EXPECT_EQ(change(flow, remove), confirmation::kSuccess);
    EXPECT_EQ(flow.rule_indices, (std::vector<uint16_t>{2, 3, 1}));
}

}  // namespace test_service_transactions
