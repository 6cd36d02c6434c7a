// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario.h"

#include "macd/bs_schema.h"
#include "macd/text_values.h"
#include "policy/load_policies.h"
#include "sim/fitting.h"
#include "sim/scenario_flows.h"
#include "sim/traffic_keys.h"

#include <algorithm>
#include <cmath>

namespace wimax::sim {
namespace {

using config::Schema;

/// A station's packet buffers, enough for the default limit of its queue; the daemon's default would be four times that
/// for each of many stations.
constexpr uint32_t kStationBuffers = 512;
constexpr config::Range kSnrDb{kLeastSnrDb, kMostSnrDb};
constexpr const char *kBase = "base_station.", *kSubscriber = "subscriber_station.";
/// Keys that `profile`, `rate` and the simulator set.
const std::set<std::string, std::less<>> kNotOfBase{
    "cp", "frame_duration_s", "dl_rate_id", "ul_rate_id", "dl_lowest_rate_id", "ul_lowest_rate_id", "policy_limit_us"};
const std::set<std::string, std::less<>> kNotOfSubscriber{"mac", "scan_frequencies_hz", "bsid", "random_seed",
                                                          "policy_limit_us"};

/// Uplink of an FDD profile below its downlink, both in the band of 3.4 to 3.6 GHz.
constexpr int64_t kProfileSpacingHz = -50'000'000;
constexpr double kUsualFddFrameMs = 10;

/// The rest of a part between hyphens if it ends or begins like this.
std::optional<std::string_view> before(std::string_view part, std::string_view end) {
    return part.ends_with(end) ? std::optional(part.substr(0, part.size() - end.size())) : std::nullopt;
}
std::optional<std::string_view> after(std::string_view begin, std::string_view part) {
    return part.starts_with(begin) ? std::optional(part.substr(begin.size())) : std::nullopt;
}

/// "5MHz-10ms", "3.5MHz-20ms-cp4" or "7MHz-fdd", as `wimax bench` has them.
bool read_profile(std::string_view text, mac::BaseStationConfig& bs) {
    if (text.ends_with('-')) return false;
    double bandwidth_mhz = 0, frame_ms = 0;
    uint8_t cp = 8;
    const auto next = [&text] {
        const auto part = text.substr(0, text.find('-'));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        return part;
    };
    const auto mhz = before(next(), "MHz");
    if (!mhz || !config::parse_number(*mhz, {1.25, 28}, bandwidth_mhz)) return false;
    auto part = next();
    const auto ms = before(part, "ms");
    if (ms && !config::parse_number(*ms, {}, frame_ms)) return false;
    if (ms) part = next();
    const bool fdd = part == "fdd";
    if (fdd) part = next();
    if (fdd && !ms) frame_ms = kUsualFddFrameMs;
    const auto prefix = after("cp", part);
    if (!text.empty()) return false;
    if (prefix ? !config::parse_number(*prefix, {4, 32}, cp) : !part.empty()) return false;
    const auto& durations = mac::phy::kFrameDurationUs;
    const auto duration = std::find(durations.begin(), durations.end(), std::lround(1000 * frame_ms));
    if (duration == durations.end() || (cp & (cp - 1)) != 0) return false;
    bs.bandwidth_hz = static_cast<uint32_t>(std::lround(1e6 * bandwidth_mhz));
    bs.carriers.duplex_spacing_hz = fdd ? kProfileSpacingHz : 0;
    bs.frame_duration_code = static_cast<uint8_t>(duration - durations.begin());
    bs.cp_denominator = cp;
    return true;
}

/// A Rate_ID, or the name of its modulation and code rate.
std::optional<uint8_t> read_rate(std::string_view text) {
    uint8_t rate = 0;
    if (config::parse_number(text, {0, mac::kRateCount - 1}, rate)) return rate;
    for (const auto& known : mac::phy::kRateTable) {
        if (text == known.name) return rate;
        ++rate;
    }
    return std::nullopt;
}

std::string rate_texts() {
    std::string texts = "0.." + std::to_string(mac::kRateCount - 1) + ", auto";
    for (const auto& known : mac::phy::kRateTable) texts.append(", ").append(known.name);
    return texts;
}

void declare_series(Schema& s, Scenario& c) {
    declare_station_numbers(s, "snr_series_stations", c.snr_series_stations,
                            "stations that follow snr_series; the others have snr_db");
    s.number("snr_period_s", c.snr_period_s, kSeconds, "s", "snr_series starts again after this time; 0: never");
    s.number("snr_stagger_s", c.snr_stagger_s, kSeconds, "s",
             "each station follows snr_series this time later than the previous station");
}

void declare_privacy(Schema& s, Scenario& c) {
    s.group("privacy", "Encryption (docs/security.md), for all stations");
    s.text("privacy.keys", c.keys,
           "folder that `wimax keys` has made, with a certificate for each station (the first has 02:00:00:01:00:00); "
           "empty: no privacy");
    s.number("privacy.ak_lifetime_s", c.privacy.lifetimes.ak_s, {10, 6'048'000}, "s", "lifetime of authorization keys");
    s.number("privacy.tek_lifetime_s", c.privacy.lifetimes.tek_s, {2, 604'800}, "s",
             "lifetime of traffic keys; two keys overlap by half of it");
}

void declare_paths(Schema& s, Scenario& c) {
    const std::string help = "Es/N0 of the downlink, and of the uplink at the station's highest power";
    s.list(
        "snr_db", c.snr_db, [](Schema& i, double& v) { i.number("", v, kSnrDb, "dB", "SNR of a station"); },
        help + "; one for all, or one for each station", 1, kMostStations);
    s.word(
         "snr_db",
         [&c](std::string_view text) {
             c.snr_db.assign(1, 0);
             return config::parse_number(text, kSnrDb, c.snr_db[0]);
         },
         [&c] { return c.snr_db.size() == 1 ? config::print_number(c.snr_db[0]) : std::string(); }, "-30..80")
        .unit("dB");
    s.list(
        "snr_series", c.snr_series,
        [](Schema& i, SnrPoint& v) {
            i.number("at_s", v.at_s, kSeconds, "s", "time since the measurement began");
            i.number("snr_db", v.snr_db, kSnrDb, "dB", "value at this time; between two points it changes linearly");
        },
        "SNR over time in place of snr_db, in order of at_s");
    declare_series(s, c);
    s.group("path", "Path between a station and the base station, in addition to its SNR");
    RadioPathConfig& p = c.path;
    s.number("path.uplink_offset_db", p.uplink_offset_db, {-60, 60}, "dB",
             "uplink SNR at the highest power minus the downlink SNR");
    s.number("path.delay_us", p.delay_us, {0, 300}, "us",
             "propagation delay in one direction: 3.34 us per km of distance");
    s.number("path.carrier_offset_hz", p.carrier_offset_hz, {-1e5, 1e5}, "Hz",
             "carrier offset of the station's transmitter that its receiver did not compensate");
    s.number("path.doppler_hz", p.doppler_hz, {0, 1000}, "Hz",
             "largest Doppler shift of flat fading, which is constant within a frame; 0: no fading");
    s.number("path.k_factor_db", p.k_factor_db, {-100, 60}, "dB",
             "ratio of the power of the fixed path to that of the moving paths; -100: Rayleigh");
}

void declare_arq(Schema& s, mac::ArqConfig& arq) {
    s.group("arq", "ARQ of all service flows");
    s.number("arq.window", arq.window_blocks, {1, 1024}, "blocks", "most blocks that are sent and not acknowledged");
    s.number("arq.block_size", arq.block_octets, {1, 2040}, "bytes", "size of an ARQ block");
    s.number("arq.lifetime_ms", arq.block_lifetime_ms, {0, mac::kMaxArqTimeMs}, "ms",
             "an SDU is discarded this time after its first block was sent; 0: never");
    s.number("arq.retry_ms", arq.retry_timeout_ms, {0, mac::kMaxArqTimeMs}, "ms",
             "a block without an acknowledgement is sent again after this time; 0: six frames");
    const auto word = std::make_shared<bool>(false);
    s.word(
        "arq",
        [&arq, word](std::string_view text) {
            *word = true;
            arq.enable = text == "true";
            return arq.enable || text == "false";
        },
        [&arq] { return std::string(arq.enable ? "" : "false"); }, "false, true");
    s.check([&arq, word](config::LocatedFaults& faults) {
        if (!*word) arq.enable = faults.given("arq");
        // The receiver's timeouts exceed the block lifetime of the sender.
        constexpr double kLongerMs = 100;
        const double life = arq.block_lifetime_ms;
        const bool known = life > 0 && life + kLongerMs <= mac::kMaxArqTimeMs;
        arq.sync_loss_timeout_ms = arq.rx_purge_timeout_ms = known ? life + kLongerMs : 0;
    });
}

void declare_stations(Schema& s, Scenario& c) {
    const std::string base = kBase;
    macd::declare_base_station(s, c.bs, {base, kNotOfBase}, base);
    s.group("base_station", "Base station: its profile's name and what differs from it, keys of wimax-macd");
    s.word(
        "base_station",
        [&c](std::string_view text) {
            c.bs.profile.name = text;
            return text == "Lab" || text == "Default" || text == "Speedy";
        },
        [] { return std::string(); }, "Lab, Default, Speedy");
    macd::declare_subscriber(s, c.ss, {kSubscriber, kNotOfSubscriber});
    s.group("subscriber_station", "All stations, keys of wimax-macd");
}

void declare_run(Schema& s, Scenario& c) {
    s.number("warmup_s", c.warmup_s, kSeconds, "s", "duration of traffic before the measurement");
    s.number("drain_s", c.drain_s, kSeconds, "s", "longest time after the measurement, for packets in transit");
    s.number("enter_limit_s", c.enter_limit_s, kSeconds, "s",
             "longest time for all stations to enter; 0: two minutes, and more with many stations");
    s.number("interval_s", c.interval_s, {0.01, 1e5}, "s", "interval between the points of throughput over time");
    s.text("json", c.json,
           "file for the result as JSON, - for standard output; empty: a table on a terminal, else JSON on standard "
           "output");
    s.text("csv", c.csv,
           "file for the figures of all flows, one line each, with the JSON result's keys as column names; - for "
           "standard output; empty: none");
    s.text("pcap", c.pcap,
           "file for all PDUs that the base station sends and receives, for Wireshark; - for standard output; empty: "
           "none");
    s.text("plot", c.plot, "folder for pictures of delay, throughput, fairness and contention; empty: no pictures");
    s.text(
        "archive", c.archive,
        "file .tar.gz for the result, the scenario, the figures of all flows, all PDUs, the pictures if there are any, "
        "and how to repeat and cite them; empty: none");
    s.flag("events", c.events, "print entry, loss and other events of all stations to standard error");
    s.flag("status", c.status, "add the status of all MACs at the end to the result, as wimax ctl prints it");
    s.group("phy", "Model of the PHY");
    s.number("phy.tick_lead_us", c.phy.tick_lead_us, {0, 10'000}, "us",
             "base station: time from the frame tick to the frame");
    s.number("phy.turnaround_us", c.phy.turnaround_us, {0, 10'000}, "us", "station: time from the tick to its uplink");
    s.number("phy.report_us", c.phy.report_us, {0, 10'000}, "us",
             "time from the end of a burst to its delivery to the MAC");
    s.number("phy.reference_dbm", c.phy.reference_dbm, {-30, 60}, "dBm", "highest transmit power of all stations");
    s.number("phy.noise_dbm", c.phy.noise_dbm, {-174, 0}, "dBm", "noise power of all receivers");
    s.number("phy.capture_db", c.phy.capture_db, {0, 60}, "dB",
             "the strongest of overlapping bursts is received if it exceeds the others by this");
}

void check_files(const Scenario& c, config::LocatedFaults& faults) {
    if (!c.archive.empty())
        for (const auto& [key, path] : {std::pair("csv", c.csv), std::pair("pcap", c.pcap)})
            if (path == "-") faults.add(key, path, "a file, since the archive gets it, too");
    int on_standard_output = 0;
    for (const auto& [key, path] : {std::pair("json", c.json), std::pair("csv", c.csv), std::pair("pcap", c.pcap)})
        if (path == "-" && ++on_standard_output > 1)
            faults.add(key, "-", "a file, as standard output is another result's");
}

void check_paths(const Scenario& c, config::LocatedFaults& faults) {
    if (c.snr_db.size() != 1 && c.snr_db.size() != c.stations)
        faults.add("snr_db", std::to_string(c.snr_db.size()) + " values",
                   "one, or one for each of the " + std::to_string(c.stations) + " stations");
    const auto& series = c.snr_series;
    for (size_t i = 0; i < c.snr_series_stations.size(); ++i)
        if (c.snr_series_stations[i] > c.stations)
            faults.add("snr_series_stations[" + std::to_string(i) + "]", std::to_string(c.snr_series_stations[i]),
                       "1.." + std::to_string(c.stations) + ", numbers of stations");
    if (c.snr_period_s > 0 && !series.empty() && series.back().at_s > c.snr_period_s)
        faults.add("snr_period_s", config::print_number(c.snr_period_s), "0, or at least the last point's at_s");
    for (size_t i = 1; i < series.size(); ++i)
        if (series[i].at_s <= series[i - 1].at_s)
            faults.add("snr_series[" + std::to_string(i) + "].at_s", config::print_number(series[i].at_s),
                       "more than the point's before");
}

/// The libraries' faults by the keys of the scenario.
void check_stations(const Scenario& c, config::LocatedFaults& faults) {
    const std::string profile_member = "profile.";
    const Faults of_base = mac::validate(c.bs), of_subscriber = mac::validate(c.ss);
    for (const auto& fault : of_base.list()) {
        const auto& member = fault.key;
        const bool of_profile =
            member == "bandwidth_hz" || member == "cp_denominator" || member == "frame_duration_code" ||
            (member == "dl_symbols" && !faults.given(kBase + member) && !faults.given(kBase + std::string("dl_share")));
        if (of_profile) faults.add("profile", c.profile, fault.allowed);
        else if (member.starts_with(profile_member))
            faults.add(kBase + member.substr(profile_member.size()), fault.value, fault.allowed);
        else faults.add(kBase + member, fault.value, fault.allowed);
    }
    for (const auto& fault : of_subscriber.list()) faults.add(kSubscriber + fault.key, fault.value, fault.allowed);
}

std::string file_name(const std::array<uint8_t, 6>& mac) {
    auto name = macd::print_mac(mac);
    std::ranges::replace(name, ':', '-');
    return name;
}

/// Certificates of the base station's authority and of each station. Timers fit lifetimes of any length.
void read_keys(Scenario& c, config::LocatedFaults& faults) {
    c.credentials.clear();
    if (c.keys.empty()) return;
    auto& o = c.privacy;
    if (o.lifetimes.tek_s > o.lifetimes.ak_s)
        return faults.add("privacy.tek_lifetime_s", std::to_string(o.lifetimes.tek_s),
                          "no more than privacy.ak_lifetime_s");
    o.policy = mac::PrivacyPolicy::allowed;  // multicast flows are not encrypted: a station that requires it has none
    o.authorities = c.keys + "/ca.pem";
    o.revoked = c.keys + "/revoked.pem";
    constexpr uint32_t kGraceShare = 8;
    o.timers.authorization_grace_s = std::max(1U, o.lifetimes.ak_s / kGraceShare);
    o.timers.tek_grace_s = std::max(1U, o.lifetimes.tek_s / kGraceShare);
    macd::load(o, c.bs.privacy, faults);
    c.credentials.resize(c.stations);
    for (size_t n = 0; n < c.stations; ++n) {
        const auto name = c.keys + "/stations/" + file_name(mac_of(n));
        o.certificate = name + ".pem";
        o.private_key = name + ".key";
        macd::load(o, c.credentials[n], faults);
    }
}

/// Poisson packets from and to each station, which a cell of 100 stations carries.
std::vector<TrafficEntry> default_traffic(uint32_t stations) {
    constexpr double kStationBps = 50e3, kCellBps = 5e6;
    TrafficEntry entry;
    entry.kind = TrafficKind::poisson;
    entry.rate_bps = std::min(kStationBps, std::floor(kCellBps / stations));
    std::vector<TrafficEntry> both{entry, entry};
    both.back().direction = Direction::uplink;
    return both;
}

void finish(Scenario& c, config::LocatedFaults& faults) {
    check_files(c, faults);
    check_paths(c, faults);
    c.has_default_traffic = !faults.given("traffic");
    if (c.has_default_traffic) c.traffic = default_traffic(c.stations);
    read_keys(c, faults);
    if (!check_traffic(c, faults)) return;
    c.ss.bandwidth_hz = c.bs.bandwidth_hz;
    c.ss.carriers = c.bs.carriers;
    if (c.half_duplex_stations > 0) c.bs.half_duplex_stations = true;
    c.bs.dl_rate_id = c.bs.ul_rate_id = c.rate.value_or(mac::kRateCount - 1);
    c.bs.dl_lowest_rate_id = c.bs.ul_lowest_rate_id = std::nullopt;
    if (!c.rate) c.bs.dl_lowest_rate_id = c.bs.ul_lowest_rate_id = 0;
    fit(c, [&faults](std::string_view key) { return faults.given(key); });
    provision(c);
    check_stations(c, faults);
    const auto of_base = policy::load_policies(c.bs, policy::kHangLimit);
    for (const auto& fault : of_base.list()) faults.add(kBase + fault.key, fault.value, fault.allowed);
    const auto of_stations = policy::load_policies(c.ss, policy::kHangLimit);
    for (const auto& fault : of_stations.list()) faults.add(kSubscriber + fault.key, fault.value, fault.allowed);
}

}  // namespace

std::string Scenario::figures_file() const {
    if (!json.empty()) return json;
    return csv == "-" || pcap == "-" ? "" : "-";
}

bool Scenario::follows_series(size_t station) const {
    return snr_series_stations.empty() ||
           std::ranges::find(snr_series_stations, station + 1) != snr_series_stations.end();
}

CellConfig Scenario::cell() const {
    CellConfig cell;
    cell.bs = bs;
    cell.phy = phy;
    cell.drop = {pdu_loss, pdu_loss};
    cell.seed = seed;
    for (size_t n = 0; n < stations; ++n) {
        StationSetup setup{ss, path};
        setup.path.snr_db = snr_db_of(n);
        if (follows_series(n)) {
            setup.path.snr_series = snr_series;
            setup.path.snr_period_s = snr_period_s;
            setup.path.snr_delay_s = snr_stagger_s * static_cast<double>(n);
        }
        if (!credentials.empty()) setup.mac.privacy = credentials[n];
        setup.mac.mac = mac_of(n);
        setup.mac.half_duplex = n < half_duplex_stations;
        setup.mac.random_seed = (seed + 1) * 0x9E3779B97F4A7C15ULL + n;
        cell.stations.push_back(std::move(setup));
    }
    return cell;
}

void declare(Schema& s, Scenario& c) {
    c.ss.sdu_buffers = kStationBuffers;
    s.file_option("--scenario", "YAML file of the scenario; options replace its keys (docs/simulator.md)");
    s.value(
        "profile",
        [&c](std::string_view text) {
            c.profile = text;
            return read_profile(text, c.bs);
        },
        [&c] { return c.profile; },
        "<MHz>MHz-<ms>ms with 1.25..28 MHz and 2.5, 4, 5, 8, 10, 12.5 or 20 ms, optionally followed by -fdd and by "
        "-cp4, "
        "-cp8, -cp16 or -cp32; <MHz>MHz-fdd has 10 ms",
        "", "channel bandwidth, frame duration, a carrier for each direction and, if it is not 1/8, cyclic prefix");
    s.number("stations", c.stations, {1, kMostStations}, "", "number of subscriber stations");
    s.number("half_duplex_stations", c.half_duplex_stations, {0, kMostStations}, "",
             "number of stations, from the first on, that do not receive while they transmit; in FDD only");
    s.number("seconds", c.seconds, {0.01, 1e6}, "s",
             "duration of the measurement in virtual time, after the last station's entry");
    s.number("seed", c.seed, {}, "", "seed of all random numbers; the same seed gives the same results");
    declare_paths(s, c);
    s.value(
        "rate",
        [&c](std::string_view text) {
            c.rate = read_rate(text);
            return c.rate || text == "auto";
        },
        [&c] { return c.rate ? std::to_string(*c.rate) : std::string("auto"); }, rate_texts(), "",
        "Rate_ID, or modulation and code rate, of all stations in both directions; auto: adapted to their CINR");
    s.number("pdu_loss", c.pdu_loss, {0, 1}, "",
             "probability that a transport PDU, or an ARQ feedback message, is lost");
    declare_arq(s, c.arq);
    declare_privacy(s, c);
    s.list("traffic", c.traffic, declare_entry,
           "traffic of the users: each entry makes a service flow for each of its stations. Without this key, 50 "
           "kbit/s of Poisson packets in each direction for each station; []: no traffic",
           0, 1000);
    declare_run(s, c);
    declare_stations(s, c);
    s.check([&c](config::LocatedFaults& faults) { finish(c, faults); });
}

}  // namespace wimax::sim
