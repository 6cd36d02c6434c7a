// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/macd_config.h"
#include "macd/text_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace wimax::macd {
namespace {

struct Fixture {
    MacdConfig config;
    config::Schema schema{"wimax-macd", "test"};
    Fixture() { declare(schema, config); }
    std::vector<std::string> load(const std::string& yaml, const std::vector<std::string>& assignments = {}) {
        return schema.load(yaml, "f", assignments).lines();
    }
};
using Strings = std::vector<std::string>;

const Strings kOpen{"bs.accept_unknown=true"}, kBase{"role=bs"};

std::string contents(const std::string& name) {
    std::stringstream all;
    all << std::ifstream(std::string(WIMAX_CONFIG) + "/" + name).rdbuf();
    return all.str();
}

TEST(MacdConfig, ShippedFilesAreValid) {
    for (const char* name : {"bs.macd.yml", "ss.macd.yml"}) {
        Fixture f;
        const std::string yaml = contents(name);
        ASSERT_FALSE(yaml.empty()) << name;
        EXPECT_EQ(f.load(yaml), Strings{}) << name;
        EXPECT_FALSE(derived(f.config).empty());
    }
}

TEST(MacdConfig, ReferenceAndEffectiveConfigurationReadBack) {
    Fixture f;
    ASSERT_EQ(f.load(contents("bs.macd.yml")), Strings{});
    Fixture g;
    EXPECT_EQ(g.load(f.schema.print()), Strings{});
    EXPECT_EQ(g.schema.print(), f.schema.print());
    Fixture h;
    EXPECT_EQ(h.load(f.schema.print(true)), Strings{});
    EXPECT_EQ(h.schema.print(), f.schema.print());
}

TEST(MacdConfig, EditionOfBothRoles) {
    using mac::Edition;
    for (const auto& [text, edition] :
         {std::pair<std::string, Edition>{"2004", Edition::ieee2004}, {"cor1", Edition::cor1}}) {
        Fixture bs, ss;
        EXPECT_EQ(bs.load("role: bs\nair: {edition: " + text + "}\n", kOpen), Strings{});
        EXPECT_EQ(bs.config.bs.edition, edition);
        EXPECT_EQ(ss.load("role: ss\nair: {edition: " + text + "}\n"), Strings{});
        EXPECT_EQ(ss.config.ss.edition, edition);
    }
    Fixture none, other;
    EXPECT_EQ(none.load("role: ss\n"), Strings{});
    EXPECT_EQ(none.config.ss.edition, Edition::cor1);
    EXPECT_EQ(other.load("role: ss\nair:\n  edition: 2005\n"),
              Strings{"f:3: air.edition: value 2005: allowed 2004, cor1"});
}

TEST(MacdConfig, ProfilesAreMoreThanNames) {
    Fixture lab;
    EXPECT_EQ(lab.load("role: bs\n", kOpen), Strings{});
    EXPECT_EQ(lab.config.bs.profile.dcd_interval_ms, 250U);
    EXPECT_EQ(lab.config.bs.profile.unasked_symbols, 12U);

    Fixture speedy;  // keys override the profile, wherever they are
    EXPECT_EQ(speedy.load("role: bs\nbs:\n  profile: {ucd_interval_ms: 40, name: Speedy, grant_spare: true}\n"
                          "  frame_duration_s: 0.02\n",
                          kOpen),
              Strings{});
    const auto& p = speedy.config.bs.profile;
    EXPECT_EQ(p.dcd_interval_ms, 40U);  // two frames of 20 ms
    EXPECT_EQ(p.ucd_interval_ms, 40U);
    EXPECT_EQ(p.ranging_interval_ms, 100U);
    EXPECT_EQ(p.request_symbols, 2U);
    EXPECT_EQ(p.unasked_symbols, 0U);
    EXPECT_TRUE(p.grant_spare);
    EXPECT_FALSE(p.spare_ranging);
    EXPECT_FLOAT_EQ(p.exit_db[6], 16.5F);
    EXPECT_NE(speedy.schema.print().find("ranging_interval_ms: 100"), std::string::npos);

    Fixture normal;
    EXPECT_EQ(normal.load(
                  "role: bs\nbs:\n  profile: {name: Default, ucd_interval_ms: 1000, exit_db: [0, 2, 3, 4, 5, 6, 7]}\n",
                  kOpen),
              Strings{});
    EXPECT_EQ(normal.config.bs.profile.dcd_interval_ms, 0U);
    EXPECT_EQ(normal.config.bs.profile.ucd_interval_ms, 1000U);
    EXPECT_EQ(normal.config.bs.profile.request_symbols, 5U);
    EXPECT_FLOAT_EQ(normal.config.bs.profile.exit_db[6], 7.0F);

    Fixture wrong;
    const auto faults = wrong.load("role: bs\nbs:\n  profile: {name: Quick}\n");
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults[0].find("Lab, Default, Speedy"), std::string::npos) << faults[0];
}

TEST(MacdConfig, FramesInsteadOfPackets) {
    Fixture f;
    EXPECT_EQ(f.load(R"(
role: bs
tun: {kind: ethernet}
bs:
  stations:
    - {mac: "02:00:00:00:00:0a"}
    - {mac: "02:00:00:00:00:0b", flows: [down, up]}
  classifier_rules:
    - {name: seven, vlan_id: 7, user_priority: 5-6, ethertype: 0x88b5, destination: ["02:00:00:00:00:01"]}
  service_flows:
    - {name: up, direction: uplink, cs: ethernet}
    - {name: down, direction: downlink, cs: vlan, rules: [seven]}
)"),
              Strings{});
    EXPECT_EQ(f.config.bs.link, mac::UserLink::ethernet);
    ASSERT_EQ(f.config.bs.stations[0].flows.size(), 2U);
    EXPECT_EQ(f.config.bs.stations[0].flows[1].direction, mac::FlowDirection::uplink);
    for (const auto& flow : f.config.bs.stations[0].flows) EXPECT_EQ(flow.cs, mac::ConvergenceSublayer::ethernet);
    const auto& down = f.config.bs.stations[1].flows[0];
    EXPECT_EQ(down.cs, mac::ConvergenceSublayer::vlan);
    EXPECT_EQ(down.classifiers[0].vlan_id, 7);
    EXPECT_EQ(down.classifiers[0].ethertype, 0x88B5);
    EXPECT_EQ(down.classifiers[0].user_priority, (mac::PriorityRange{5, 6}));
    EXPECT_EQ(down.classifiers[0].destination[0], mac::AddressMask::of_mac(0x020000000001));
}

/// Kinds that exclude each other, each fault with its line.
TEST(MacdConfig, KindsOfPacketsThatDoNotGoTogether) {
    Fixture f;
    const auto faults = f.load(R"(
role: bs
tun: {kind: ip, mtu: 1200, ipv6_address: "fd00::1/64"}
bs:
  stations:
    - {mac: "02:00:00:00:00:0a", flows: [down, up, six]}
  classifier_rules:
    - {name: tagged, vlan_id: 7}
    - {name: old, source: ["10.0.0.0/8"]}
  service_flows:
    - {name: up, direction: uplink, cs: ethernet}
    - {name: down, direction: downlink, rules: [tagged]}
    - {name: six, direction: downlink, cs: ipv6, rules: [old]}
)");
    std::string all;
    for (const auto& line : faults) all += line + "\n";
    EXPECT_EQ(faults.size(), 4U) << all;
    for (const char* part :
         {"tun.mtu", "bs.service_flows[0].cs", "bs.service_flows[1].rules", "bs.service_flows[2].rules"})
        EXPECT_NE(all.find(part), std::string::npos) << part << " in\n" << all;
}

/// Each single field of a rule belongs to packets of one kind.
TEST(MacdConfig, EveryFieldOfARuleBelongsToOneKindOfPackets) {
    const auto faults_with = [](const char* kind, const char* cs, const char* field) {
        Fixture f;
        return f.load(fmt::format(R"(
role: bs
tun: {{kind: {}}}
bs:
  stations:
    - {{mac: "02:00:00:00:00:0a", flows: [down, up]}}
  classifier_rules:
    - {{name: one, {}}}
  service_flows:
    - {{name: down, direction: downlink, cs: {}, rules: [one]}}
    - {{name: up, direction: uplink, cs: {}}}
)",
                                  kind, field, cs, cs));
    };
    for (const char* field : {"vlan_id: 7", "user_priority: 5-6", "ethertype: 0x88b5"}) {
        EXPECT_EQ(faults_with("ethernet", "vlan", field), Strings{}) << field;
        const auto faults = faults_with("ip", "ipv4", field);
        ASSERT_EQ(faults.size(), 1U) << field;
        EXPECT_NE(faults[0].find("fields of Ethernet"), std::string::npos) << faults[0];
    }
    for (const char* field : {"tos: 16-32", "protocols: [17]", "source_ports: [{low: 5000, high: 5001}]",
                              "destination_ports: [{low: 80, high: 80}]"}) {
        EXPECT_EQ(faults_with("ip", "ipv4", field), Strings{}) << field;
        const auto faults = faults_with("ethernet", "vlan", field);
        ASSERT_EQ(faults.size(), 1U) << field;
        EXPECT_NE(faults[0].find("fields of IP"), std::string::npos) << faults[0];
    }
}

/// Headers and masks are pairs of hexadecimal digits, from the first to the last octet that a rule may have.
TEST(MacdConfig, SuppressedHeadersAreHexadecimalOctets) {
    const auto loaded = [](const std::string& rule) {
        Fixture f;
        const auto faults = f.load(fmt::format(R"(
role: bs
bs:
  stations:
    - {{mac: "02:00:00:00:00:0a", flows: [down, up]}}
  service_flows:
    - {{name: down, direction: downlink, phs: [{{phsi: 1, {}}}]}}
    - {{name: up, direction: uplink}}
)",
                                               rule));
        return std::pair(faults, faults.empty() ? f.config.bs.stations[0].flows[0].phs.at(0) : mac::HeaderRule{});
    };
    using Octets = std::vector<uint8_t>;
    const auto [faults, rule] = loaded(R"(phsf: "45000fFf80", phsm: "a8")");
    EXPECT_EQ(faults, Strings{});
    EXPECT_EQ(rule.field, (Octets{0x45, 0x00, 0x0F, 0xFF, 0x80}));
    EXPECT_EQ(rule.mask, Octets{0xA8});
    EXPECT_FALSE(rule.ipv4_udp);
    EXPECT_TRUE(loaded("phsf: ipv4_udp").second.ipv4_udp);
    EXPECT_EQ(loaded("phsf: \"" + std::string(510, '0') + '"').second.field, Octets(255));
    for (const char* wrong : {"4", "450", "4g", "g4", "zz", "45 00", "0x45", "4500zz"}) {
        const auto one_fault = [&](const char* key, const std::string& text) {
            const auto of = loaded(text).first;
            EXPECT_EQ(of.size(), 1U) << text;
            EXPECT_NE(of.empty() ? of.size() : of[0].find(key), std::string::npos) << text;
        };
        one_fault("phsf", fmt::format("phsf: \"{}\"", wrong));
        one_fault("phsm", fmt::format("phsf: \"4500\", phsm: \"{}\"", wrong));
    }
}

TEST(MacdConfig, StationsReachTheMac) {
    Fixture f;
    EXPECT_EQ(f.load(R"(
role: bs
air: {bandwidth_hz: 7e6, frequency_hz: 2.5e9}
bs:
  cp: 1/16
  frame_duration_s: 0.005
  bsid: 20E9FA102240
  accept_unknown: false
  stations:
    - mac: "02:00:00:00:00:0a"
      ul_rate_id: 3
      ip_addresses: [10.1.0.2, 10.2.7.9/16]
      flows: [voice, down, up]
  classifier_rules:
    - {name: sip, tos: 16-31/252, destination_ports: [{low: 5060, high: 5061}]}
    - {name: web, protocols: [6]}
  service_flows:
    - {name: up, direction: uplink}
    - {name: voice, direction: uplink, scheduling: ugs, max_sustained_rate_bps: 64000, rules: [web, sip]}
    - {name: down, direction: downlink}
)"),
              Strings{});
    const auto& bs = f.config.bs;
    EXPECT_EQ(bs.bandwidth_hz, 7'000'000U);
    EXPECT_EQ(bs.carriers.downlink_hz, 2'500'000'000U);
    EXPECT_EQ(bs.cp_denominator, 16);
    EXPECT_EQ(bs.frame_duration_code, 2);
    EXPECT_EQ(bs.bsid, 0x20E9FA102240U);
    EXPECT_FALSE(bs.unknown_station);
    ASSERT_EQ(bs.stations.size(), 1U);
    const auto& st = bs.stations[0];
    EXPECT_EQ(st.mac, (mac::MacAddress{2, 0, 0, 0, 0, 0x0A}));
    EXPECT_EQ(st.ul_rate_id, 3);
    EXPECT_FALSE(st.dl_rate_id);
    EXPECT_EQ(st.ip_addresses, (std::vector<mac::AddressMask>{{0x0A010002, 0xFFFFFFFF}, {0x0A020000, 0xFFFF0000}}));
    ASSERT_EQ(st.flows.size(), 3U);
    EXPECT_EQ(st.flows[0].name, "voice");
    EXPECT_EQ(st.flows[0].scheduling, mac::SchedulingType::ugs);
    ASSERT_EQ(st.flows[0].classifiers.size(), 2U);
    EXPECT_EQ(st.flows[0].classifiers[0].protocols, std::vector<uint8_t>{6});
    EXPECT_EQ(st.flows[0].classifiers[1].tos, (mac::TosRange{16, 31, 252}));
    EXPECT_EQ(st.flows[0].classifiers[1].destination_ports[0], (mac::PortInterval{5060, 5061}));
    EXPECT_EQ(st.flows[1].name, "down");
    EXPECT_EQ(st.flows[2].direction, mac::FlowDirection::uplink);

    // The printed configuration reads back unchanged.
    Fixture again;
    EXPECT_EQ(again.load(f.schema.print()), Strings{});
    EXPECT_EQ(again.schema.print(), f.schema.print());
    ASSERT_EQ(again.config.bs.stations.size(), 1U);
    EXPECT_EQ(again.config.bs.stations[0].flows[0].classifiers, st.flows[0].classifiers);
}

TEST(MacdConfig, NamesThatBindNothing) {
    Fixture f;
    EXPECT_EQ(f.load("role: bs\n"
                     "bs:\n"
                     "  classifier_rules:\n"
                     "    - {name: web, protocols: [6]}\n"
                     "    - {name: web, protocols: [17]}\n"
                     "  service_flows:\n"
                     "    - {name: down, rules: [wbe]}\n"
                     "    - {name: up, direction: uplink, min_reserved_rate_bps: 9000, max_sustained_rate_bps: 8000}\n"
                     "  stations:\n"
                     "    - {mac: 02:00:00:00:00:01, flows: [up, donw]}\n"
                     "    - mac: 02:00:00:00:00:02\n"
                     "      flows: [down, up, up]\n"
                     "  unknown_station: {flows: [nothing]}\n",
                     kOpen),
              (Strings{
                  "f:5: bs.classifier_rules[1].name: value web: allowed each name once",
                  "f:7: bs.service_flows[0].rules[0]: value wbe: allowed web, web",
                  "f:8: bs.service_flows[1].min_reserved_rate_bps: value 9000: allowed at most max_sustained_rate_bps",
                  "f:10: bs.stations[0].flows[1]: value donw: allowed down, up",
                  "f:10: bs.stations[0].flows: value of one direction: allowed at least one downlink and one uplink "
                  "flow",
                  "f:12: bs.stations[1].flows[2]: value up: allowed each flow once",
                  "f:13: bs.unknown_station.flows[0]: value nothing: allowed down, up",
              }));
}

/// Faults are reported once, at the definition of the flow, even if two stations use it.
TEST(MacdConfig, WhatMulticastFlowsCannotBe) {
    Fixture f;
    EXPECT_EQ(f.load("bs:\n"
                     "  classifier_rules:\n"
                     "    - {name: group, destination: [239.0.0.0/8]}\n"
                     "    - {name: web, protocols: [6]}\n"
                     "  service_flows:\n"
                     "    - {name: down, direction: downlink}\n"
                     "    - {name: up, direction: uplink, multicast: true, rules: [group]}\n"
                     "    - {name: news, direction: downlink, multicast: true, arq: {enable: true}, rules: [web]}\n"
                     "    - {name: good, direction: downlink, multicast: true, rules: [group]}\n"
                     "  stations:\n"
                     "    - {mac: '02:00:00:00:00:01', flows: [down, up, news, good]}\n"
                     "    - {mac: '02:00:00:00:00:02', flows: [down, up, news, good]}\n",
                     kBase),
              (Strings{"f:7: bs.service_flows[1].direction: value uplink: allowed downlink, with multicast",
                       "f:8: bs.service_flows[2].arq.enable: value true: allowed false, with multicast",
                       "f:8: bs.service_flows[2].rules: value one without a destination: allowed rules that name "
                       "destinations, with multicast: groups, or the broadcast address"}));
}

TEST(MacdConfig, TheFormerFormIsToldTheNewOne) {
    Fixture f;
    EXPECT_EQ(
        f.load("role: bs\n"
               "bs:\n"
               "  stations:\n"
               "    - mac: 02:00:00:00:00:01\n"
               "      flows:\n"
               "        - {direction: uplink}\n"
               "  service_flows:\n"
               "    - name: down\n"
               "      classifiers: [{protocols: [6]}]\n"),
        (Strings{
            "f:6: bs.stations[0].flows[0]: value (keys): allowed a name of bs.service_flows, where what it names "
            "is written",
            "f:9: bs.service_flows[0].classifiers: is called rules (names of bs.classifier_rules, where rules are "
            "written) now",
        }));
}

TEST(MacdConfig, EveryFaultAtItsLine) {
    Fixture f;
    EXPECT_EQ(
        f.load("role: bs\n"
               "air:\n"
               "  bandwidth_hz: 40e6\n"
               "tun:\n"
               "  name: a/b\n"
               "  netns: ../x\n"
               "  address: 10.0.0.300/24\n"
               "  routes:\n"
               "    - to: 10.0.0.0/33\n"
               "bs:\n"
               "  cp: 1/5\n"
               "  stations:\n"
               "    - mac: 02:00\n"
               "      wieght: 3\n"),
        (Strings{
            "f:3: air.bandwidth_hz: value 40e6: allowed integers 1250000..28000000",
            "f:5: tun.name: value a/b: allowed 1..15 characters without space or slash",
            "f:6: tun.netns: value ../x: allowed a name as ip netns takes it, or empty",
            "f:7: tun.address: value 10.0.0.300/24: allowed an IPv4 address with or without prefix length, such as "
            "10.0.0.0/24, or empty",
            "f:9: tun.routes[0].to: value 10.0.0.0/33: allowed an IPv4 address with or without prefix length, such "
            "as 10.0.0.0/24",
            "f:11: bs.cp: value 1/5: allowed 1/4, 1/8, 1/16, 1/32",
            "f:13: bs.stations[0].mac: value 02:00: allowed six octets, such as 02:00:00:00:00:01",
            "f:14: bs.stations[0].wieght: unknown key, did you mean bs.stations[0].weight?",
        }));
}

TEST(MacdConfig, FaultsOfTheMacLibraryGetTheirLine) {
    // A frame of more than 2047 symbols, although every single value is allowed.
    Fixture f;
    const auto faults =
        f.load("role: bs\nair:\n  bandwidth_hz: 28e6\nbs:\n  cp: 1/32\n  frame_duration_s: 0.02\n", kOpen);
    ASSERT_FALSE(faults.empty());
    for (const auto& fault : faults) EXPECT_EQ(fault.rfind("f:", 0), 0U) << fault;
    Fixture g;
    EXPECT_EQ(g.load("role: bs\nbs:\n  stations:\n    - mac: 02:00:00:00:00:01\n    - mac: 02:00:00:00:00:01\n"),
              Strings{"f:5: bs.stations[1].mac: value 02:00:00:00:00:01: allowed each address once"});
}

/// A file that was cut or emptied never opens a cell.
TEST(MacdConfig, WhatIsNotWrittenLetsNobodyIn) {
    const Strings kMissing{
        "f:0: bs.accept_unknown: value (missing): allowed true or false; required without bs.stations, because the "
        "file "
        "may have been cut"};
    const auto faults = [](const std::string& yaml) {
        Strings lines = Fixture().load(yaml);
        for (auto& line : lines)
            if (line.starts_with("f: ")) line = "f:0: " + line.substr(3);  // no line has it
        return lines;
    };
    const std::string role = "(missing): allowed bs, ss";
    for (const char* none : {"", "# nothing\n", "air: {bandwidth_hz: 5e6}\n", "bs: {stations: []}\n", "ss: {}\n"}) {
        const auto lines = faults(none);
        ASSERT_EQ(lines.size(), 1U) << none;
        EXPECT_NE(lines[0].find("role: value " + role), std::string::npos) << lines[0];
    }
    EXPECT_EQ(faults("role: bs\n"), kMissing);
    EXPECT_EQ(faults("role: bs\nbs:\n").size(), 1U);
    EXPECT_EQ(faults("role: bs\nbs: {max_stations: 9}\n").size(), 1U);
    EXPECT_EQ(faults("role: bs\nbs:\n  stations:\n"),
              Strings{"f:3: bs.stations: value (nothing): allowed a list of 0..1000 elements; [] for an empty list"});
    EXPECT_EQ(faults("role: bs\nbs:\n  accept_unknown:\n"),
              Strings{"f:3: bs.accept_unknown: value (nothing): allowed true, false"});
    EXPECT_EQ(faults("role: bs\nbs:\n  stations: []\n  unknown_station: {weight: 2}\n"),
              Strings{"f:3: bs.accept_unknown: value (missing): allowed true or false, with bs.unknown_station"});
    EXPECT_EQ(faults("role: ss\n"), Strings{});

    Fixture open, listed, closed, both;
    EXPECT_EQ(open.load("role: bs\nbs: {accept_unknown: true}\n"), Strings{});
    EXPECT_TRUE(open.config.bs.unknown_station);
    EXPECT_EQ(closed.load("role: bs\nbs: {stations: []}\n"), Strings{});
    EXPECT_FALSE(closed.config.bs.unknown_station);
    EXPECT_EQ(listed.load("role: bs\nbs: {stations: [{mac: '02:00:00:00:00:01'}]}\n"), Strings{});
    EXPECT_FALSE(listed.config.bs.unknown_station);
    EXPECT_EQ(both.load("role: bs\nbs: {accept_unknown: true, stations: [{mac: '02:00:00:00:00:01'}]}\n"), Strings{});
    EXPECT_TRUE(both.config.bs.unknown_station);
}

TEST(MacdConfig, MacAddressesOfStationsAreIndividualAndUnique) {
    EXPECT_EQ(
        Fixture().load("role: bs\n"
                       "bs:\n"
                       "  stations:\n"
                       "    - {mac: 'ff:ff:ff:ff:ff:ff'}\n"
                       "    - {mac: '00:00:00:00:00:00'}\n"
                       "    - {mac: '01:00:5e:00:00:01'}\n"
                       "    - {mac: '02:00:00:00:00:01'}\n"
                       "    - {mac: '02:00:00:00:00:02'}\n"
                       "    - {mac: '02:00:00:00:00:01'}\n"),
        (Strings{
            "f:4: bs.stations[0].mac: value ff:ff:ff:ff:ff:ff: allowed an individual address: the first octet even, "
            "not 00:00:00:00:00:00",
            "f:5: bs.stations[1].mac: value 00:00:00:00:00:00: allowed an individual address: the first octet even, "
            "not 00:00:00:00:00:00",
            "f:6: bs.stations[2].mac: value 01:00:5e:00:00:01: allowed an individual address: the first octet even, "
            "not 00:00:00:00:00:00",
            "f:9: bs.stations[5].mac: value 02:00:00:00:00:01: allowed each address once",
        }));
    for (const char* mac : {"ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "03:00:00:00:00:01"})
        EXPECT_EQ(Fixture().load(std::string("role: ss\nss: {mac: '") + mac + "'}\n"),
                  Strings{std::string("f:2: ss.mac: value ") + mac +
                          ": allowed an individual address: the first octet even, not 00:00:00:00:00:00"});
}

TEST(MacdConfig, AnIpAddressIsOneStationsAndNotTheBaseStations) {
    const std::string kOne = "addresses of one station alone; ";
    const std::string kNotOwn =
        "addresses without the base station's own (tun.address) and its subnet's broadcast address: ";
    EXPECT_EQ(Fixture().load("role: bs\n"
                             "tun: {address: 10.1.0.1/24, ipv6_address: 'fd00::1/64'}\n"
                             "bs:\n"
                             "  stations:\n"
                             "    - mac: '02:00:00:00:00:01'\n"
                             "      ip_addresses: [10.1.0.2, 10.1.0.0/30, 10.2.0.0/16, 'fd01::/32', 10.2.3.0/24]\n"
                             "    - mac: '02:00:00:00:00:02'\n"
                             "      ip_addresses:\n"
                             "        - 10.1.0.2\n"
                             "        - 10.2.255.0/24\n"
                             "        - 10.0.0.0/7\n"
                             "        - 'fd01:0:1::1'\n"
                             "        - 'fd02::1'\n"
                             "        - '::/0'\n"
                             "        - 10.1.0.255\n"
                             "        - 224.0.0.1\n"
                             "    - mac: '02:00:00:00:00:03'\n"
                             "      ip_addresses: [10.1.0.9, 'fd03::9', 10.1.0.9]\n"),
              (Strings{
                  "f:6: bs.stations[0].ip_addresses[1]: value 10.1.0.0/30: allowed " + kNotOwn + "10.1.0.1/32",
                  "f:9: bs.stations[1].ip_addresses[0]: value 10.1.0.2/32: allowed " + kOne +
                      "10.1.0.0/30 is in bs.stations[0].ip_addresses[1]",
                  "f:10: bs.stations[1].ip_addresses[1]: value 10.2.255.0/24: allowed " + kOne +
                      "10.2.0.0/16 is in bs.stations[0].ip_addresses[2]",
                  "f:11: bs.stations[1].ip_addresses[2]: value 10.0.0.0/7: allowed " + kOne +
                      "10.2.0.0/16 is in bs.stations[0].ip_addresses[2]",
                  "f:11: bs.stations[1].ip_addresses[2]: value 10.0.0.0/7: allowed " + kNotOwn + "10.1.0.1/32",
                  "f:12: bs.stations[1].ip_addresses[3]: value fd01:0:1::1/128: allowed " + kOne +
                      "fd01::/32 is in bs.stations[0].ip_addresses[3]",
                  "f:14: bs.stations[1].ip_addresses[5]: value ::/0: allowed " + kOne +
                      "fd01::/32 is in bs.stations[0].ip_addresses[3]",
                  "f:14: bs.stations[1].ip_addresses[5]: value ::/0: allowed " + kNotOwn + "fd00::1/128",
                  "f:15: bs.stations[1].ip_addresses[6]: value 10.1.0.255/32: allowed " + kNotOwn + "10.1.0.255/32",
                  "f:16: bs.stations[1].ip_addresses[7]: value 224.0.0.1/32: allowed addresses of hosts, and subnets",
                  "f:18: bs.stations[2].ip_addresses[0]: value 10.1.0.9/32: allowed " + kOne +
                      "10.0.0.0/7 is in bs.stations[1].ip_addresses[2]",
                  "f:18: bs.stations[2].ip_addresses[1]: value fd03::9/128: allowed " + kOne +
                      "::/0 is in bs.stations[1].ip_addresses[5]",
                  "f:18: bs.stations[2].ip_addresses[2]: value 10.1.0.9/32: allowed " + kOne +
                      "10.0.0.0/7 is in bs.stations[1].ip_addresses[2]",
              }));
}

/// Names reach logs, terminals and DSA messages. Other texts have no control characters either.
TEST(MacdConfig, NamesArePrintableAndHaveTheStandardsLength) {
    const auto faults_of = [](const std::string& name) {
        return Fixture().load(
            "role: bs\n"
            "sap: {endpoint: " +
            name +
            "}\n"
            "bs:\n"
            "  classifier_rules: [{name: " +
            name +
            "}]\n"
            "  service_flows: [{name: " +
            name +
            "}]\n"
            "  stations: [{mac: '02:00:00:00:00:01', name: " +
            name +
            "}]\n"
            "  unknown_station: {name: " +
            name +
            "}\n"
            "  accept_unknown: true\n");
    };
    const auto quoted = [](const std::string& text) { return '"' + text + '"'; };
    for (const char* bad :
         {R"(a\e[31mb)", R"(a\nb)", R"(a\rb)", R"(a\tb)", R"(a\0b)", R"(\x7f)", R"(\x1f)", R"(\x85)", R"(\x9b31m)"}) {
        const auto faults = faults_of(quoted(bad));
        ASSERT_EQ(faults.size(), 5U) << bad;
        for (size_t i = 0; i < 5; ++i) {
            EXPECT_EQ(faults[i].rfind("f:" + std::to_string(i == 0 ? 2 : i + 3) + ": ", 0), 0U) << faults[i];
            EXPECT_NE(faults[i].find("without control characters"), std::string::npos) << faults[i];
            for (const char c : faults[i]) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << faults[i];
        }
    }
    for (const char* bad : {"\xC3", "\x80", "\xE2\x82", "\xF5\x80\x80\x80", "\xC0\x80"})
        EXPECT_FALSE(faults_of(quoted(bad)).empty());
    for (const std::string& good : {std::string("first"),
                                    std::string("Stra\xC3\x9F"
                                                "e \xE2\x82\xAC \xF0\x9F\x93\xA1"),
                                    std::string(126, 'n')})
        EXPECT_EQ(faults_of(quoted(good)), Strings{}) << good;
    EXPECT_EQ(faults_of(quoted(std::string(127, 'n'))).size(), 4U);  // a path may be longer
    EXPECT_EQ(Fixture().load("role: bs\nbs: {accept_unknown: true, unknown_station: {name: ''}}\n"), Strings{});
}

}  // namespace
}  // namespace wimax::macd
