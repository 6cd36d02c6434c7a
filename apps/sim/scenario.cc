/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/scenario.h"

#include "macd/bs_schema.h"

namespace wimax::sim {
namespace {

using config::Schema;

/// A station's packet buffers, enough for the default limit of its queue; the daemon's default would be four times that
/// for each of many stations.
constexpr uint32_t kStationBuffers = 512;
constexpr config::Range kSnrDb{-30, 80}, kSeconds{0, 1e6}, kKbps{0, 1e6};

mac::MacAddress mac_of(size_t station) {
    return {2, 0, 0, 1, static_cast<uint8_t>(station >> 8), static_cast<uint8_t>(station)};
}

void declare_traffic(Schema& s, TrafficConfig& t) {
    s.text("name", t.name, "of the flow in the results");
    s.choice<TrafficKind>("kind", t.kind,
                          {{"cbr", TrafficKind::cbr},
                           {"poisson", TrafficKind::poisson},
                           {"voice", TrafficKind::voice},
                           {"saturating", TrafficKind::saturating},
                           {"ping", TrafficKind::ping},
                           {"tcp", TrafficKind::tcp}},
                          "cbr: even intervals; poisson: exponential gaps; voice: cbr in talk spurts; saturating: "
                          "always backlog_bytes on the way; ping: echoed by the other end; tcp: a bulk transfer");
    s.choice<Direction>("direction", t.direction, {{"downlink", Direction::downlink}, {"uplink", Direction::uplink}},
                        "which way the data go; ping: the request");
    s.number("kbps", t.kbps, kKbps, "kbit/s", "of IP packets; needed by cbr, poisson and voice (while talking)");
    s.number("packet_bytes", t.packet_bytes, {kLeastPacketOctets, kMaxPacketOctets}, "bytes", "of the IP packet");
    s.number("port", t.port, {}, "", "destination port; 0: one of its own");
    s.number("backlog_bytes", t.backlog_bytes, {1500, 10e6}, "bytes", "saturating: kept on the way");
    s.number("gap_min_ms", t.gap_min_ms, {0.1, 1e6}, "ms", "ping: least gap between requests");
    s.number("gap_max_ms", t.gap_max_ms, {0.1, 1e6}, "ms", "ping: greatest gap, all between are equally likely");
    s.number("talk_s", t.talk_s, {0.001, 1e6}, "s", "voice: mean talk spurt");
    s.number("silence_s", t.silence_s, kSeconds, "s", "voice: mean pause; 0: none");
    s.number("start_s", t.start_s, kSeconds, "s", "after the traffic begins");
    s.number("stop_s", t.stop_s, kSeconds, "s", "after the traffic begins; 0: never");
    s.flag("ecn", t.ecn, "tcp: congestion may be marked instead of dropped");
    s.number("window_bytes", t.window_bytes, {3000, 100e6}, "bytes", "tcp: the receiver's window");
    s.check([&t](config::LocatedFaults& faults) {
        const bool paced = t.kind == TrafficKind::cbr || t.kind == TrafficKind::poisson || t.kind == TrafficKind::voice;
        if (paced && t.kbps <= 0) faults.add("kbps", config::print_number(t.kbps), "more than 0 with this kind");
        if (t.gap_max_ms < t.gap_min_ms)
            faults.add("gap_max_ms", config::print_number(t.gap_max_ms), "at least gap_min_ms");
        if (t.stop_s > 0 && t.stop_s <= t.start_s)
            faults.add("stop_s", config::print_number(t.stop_s), "0, or more than start_s");
        constexpr uint32_t kLeastTcp = kTcpOverheadOctets + 1;
        if (t.kind == TrafficKind::tcp && t.packet_bytes < kLeastTcp)
            faults.add("packet_bytes", config::print_number(t.packet_bytes),
                       "at least " + std::to_string(kLeastTcp) + " with tcp");
    });
}

void declare_group(Schema& s, const std::string& prefix, GroupConfig& g) {
    PathConfig& p = g.path;
    s.text(prefix + "name", g.name, "of the group in the results");
    auto snr = s.number(prefix + "snr_db", p.snr_db, kSnrDb, "dB",
                        "Es/N0 of the downlink, and of the uplink at the station's highest power");
    if (!prefix.empty()) snr.option("--snr-db");
    s.list(
        prefix + "snr_series", p.snr_series,
        [](Schema& i, SnrPoint& v) {
            i.number("at_s", v.at_s, kSeconds, "s", "since the measurement began");
            i.number("snr_db", v.snr_db, kSnrDb, "dB", "from the point before on it changes evenly to this");
        },
        "instead of snr_db, by rising time");
    s.number(prefix + "uplink_offset_db", p.uplink_offset_db, {-60, 60}, "dB",
             "the uplink's SNR at the highest power above the downlink's");
    s.number(prefix + "delay_us", p.delay_us, {0, 300}, "us", "one way");
    s.number(prefix + "carrier_offset_hz", p.carrier_offset_hz, {-1e5, 1e5}, "Hz",
             "of the station's transmitter, as left over by its receiver");
    s.number(prefix + "doppler_hz", p.doppler_hz, {0, 1000}, "Hz",
             "highest Doppler shift of flat fading, constant within a frame; 0: no fading");
    s.number(prefix + "k_factor_db", p.k_factor_db, {-100, 60}, "dB",
             "fixed path's power to that of the moving ones; -100: Rayleigh");
    s.list(prefix + "traffic", g.traffic, declare_traffic, "flows of packets of each station", 0, 64);
    macd::declare_provisioned_station(s, prefix + "service.", g.service);
    s.check([&g, prefix](config::LocatedFaults& faults) {
        const auto& series = g.path.snr_series;
        for (size_t i = 1; i < series.size(); ++i)
            if (series[i].at_s <= series[i - 1].at_s)
                faults.add(prefix + "snr_series[" + std::to_string(i) + "].at_s", config::print_number(series[i].at_s),
                           "more than the point's before");
        const size_t addresses = g.service.station.ip_addresses.size();
        if (addresses > 0)
            faults.add(prefix + "service.ip_addresses", std::to_string(addresses) + " addresses",
                       "none: they are the simulator's");
    });
}

/// The groups' service flows, as the base station's file would provision them.
void provide_groups(Scenario& c, config::LocatedFaults& faults) {
    if (!c.provisioning.stations.empty())
        faults.add("bs.stations", std::to_string(c.provisioning.stations.size()) + " elements",
                   "none: stations are those of station and groups");
    macd::Provisioning groups = c.provisioning;
    groups.accept_unknown = false;
    groups.stations.clear();
    for (const auto* group : c.all_groups()) {
        groups.stations.push_back(group->service);
        groups.stations.back().station.mac = mac_of(groups.stations.size());
    }
    macd::provide(groups, c.bs, faults);
}

void finish(Scenario& c, config::LocatedFaults& faults) {
    c.bs.bandwidth_hz = c.ss.bandwidth_hz = c.bandwidth_hz;
    c.bs.frequency_hz = c.ss.frequency_hz = c.frequency_hz;
    provide_groups(c, faults);
    const size_t count = c.station_count();
    if (count == 0) faults.add("stations", "0", "at least one with those of groups");
    if (count > c.bs.max_stations)
        faults.add("stations", std::to_string(count), "at most bs.max_stations, " + std::to_string(c.bs.max_stations));
    const Faults of_bs = mac::validate(c.bs), of_ss = mac::validate(c.ss);
    for (const auto& fault : of_bs.list()) faults.add(macd::file_key("bs", fault.key), fault.value, fault.allowed);
    for (const auto& fault : of_ss.list()) faults.add(macd::file_key("ss", fault.key), fault.value, fault.allowed);
}

TrafficConfig even_traffic(Direction direction, double kbps, uint32_t packet_bytes) {
    TrafficConfig t;
    t.kind = TrafficKind::cbr;
    t.direction = direction;
    t.kbps = kbps;
    t.packet_bytes = packet_bytes;
    return t;
}

}  // namespace

std::vector<const GroupConfig*> Scenario::all_groups() const {
    std::vector<const GroupConfig*> all{&station};
    for (const auto& group : groups) all.push_back(&group);
    return all;
}

size_t Scenario::station_count() const {
    size_t count = 0;
    for (const auto* group : all_groups()) count += group->stations;
    return count;
}

std::vector<TrafficConfig> Scenario::traffic_of(const GroupConfig& group) const {
    auto traffic = group.traffic;
    if (dl_kbps > 0) traffic.push_back(even_traffic(Direction::downlink, dl_kbps, packet_bytes));
    if (ul_kbps > 0) traffic.push_back(even_traffic(Direction::uplink, ul_kbps, packet_bytes));
    return traffic;
}

CellConfig Scenario::cell() const {
    CellConfig cell;
    cell.bs = bs;
    cell.bs.stations.clear();
    cell.phy = phy;
    cell.drop = drop;
    cell.seed = seed;
    const auto groups_of_all = all_groups();
    for (size_t g = 0; g < groups_of_all.size(); ++g)
        for (uint32_t i = 0; i < groups_of_all[g]->stations; ++i) {
            const size_t n = cell.stations.size();
            mac::StationConfig provisioned = bs.stations[g];
            provisioned.mac = mac_of(n);
            provisioned.ip_addresses = {{address_of(n), kStationMask}};
            cell.bs.stations.push_back(provisioned);
            StationSetup setup{ss, groups_of_all[g]->path};
            setup.mac.mac = mac_of(n);
            setup.mac.random_seed = (seed + 1) * 0x9E3779B97F4A7C15ULL + n;
            cell.stations.push_back(std::move(setup));
        }
    return cell;
}

void declare(Schema& s, Scenario& c) {
    c.ss.sdu_buffers = kStationBuffers;
    s.number("stations", c.stations, {0, 5000}, "", "stations as the group station describes them");
    s.number("seconds", c.seconds, {0.01, 1e6}, "s", "measured, in virtual time");
    s.number("seed", c.seed, {}, "", "of everything random; the same seed gives the same results");
    s.number("dl_kbps", c.dl_kbps, kKbps, "kbit/s", "to each station at even intervals, beside its traffic")
        .option("--dl-kbps");
    s.number("ul_kbps", c.ul_kbps, kKbps, "kbit/s", "from each station at even intervals, beside its traffic")
        .option("--ul-kbps");
    s.number("packet_bytes", c.packet_bytes, {kLeastPacketOctets, kMaxPacketOctets}, "bytes", "of these packets")
        .option("--packet-bytes");
    s.number("warmup_s", c.warmup_s, kSeconds, "s", "of traffic before the measurement");
    s.number("drain_s", c.drain_s, kSeconds, "s", "after it, for packets that are on their way");
    s.number("enter_limit_s", c.enter_limit_s, kSeconds, "s", "to wait for all stations to enter");
    s.number("interval_s", c.interval_s, {0.01, 1e5}, "s", "between the points of throughput over time");
    s.text("json", c.json, "file for the result, - for standard output");
    s.text("plot", c.plot, "picture of delays, throughput and shares, by its ending SVG or PNG; empty: none");
    s.flag("events", c.events, "entry, loss and other events of all stations on standard error");
    s.flag("flows", c.flows, "each flow in the result, not the sums alone");
    s.group("air", "Radio channel");
    macd::Declare air(s, "air.");
    mac::visit_air(air, c);
    s.group("phy", "What stands for the PHY");
    s.number("phy.tick_lead_us", c.phy.tick_lead_us, {0, 10'000}, "us", "base station: frame tick before the frame");
    s.number("phy.turnaround_us", c.phy.turnaround_us, {0, 10'000}, "us", "station: tick before its uplink");
    s.number("phy.report_us", c.phy.report_us, {0, 10'000}, "us", "from a burst's end until the MAC has it");
    s.number("phy.reference_dbm", c.phy.reference_dbm, {-30, 60}, "dBm", "highest power of all transmitters");
    s.number("phy.noise_dbm", c.phy.noise_dbm, {-174, 0}, "dBm", "noise of all receivers");
    s.number("phy.capture_db", c.phy.capture_db, {0, 60}, "dB",
             "of bursts that overlap the strongest is received if it is that much above the others");
    s.group("drop", "PDUs taken out of bursts; maps, requests and other management stay");
    s.number("drop.pdu", c.drop.pdu, {0, 1}, "", "probability for a PDU of a transport connection");
    s.number("drop.feedback", c.drop.feedback, {0, 1}, "", "probability for ARQ feedback in a message of its own");
    macd::declare_base_station(s, c.bs);
    macd::declare_provisioning(s, c.provisioning);
    macd::declare_subscriber(s, c.ss);
    s.group("station", "A group of `stations` stations");
    declare_group(s, "station.", c.station);
    s.list(
        "groups", c.groups,
        [](Schema& i, GroupConfig& g) {
            i.number("stations", g.stations, {1, 5000}, "", "stations of this group");
            declare_group(i, "", g);
        },
        "further groups of stations", 0, 100);
    s.check([&c](config::LocatedFaults& faults) {
        c.station.stations = c.stations;
        finish(c, faults);
    });
}

}  // namespace wimax::sim
