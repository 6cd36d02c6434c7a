// SPDX-License-Identifier: GPL-3.0-or-later
// Payload header suppression, SDUs of one length and service classes over the burst-moving PHY.
#include "mac/flow/flow_command.h"
#include "mac/test_cells.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_suppression {

using Bytes = std::vector<uint8_t>;

struct VoiceCell : Air {
    explicit VoiceCell(const BaseStationConfig& config) : Air(config) {
        add();
        enter(*this);
        bs->on_sdu = [this](Octets p) { up.emplace_back(p.begin(), p.end()); };
        terminals[0]->mac->on_sdu = [this](Octets p) { down.emplace_back(p.begin(), p.end()); };
    }
    static Bytes packet(bool uplink, size_t octets, uint32_t number) {
        Bytes p = uplink ? ip_packet(station_address(0), kServer, octets, kVoicePort, number)
                         : ip_packet(kServer, station_address(0), octets, kVoicePort, number);
        p[6] = 0x40;  // don't fragment
        return p;
    }
    /// One each way in each frame; all that were sent.
    void talk(int frames, size_t octets) {
        for (int n = 0; n < frames; ++n) {
            ++number;
            sent_up.push_back(packet(true, octets, number));
            sent_down.push_back(packet(false, octets, number));
            EXPECT_TRUE(terminals[0]->mac->push_sdu(sent_up.back()));
            EXPECT_TRUE(bs->push_sdu(sent_down.back()));
            step();
        }
    }
    /// Status of the station's flow with this service class.
    Json flow_of(const Json& status, const char* name) const {
        for (const auto& f : status["flows"])
            if (f["name"] == name) return f;
        return {};
    }
    Json at_ss(const char* name) const { return flow_of(terminals[0]->status(), name); }
    Json at_bs(const char* name) const { return flow_of(bs_status()["stations"][0], name); }
    Json result(Station& at, uint64_t id) {
        Json found;
        run_until(
            [&] {
                const Json status = at.status();
                for (const auto& r : status["flow_results"])
                    if (r["id"] == id && r["done"]) found = r;
                return !found.is_null();
            },
            100);
        return found;
    }
    std::vector<Bytes> up, down, sent_up, sent_down;
    uint32_t number = 0;
};

ServiceFlowConfig voice_flow(FlowDirection direction, bool suppressed) {
    auto f = flow(direction, SchedulingType::ugs, kVoicePort, 200'000);
    f.name = direction == FlowDirection::uplink ? "up" : "down";
    auto& rule = f.classifiers[0];
    rule.source = {{kServer, 0xFFFFFFFF}};
    rule.destination = {{station_address(0), 0xFFFFFFFF}};
    if (direction == FlowDirection::uplink) std::swap(rule.source, rule.destination);
    rule.source_ports = rule.destination_ports;
    if (!suppressed) return f;
    rule.phsi = 1;
    f.phs.resize(1);
    f.phs[0].phsi = 1;
    f.phs[0].ipv4_udp = true;
    return f;
}

BaseStationConfig voice_cell(bool suppressed) {
    auto config = Air::with_stations(1);
    config.stations[0].flows = {voice_flow(FlowDirection::uplink, suppressed),
                                voice_flow(FlowDirection::downlink, suppressed)};
    EXPECT_EQ(validate(config).str(), "");
    return config;
}

/// Every packet is delivered unchanged, 15 octets shorter on air: of G.711's 200 octets and of G.729's 60.
TEST(Suppression, HeadsOfVoiceDoNotGoOnAir) {
    for (const size_t octets : {200U, 60U}) {
        uint64_t on_air[2] = {};
        for (const bool suppressed : {false, true}) {
            VoiceCell cell(voice_cell(suppressed));
            cell.talk(200, octets);
            cell.run(10);
            EXPECT_EQ(cell.up, cell.sent_up);
            EXPECT_EQ(cell.down, cell.sent_down);
            on_air[suppressed] = cell.at_ss("up")["bytes"];
            EXPECT_EQ(cell.at_bs("down")["bytes"], on_air[suppressed]);
            EXPECT_EQ(cell.at_bs("up").contains("phs_expanded"), suppressed);
            if (!suppressed) continue;
            EXPECT_EQ(cell.at_ss("up")["phs_suppressed"], 200);
            EXPECT_EQ(cell.at_ss("up")["phs_bytes_saved"], 200 * 15);
            EXPECT_EQ(cell.at_bs("up")["phs_expanded"], 200);
            EXPECT_EQ(cell.at_ss("down")["phs_expanded"], 200);
        }
        printf("%zu octets: %.1f %% less on air\n", octets,
               100 - 100 * static_cast<double>(on_air[1]) / static_cast<double>(on_air[0]));
        EXPECT_EQ(on_air[0], 200 * octets);
        EXPECT_EQ(on_air[1], 200 * (octets - 15));
    }
}

/// Rules change while packets flow: none is lost, none is altered.
TEST(Suppression, RulesChangeWhilePacketsFlow) {
    VoiceCell cell(voice_cell(true));
    const auto change = [&](const char* name, auto&& how) {
        FlowCommand command;
        command.kind = DsxKind::change;
        command.id = cell.number + 1000 + (name[0] == 'u');
        command.sfid = cell.at_bs(name)["sfid"];
        EXPECT_TRUE(cell.bs->describe(command));
        how(command.flow);
        EXPECT_TRUE(validate(command).empty()) << validate(command).str();
        EXPECT_TRUE(cell.bs->change_flow(command));
        cell.talk(12, 100);
        const Json status = cell.bs_status();
        for (const auto& r : status["flow_results"])
            if (r["id"] == command.id) {
                EXPECT_EQ(r["ok"], true) << r;
            }
    };
    for (const char* name : {"up", "down"}) {
        cell.talk(5, 100);
        change(name, [](ServiceFlowConfig& f) {
            f.phs[0] = {2, {0x45}, {0x80}, true, false};
            f.classifiers[0].phsi = 2;
        });
        change(name, [](ServiceFlowConfig& f) { f.phs.clear(), f.classifiers[0].phsi = 0; });
        change(name, [](ServiceFlowConfig& f) {
            f.phs.resize(1);
            f.phs[0] = {200, {0x45, 0}, {0xC0}, true, false};
            f.classifiers[0].phsi = 200;
        });
    }
    cell.run(10);
    EXPECT_EQ(cell.up, cell.sent_up);
    EXPECT_EQ(cell.down, cell.sent_down);
    EXPECT_GT(cell.at_ss("up")["phs_whole"], 5);
    EXPECT_EQ(cell.at_bs("up")["phs_unknown"], 0);
    EXPECT_EQ(cell.at_ss("down")["phs_unknown"], 0);
}

/// SDUs of one length lie end to end; a packet of another length is refused.
TEST(FixedLength, SdusShareAPduWithoutSubheaders) {
    for (const uint32_t fixed : {0U, 60U}) {
        auto config = Air::with_stations(1);
        config.stations[0].flows = {flow(FlowDirection::uplink, SchedulingType::best_effort),
                                    flow(FlowDirection::downlink, SchedulingType::best_effort)};
        for (auto& f : config.stations[0].flows)
            f.name = f.direction == FlowDirection::uplink ? "up" : "down", f.fixed_sdu_octets = fixed;
        ASSERT_EQ(validate(config).str(), "");
        VoiceCell cell(config);
        for (int n = 0; n < 20; ++n)
            for (int k = 0; k < 7; ++k) {
                ++cell.number;
                cell.sent_up.push_back(cell.packet(true, 60, cell.number));
                cell.sent_down.push_back(cell.packet(false, 60, cell.number));
                EXPECT_TRUE(cell.terminals[0]->mac->push_sdu(cell.sent_up.back()));
                EXPECT_TRUE(cell.bs->push_sdu(cell.sent_down.back()));
                if (k == 6) cell.step();
            }
        cell.run(20);
        EXPECT_EQ(cell.up, cell.sent_up);
        EXPECT_EQ(cell.down, cell.sent_down);
        EXPECT_EQ(cell.at_bs("down")["pdus"], 20);
        EXPECT_EQ(cell.bs->push_sdu(cell.packet(false, 61, 1)), fixed == 0);
        EXPECT_EQ(cell.at_bs("down")["refused_length"], fixed == 0 ? 0 : 1);
        EXPECT_EQ(cell.at_bs("up")["malformed"], 0);
    }
}

/// A station requests a flow by the name of its class: the base station supplies the parameters.
TEST(ServiceClass, IsExpandedByTheBaseStation) {
    auto config = voice_cell(false);
    config.stations[0].dynamic_flows = 2;
    auto gold = flow(FlowDirection::uplink, SchedulingType::rtps, 0, 300'000);
    gold.name = "gold";
    gold.max_latency_ms = 60;
    gold.classifiers.resize(2);
    gold.classifiers[0].destination_ports = {{kBulkPort + 1, kBulkPort + 1}};
    gold.classifiers[1].destination_ports = {{kBulkPort + 2, kBulkPort + 2}};
    config.service_classes = {gold};
    VoiceCell cell(config);
    const auto ask = [&](const char* name, FlowDirection direction, size_t rules = 1) {
        FlowCommand command;
        command.id = ++cell.number;
        command.flow.name = name;
        command.flow.direction = direction;
        command.flow.classifiers.resize(rules);
        for (auto& rule : command.flow.classifiers) rule.destination_ports = {{kBulkPort, kBulkPort}};
        EXPECT_TRUE(cell.terminals[0]->mac->change_flow(command));
        return cell.result(*cell.terminals[0]->mac, command.id);
    };
    EXPECT_EQ(ask("gold", FlowDirection::uplink)["code"], confirmation::kSuccess);
    for (const auto& at : {cell.at_ss("gold"), cell.at_bs("gold")}) {
        EXPECT_EQ(at["scheduling"], "rtPS");
        EXPECT_EQ(at["max_sustained_rate_bps"], 300'000);
        EXPECT_EQ(at["max_latency_ms"], 60);
        EXPECT_EQ(at["state"], "active");
        EXPECT_EQ(at["classifiers"], 1);
    }
    FlowCommand remove;
    remove.kind = DsxKind::remove;
    remove.id = ++cell.number;
    remove.sfid = cell.at_ss("gold")["sfid"];
    ASSERT_TRUE(cell.terminals[0]->mac->change_flow(remove));
    EXPECT_EQ(cell.result(*cell.terminals[0]->mac, remove.id)["code"], confirmation::kSuccess);
    EXPECT_EQ(ask("gold", FlowDirection::uplink, 0)["code"], confirmation::kSuccess);
    for (const auto& at : {cell.at_ss("gold"), cell.at_bs("gold")})
        EXPECT_EQ(at["classifiers"], 2) << "the rules of the class, because the station gives none";
    EXPECT_EQ(ask("silver", FlowDirection::uplink)["code"], confirmation::kUnrecognized);
    EXPECT_EQ(ask("gold", FlowDirection::downlink)["code"], confirmation::kUnrecognized);  // it is one of the uplink
}

}  // namespace test_air_suppression
