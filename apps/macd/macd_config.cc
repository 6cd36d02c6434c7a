// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/macd_config.h"
#include "macd/bs_schema.h"
#include "macd/text_values.h"
#include "policy/load_policies.h"

#include <set>

namespace wimax::macd {
namespace {

using config::Schema;

constexpr uint16_t kLeastIpv6Mtu = 1280;

void declare_tun(Schema& s, TunConfig& tun) {
    s.group("tun", "Network interface for IP packets of users");
    s.choice<mac::UserLink>(
        "tun.kind", tun.kind, {{"ip", mac::UserLink::ip}, {"ethernet", mac::UserLink::ethernet}},
        "ip: flows carry packets of a TUN interface; ethernet: flows carry frames of a TAP interface");
    s.flag("tun.enabled", tun.enabled, "make the interface; false: only the traffic of the key traffic is carried");
    s.value(
        "tun.name",
        [&tun](std::string_view text) {
            tun.name = text;
            return is_interface_name(text);
        },
        [&tun] { return config::quote(tun.name); }, "1..15 characters without space or slash", "",
        "name of the interface");
    s.value(
        "tun.netns",
        [&tun](std::string_view text) {
            tun.netns = text;
            return text.empty() || is_netns_name(text);
        },
        [&tun] { return config::quote(tun.netns); }, "a name as ip netns takes it, or empty", "",
        "network namespace of the interface, which is created if missing (see ip netns); empty: that of the program");
    subnet_text(s, "tun.address", tun.address, true, "IPv4 address and prefix length of this end");
    ipv6_subnet_text(s, "tun.ipv6_address", tun.ipv6_address,
                     "IPv6 address and prefix length of this end; empty: no IPv6 on the interface");
    ipv4_text(s, "tun.peer", tun.peer, "address of the other end of a point-to-point link; empty: none");
    s.number("tun.mtu", tun.mtu, {576, 2000}, "bytes", "largest IP packet (MTU)");
    s.number("tun.txqueuelen", tun.txqueuelen, {16, 100'000}, "packets",
             "queue of the kernel for packets until the next frame");
    s.list(
        "tun.routes", tun.routes,
        [](Schema& i, RouteConfig& r) {
            subnet_text(i, "to", r.to, false, "destination of the route; 0.0.0.0/0 for all").required();
            ipv4_text(i, "via", r.via, "gateway; empty: directly through the interface");
        },
        "routes through the interface, which the program adds", 0, 256);
}

void declare_traffic(Schema& s, TrafficStreamConfig& t) {
    s.number("start_s", t.start_s, {0, 1e6}, "s", "sample time of the first packet");
    s.number("period_s", t.period_s, {1e-6, 1e4}, "s", "interval between packets");
    s.number("count", t.count, {}, "", "packets");
    s.number("size_bytes", t.size_bytes, {40, 1500}, "bytes", "size of the IP packet");
    ipv4(s, "source", t.source, "source address");
    ipv4(s, "destination", t.destination, "destination address");
    s.number("source_port", t.source_port, {}, "", "UDP source port");
    s.number("destination_port", t.destination_port, {}, "", "UDP destination port");
    s.number("seed", t.seed, {}, "", "seed of the payload");
}

/// A station without flows gets one best effort flow in each direction.
void carry_frames(mac::StationConfig& station) {
    if (!station.flows.empty()) return;
    station.flows.resize(2);
    station.flows[1].direction = mac::FlowDirection::uplink;
    for (auto& flow : station.flows) flow.cs = mac::ConvergenceSublayer::ethernet;
}

/// Those of the interface, and the broadcast address of its subnet.
std::vector<mac::IpAddress> own_addresses(const TunConfig& tun) {
    std::vector<mac::IpAddress> own;
    if (!tun.enabled) return own;
    constexpr int kLongestWithBroadcast = 30;
    if (const auto subnet = parse_subnet(tun.address)) {
        own.emplace_back(subnet->address);
        if (subnet->prefix <= kLongestWithBroadcast) own.emplace_back(subnet->address | ~subnet->mask());
    }
    if (const auto subnet = parse_ipv6_subnet(tun.ipv6_address)) own.emplace_back(subnet->octets);
    return own;
}

void finish(MacdConfig& c, config::LocatedFaults& faults) {
    const mac::AirConfig& air = c;
    static_cast<mac::AirConfig&>(c.bs) = static_cast<mac::AirConfig&>(c.ss) = air;
    c.bs.link = c.ss.link = c.tun.kind;
    const bool is_bs = c.role == sap::Role::base_station;
    c.provisioning.lists_stations = faults.given("bs.stations");
    c.bs.own_addresses = own_addresses(c.tun);
    if (is_bs) provide(c.provisioning, c.bs, faults);
    if (c.loads_policies) {
        const std::chrono::microseconds limit(is_bs ? c.bs.policy_limit_us : c.ss.policy_limit_us);
        const auto of_policies = is_bs ? policy::load_policies(c.bs, limit) : policy::load_policies(c.ss, limit);
        for (const auto& fault : of_policies.list())
            faults.add((is_bs ? "bs." : "ss.") + fault.key, fault.value, fault.allowed);
    }
    if (is_bs) {
        load(c.privacy, c.bs.privacy, faults);
        load(c.managed, c.bs.managed);
    } else {
        load(c.privacy, c.ss.privacy, faults);
        load(c.managed, c.ss.managed, faults);
    }
    if (c.tun.kind == mac::UserLink::ethernet) {
        for (auto& station : c.bs.stations) carry_frames(station);
        if (c.bs.unknown_station) carry_frames(*c.bs.unknown_station);
        if (!c.traffic.empty())
            faults.add("traffic", std::to_string(c.traffic.size()) + " streams of IP packets",
                       "none with tun.kind ethernet");
    }
    const Faults of_station = is_bs ? mac::validate(c.bs) : mac::validate(c.ss);
    std::set<std::string> told;  // of a flow that several stations have, each fault once
    for (const auto& fault : of_station.list())
        if (const auto key = file_key(is_bs ? "bs" : "ss", provisioned_key(c.provisioning, fault.key));
            told.insert(key).second)
            faults.add(key, fault.value, fault.allowed);
    if (c.tun.enabled && !c.tun.netns.empty() && c.tun.address.empty())
        faults.add("tun.address", "(empty)", "an address when tun.netns is given");
    if (!c.tun.ipv6_address.empty() && c.tun.mtu < kLeastIpv6Mtu)
        faults.add("tun.mtu", std::to_string(c.tun.mtu), "at least 1280 with tun.ipv6_address (RFC 8200)");
    if (!c.tun.peer.empty() && c.tun.address.empty()) faults.add("tun.peer", c.tun.peer, "only with tun.address");
}

}  // namespace

void declare(Schema& s, MacdConfig& c) {
    s.choice<sap::Role>("role", c.role, {{"bs", sap::Role::base_station}, {"ss", sap::Role::subscriber_station}},
                        "role: bs, base station; ss, subscriber station")
        .required();
    s.group("air", "Radio channel, for both roles");
    Declare air(s, "air.");
    mac::visit_air(air, c);
    s.choice<mac::Edition>(
        "air.edition", c.edition, {{"2004", mac::Edition::ieee2004}, {"cor1", mac::Edition::cor1}},
        "edition of IEEE 802.16 where editions differ: MAC version and intervals of midambles. cor1: "
        "802.16-2004 with its corrigendum of 2005, as certified equipment; 2004: without");
    s.group("sap", "Connection to the PHY (PHY service access point)");
    s.text("sap.endpoint", c.sap_endpoint,
           "address of wimax-phyd: ipc:///path or tcp://address:port; {run} is the runtime folder")
        .option("--sap");
    s.text("sap.record", c.sap_record,
           "file in which all messages between PHY and MAC are recorded; empty: none. wimax sap replay reads it");
    config::declare(s, "sap.record_", c.sap_rotation);
    s.text("sap.replay", c.sap_replay,
           "recorded file that replaces the PHY; it is replayed as fast as possible, without TUN; empty: none");
    s.number("sap.answer_delay_ms", c.answer_delay_ms, {0, 10'000}, "ms",
             "delay before each response, to test a slow host");
    s.group("pcap", "Capture of PDUs for Wireshark (docs/wireshark.md)");
    s.group("events",
            "Events: entries, losses, commands of the operator, faults. The control socket has the last ones");
    s.text("events.file", c.events_file, "file to which events are appended, one JSON object per line; empty: none")
        .option("--events");
    config::declare(s, "events.", c.events_rotation);
    s.text("pcap.file", c.pcap_file,
           "file for every PDU that is sent or received; a FIFO is written while a program reads it; empty: none")
        .option("--pcap");
    config::declare(s, "pcap.", c.pcap_rotation);
    declare_tun(s, c.tun);
    for (const char* key : {"endpoint", "record", "answer_delay_ms"})
        s.renamed("phy." + std::string(key), "sap." + std::string(key));
    s.renamed("phy", "sap");
    wimax::declare(s, c.realtime);
    wimax::declare(s, c.daemon, {"mac", "phy", "sap", "cs", "ctl"});
    s.list("traffic", c.traffic, declare_traffic,
           "generated UDP packets, sent at exact sample times; for tests and demonstrations without kernel traffic", 0,
           64);
    declare_base_station(s, c.bs);
    declare_provisioning(s, c.provisioning);
    declare_subscriber(s, c.ss);
    declare(s, c.privacy);
    declare(s, c.managed);
    s.check([&c](config::LocatedFaults& faults) { finish(c, faults); });
}

config::Derived derived(const MacdConfig& c) {
    const bool is_bs = c.role == sap::Role::base_station;
    auto values = mac::derived_values(c.bs, is_bs);
    if (!is_bs) values.emplace_back("cyclic prefix, frame duration, BSID", "found by the receiver");
    return values;
}

}  // namespace wimax::macd
