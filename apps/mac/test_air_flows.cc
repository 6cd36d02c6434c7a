// SPDX-License-Identifier: GPL-3.0-or-later
// Service flows that are added, changed and deleted while a cell runs: from both ends, during traffic, under loss; and
// flows that are taken down while they idle.
#include "mac/flow/flow_command.h"
#include "mac/test_cells.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_flows {

constexpr uint32_t kOtherNumbers = 1'000'000;  // of packets that are not the bulk flow's

struct FlowCell : Air {
    explicit FlowCell(BaseStationConfig config) : Air(std::move(config)) {
        keep_numbers = true;
        add();
        enter(*this);
    }
    static BaseStationConfig with_dynamic_flows(uint32_t count) {
        auto config = with_stations(1);
        config.stations[0].dynamic_flows = count;
        return config;
    }
    Station& ss() { return *terminals[0]->mac; }

    FlowCommand wish(DsxKind kind, uint32_t sfid = 0) {
        FlowCommand command;
        command.kind = kind;
        command.id = ++last_id;
        command.sfid = sfid;
        if (kind == DsxKind::add) command.station = mac_of(0);
        return command;
    }
    /// Sends the command and waits. Returns its confirmation code and SFID.
    struct Ended {
        int code = -1;
        uint32_t sfid = 0;
    };
    Ended end_of(Station& at, const FlowCommand& command, int frames = 100) {
        EXPECT_TRUE(at.change_flow(command));
        return result(at, command.id, frames);
    }
    Ended result(Station& at, uint64_t id, int frames = 100) {
        Ended ended;
        run_until(
            [&] {
                const Json status = at.status();
                for (const auto& r : status["flow_results"])
                    if (r["id"] == id && r["done"]) ended = {r["code"].get<int>(), r["sfid"].get<uint32_t>()};
                return ended.code >= 0;
            },
            frames);
        return ended;
    }
    Ended add_flow(Station& at, const ServiceFlowConfig& flow, FlowState state = FlowState::active) {
        auto command = wish(DsxKind::add);
        command.flow = flow;
        command.state = state;
        return end_of(at, command);
    }
    FlowCommand to_rate(Station& at, uint32_t sfid, uint32_t rate_bps) {
        auto command = wish(DsxKind::change, sfid);
        EXPECT_TRUE(at.describe(command));
        command.flow.max_sustained_rate_bps = rate_bps;
        return command;
    }
    /// SFID: direction, state, rate, rules.
    using Flows = std::map<uint32_t, std::tuple<std::string, std::string, uint32_t, uint32_t>>;
    static Flows flows_in(const Json& list) {
        Flows all;
        for (const auto& f : list)
            all[f["sfid"].get<uint32_t>()] = {f["direction"].get<std::string>(), f["state"].get<std::string>(),
                                              f["max_sustained_rate_bps"].get<uint32_t>(),
                                              f["classifiers"].get<uint32_t>()};
        return all;
    }
    Flows of_bs() { return flows_in(bs_status()["stations"][0]["flows"]); }
    Flows of_ss() { return flows_in(ss().status()["flows"]); }
    uint32_t sfid_of(const char* direction) {
        for (const auto& [sfid, what] : of_ss())
            if (std::get<0>(what) == direction) return sfid;
        return 0;
    }
    Json flow(uint32_t sfid) {
        const Json status = bs_status();
        for (const auto& f : status["stations"][0]["flows"])
            if (f["sfid"] == sfid) return f;
        return {};
    }
    void down(size_t octets, uint16_t port, uint32_t number) {
        bs->push_sdu(ip_packet(kServer, station_address(0), octets, port, number));
    }
    static std::vector<uint32_t> bulk(const std::vector<uint32_t>& numbers) {
        std::vector<uint32_t> own;
        for (const uint32_t n : numbers)
            if (n < kOtherNumbers) own.push_back(n);
        return own;
    }
    uint64_t last_id = 0;
};

ServiceFlowConfig voice(FlowDirection direction) {
    auto f = flow(direction, SchedulingType::best_effort, kVoicePort, 200'000);
    f.traffic_priority = 5;
    return f;
}

TEST(Flows, LiveChangesLoseNothingOnOthers) {
    FlowCell cell(FlowCell::with_dynamic_flows(4));
    uint32_t number = 0;
    cell.before_tick = [&] {
        cell.down(500, 5000, number);
        send(cell, 0, 500, 5000, number);
        cell.down(100, kVoicePort, kOtherNumbers + number);
        send(cell, 0, 100, kVoicePort, kOtherNumbers + number);
        ++number;
    };
    for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink})
        for (Station* at : std::array<Station*, 2>{cell.bs.get(), &cell.ss()}) {
            const auto added = cell.add_flow(*at, voice(direction));
            ASSERT_EQ(added.code, 0);
            cell.run(10);
            const uint64_t carried = cell.flow(added.sfid)["sdus"];
            EXPECT_GT(carried, 3U) << "the new flow's rule takes its packets";
            EXPECT_EQ(cell.of_bs(), cell.of_ss());
            ASSERT_EQ(cell.end_of(*at, cell.to_rate(*at, added.sfid, 150'000)).code, 0);
            EXPECT_EQ(cell.of_bs(), cell.of_ss());
            EXPECT_EQ(std::get<2>(cell.of_ss()[added.sfid]), 150'000U);
            cell.run(5);
            ASSERT_EQ(cell.end_of(*at, cell.wish(DsxKind::remove, added.sfid)).code, 0);
            cell.run(10);
            EXPECT_EQ(cell.of_bs().size(), 2U);
            EXPECT_EQ(cell.of_bs(), cell.of_ss());
        }
    cell.before_tick = nullptr;
    cell.run(40);
    std::vector<uint32_t> all(number);
    for (uint32_t i = 0; i < number; ++i) all[i] = i;
    EXPECT_GT(number, 100U);
    EXPECT_EQ(FlowCell::bulk(cell.ul_numbers), all);
    EXPECT_EQ(FlowCell::bulk(cell.terminals[0]->dl_numbers), all);
    expect_clean(cell);
}

TEST(Flows, AChangedFlowKeepsItsQueue) {
    for (const bool uplink : {false, true}) {
        FlowCell cell(FlowCell::with_dynamic_flows(0));
        const uint32_t sfid = cell.sfid_of(uplink ? "uplink" : "downlink");
        ASSERT_EQ(cell.end_of(*cell.bs, cell.to_rate(*cell.bs, sfid, 64'000)).code, 0);
        // The total is below what queue management treats as a standing queue.
        for (uint32_t i = 0; i < 20; ++i) uplink ? void(send(cell, 0, 350, 5000, i)) : cell.down(350, 5000, i);
        cell.run(10);
        auto& arrived = uplink ? cell.ul_numbers : cell.terminals[0]->dl_numbers;
        const size_t before = arrived.size();
        EXPECT_LE(before, 12U);
        ASSERT_EQ(cell.end_of(*cell.bs, cell.to_rate(*cell.bs, sfid, 0)).code, 0);
        cell.run(10);
        ASSERT_EQ(arrived.size(), 20U) << before << " before";
        for (uint32_t i = 0; i < 20; ++i) EXPECT_EQ(arrived[i], i);
    }
}

/// An idle flow does not get its grants of 80 kb/s, and its next packets are not lost.
TEST(Flows, AnIdleFlowCostsNothingAndComesBackWithItsPacket) {
    for (const bool releases : {false, true}) {
        auto config = bare(1, 6);
        auto ugs = flow(FlowDirection::uplink, SchedulingType::ugs, kVoicePort, 80'000);
        ugs.idle_timeout_ms = 500;
        ugs.idle_releases = releases;
        auto quiet = flow(FlowDirection::downlink, SchedulingType::best_effort, kVoicePort);
        quiet.active_at_start = false;
        quiet.idle_timeout_ms = 500;
        set_flows(config, {ugs, flow(FlowDirection::uplink, SchedulingType::best_effort), quiet});
        FlowCell cell(config);
        const uint16_t basic = cell.terminals[0]->status()["basic_cid"];
        const auto states = [&] {
            std::map<std::string, int> count;
            for (const auto& [sfid, what] : cell.of_ss()) ++count[std::get<1>(what)];
            return count;
        };
        EXPECT_GE(cell.run_until([&] { return states()["active"] == 2; }, 100), 0);  // both best effort flows
        cell.run(20);
        EXPECT_EQ(states()["admitted"], releases ? 1 : 2);
        EXPECT_EQ(states()["provisioned"], releases ? 1 : 0);
        EXPECT_EQ(cell.of_bs(), cell.of_ss());
        size_t grants = 0;
        for (int i = 0; i < 100; ++i) {
            cell.step();
            grants += grants_of(cell, basic);
        }
        EXPECT_LE(grants, 2U) << "nothing but T27";
        for (uint32_t i = 0; i < 5; ++i) {
            send(cell, 0, 80, kVoicePort, i);
            cell.down(80, kVoicePort, i);
        }
        EXPECT_GE(cell.run_until([&] { return states()["active"] == 4; }, 20), 0);
        cell.run(10);
        EXPECT_EQ(cell.ul_numbers, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
        EXPECT_EQ(cell.terminals[0]->dl_numbers, (std::vector<uint32_t>{0, 1, 2, 3, 4}));
        grants = 0;
        for (int i = 0; i < 10; ++i) {
            cell.step();
            grants += grants_of(cell, basic);
        }
        EXPECT_EQ(grants, 10U);  // each frame again
        EXPECT_GE(cell.run_until([&] { return states()["active"] == 2; }, 100), 0);
        expect_clean(cell);
    }
}

TEST(Flows, OfTwoChangesAtOnceTheBaseStationsWins) {
    FlowCell cell(FlowCell::with_dynamic_flows(0));
    const uint32_t sfid = cell.sfid_of("uplink");
    const auto theirs = cell.to_rate(cell.ss(), sfid, 111'000), ours = cell.to_rate(*cell.bs, sfid, 222'000);
    EXPECT_TRUE(cell.ss().change_flow(theirs));
    EXPECT_TRUE(cell.bs->change_flow(ours));
    EXPECT_EQ(cell.ss().change_flow(cell.to_rate(cell.ss(), sfid, 5000)).error().allowed, "it is changing");
    EXPECT_EQ(cell.result(*cell.bs, ours.id).code, confirmation::kSuccess);
    EXPECT_EQ(cell.result(cell.ss(), theirs.id).code, confirmation::kTemporary);
    cell.run(20);
    EXPECT_EQ(std::get<2>(cell.of_ss()[sfid]), 222'000U);
    EXPECT_EQ(cell.of_bs(), cell.of_ss());
}

TEST(Flows, AStationHasWhatItIsAllowed) {
    FlowCell none(FlowCell::with_dynamic_flows(0));
    EXPECT_EQ(none.add_flow(none.ss(), voice(FlowDirection::uplink)).code, confirmation::kPermanent);
    EXPECT_EQ(none.of_bs().size(), 2U);

    auto config = FlowCell::with_dynamic_flows(1);
    config.stations[0].flows = {flow(FlowDirection::downlink, SchedulingType::best_effort),
                                flow(FlowDirection::uplink, SchedulingType::best_effort, 0, 500'000)};
    FlowCell cell(config);
    auto foreign = voice(FlowDirection::downlink);
    foreign.classifiers[0].destination = {{station_address(7), 0xFFFFFFFF}};
    EXPECT_EQ(cell.add_flow(cell.ss(), foreign).code, confirmation::kPermanent);
    EXPECT_EQ(cell.add_flow(cell.ss(), voice(FlowDirection::uplink)).code, confirmation::kSuccess);
    EXPECT_EQ(cell.add_flow(cell.ss(), voice(FlowDirection::uplink)).code, confirmation::kServiceLimit);
    const uint32_t sfid = cell.sfid_of("uplink");
    // Changes within the provisioned set, and beyond it.
    EXPECT_EQ(cell.end_of(cell.ss(), cell.to_rate(cell.ss(), sfid, 400'000)).code, confirmation::kSuccess);
    EXPECT_EQ(cell.end_of(cell.ss(), cell.to_rate(cell.ss(), sfid, 600'000)).code, confirmation::kPermanent);
    EXPECT_EQ(cell.end_of(cell.ss(), cell.to_rate(cell.ss(), sfid, 0)).code, confirmation::kPermanent);
    EXPECT_EQ(std::get<2>(cell.of_bs()[sfid]), 400'000U);
    EXPECT_EQ(cell.end_of(*cell.bs, cell.to_rate(*cell.bs, sfid, 600'000)).code, confirmation::kSuccess);
    EXPECT_EQ(cell.of_bs(), cell.of_ss());
    EXPECT_EQ(cell.bs->change_flow(cell.wish(DsxKind::remove, 999)).error().allowed, "no such service flow");
    EXPECT_EQ(cell.ss().change_flow(cell.wish(DsxKind::remove, 999)).error().allowed, "no such service flow");
    auto unregistered = cell.wish(DsxKind::add);
    unregistered.station = Air::mac_of(9);
    EXPECT_EQ(cell.bs->change_flow(unregistered).error().allowed, "no such station is registered");
}

TEST(Flows, SixteenEachWayAndNoMore) {
    auto config = Air::with_stations(1);
    for (uint16_t i = 0; i < 16; ++i)
        for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink})
            config.stations[0].flows.push_back(
                flow(direction, SchedulingType::best_effort, i == 0 ? 0 : static_cast<uint16_t>(6000 + i)));
    ASSERT_TRUE(validate(config).empty());
    FlowCell cell(config);
    EXPECT_EQ(cell.of_bs().size(), 32U);
    EXPECT_EQ(cell.of_bs(), cell.of_ss());
    for (uint32_t i = 0; i < 16; ++i) {
        cell.down(100, static_cast<uint16_t>(6000 + i), i);
        send(cell, 0, 100, static_cast<uint16_t>(6000 + i), i);
    }
    cell.run(10);
    EXPECT_EQ(cell.ul_numbers.size(), 16U);
    EXPECT_EQ(cell.terminals[0]->dl_numbers.size(), 16U);
    auto one_more = cell.wish(DsxKind::add);
    one_more.flow = voice(FlowDirection::uplink);
    EXPECT_EQ(cell.bs->change_flow(one_more).error().allowed, "the station has too many flows");
    config.stations[0].flows.push_back(voice(FlowDirection::uplink));
    EXPECT_FALSE(validate(config).empty());
}

/// Rules are added, replaced and removed, and packets follow them.
TEST(Flows, RulesChangeWhileTheFlowRuns) {
    FlowCell cell(FlowCell::with_dynamic_flows(0));
    const auto added = cell.add_flow(*cell.bs, voice(FlowDirection::uplink));
    ASSERT_EQ(added.code, 0);
    const auto carried = [&](uint16_t port) {
        const uint64_t before = cell.flow(added.sfid)["sdus"];
        send(cell, 0, 100, port);
        cell.run(5);
        return cell.flow(added.sfid)["sdus"].get<uint64_t>() - before;
    };
    EXPECT_EQ(carried(kVoicePort), 1U);
    EXPECT_EQ(carried(kBulkPort), 0U);
    auto command = cell.wish(DsxKind::change, added.sfid);
    ASSERT_TRUE(cell.bs->describe(command));
    command.flow.classifiers.push_back(command.flow.classifiers[0]);
    command.flow.classifiers[1].destination_ports = {{kBulkPort, kBulkPort}};
    ASSERT_EQ(cell.end_of(*cell.bs, command).code, 0);
    EXPECT_EQ(carried(kVoicePort) + carried(kBulkPort), 2U);
    command.id = ++cell.last_id;
    command.flow.classifiers.erase(command.flow.classifiers.begin());  // the second one's is replaced, one is removed
    ASSERT_EQ(cell.end_of(*cell.bs, command).code, 0);
    EXPECT_EQ(carried(kVoicePort), 0U);
    EXPECT_EQ(carried(kBulkPort), 1U);
    EXPECT_EQ(cell.of_bs(), cell.of_ss());
}

/// A downlink rule without a destination is bound to the station's addresses, however the rule was changed. A packet
/// that no station claims is sent to no station.
TEST(Flows, ChangedRulesStayBoundToTheStation) {
    using Change = void (*)(std::vector<ClassifierConfig>&);
    const Change replaced = [](auto& rules) { rules[0].destination.clear(); };
    const Change added = [](auto& rules) { rules.emplace_back().destination_ports = {{kBulkPort, kBulkPort}}; };
    const Change both = [](auto& rules) {
        rules[0].destination.clear();
        rules.emplace_back();
    };
    for (const Change change : {replaced, added, both})
        for (const bool of_station : {true, false}) {
            FlowCell cell(FlowCell::with_dynamic_flows(1));
            Station& at = of_station ? cell.ss() : static_cast<Station&>(*cell.bs);
            const auto own = cell.add_flow(cell.ss(), voice(FlowDirection::downlink));
            ASSERT_EQ(own.code, 0);
            for (const uint32_t sfid : {cell.sfid_of("downlink"), own.sfid}) {
                auto command = cell.wish(DsxKind::change, sfid);
                ASSERT_TRUE(at.describe(command));
                change(command.flow.classifiers);
                ASSERT_EQ(cell.end_of(at, command).code, 0);
            }
            EXPECT_EQ(cell.of_bs(), cell.of_ss());
            auto& arrived = cell.terminals[0]->dl_numbers;
            arrived.clear();
            for (const uint16_t port : {uint16_t{5000}, kVoicePort, kBulkPort})
                cell.bs->push_sdu(ip_packet(kServer, 0xC0A80909, 100, port, kOtherNumbers));
            cell.down(100, kBulkPort, 1);
            cell.run(10);
            EXPECT_EQ(arrived, (std::vector<uint32_t>{1})) << of_station;
            EXPECT_EQ(cell.bs_status()["drops"]["unclassified"], 3);
            for (const uint32_t sfid : {cell.sfid_of("downlink"), own.sfid})
                for (const Station* end : std::array<const Station*, 2>{&cell.ss(), cell.bs.get()}) {
                    auto now = cell.wish(DsxKind::change, sfid);
                    ASSERT_TRUE(end->describe(now));
                    for (const auto& rule : now.flow.classifiers) EXPECT_FALSE(rule.destination.empty());
                }
        }
}

/// Its addresses would be a rule that the station does not know of.
TEST(Flows, AStationMayNotTakeTheLastRuleOfADownlinkFlow) {
    FlowCell cell(FlowCell::with_dynamic_flows(0));
    auto command = cell.wish(DsxKind::change, cell.sfid_of("downlink"));
    ASSERT_TRUE(cell.ss().describe(command));
    command.flow.classifiers.clear();
    EXPECT_EQ(cell.end_of(cell.ss(), command).code, confirmation::kPermanent);
    EXPECT_EQ(cell.of_bs(), cell.of_ss());
    cell.bs->push_sdu(ip_packet(kServer, 0xC0A80909, 100));
    cell.down(100, 5000, 1);
    cell.run(10);
    EXPECT_EQ(cell.terminals[0]->dl_numbers, (std::vector<uint32_t>{1}));
}

/// Whatever is lost: in the end both ends have the same flows, and none is half there.
TEST(Flows, UnderLossBothEndsAgreeInTheEnd) {
    for (const uint32_t seed : {1U, 2U}) {
        FlowCell cell(FlowCell::with_dynamic_flows(6));
        cell.seed(seed);
        std::mt19937 random(seed);
        cell.terminals[0]->link.uplink_loss = 0.3;
        cell.terminals[0]->link.downlink_loss = 0.1;
        int begun = 0;
        for (int i = 0; i < 150; ++i) {
            Station& at = random() % 2 ? static_cast<Station&>(*cell.bs) : cell.ss();
            const auto flows = cell.of_ss();
            auto command = cell.wish(static_cast<DsxKind>(random() % 3));
            if (command.kind == DsxKind::add)
                command.flow = voice(random() % 2 ? FlowDirection::uplink : FlowDirection::downlink);
            else if (flows.size() > 2)
                command.sfid = std::next(flows.begin(), 2 + static_cast<int>(random() % (flows.size() - 2)))->first;
            if (command.kind == DsxKind::change) {
                if (!at.describe(command)) continue;
                command.flow.max_sustained_rate_bps = 1000 * (1 + random() % 100);
            }
            begun += at.change_flow(command).has_value();
            cell.run(static_cast<int>(random() % 12));
        }
        EXPECT_GT(begun, 50);
        cell.terminals[0]->link.uplink_loss = cell.terminals[0]->link.downlink_loss = 0;
        cell.run(cell.frames(9));
        ASSERT_TRUE(cell.all_operational());
        EXPECT_EQ(cell.of_bs(), cell.of_ss()) << seed;
        EXPECT_GE(cell.of_ss().size(), 2U);
        for (const Json& status : {cell.bs_status(), cell.ss().status()})
            for (const auto& r : status["flow_results"]) EXPECT_TRUE(r["done"]) << r;
    }
}

}  // namespace test_air_flows
