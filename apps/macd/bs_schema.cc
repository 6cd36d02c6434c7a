/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <macd/bs_schema.h>
#include <macd/text_values.h>

#include <mac/frame_layout.h>

#include <functional>
#include <limits>
#include <memory>

namespace wimax::macd {
namespace {

using config::Schema;

const char* const kRates =
    "Rate_ID: 0 BPSK 1/2, 1 QPSK 1/2, 2 QPSK 3/4, 3 16-QAM 1/2, 4 16-QAM 3/4, 5 64-QAM 2/3, 6 64-QAM 3/4";

void declare_classifier(Schema& s, mac::ClassifierConfig& c) {
    s.number("priority", c.priority, {}, "", "rules of higher priority are tried first");
    s.list(
        "protocols", c.protocols, [](Schema& i, uint8_t& v) { i.number("", v, {}, "", "IP protocol number"); },
        "IP protocols, any of which matches");
    const auto address = [](Schema& i, mac::AddressMask& v) { subnet(i, "", v, "address"); };
    s.list("source", c.source, address, "source addresses or subnets");
    s.list("destination", c.destination, address, "destination addresses or subnets");
    const auto ports = [](Schema& i, mac::PortInterval& v) {
        i.number("low", v.low, {}, "", "first port");
        i.number("high", v.high, {}, "", "last port");
    };
    s.list("source_ports", c.source_ports, ports, "source port intervals (TCP and UDP)");
    s.list("destination_ports", c.destination_ports, ports, "destination port intervals (TCP and UDP)");
    s.value(
        "tos",
        [&c](std::string_view text) {
            c.tos.reset();
            if (text == "null") return true;
            const size_t dash = text.find('-'), slash = text.find('/');
            if (dash == std::string_view::npos) return false;
            mac::TosRange range;
            const auto high = text.substr(dash + 1, slash == std::string_view::npos ? slash : slash - dash - 1);
            if (!config::parse_number(text.substr(0, dash), {}, range.low) ||
                !config::parse_number(high, {}, range.high))
                return false;
            if (slash != std::string_view::npos && !config::parse_number(text.substr(slash + 1), {}, range.mask))
                return false;
            c.tos = range;
            return true;
        },
        [&c]() -> std::string {
            if (!c.tos) return "null";
            return std::to_string(c.tos->low) + "-" + std::to_string(c.tos->high) + "/" + std::to_string(c.tos->mask);
        },
        "LOW-HIGH or LOW-HIGH/MASK, each 0..255, or null", "", "type of service octet: LOW <= (ToS & MASK) <= HIGH");
}

void declare_flow(Schema& s, mac::ServiceFlowConfig& f) {
    s.text("name", f.name, "service class name");
    s.choice<mac::FlowDirection>("direction", f.direction,
                                 {{"downlink", mac::FlowDirection::downlink}, {"uplink", mac::FlowDirection::uplink}},
                                 "which way");
    s.choice<mac::SchedulingType>("scheduling", f.scheduling,
                                  {{"best_effort", mac::SchedulingType::best_effort},
                                   {"nrtps", mac::SchedulingType::nrtps},
                                   {"rtps", mac::SchedulingType::rtps},
                                   {"ugs", mac::SchedulingType::ugs}},
                                  "scheduling service");
    s.number("traffic_priority", f.traffic_priority, {0, 7}, "", "higher is served first");
    s.number("max_sustained_rate_bps", f.max_sustained_rate_bps, {}, "bit/s", "0: no limit; UGS: the rate granted");
    s.number("max_burst_bytes", f.max_burst_bytes, {}, "bytes", "bucket depth, at least 2040; 0: 40 ms of the rate and 2040");
    s.number("min_reserved_rate_bps", f.min_reserved_rate_bps, {}, "bit/s", "reserved even when the cell is full");
    s.number("max_latency_ms", f.max_latency_ms, {}, "ms", "0: not said");
    s.number("tolerated_jitter_ms", f.tolerated_jitter_ms, {}, "ms", "0: not said");
    s.number("grant_interval_us", f.grant_interval_us, {}, "us",
             "UGS: between grants, rtPS and nrtPS: between polls; 0: every frame");
    s.flag("fragmentation", f.fragmentation, "SDUs may be split over PDUs");
    s.flag("packing", f.packing, "several SDUs may share a PDU");
    s.flag("crc", f.crc, "PDUs end with a CRC-32");
    s.flag("piggyback", f.piggyback, "requests ride on PDUs");
    s.flag("contention_requests", f.contention_requests, "requests in contention are allowed");
    s.number("queue_limit_bytes", f.queue_limit_bytes, {3000, 100'000'000}, "bytes", "longest queue");
    s.list("classifiers", f.classifiers, declare_classifier, "rules; none: takes what no other flow takes");
}

/// Keys of a profile that were given: they count, whatever the profile's name says.
using GivenKeys = std::vector<std::function<void(mac::BaseStationProfile& to, const mac::BaseStationProfile& from)>>;

class ProfileKeys {
public:
    ProfileKeys(Schema& schema, mac::BaseStationProfile& profile) : schema_(schema), profile_(profile) {}

    template <config::Number T>
    void number(const char* name, T mac::BaseStationProfile::*field, config::Range range, const char* unit,
                const char* help) {
        schema_.value(
            kPrefix + name,
            [&p = profile_, given = given_, field, range](std::string_view text) {
                if (!config::parse_number(text, range, p.*field)) return false;
                given->push_back([field](auto& to, const auto& from) { to.*field = from.*field; });
                return true;
            },
            [&p = profile_, field] { return config::print_number(p.*field); },
            config::describe(range, static_cast<double>(std::numeric_limits<T>::lowest()),
                             static_cast<double>(std::numeric_limits<T>::max()), true),
            unit, help);
    }
    void flag(const char* name, bool mac::BaseStationProfile::*field, const char* help) {
        schema_.value(
            kPrefix + name,
            [&p = profile_, given = given_, field](std::string_view text) {
                if (text != "true" && text != "false") return false;
                p.*field = text == "true";
                given->push_back([field](auto& to, const auto& from) { to.*field = from.*field; });
                return true;
            },
            [&p = profile_, field] { return std::string(p.*field ? "true" : "false"); }, "true, false", "", help);
    }
    std::shared_ptr<GivenKeys> given() const { return given_; }

private:
    const std::string kPrefix = "bs.profile.";
    Schema& schema_;
    mac::BaseStationProfile& profile_;
    std::shared_ptr<GivenKeys> given_ = std::make_shared<GivenKeys>();
};

void declare_profile(Schema& s, mac::BaseStationConfig& c) {
    using Profile = mac::BaseStationProfile;
    Profile& p = c.profile;
    const std::string k = "bs.profile.";
    s.group("bs.profile", "Base station profile: overhead intervals, contention, burst profile thresholds");
    s.choice(k + "name", p.name, {"Lab", "Default", "Speedy"},
             "profile that gives the values of keys not given here. Lab: short overhead, unasked grants; Default: DCD, "
             "UCD, DL-MAP and a ranging region in every frame, two request opportunities; Speedy: descriptors in every "
             "other frame, a ranging region in every fifth, one opportunity; both grant on request only");
    ProfileKeys keys(s, p);
    keys.number("dcd_interval_ms", &Profile::dcd_interval_ms, {0, 10'000}, "ms", "between DCDs; 0: every frame");
    keys.number("ucd_interval_ms", &Profile::ucd_interval_ms, {0, 10'000}, "ms", "between UCDs; 0: every frame");
    keys.number("dl_map_interval_ms", &Profile::dl_map_interval_ms, {0, 500}, "ms",
                "between DL-MAPs when nothing needs one; 0: every frame");
    keys.number("ranging_interval_ms", &Profile::ranging_interval_ms, {0, 2000}, "ms",
                "between initial ranging regions; 0: every frame");
    keys.number("ranging_symbols", &Profile::ranging_symbols, {5, 40}, "symbols", "length of a ranging opportunity");
    keys.number("request_opportunities", &Profile::request_opportunities, {0, 64}, "",
                "contention request opportunities a frame");
    keys.flag("spare_ranging", &Profile::spare_ranging,
              "more ranging regions while the uplink idles and a station may be entering");
    keys.number("ranging_backoff_start", &Profile::ranging_backoff_start, {0, 15}, "", "exponent of 2");
    keys.number("ranging_backoff_end", &Profile::ranging_backoff_end, {0, 15}, "", "exponent of 2");
    keys.number("request_backoff_start", &Profile::request_backoff_start, {0, 15}, "", "exponent of 2");
    keys.number("request_backoff_end", &Profile::request_backoff_end, {0, 15}, "", "exponent of 2");
    keys.number("reservation_timeout", &Profile::reservation_timeout, {1, 255}, "UL-MAPs",
                "to wait for a grant before a request counts as lost");
    keys.number("unasked_symbols", &Profile::unasked_symbols, {0, 1023}, "symbols",
                "granted to each registered station in each frame");
    keys.flag("grant_spare", &Profile::grant_spare,
              "what is left of the uplink goes to stations that lately had traffic");
    const auto level = [](Schema& i, float& v) { i.number("", v, {0, 63.75}, "dB", "CINR"); };
    s.list(k + "exit_db", p.exit_db, level, "CINR at or below which a burst profile is left, by rate [dB]");
    s.list(k + "entry_db", p.entry_db, level, "CINR from which on a burst profile may be entered, by rate [dB]");
    s.check([&c, given = keys.given()](config::Report&) {
        const auto frame_us = static_cast<uint32_t>(mac::phy::kFrameDurationUs[c.frame_duration_code]);
        auto resolved = Profile::named(c.profile.name, frame_us).value_or(Profile{});
        for (const auto& keep : *given) keep(resolved, c.profile);
        resolved.exit_db = c.profile.exit_db;
        resolved.entry_db = c.profile.entry_db;
        c.profile = resolved;
    });
}

void declare_bs_timers(Schema& s, mac::BaseStationConfig& c) {
    s.number("bs.t27_idle_ms", c.t27_idle_ms, {1, 100'000}, "ms", "T27: between unicast grants to an idle station");
    s.number("bs.t27_active_ms", c.t27_active_ms, {1, 100'000}, "ms", "T27 while the station has traffic");
    s.number("bs.station_lost_ms", c.station_lost_ms, {100, 600'000}, "ms", "a station silent that long is deleted");
    s.number("bs.t7_ms", c.t7_ms, {1, 100'000}, "ms", "T7: wait for DSA/DSC/DSD response");
    s.number("bs.t9_ms", c.t9_ms, {1, 100'000}, "ms", "T9: wait for SBC-REQ after ranging");
    s.number("bs.t17_ms", c.t17_ms, {1, 600'000}, "ms", "T17: wait for authorization and registration");
}

}  // namespace

void declare_station(Schema& s, const std::string& prefix, mac::StationConfig& st) {
    s.text(prefix + "name", st.name, "name for logs");
    s.number(prefix + "dl_rate_id", st.dl_rate_id, {0, 6}, "", "downlink rate; null: bs.dl_rate_id");
    s.number(prefix + "ul_rate_id", st.ul_rate_id, {0, 6}, "", "uplink rate; null: bs.ul_rate_id");
    s.number(prefix + "weight", st.weight, {1, 100}, "", "share of best effort capacity");
    s.list(
        prefix + "ip_addresses", st.ip_addresses, [](Schema& i, mac::AddressMask& v) { subnet(i, "", v, "address"); },
        "addresses and subnets behind the station; none: whatever no other station claims");
    s.list(prefix + "flows", st.flows, declare_flow, "service flows; none: one best effort flow each way", 0, 64);
}

void declare_base_station(Schema& s, mac::BaseStationConfig& c) {
    s.group("bs", "Base station; looked at when role is bs");
    s.choice<uint8_t>("bs.cp", c.cp_denominator, {{"1/4", 4}, {"1/8", 8}, {"1/16", 16}, {"1/32", 32}}, "cyclic prefix");
    s.choice<uint8_t>(
         "bs.frame_duration_s", c.frame_duration_code,
         {{"0.0025", 0}, {"0.004", 1}, {"0.005", 2}, {"0.008", 3}, {"0.01", 4}, {"0.0125", 5}, {"0.02", 6}},
         "frame duration")
        .unit("s");
    bsid(s, "bs.bsid", c.bsid, "base station identifier");
    s.number("bs.first_frame_number", c.first_frame_number, {0, 0xFFFFFF}, "", "number of the first frame");
    s.number("bs.dl_share", c.dl_share, {0.1, 0.9}, "", "downlink part of the frame, TTG included");
    s.number("bs.dl_symbols", c.dl_symbols, {0, 2047}, "symbols", "the same in symbols; 0: by bs.dl_share");
    s.number("bs.ttg_us", c.ttg_us, {0, 10'000}, "us", "transmit/receive gap; 0: one symbol");
    s.number("bs.rtg_us", c.rtg_us, {0, 10'000}, "us", "receive/transmit gap; 0: one symbol");
    s.choice<mac::MapRelevance>(
        "bs.map_relevance", c.map_relevance,
        {{"automatic", mac::MapRelevance::automatic},
         {"same_frame", mac::MapRelevance::same_frame},
         {"next_frame", mac::MapRelevance::next_frame}},
        "whose uplink a UL-MAP describes; automatic: the same frame's if 1 ms is left to act on it");
    s.number("bs.start_silence_ms", c.start_silence_ms, {0, 10'000}, "ms",
             "nothing is sent after a start, so that stations re-enter");
    s.number("bs.broadcast_rate_id", c.broadcast_rate_id, {0, 6}, "",
             std::string("rate of maps and descriptors; ") + kRates);
    s.number("bs.dl_rate_id", c.dl_rate_id, {0, 6}, "", "downlink rate of stations without their own");
    s.number("bs.ul_rate_id", c.ul_rate_id, {0, 6}, "", "uplink rate of stations without their own");
    s.number("bs.ul_lowest_rate_id", c.ul_lowest_rate_id, {0, 6}, "",
             "down to which a station's uplink rate may fall; null: fixed");
    s.number("bs.eirp_dbm", c.eirp_dbm, {-128, 127}, "dBm", "announced in the DCD; null: what the PHY reports");
    s.number("bs.target_rssi_dbm", c.target_rssi_dbm, {-150, 0}, "dBm", "wanted from each station at the antenna");
    s.flag("bs.power_control", c.power_control, "correct the stations' power");
    s.number("bs.power_tolerance_db", c.power_tolerance_db, {0.25, 10}, "dB", "not corrected within");
    s.number("bs.frequency_tolerance", c.frequency_tolerance, {0.001, 0.5}, "",
             "not corrected within, of the carrier spacing");
    s.number("bs.timing_tolerance_cp", c.timing_tolerance_cp, {0.01, 1}, "",
             "not corrected within, of the cyclic prefix");
    s.number("bs.max_stations", c.max_stations, {1, 320}, "", "registered at the same time");
    s.number("bs.sdu_buffers", c.sdu_buffers, {64, 100'000}, "packets",
             "shared by all queues, beside 16 for each of them; 2 kB");
    s.number("bs.codel_target_frames", c.codel_target_frames, {1, 100}, "frames",
             "sojourn time that queue management tolerates");
    s.number("bs.codel_interval_ms", c.codel_interval_ms, {10, 10'000}, "ms", "interval of queue management");
    s.number("bs.random_seed", c.random_seed, {}, "", "of whatever is random");
    declare_bs_timers(s, c);
    declare_profile(s, c);
    s.list(
        "bs.stations", c.stations,
        [](Schema& i, mac::StationConfig& st) {
            mac_address(i, "mac", st.mac, "MAC address of the subscriber station").required();
            declare_station(i, "", st);
        },
        "provisioned subscriber stations", 0, 1000);
}

void declare_subscriber(Schema& s, mac::SubscriberConfig& c) {
    s.group("ss", "Subscriber station; looked at when role is ss");
    mac_address(s, "ss.mac", c.mac, "own MAC address");
    bsid(s, "ss.bsid", c.bsid, "enter only this base station's network; null: any");
    s.number("ss.max_power_dbm", c.max_power_dbm, {-100, 60}, "dBm",
             "mean power of a data symbol; null: what the PHY reports");
    s.number("ss.min_power_dbm", c.min_power_dbm, {-150, 60}, "dBm", "least power");
    s.number("ss.first_power_backoff_db", c.first_power_backoff_db, {0, 60}, "dB",
             "first ranging attempt below the computed power");
    s.number("ss.ranging_power_step_db", c.ranging_power_step_db, {0, 20}, "dB", "more with each unanswered attempt");
    s.number("ss.sdu_buffers", c.sdu_buffers, {64, 100'000}, "packets",
             "shared by all queues, beside 16 for each of them; 2 kB");
    s.number("ss.queue_limit_bytes", c.queue_limit_bytes, {3000, 100'000'000}, "bytes",
             "longest queue of an uplink flow");
    s.number("ss.codel_target_frames", c.codel_target_frames, {1, 100}, "frames",
             "sojourn time that queue management tolerates");
    s.number("ss.codel_interval_ms", c.codel_interval_ms, {10, 10'000}, "ms", "interval of queue management");
    s.number("ss.random_seed", c.random_seed, {}, "", "of backoff; 0: from the MAC address");
    s.number("ss.lost_dl_map_ms", c.lost_dl_map_ms, {1, 100'000}, "ms", "lost DL-MAP interval");
    s.number("ss.lost_ul_map_ms", c.lost_ul_map_ms, {1, 100'000}, "ms", "lost UL-MAP interval");
    s.number("ss.t1_ms", c.t1_ms, {1, 600'000}, "ms", "T1: wait for DCD");
    s.number("ss.t2_ms", c.t2_ms, {1, 600'000}, "ms", "T2: wait for a broadcast ranging region");
    s.number("ss.t3_ms", c.t3_ms, {0, 100'000}, "ms", "T3: wait for RNG-RSP; 0: eight frames, 60..200 ms");
    s.number("ss.t4_ms", c.t4_ms, {1, 600'000}, "ms", "T4: no unicast grant that long: range again");
    s.number("ss.t6_ms", c.t6_ms, {1, 100'000}, "ms", "T6: wait for REG-RSP");
    s.number("ss.t8_ms", c.t8_ms, {1, 100'000}, "ms", "T8: wait for DSA/DSC acknowledge");
    s.number("ss.t10_ms", c.t10_ms, {1, 100'000}, "ms", "T10: wait for transaction end");
    s.number("ss.t12_ms", c.t12_ms, {1, 600'000}, "ms", "T12: wait for UCD");
    s.number("ss.t16_ms", c.t16_ms, {10, 100'000}, "ms", "T16: wait for a grant, then the request is repeated");
    s.number("ss.t18_ms", c.t18_ms, {1, 100'000}, "ms", "T18: wait for SBC-RSP");
    s.number("ss.t21_ms", c.t21_ms, {1, 600'000}, "ms", "T21: search for a DL-MAP on a channel");
    s.number("ss.operational_ms", c.operational_ms, {1, 600'000}, "ms",
             "registered but no service flows that long: enter again");
}

}  // namespace wimax::macd
