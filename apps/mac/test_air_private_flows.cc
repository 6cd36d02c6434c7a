// SPDX-License-Identifier: GPL-3.0-or-later
// Security associations of single flows: the station's primary one, a separate one, none; for provisioned flows and for
// flows added later.
#include "mac/bs/station_privacy.h"
#include "mac/flow/flow_command.h"
#include "mac/flow_limits.h"
#include "mac/pdu/cid.h"
#include "mac/pdu/management_messages.h"
#include "mac/privacy/pkm_message.h"
#include "mac/test_private_cell.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_private_flows {

constexpr uint32_t kStation = station_address(0);

ServiceFlowConfig with_association(ServiceFlowConfig flow, FlowAssociation association) {
    flow.security_association = association;
    return flow;
}
ServiceFlowConfig best_effort(FlowDirection direction, FlowAssociation association, uint16_t port = 0) {
    return with_association(flow(direction, SchedulingType::best_effort, port), association);
}
/// Each way a flow of that kind without rules, and one under the primary SA for kVoicePort.
BaseStationConfig with_flows(FlowAssociation association, size_t stations = 1) {
    auto config = Air::with_stations(stations);
    for (auto& station : config.stations)
        for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink}) {
            station.flows.push_back(best_effort(direction, association));
            station.flows.push_back(best_effort(direction, FlowAssociation::primary, kVoicePort));
        }
    return config;
}

struct FlowsCell : PrivateCell {
    explicit FlowsCell(BaseStationConfig config, PrivacyPolicy policy = PrivacyPolicy::required)
        : PrivateCell(with_key_log(with_privacy(std::move(config), policy), *this)) {}

    static BaseStationConfig with_key_log(BaseStationConfig config, FlowsCell& cell) {
        config.privacy.key_log = [&cell](const MacAddress&, uint16_t said, uint8_t, Octets tek) {
            cell.keys.insert({said, {tek.begin(), tek.end()}});
        };
        return config;
    }
    static std::vector<uint16_t> saids_in(const Json& flows) {
        std::vector<uint16_t> saids;
        for (const auto& f : flows)
            if (f.contains("said")) saids.push_back(f["said"].get<uint16_t>());
        std::ranges::sort(saids);
        return saids;
    }
    std::vector<uint16_t> at_base_saids(size_t station) const {
        const Json status = bs_status();
        for (const auto& s : status["stations"])
            if (s["mac"] == to_text(mac_of(station))) return saids_in(s["flows"]);
        return {};
    }
    std::vector<uint16_t> at_station_saids(size_t station) const {
        return saids_in(terminals[station]->status()["flows"]);
    }
    uint16_t primary(size_t station) const {
        const Json status = bs_status();
        for (const auto& s : status["stations"])
            if (s["mac"] == to_text(mac_of(station))) return s["basic_cid"].get<uint16_t>();
        return 0;
    }
    size_t flows_of_base() const { return bs_status()["stations"][0]["flows"].size(); }
    /// Expects `packets` packets each way, of the first station's flow with that port.
    void expect_traffic(uint16_t port = 5000, uint32_t packets = 20) {
        const auto up = ul_numbers.size(), down = terminals[0]->dl_numbers.size();
        for (uint32_t i = 0; i < packets; ++i) {
            bs->push_sdu(ip_packet(kServer, kStation, 300, port, ++number));
            send(*this, 0, 300, port, number);
            run(1);
        }
        run(30);
        EXPECT_EQ(ul_numbers.size() - up, packets);
        EXPECT_EQ(terminals[0]->dl_numbers.size() - down, packets);
    }
    /// The operator's flow; `code`: as it ended, -1: it has not, -2: it has the SAID of a station's primary SA, which
    /// must not go with it.
    struct Added {
        int code = -1;
        uint32_t sfid = 0;
    };
    Added add_flow(const ServiceFlowConfig& flow, int frames = 800) {
        FlowCommand command;
        command.id = 7;
        command.station = mac_of(0);
        command.flow = flow;
        EXPECT_TRUE(bs->change_flow(command));
        Added added = ended(frames);
        const auto saids = at_base_saids(0);
        if (added.code == 0 && !saids.empty() && saids.back() <= bs_config.basic_cids) added.code = -2;
        return added;
    }
    Added delete_flow(uint32_t sfid) {
        FlowCommand command;
        command.kind = DsxKind::remove;
        command.id = 8;
        command.sfid = sfid;
        EXPECT_TRUE(bs->change_flow(command));
        run(50);
        return ended(1);
    }
    Added ended(int frames) {
        Added added;
        run_until(
            [&] {
                const Json status = bs_status();
                const auto& last = status["flow_results"].back();
                added.sfid = last["sfid"];
                if (last["done"]) added.code = last["code"];
                return added.code >= 0;
            },
            frames);
        return added;
    }
    void expect_nothing_dropped() const {
        for (const auto& end : {privacy_of(terminals[0]->status()), at_base(0)})
            for (const char* what : {"unknown_key", "forged", "replayed", "unprotected"})
                EXPECT_EQ(end["pdus"][what], 0) << what;
        expect_clean(*this);
    }

    std::set<std::pair<uint16_t, std::vector<uint8_t>>> keys;  ///< SAID and TEK
};

/// PKM messages of the base station with that code get lost, and are counted.
struct LosesPkm {
    privacy::PkmCode code;
    bool loses = true;
    unsigned seen = 0;

    void operator()(sap::RxBurst& burst) {
        if (burst.cid != 0) return;
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next()) {
            if (pdu->is_request || pdu->header.ec) continue;
            const auto parts = parse_subheaders(*pdu);
            if (!parts || message_type(parts->rest) != MessageType::pkm_rsp) continue;
            if (parts->rest.size() < 2 || parts->rest[1] != static_cast<uint8_t>(code)) continue;
            ++seen;
            const auto end = pdu->octets.data() + pdu->octets.size() - burst.payload.data();
            if (loses) burst.payload[static_cast<size_t>(end) - 1] ^= 1;  // of the CRC
        }
    }
};

// ---- provisioned flows ----

TEST(FlowAssociations, ProvisionedOnesAreStaticAndEachOnesOwn) {
    FlowsCell cell(with_flows(FlowAssociation::own, 2));
    cell.join();
    cell.join();
    enter(cell);
    std::set<uint16_t> all;
    for (size_t i = 0; i < 2; ++i) {
        const auto saids = cell.at_base_saids(i);
        ASSERT_EQ(saids.size(), 4u);
        EXPECT_EQ(saids, cell.at_station_saids(i));
        EXPECT_EQ(std::ranges::count(saids, cell.primary(i)), 2);
        all.insert(saids.begin(), saids.end());
        EXPECT_EQ(cell.at_base(i)["associations"], 3);
        EXPECT_EQ(cell.at_base(i)["sa_adds"], 0);
        const Json own = PrivateCell::privacy_of(cell.terminals[i]->status());
        EXPECT_EQ(own["associations"], 3);
        EXPECT_EQ(own["sa_adds"], 0);
    }
    EXPECT_EQ(all.size(), 6u) << "two stations have one SAID";
    EXPECT_EQ(std::ranges::count_if(all, [&](uint16_t said) { return said <= cell.bs_config.basic_cids; }), 2);
    std::set<std::vector<uint8_t>> teks;
    std::set<uint16_t> keyed;
    for (const auto& [said, tek] : cell.keys) {
        teks.insert(tek);
        keyed.insert(said);
    }
    EXPECT_EQ(keyed, all);
    EXPECT_EQ(teks.size(), 12u) << "two TEKs each, none of them twice";
    cell.expect_traffic();
    cell.expect_traffic(kVoicePort);
    cell.expect_nothing_dropped();
}

TEST(FlowAssociations, AsManyAsAStationHasFlows) {
    auto config = Air::with_stations(1);
    for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink})
        for (size_t i = 0; i < kMaxFlowsEachWay; ++i)
            config.stations[0].flows.push_back(
                best_effort(direction, FlowAssociation::own, i == 0 ? 0 : static_cast<uint16_t>(kVoicePort + i)));
    FlowsCell cell(config);
    cell.join();
    enter(cell);
    EXPECT_EQ(cell.at_base_saids(0).size(), kMaxStationFlows);
    EXPECT_EQ(cell.at_base_saids(0), cell.at_station_saids(0));
    for (const auto& end : {PrivateCell::privacy_of(cell.terminals[0]->status()), cell.at_base(0)})
        EXPECT_EQ(end["associations"], kMaxAssociations);
    cell.expect_traffic();
    cell.expect_traffic(kVoicePort + kMaxFlowsEachWay - 1);
    cell.expect_nothing_dropped();
}

TEST(FlowAssociations, AFlowWithNoneIsReadAndTheOthersAreNot) {
    FlowsCell cell(with_flows(FlowAssociation::none), PrivacyPolicy::allowed);
    cell.join(PrivacyPolicy::allowed);
    enter(cell);
    EXPECT_EQ(cell.at_base_saids(0), std::vector<uint16_t>(2, cell.primary(0)));
    EXPECT_EQ(cell.at_station_saids(0), cell.at_base_saids(0));
    unsigned seen = 0;
    cell.tamper = [&](sap::RxBurst& burst) { seen += shows_payload(burst.payload); };
    cell.expect_traffic(kVoicePort);
    EXPECT_EQ(seen, 0u);
    cell.expect_traffic();
    EXPECT_GE(seen, 20u);
    cell.expect_nothing_dropped();
}

TEST(FlowAssociations, AStationThatRequiresPrivacyRefusesOneWithNone) {
    FlowsCell cell(with_flows(FlowAssociation::none));
    cell.join();
    enter(cell);
    EXPECT_EQ(cell.terminals[0]->status()["flows"].size(), 2u);
    EXPECT_TRUE(cell.has_line("refused flow"));
    cell.expect_traffic(kVoicePort);
}

TEST(FlowAssociations, AStationWithoutPrivacyHasTheFlowInTheClear) {
    FlowsCell cell(with_flows(FlowAssociation::own), PrivacyPolicy::allowed);
    cell.join(PrivacyPolicy::off);
    enter(cell);
    EXPECT_TRUE(cell.at_base_saids(0).empty());
    cell.expect_traffic();
    EXPECT_TRUE(cell.keys.empty());
}

// ---- flows that come later ----

TEST(FlowAssociations, AFlowThatIsAddedHasADynamicOne) {
    FlowsCell cell(Air::with_stations(1));
    cell.join();
    enter(cell);
    for (const auto direction : {FlowDirection::uplink, FlowDirection::downlink}) {
        const auto before = cell.at_base_saids(0);
        const auto added = cell.add_flow(best_effort(direction, FlowAssociation::own, kVoicePort), 60);
        ASSERT_EQ(added.code, 0);
        const auto saids = cell.at_base_saids(0);
        ASSERT_EQ(saids.size(), 3u);
        EXPECT_EQ(saids, cell.at_station_saids(0));
        EXPECT_GT(saids.back(), cell.bs_config.basic_cids);
        EXPECT_EQ(cell.at_base(0)["associations"], 2);
        cell.expect_traffic(kVoicePort);
        // The flow is deleted, and its SA with it.
        EXPECT_EQ(cell.delete_flow(added.sfid).code, 0);
        EXPECT_EQ(cell.at_base_saids(0), before);
        EXPECT_EQ(cell.at_base(0)["associations"], 1);
        EXPECT_EQ(PrivateCell::privacy_of(cell.terminals[0]->status())["associations"], 1);
        cell.expect_traffic(kVoicePort);
    }
    EXPECT_EQ(cell.at_base(0)["sa_adds"], 2);
    EXPECT_EQ(PrivateCell::privacy_of(cell.terminals[0]->status())["sa_adds"], 2);
    cell.expect_nothing_dropped();
}

TEST(FlowAssociations, OneThatTheStationDeletesGoesAtBothEnds) {
    FlowsCell cell(Air::with_stations(1));
    cell.join();
    enter(cell);
    const auto added = cell.add_flow(best_effort(FlowDirection::uplink, FlowAssociation::own, kVoicePort), 60);
    ASSERT_EQ(added.code, 0);
    cell.run(10);
    FlowCommand command;
    command.kind = DsxKind::remove;
    command.sfid = added.sfid;
    EXPECT_TRUE(cell.terminals[0]->mac->change_flow(command));
    cell.run(50);
    EXPECT_EQ(cell.flows_of_base(), 2u);
    EXPECT_EQ(cell.at_base(0)["associations"], 1);
    EXPECT_EQ(PrivateCell::privacy_of(cell.terminals[0]->status())["associations"], 1);
    cell.expect_traffic(kVoicePort);
}

TEST(FlowAssociations, OneAfterTheOtherManyTimes) {
    FlowsCell cell(Air::with_stations(1));
    cell.join();
    enter(cell);
    for (int i = 0; i < 40; ++i) {
        const auto added = cell.add_flow(best_effort(FlowDirection::uplink, FlowAssociation::own, kVoicePort), 60);
        ASSERT_EQ(added.code, 0) << i;
        EXPECT_EQ(cell.delete_flow(added.sfid).code, 0);
    }
    EXPECT_EQ(cell.at_base(0)["associations"], 1);
    EXPECT_EQ(cell.flows_of_base(), 2u);
    cell.expect_traffic();
    cell.expect_nothing_dropped();
}

TEST(FlowAssociations, SaAddIsRepeatedUntilTheStationAsksForKeys) {
    FlowsCell cell(Air::with_stations(1));
    cell.join();
    enter(cell);
    LosesPkm loss{privacy::PkmCode::sa_add};
    cell.tamper = [&](sap::RxBurst& burst) {
        loss(burst);
        if (loss.seen == 3) loss.loses = false;
    };
    const auto added = cell.add_flow(best_effort(FlowDirection::uplink, FlowAssociation::own, kVoicePort));
    ASSERT_EQ(added.code, 0);
    EXPECT_GE(cell.at_base(0)["sa_adds"], 3);
    cell.run(cell.frames(3));
    EXPECT_LE(loss.seen, 5u) << "it goes on";
    cell.expect_traffic(kVoicePort);
    cell.expect_nothing_dropped();
}

TEST(FlowAssociations, AFlowWhoseSaTheStationNeverHearsOfIsGivenUp) {
    FlowsCell cell(Air::with_stations(1));
    cell.join();
    enter(cell);
    LosesPkm loss{privacy::PkmCode::sa_add};
    cell.tamper = [&](sap::RxBurst& burst) { loss(burst); };
    const auto added = cell.add_flow(best_effort(FlowDirection::downlink, FlowAssociation::own, kVoicePort));
    EXPECT_EQ(added.code, kNoAnswer);
    EXPECT_GE(loss.seen, 4u);
    EXPECT_TRUE(cell.has_line("asks for no keys of security association"));
    EXPECT_EQ(cell.flows_of_base(), 2u);
    EXPECT_EQ(cell.at_base(0)["associations"], 1);
    const auto seen = loss.seen;
    cell.run(cell.frames(3));
    EXPECT_LE(loss.seen, seen + 1);
    cell.expect_traffic(kVoicePort);
}

/// Its packets wait for the keys; the flow is there already.
TEST(FlowAssociations, WithoutATekNothingIsSentOfTheFlow) {
    FlowsCell cell(Air::with_stations(1));
    cell.join();
    enter(cell);
    LosesPkm loss{privacy::PkmCode::key_reply};
    cell.tamper = [&](sap::RxBurst& burst) { loss(burst); };
    ASSERT_EQ(cell.add_flow(best_effort(FlowDirection::uplink, FlowAssociation::own, kVoicePort), 60).code, 0);
    send(cell, 0, 300, kVoicePort, 501);
    send(cell, 0, 300, 5000, 502);
    cell.run(50);
    EXPECT_EQ(cell.ul_numbers, std::vector<uint32_t>{502});
    loss.loses = false;
    cell.run(cell.frames(2));
    EXPECT_EQ(cell.ul_numbers, (std::vector<uint32_t>{502, 501}));
    cell.expect_nothing_dropped();
}

TEST(FlowAssociations, AStationMayAddAFlowWhoseClassHasOne) {
    auto config = Air::with_stations(1);
    config.stations[0].dynamic_flows = 1;
    auto own = best_effort(FlowDirection::uplink, FlowAssociation::own, kVoicePort);
    own.name = "secret";
    config.service_classes = {own};
    FlowsCell cell(std::move(config));
    auto& station = cell.join();
    enter(cell);
    FlowCommand command;
    command.flow.name = "secret";
    command.flow.direction = FlowDirection::uplink;
    ASSERT_TRUE(station.mac->change_flow(command));
    cell.run(50);
    ASSERT_EQ(cell.flows_of_base(), 3u);
    EXPECT_EQ(cell.at_base(0)["associations"], 2);
    EXPECT_EQ(cell.at_base_saids(0), cell.at_station_saids(0));
    cell.expect_traffic(kVoicePort);
    cell.expect_nothing_dropped();
}

/// Another provisioning is another flow.
TEST(FlowAssociations, AnotherProvisioningTakesEffect) {
    FlowsCell cell(Air::with_stations(1));
    cell.join();
    enter(cell);
    auto config = cell.bs_config;
    config.stations[0].flows = {best_effort(FlowDirection::downlink, FlowAssociation::own),
                                best_effort(FlowDirection::uplink, FlowAssociation::primary)};
    ASSERT_TRUE(cell.bs->reprovision(config).has_value());
    cell.run(100);
    const auto saids = cell.at_base_saids(0);
    ASSERT_EQ(saids.size(), 2u);
    EXPECT_EQ(saids.front(), cell.primary(0));
    EXPECT_GT(saids.back(), cell.bs_config.basic_cids);
    EXPECT_EQ(cell.at_station_saids(0), saids);
    cell.expect_traffic();
}

TEST(FlowAssociations, MulticastFlowsHaveNone) {
    auto config = Air::with_stations(1);
    auto news = best_effort(FlowDirection::downlink, FlowAssociation::own, kVoicePort);
    news.name = "news";
    news.multicast = true;
    config.stations[0].flows = {news, best_effort(FlowDirection::uplink, FlowAssociation::own)};
    const auto faults = validate(config);
    EXPECT_TRUE(std::ranges::any_of(
        faults.list(), [](const auto& fault) { return fault.key == "stations[0].flows[0].security_association"; }));
    EXPECT_FALSE(std::ranges::any_of(
        faults.list(), [](const auto& fault) { return fault.key == "stations[0].flows[1].security_association"; }));
}

// ---- SAIDs ----

TEST(SaidPoolTest, EachIsTakenOnceAndNoneIsABasicCid) {
    constexpr uint32_t kBasicCids = 65'000;
    SaidPool pool(kBasicCids);
    std::set<uint16_t> all;
    while (const auto said = pool.take()) {
        EXPECT_GT(*said, kBasicCids);
        EXPECT_NE(*said, 0xFFFF);
        ASSERT_TRUE(all.insert(*said).second) << *said;
    }
    EXPECT_EQ(all.size(), 0xFFFEu - kBasicCids);
    pool.give_back(65'100);
    pool.give_back(65'050);
    EXPECT_EQ(pool.take(), 65'050);
    EXPECT_EQ(pool.take(), 65'100);
    EXPECT_FALSE(pool.take());
}

TEST(SaidPoolTest, WhatWasGivenBackComesLast) {
    SaidPool pool(320);
    const auto first = pool.take();
    ASSERT_TRUE(first);
    pool.give_back(*first);
    EXPECT_NE(pool.take(), first);
}

}  // namespace test_air_private_flows
