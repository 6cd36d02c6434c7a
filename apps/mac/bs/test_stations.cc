// SPDX-License-Identifier: GPL-3.0-or-later
// Entry, stay and removal of stations: CIDs, admission, responses to ranging, registration and service flows, by
// messages put into the base station's components.
#include "mac/bs/test_base_parts.h"
#include "mac/flow/flow_parameters.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_stations {

std::unique_ptr<Subscriber> blank(const BaseParts& p, uint8_t number) {
    return std::make_unique<Subscriber>(
        BaseParts::address(number), StationConfig{}, RangingLoop(p.config, p.layout.timing()),
        DownlinkRate(profile_in_row(6), profile_in_row(6)),
        UplinkRate(profile_in_row(6), profile_in_row(6), make_rate_policy({}, 1, 1, p.broadcasts.thresholds())));
}

TEST(StationTable, NumbersAreNotUsedAgainAtOnce) {
    BaseParts p;
    StationTable table;
    for (uint16_t i = 1; i <= cid::kBasicMax; ++i) {
        Subscriber* station = table.add(blank(p, static_cast<uint8_t>(i)));
        ASSERT_NE(station, nullptr);
        EXPECT_EQ(station->basic_cid, i);
        EXPECT_EQ(station->primary_cid, i + 320);
        EXPECT_EQ(table.find(uint16_t(i + 320)), station);
    }
    EXPECT_EQ(table.add(blank(p, 1)), nullptr);
    table.erase(7);
    table.erase(5);
    EXPECT_EQ(table.add(blank(p, 1))->basic_cid, 5);
    EXPECT_EQ(table.add(blank(p, 1))->basic_cid, 7);
    table.erase(3);
    table.erase(9);
    EXPECT_EQ(table.add(blank(p, 1))->basic_cid, 9);
}

TEST(StationTable, TheRangeOfBasicConnectionsIsAsConfigured) {
    BaseParts p;
    StationTable table(1000);
    for (uint16_t i = 1; i <= 1000; ++i) {
        EXPECT_FALSE(table.full());
        Subscriber* station = table.add(blank(p, 1));
        ASSERT_NE(station, nullptr);
        ASSERT_EQ(station->basic_cid, i);
        ASSERT_EQ(station->primary_cid, i + 1000);
        ASSERT_EQ(table.find(uint16_t(i + 1000)), station);
        ASSERT_EQ(table.new_transport_cid(*station), 2000 + i);
    }
    EXPECT_TRUE(table.full());
    EXPECT_EQ(table.add(blank(p, 1)), nullptr);
}

std::vector<uint16_t> awake(const StationTable& table) {
    std::vector<uint16_t> cids;
    for (const auto* station : table.awake()) cids.push_back(station->basic_cid);
    return cids;
}

TEST(StationTable, WhoRestsIsWokenByTimeOrByName) {
    BaseParts p;
    StationTable table(10);
    for (uint8_t i = 1; i <= 4; ++i) table.add(blank(p, i));
    EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 2, 3, 4}));
    table.wake_due(0, 0);
    table.rest(table.at(2), 3000);
    table.rest(table.at(3), 9000);
    table.rest(table.at(4), 9000);
    EXPECT_EQ(awake(table).size(), 4U);  // this frame still has all
    table.wake_due(1000, 0);
    EXPECT_EQ(awake(table), (std::vector<uint16_t>{1}));
    table.wake_due(3000, 0);
    EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 2}));
    const uint16_t transport = table.new_transport_cid(table.at(4));
    EXPECT_NE(table.owner_of(transport), nullptr);
    EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 2}));  // from the next frame on
    table.wake_due(4000, 0);
    EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 2, 4}));
    table.find(BaseParts::address(3), false);
    table.wake_due(5000, 0);
    EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 2, 3, 4}));
    // Frames that passed meanwhile count for resting stations, too.
    EXPECT_EQ(table.at(1).requests.frames_since_grant(), 0U);
    EXPECT_EQ(table.at(2).requests.frames_since_grant(), 1U);
    EXPECT_EQ(table.at(4).requests.frames_since_grant(), 2U);
    EXPECT_EQ(table.at(3).requests.frames_since_grant(), 3U);
    table.erase(2);
    EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 3, 4}));
}

/// Resting stations, turns, numbers: a cleared table is like a new one.
TEST(StationTable, ClearedItIsAsNew) {
    BaseParts p;
    StationTable table(10);
    for (int life = 0; life < 3; ++life) {
        EXPECT_TRUE(table.awake().empty());
        EXPECT_EQ(table.resting() + table.resting_without_codes(), 0U) << life;
        table.wake_due(0, 0);
        EXPECT_EQ(table.resting() + table.resting_without_codes(), 0U) << life;
        for (uint8_t i = 1; i <= 4; ++i) {
            Subscriber* station = table.add(blank(p, i));
            ASSERT_EQ(station->basic_cid, i);
            station->capabilities.knows_codes = i == 1;
            EXPECT_EQ(table.new_transport_cid(*station), 20 + i);
        }
        table.wake_due(500, 0);
        EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 2, 3, 4}));
        EXPECT_EQ(table.resting() + table.resting_without_codes(), 0U) << life;
        for (uint16_t cid = 1; cid <= 3; ++cid) table.rest(table.at(cid), 9000);
        table.wake_due(1000, 1);
        EXPECT_EQ(awake(table), (std::vector<uint16_t>{1, 4})) << "the first one's turn";
        EXPECT_EQ(table.resting(), 2U);
        EXPECT_EQ(table.resting_without_codes(), 2U);
        table.clear();
        EXPECT_EQ(table.size(), 0U);
        EXPECT_EQ(table.find_basic(1), nullptr);
        EXPECT_EQ(table.owner_of(21), nullptr);
    }
}

TEST(StationTable, SomeAreWokenInTurn) {
    BaseParts p;
    StationTable table(10);
    for (uint8_t i = 1; i <= 5; ++i) table.add(blank(p, i));
    std::map<uint16_t, int> looks;
    for (int frame = 0; frame < 10; ++frame) {
        for (uint16_t cid = 1; cid <= 5; ++cid) table.rest(table.at(cid), INT64_MAX);
        table.wake_due(0, 2);
        EXPECT_EQ(awake(table).size(), 2U);
        for (const uint16_t cid : awake(table)) ++looks[cid];
    }
    for (uint16_t cid = 1; cid <= 5; ++cid) EXPECT_EQ(looks[cid], 4) << cid;
}

TEST(StationTable, TransportConnectionsHaveAnOwner) {
    BaseParts p;
    Subscriber& one = p.operational(1);
    Subscriber& two = p.operational(2);
    EXPECT_EQ(one.flows[0]->cid, cid::kFirstTransport);
    EXPECT_EQ(two.flows[1]->cid, cid::kFirstTransport + 3);
    EXPECT_EQ(p.stations.owner_of(cid::kFirstTransport + 1), &one);
    EXPECT_EQ(p.stations.owner_of(cid::kFirstTransport + 2), &two);
    p.admission.remove(one.basic_cid, "test");
    EXPECT_EQ(p.stations.owner_of(cid::kFirstTransport), nullptr);
    EXPECT_EQ(p.stations.established(), 1U);
}

TEST(RangingService, AnswersWithCorrectionsAndCids) {
    BaseParts p;
    auto rsp = p.range(1, {-70, 30, -30, 25, -300});
    EXPECT_EQ(rsp.status, RangingStatus::continue_ranging);
    EXPECT_EQ(rsp.basic_cid, 1);
    EXPECT_EQ(rsp.primary_cid, 321);
    EXPECT_EQ(rsp.frame_number, 100U);
    EXPECT_EQ(rsp.opportunity_number, 1);
    EXPECT_EQ(rsp.timing_adjust_samples, 25);
    EXPECT_EQ(rsp.frequency_adjust_hz, 300);
    EXPECT_EQ(rsp.power_adjust_qdb, 40);
    EXPECT_EQ(p.cid, cid::kInitialRanging);
    Subscriber& station = *p.stations.find(BaseParts::address(1), false);
    EXPECT_TRUE(station.invitations.owed());
    RngReq invited;
    EXPECT_TRUE(p.ranging.on_request(invited, 1, BaseParts::good(), phy::FrameNumber(101)));
    rsp = p.reply<RngRsp>(p.replies);
    EXPECT_EQ(rsp.status, RangingStatus::success);
    EXPECT_EQ(rsp.operational_profile->diuc, diuc_of(profile_in_row(6)));
    EXPECT_FALSE(rsp.frame_number);
    EXPECT_EQ(p.cid, 1);
    EXPECT_EQ(station.entry.state(), EntryState::ranged);
    EXPECT_FALSE(station.invitations.owed());
    EXPECT_FALSE(p.ranging.on_request(invited, 9, BaseParts::good(), phy::FrameNumber(101)));  // no station has the CID
}

TEST(RangingService, InvitationsGrowRareAndEnd) {
    BaseParts p;
    p.range(1, {-70, 30, -30, 25, 0});
    Subscriber& station = *p.stations.find(BaseParts::address(1), false);
    station.invitations.sent();
    // First after 40 ms, then after 80, 160, 320, 320 .. and two frames.
    for (const int64_t ms : {40, 100, 180, 340, 340, 340, 340, 340, 340, 340, 340, 340, 340, 340, 340, 340}) {
        p.pass(ms - 1);
        p.entry.run_timers();
        EXPECT_FALSE(station.invitations.owed()) << ms;
        p.pass(1);
        p.entry.run_timers();
        EXPECT_TRUE(station.invitations.owed()) << ms;
        station.invitations.sent();
    }
    p.pass(340);
    p.entry.run_timers();
    EXPECT_EQ(p.stations.size(), 0U);
    EXPECT_EQ(p.lines_with("no answer to invited ranging"), 1U);
}

TEST(RangingService, InGrantsItAnswersNowAndThen) {
    BaseParts p;
    Subscriber& station = p.operational(1);
    for (int i = 0; i < 30; ++i) {  // 290 ms
        p.ranging.on_request_in_grant(station, {});
        p.pass(10);
    }
    EXPECT_EQ(station.management.size(), 3U);
}

TEST(Admission, RefusesTheUnknownAndTheTooMany) {
    BaseStationConfig config;
    config.unknown_station.reset();
    config.max_stations = 1;
    for (uint8_t i = 1; i <= 2; ++i) {
        config.stations.emplace_back();
        config.stations.back().mac = BaseParts::address(i);
    }
    BaseParts p(config);
    EXPECT_EQ(p.range(3).status, RangingStatus::abort);
    EXPECT_EQ(p.admission.counters().refused_stations, 1U);
    EXPECT_EQ(p.range(2).status, RangingStatus::success);  // ranging alone displaces no station
    p.operational(1);
    p.admission.remove(p.stations.find(BaseParts::address(2), false)->basic_cid, "test");
    p.replies.clear();
    EXPECT_EQ(p.range(2).status, RangingStatus::abort);
    EXPECT_EQ(p.range(1).status, RangingStatus::success);  // it may start again
}

/// 33 stations only range: the first is removed.
TEST(Admission, ThoseThatOnlyRangeDisplaceEachOther) {
    BaseParts p;
    p.operational(200);
    for (uint8_t i = 1; i <= 33; ++i) {
        p.pass(10);
        p.range(i);
    }
    EXPECT_EQ(p.stations.size(), 33U);
    EXPECT_EQ(p.admission.counters().evicted_stations, 1U);
    EXPECT_EQ(p.stations.find(BaseParts::address(1), false), nullptr);
    EXPECT_NE(p.stations.find(BaseParts::address(2), false), nullptr);
    EXPECT_NE(p.stations.find(BaseParts::address(200), true), nullptr);
}

TEST(Admission, TwoWithOneAddress) {
    BaseParts p;
    Subscriber& served = p.operational(1);
    p.range(1);
    Subscriber& newcomer = *p.stations.find(BaseParts::address(1), false);
    EXPECT_TRUE(served.health.challenged());
    p.entry.on_capabilities(newcomer, {});  // neither is known to have left yet
    EXPECT_TRUE(newcomer.entry.postponed());
    EXPECT_EQ(newcomer.management.size(), 0U);
    for (int i = 0; i < 3; ++i) served.health.unreadable();
    served.counters.ul_bytes = 77;
    p.entry.run_timers();
    EXPECT_EQ(newcomer.entry.state(), EntryState::capable);
    EXPECT_EQ(newcomer.counters.ul_bytes, 77U);
    p.entry.run_timers();
    EXPECT_EQ(p.stations.size(), 1U);

    BaseParts q;
    Subscriber& there = q.operational(1);
    q.range(1);
    Subscriber& second = *q.stations.find(BaseParts::address(1), false);
    q.pass(10);
    there.health.delivered(q.clock.now);
    q.entry.on_capabilities(second, {});
    EXPECT_EQ(q.reply<RngRsp>(q.replies).status, RangingStatus::abort);
    EXPECT_EQ(q.cid, second.basic_cid);
    EXPECT_EQ(q.admission.counters().duplicate_addresses, 1U);
    q.entry.run_timers();
    EXPECT_EQ(q.stations.size(), 1U);
    EXPECT_FALSE(there.health.challenged());
}

/// A station that only ranged with a served station's address, and is not heard again, is forgotten; the served station
/// is no longer polled for a sign of life.
TEST(Admission, ANewcomerThatGoesLeavesTheServedStationAlone) {
    BaseParts p;
    Subscriber& served = p.operational(1);
    p.range(1);
    p.pass(4999);
    p.entry.run_timers();
    EXPECT_EQ(p.stations.size(), 2U);
    EXPECT_TRUE(served.health.challenged());
    p.pass(1);
    p.entry.run_timers();
    EXPECT_EQ(p.lines_with("no SBC-REQ (T9)"), 1U);
    EXPECT_EQ(p.stations.size(), 1U);
    EXPECT_FALSE(served.health.challenged());
}

TEST(EntryService, EachWaitEnds) {
    struct Case {
        int steps;  ///< 0 ranged, 1 capable
        int64_t ms;
        const char* why;
    };
    for (const auto& [steps, ms, why] : {Case{0, 5000, "no SBC-REQ (T9)"}, Case{1, 10'000, "no registration (T17)"}}) {
        BaseParts p;
        p.range(1);
        if (steps > 0) p.entry.on_capabilities(*p.stations.find(1), {});
        p.pass(ms - 1);
        p.entry.run_timers();
        EXPECT_EQ(p.stations.size(), 1U);
        p.pass(1);
        p.entry.run_timers();
        EXPECT_EQ(p.stations.size(), 0U);
        EXPECT_EQ(p.lines_with(why), 1U);
    }
}

/// The time runs from registration, although nothing was readable since.
TEST(EntryService, AStationIsLostAfterEightGrantsAndATime) {
    struct Case {
        int grants;
        int64_t ms;
        bool lost;
    };
    for (const auto& [grants, ms, lost] : {Case{8, 1500, false}, Case{7, 1501, false}, Case{8, 1501, true}}) {
        BaseParts p;
        p.pass(2000);
        Subscriber& station = p.operational(1);
        for (int i = 0; i < grants; ++i) station.health.grant_missed();
        p.pass(ms);
        p.entry.run_timers();
        ASSERT_EQ(p.stations.size(), lost ? 0U : 1U) << grants << ' ' << ms;
        EXPECT_EQ(p.entry.lost_stations(), lost ? 1U : 0U);
        EXPECT_EQ(p.lines_with("lost, no answer to its grants"), lost ? 1U : 0U);
        if (!lost) continue;
        p.reply<ResCmd>(p.replies);
        EXPECT_EQ(p.cid, 1);
    }
}

TEST(ServiceFlowManager, RequestsAreRepeatedAndGivenUp) {
    BaseParts p;
    p.range(1);
    Subscriber& station = *p.stations.find(1);
    p.entry.on_capabilities(station, {});
    EXPECT_EQ(station.flows.size(), 0U);
    p.entry.on_registration(station, {});
    ASSERT_EQ(station.flows.size(), 2U);
    EXPECT_EQ(station.flows[0]->config.direction, FlowDirection::downlink);
    const auto asked = p.asked(station);
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked[1], asked[0] + 1);
    EXPECT_GE(asked[0], 0x8000);
    p.respond(station, asked[0]);
    EXPECT_TRUE(station.flows[0]->active);
    EXPECT_EQ(station.entry.state(), EntryState::registered);  // the other one is open
    for (int i = 0; i < 3; ++i) {
        station.management.clear();
        p.pass(999);
        p.flows.run_timers(station);
        EXPECT_EQ(station.management.size(), 0U);
        p.pass(1);
        p.flows.run_timers(station);
        EXPECT_EQ(p.reply<DsaReq>(station.management).tid, asked[1]) << i;
        EXPECT_EQ(p.cid, station.primary_cid);
    }
    p.pass(1000);
    p.flows.run_timers(station);
    EXPECT_TRUE(station.flows[1]->set_up.refused());
    EXPECT_EQ(station.entry.state(), EntryState::operational);
    p.respond(station, asked[1]);  // too late
    EXPECT_EQ(p.reply<DsaAck>(station.management).cc, confirmation::kAddAborted);
    EXPECT_FALSE(station.flows[1]->active);
}

/// Transport CIDs: the last number, the first again, no used one, and released ones are used again.
TEST(StationTable, TransportConnectionsGoRoundAndAreGivenBack) {
    BaseParts p;
    Subscriber& kept = p.operational(1);
    Subscriber& passing = p.operational(2);
    StationTable& table = p.stations;
    const std::set<uint16_t> taken{kept.flows[0]->cid, kept.flows[1]->cid, passing.flows[0]->cid,
                                   passing.flows[1]->cid};
    std::vector<uint16_t> all;
    const size_t room = cid::kLastTransport - cid::kFirstTransport + size_t{1} - taken.size();
    for (size_t i = 0; i < room; ++i) {
        const uint16_t cid = table.new_transport_cid(kept);
        ASSERT_TRUE(cid::is_transport(cid)) << cid;
        ASSERT_FALSE(taken.contains(cid));
        ASSERT_EQ(table.owner_of(cid), &kept);
        all.push_back(cid);
    }
    EXPECT_EQ(all.back(), cid::kLastTransport);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), room) << "each once";
    const uint16_t last = all.back(), given_back = passing.flows[1]->cid;
    table.release_transport_cid(last);
    EXPECT_EQ(table.owner_of(last), nullptr);
    EXPECT_EQ(table.new_transport_cid(kept), last) << "the only one that is free";
    p.admission.remove(passing.basic_cid, "test");
    EXPECT_EQ(table.owner_of(given_back), nullptr);
    const std::set<uint16_t> again{table.new_transport_cid(kept), table.new_transport_cid(kept)};
    EXPECT_TRUE(again.contains(given_back));
}

/// Each station that may enter needs a transport CID for each of its flows, two at least.
TEST(StationTable, AConfigurationHasTransportCidsForAllOfItsStations) {
    for (const uint32_t m : {320U, 5000U, 8000U}) {
        size_t room = 0;
        for (uint32_t cid = 0; cid <= UINT16_MAX; ++cid)
            room += cid::is_transport(static_cast<uint16_t>(cid), static_cast<uint16_t>(m)) ? 1 : 0;
        for (const size_t flows : {0U, 2U, 3U, 7U, 11U, 16U})
            for (const size_t more : {0U, 1U}) {
                BaseStationConfig config;
                config.basic_cids = m;
                config.max_stations = static_cast<uint32_t>(room / std::max<size_t>(flows, 2) + more);
                config.unknown_station->flows.resize(flows);
                bool refused = false;
                const auto faults = validate(config);
                for (const auto& fault : faults.list()) refused |= fault.key == "basic_cids";
                EXPECT_EQ(refused, more > 0) << m << ' ' << flows;
            }
    }
}

/// Polling groups' transactions, and a group's last place.
TEST(StationTable, CidsOfEachKindDoNotMeet) {
    EXPECT_FALSE(cid::is_transport(cid::kInitialRanging));
    EXPECT_FALSE(cid::is_transport(cid::kFirstTransport - 1));
    EXPECT_TRUE(cid::is_transport(cid::kFirstTransport));
    EXPECT_TRUE(cid::is_transport(cid::kLastTransport));
    EXPECT_FALSE(cid::is_transport(cid::kLastTransport + 1));
    EXPECT_FALSE(cid::is_transport(cid::kBroadcast));
    EXPECT_FALSE(cid::is_multicast_polling(cid::kFirstMulticastPolling - 1));
    EXPECT_TRUE(cid::is_multicast_polling(cid::kFirstMulticastPolling));
    EXPECT_FALSE(cid::is_multicast_polling(cid::kBroadcast));
    for (const uint16_t m : {uint16_t{1}, uint16_t{320}, uint16_t{4000}}) {
        EXPECT_FALSE(cid::is_primary(m, m)) << m;
        EXPECT_TRUE(cid::is_primary(static_cast<uint16_t>(m + 1), m)) << m;
        EXPECT_TRUE(cid::is_primary(static_cast<uint16_t>(2 * m), m)) << m;
        EXPECT_FALSE(cid::is_primary(static_cast<uint16_t>(2 * m + 1), m)) << m;
        EXPECT_FALSE(cid::is_transport(static_cast<uint16_t>(2 * m), m)) << m;
        EXPECT_TRUE(cid::is_transport(static_cast<uint16_t>(2 * m + 1), m)) << m;
    }
}

/// Expected messages have arrived: no timer removes a served station.
TEST(EntryService, WaitsThatAreOverEndNothing) {
    BaseParts p;
    p.operational(1);
    for (int i = 0; i < 60; ++i) {
        p.pass(1000);
        p.entry.run_timers();
        ASSERT_EQ(p.stations.size(), 1U) << i << " s";
    }
    EXPECT_EQ(p.lines_with("deleted"), 0U);
}

/// A multicast connection that is no longer provisioned releases its CID.
TEST(StationTable, CidsOfMulticastConnectionsAreGivenBack) {
    BaseStationConfig config;
    ServiceFlowConfig flow;
    flow.name = "news";
    flow.multicast = true;
    flow.classifiers.emplace_back().destination = {{0xEF000001, 0xFFFFFFFF}};
    config.service_classes = {flow};
    BaseParts p(config);
    ASSERT_EQ(p.multicast.all().size(), 1U);
    const uint16_t given_back = p.multicast.all().begin()->first;
    config.service_classes.clear();
    p.multicast.provision(config);
    p.multicast.begin_frame();
    ASSERT_TRUE(p.multicast.all().empty());
    Subscriber& station = p.operational(1);
    std::set<uint16_t> all{station.flows[0]->cid, station.flows[1]->cid};
    while (all.size() < cid::kLastTransport - cid::kFirstTransport) all.insert(p.stations.new_transport_cid(station));
    EXPECT_TRUE(all.contains(given_back) || p.stations.new_transport_cid(station) == given_back);
}

/// However often a station ranges, each time it is corrected as the first time.
TEST(RangingService, EachRangingHasItsOwnTries) {
    BaseParts p;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(p.range(1, {-60, 40, -30, 20, 0}).status, RangingStatus::continue_ranging) << i;
        EXPECT_EQ(p.range(1).status, RangingStatus::success) << i;
    }
}

/// Rules added and removed within one DSC, of a flow that has none.
TEST(ServiceFlowManager, ARuleThatComesAndGoesInOneChange) {
    for (const bool indexed : {true, false}) {
        BaseParts p;
        Subscriber& station = p.operational(1);
        FlowContext& flow = p.uplink(station);
        ASSERT_TRUE(flow.rule_indices.empty());
        RuleParameters one{ClassifierAction::add, ClassifierConfig{}, {}};
        if (indexed) one.index = 1;
        const RuleParameters gone{ClassifierAction::remove, ClassifierConfig{}, 1};
        DscReq request;
        request.tid = 1;
        request.uplink.emplace().sfid = flow.sfid;
        put_rules(*request.uplink, flow.config.cs, {one, gone});
        p.flows.receive(station, request);
        Buffer octets;
        PduWriter writer(octets, 2000);
        station.management.fill(writer, 2000);
        PduReader reader(octets);
        std::optional<DscRsp> answer;
        while (const auto pdu = reader.next()) {
            if (message_type(pdu->body) != DscRsp::kType) continue;
            ASSERT_TRUE(decode(pdu->body, answer.emplace()));
        }
        ASSERT_TRUE(answer && answer->uplink);
        EXPECT_EQ(answer->cc, confirmation::kSuccess);
        for (const auto& rule : rules_of(*answer->uplink)) EXPECT_EQ(rule.index, 1);
        EXPECT_EQ(rules_of(*answer->uplink).size(), 2U);
        EXPECT_TRUE(flow.rule_indices.empty());
        EXPECT_TRUE(flow.config.classifiers.empty());
    }
}

}  // namespace test_stations
