// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/bs_schema.h"
#include "macd/policy_schema.h"
#include "macd/text_values.h"

#include "mac/cs/header_suppression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <set>

namespace wimax::macd {
namespace {

using config::Schema;

void declare_feedback(Schema& s, const std::string& key, mac::FeedbackTypes& types) {
    s.choice<mac::FeedbackTypes>(
        key, types, {{"all", mac::FeedbackTypes::all}, {"without_sequences", mac::FeedbackTypes::without_sequences}},
        "types of ARQ feedback elements that are sent; without_sequences: for other ends that do "
        "not know block sequences, at the cost of longer feedback. All types are understood");
}

/// Visitor of air_config.h that declares groups of keys.
struct DeclareGroups {
    Schema& schema;
    const std::string& prefix;
    void group(const char* key, const char* help, auto& fields) {
        schema.group(prefix + key, help);
        Declare declare(schema, prefix + key + ".");
        visit(declare, fields);
    }
};

/// Visitor of config_fields.h for keys of a profile; remembers given keys.
class DeclareProfile {
public:
    using Given = std::set<std::string>;
    DeclareProfile(Schema& schema, std::string prefix) : schema_(schema), prefix_(std::move(prefix)) {}

    template <config::Number T>
    void operator()(const std::string& key, T& value, mac::Limits limits, const char* unit, const char* help) {
        const config::Range range{limits.low, limits.high};
        schema_.value(
            prefix_ + key,
            [&value, given = given_, key, range](std::string_view text) {
                given->insert(key);
                return config::parse_number(text, range, value);
            },
            [&value] { return config::print_number(value); },
            config::describe(range, static_cast<double>(std::numeric_limits<T>::lowest()),
                             static_cast<double>(std::numeric_limits<T>::max()), std::is_integral_v<T>),
            unit, help);
    }
    void operator()(const std::string& key, bool& value, const char* help) {
        schema_.value(
            prefix_ + key,
            [&value, given = given_, key](std::string_view text) {
                given->insert(key);
                value = text == "true";
                return value || text == "false";
            },
            [&value] { return std::string(value ? "true" : "false"); }, "true, false", "", help);
    }
    std::shared_ptr<const Given> given() const { return given_; }

private:
    Schema& schema_;
    const std::string prefix_;
    const std::shared_ptr<Given> given_ = std::make_shared<Given>();
};

/// Visitors of config_fields.h: read the values of a profile by key, and put some of them into another.
struct ReadValues {
    std::map<std::string, double> values;
    void operator()(const std::string& key, auto& value, mac::Limits, const char*, const char*) {
        values[key] = static_cast<double>(value);
    }
    void operator()(const std::string& key, bool& value, const char*) { values[key] = value ? 1 : 0; }
};
struct WriteValues {
    const std::map<std::string, double>& values;
    const DeclareProfile::Given& which;
    void operator()(const std::string& key, auto& value, mac::Limits, const char*, const char*) {
        if (which.contains(key)) value = static_cast<std::remove_reference_t<decltype(value)>>(values.at(key));
    }
    void operator()(const std::string& key, bool& value, const char*) {
        if (which.contains(key)) value = values.at(key) != 0;
    }
};

std::string group_of(const std::string& prefix) { return prefix.substr(0, prefix.size() - 1); }

void declare_profile(Schema& s, mac::BaseStationConfig& c, const std::string& k) {
    using Profile = mac::BaseStationProfile;
    Profile& p = c.profile;
    s.group(group_of(k),
            "Profile of the base station: intervals of overhead, contention, thresholds of burst profiles");
    s.choice(k + "name", p.name, {"Lab", "Default", "Speedy"},
             "named profile with the values of all keys that are not given here. Lab: little overhead, grants without "
             "requests; Default: DCD, UCD, DL-MAP and a ranging region in every frame, two request opportunities; "
             "Speedy: descriptors in every second frame, a ranging region in every fifth, one opportunity. Default and "
             "Speedy grant only on request and keep regions at one place");
    DeclareProfile fields(s, k);
    visit(fields, p);
    s.renamed(k + "request_opportunities", k + "request_symbols (two symbols an opportunity)");
    Declare thresholds(s, k);
    visit_thresholds(thresholds, p);
    s.check([&c, given = fields.given()](config::LocatedFaults&) {
        const auto frame_us = static_cast<uint32_t>(mac::phy::kFrameDurationUs[c.frame_duration_code]);
        auto resolved = Profile::named(c.profile.name, frame_us).value_or(Profile{});
        ReadValues written;
        visit(written, c.profile);
        WriteValues given_ones{written.values, *given};
        visit(given_ones, resolved);
        resolved.exit_db = c.profile.exit_db;
        resolved.entry_db = c.profile.entry_db;
        c.profile = resolved;
    });
}

}  // namespace

void declare_classifier(Schema& s, mac::ClassifierConfig& c) {
    s.number("priority", c.priority, {}, "", "priority of the rule; rules of higher priority are tried first");
    s.number("phsi", c.phsi, {}, "", "number of the flow's header suppression rule for these packets; 0: none");
    s.list(
        "protocols", c.protocols, [](Schema& i, uint8_t& v) { i.number("", v, {}, "", "IP protocol number"); },
        "IP protocols, any of which matches");
    const auto address = [](Schema& i, mac::AddressMask& v) { network(i, "", v, "address"); };
    s.list("source", c.source, address, "source addresses or subnets; for flows of Ethernet, MAC addresses");
    s.list("destination", c.destination, address,
           "destination addresses or subnets; for flows of Ethernet, MAC addresses");
    s.number("ethertype", c.ethertype, {}, "", "for flows of Ethernet: Ethertype, after the tag of a tagged frame");
    s.number("vlan_id", c.vlan_id, {0, 4095}, "", "for flows of Ethernet: VLAN of tagged frames");
    s.value(
        "user_priority",
        [&c](std::string_view text) {
            c.user_priority.reset();
            if (text == "null") return true;
            const size_t dash = text.find('-');
            mac::PriorityRange range;
            if (dash == std::string_view::npos || !config::parse_number(text.substr(0, dash), {0, 7}, range.low) ||
                !config::parse_number(text.substr(dash + 1), {0, 7}, range.high))
                return false;
            c.user_priority = range;
            return true;
        },
        [&c]() -> std::string {
            if (!c.user_priority) return "null";
            return std::to_string(c.user_priority->low) + "-" + std::to_string(c.user_priority->high);
        },
        "LOW-HIGH, each 0..7, or null", "", "for flows of Ethernet: priority of tagged frames");
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

namespace {

bool parse_octets(std::string_view text, std::vector<uint8_t>& octets) {
    octets.clear();
    if (text.size() % 2 != 0) return false;
    for (size_t i = 0; i < text.size(); i += 2) {
        uint8_t octet = 0;
        const auto end = text.data() + i + 2;
        if (std::from_chars(text.data() + i, end, octet, 16).ptr != end) return false;
        octets.push_back(octet);
    }
    return true;
}

std::string print_octets(const std::vector<uint8_t>& octets) {
    std::string text;
    for (const uint8_t octet : octets) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", octet);
        text += two;
    }
    return config::quote(text);
}

void declare_header_rule(Schema& s, mac::HeaderRule& r) {
    constexpr const char* kReadyMade = "ipv4_udp";
    s.number("phsi", r.phsi, {1, 255}, "", "number of the rule, which classifier rules refer to").required();
    s.value(
         "phsf",
         [&r](std::string_view text) {
             r.ipv4_udp = text == kReadyMade;
             if (r.ipv4_udp) r.field.clear();
             return r.ipv4_udp || parse_octets(text, r.field);
         },
         [&r] { return r.ipv4_udp ? kReadyMade : print_octets(r.field); }, "ipv4_udp, or octets as hexadecimal digits",
         "", "header of the packets; ipv4_udp: header of IPv4 and UDP, from the fields of the classifier rule")
        .required();
    s.value(
        "phsm", [&r](std::string_view text) { return parse_octets(text, r.mask); },
        [&r] { return print_octets(r.mask); }, "octets as hexadecimal digits, or empty", "",
        "bit mask of the bytes to suppress, highest bit first; empty: all");
    s.flag("phsv", r.verify,
           "check each header, and send packets with another header unchanged; false: headers are not checked");
}

}  // namespace

void declare_flow(Schema& s, mac::ServiceFlowConfig& f) {
    s.choice<mac::FlowDirection>("direction", f.direction,
                                 {{"downlink", mac::FlowDirection::downlink}, {"uplink", mac::FlowDirection::uplink}},
                                 "direction of the flow");
    s.choice<mac::SchedulingType>("scheduling", f.scheduling,
                                  {{"best_effort", mac::SchedulingType::best_effort},
                                   {"nrtps", mac::SchedulingType::nrtps},
                                   {"rtps", mac::SchedulingType::rtps},
                                   {"ertps", mac::SchedulingType::ertps},
                                   {"ugs", mac::SchedulingType::ugs}},
                                  "scheduling service of the flow");
    s.choice<mac::ConvergenceSublayer>("cs", f.cs,
                                       {{"ipv4", mac::ConvergenceSublayer::ipv4},
                                        {"ipv6", mac::ConvergenceSublayer::ipv6},
                                        {"ethernet", mac::ConvergenceSublayer::ethernet},
                                        {"vlan", mac::ConvergenceSublayer::vlan}},
                                       "convergence sublayer: packets that the flow carries. ethernet and vlan need "
                                       "tun.kind ethernet; vlan carries only tagged frames");
    s.choice<mac::FlowAssociation>("security_association", f.security_association,
                                   {{"primary", mac::FlowAssociation::primary},
                                    {"own", mac::FlowAssociation::own},
                                    {"none", mac::FlowAssociation::none}},
                                   "security association, if the station has privacy: primary, the station's; own, "
                                   "with keys for this flow; none, no encryption");
    s.list("phs", f.phs, declare_header_rule,
           "header suppression rules; with any rule the flow has header suppression until it is deleted", 0,
           mac::kMostHeaderRules);
    Declare fields(s);
    visit(fields, f);
}

void declare_station(Schema& s, const std::string& prefix, mac::StationConfig& st) {
    s.value(
        prefix + "dl_stc",
        [&st](std::string_view text) {
            st.dl_stc.reset();
            if (text != "null") st.dl_stc = text == "true";
            return text == "true" || text == "false" || text == "null";
        },
        [&st] {
            return std::string(!st.dl_stc ? "null" : *st.dl_stc ? "true" : "false");
        },
        "true, false, null", "", "send downlink bursts in the STC zone; null: as bs.stc decides");
    Declare fields(s, prefix);
    visit(fields, st);
    s.list(
        prefix + "ip_addresses", st.ip_addresses, [](Schema& i, mac::AddressMask& v) { network(i, "", v, "address"); },
        "addresses and subnets behind the station; empty: all that no other station claims");
}

void declare_base_station(Schema& s, mac::BaseStationConfig& c, const KeyPlace& place, const std::string& profile) {
    const std::string& k = place.prefix;
    s.group(group_of(k), "Base station; used if role is bs");
    if (place.has("cp"))
        s.choice<uint8_t>(k + "cp", c.cp_denominator, {{"1/4", 4}, {"1/8", 8}, {"1/16", 16}, {"1/32", 32}},
                          "cyclic prefix");
    if (place.has("frame_duration_s"))
        s.choice<uint8_t>(
             k + "frame_duration_s", c.frame_duration_code,
             {{"0.0025", 0}, {"0.004", 1}, {"0.005", 2}, {"0.008", 3}, {"0.01", 4}, {"0.0125", 5}, {"0.02", 6}},
             "frame duration")
            .unit("s");
    bsid(s, k + "bsid", c.bsid, "base station identifier");
    s.choice<mac::MapRelevance>(
        k + "map_relevance", c.map_relevance,
        {{"automatic", mac::MapRelevance::automatic},
         {"same_frame", mac::MapRelevance::same_frame},
         {"next_frame", mac::MapRelevance::next_frame}},
        "frame whose uplink a UL-MAP describes; automatic: the same frame if stations then have 1 ms to prepare");
    declare_feedback(s, k + "arq_feedback", c.arq_feedback);
    auto& files = c.policy_files;
    declare_scheduler(s, k + "dl_scheduler", c.dl_scheduler, files[mac::PolicyRole::downlink]);
    declare_scheduler(s, k + "ul_scheduler", c.ul_scheduler, files[mac::PolicyRole::uplink]);
    declare_admission(s, k + "admission", files[mac::PolicyRole::admission]);
    declare_queue_management(s, k + "queue_management", files[mac::PolicyRole::queue_management]);
    declare_classifier(s, k + "classifier", files[mac::PolicyRole::classifier]);
    if (place.has("policy_limit_us"))
        declare_policy_limit(s, k + "policy_limit_us", c.policy_limit_us,
                             "; with half-duplex stations, which cause up to three uplink calls per frame, less than a "
                             "quarter");
    Declare fields(s, place);
    visit(fields, c);
    declare_profile(s, c, profile);
    if (profile != k) s.renamed(k + "broadcast_rate_id", profile + "broadcast_rate_id");
    s.group(k + "adaptation", "Adaptation of rates to the CINR, for rates that are not fixed");
    declare_rate_policy(s, k + "adaptation.policy", c.adaptation.policy,
                        c.policy_files[mac::PolicyRole::link_adaptation]);
    Declare adaptation(s, k + "adaptation.");
    visit(adaptation, c.adaptation);
    DeclareGroups groups{s, k};
    visit_means(groups, c);
}

void declare_subscriber(Schema& s, mac::SubscriberConfig& c, const KeyPlace& place) {
    const std::string& k = place.prefix;
    s.group(group_of(k), "Subscriber station; used if role is ss");
    if (place.has("mac")) mac_address(s, k + "mac", c.mac, "MAC address of the station");
    if (place.has("scan_frequencies_hz"))
        s.list(
            k + "scan_frequencies_hz", c.scan_frequencies_hz,
            [](Schema& i, uint64_t& hz) {
                i.number("", hz, {sap::kMinFrequencyHz, sap::kMaxFrequencyHz}, "Hz", "carrier");
            },
            "channels in addition to air.frequency_hz, searched in this order if the station cannot enter", 0,
            mac::kMostScanChannels);
    declare_feedback(s, k + "arq_feedback", c.arq_feedback);
    declare_queue_management(s, k + "queue_management", c.policy_files[mac::PolicyRole::queue_management]);
    declare_classifier(s, k + "classifier", c.policy_files[mac::PolicyRole::classifier]);
    if (place.has("policy_limit_us")) declare_policy_limit(s, k + "policy_limit_us", c.policy_limit_us, "");
    if (place.has("bsid")) bsid(s, k + "bsid", c.bsid, "enter only the network of this base station; null: any");
    Declare fields(s, place);
    visit(fields, c);
    declare_rate_policy(s, k + "adaptation.policy", c.adaptation.policy,
                        c.policy_files[mac::PolicyRole::link_adaptation]);
    Declare adaptation(s, k + "adaptation.");
    visit_adaptation(adaptation, c.adaptation);
}

std::string file_key(const std::string& section, const std::string& member) {
    if (member == "bandwidth_hz" || member == "frequency_hz" || member == "duplex_spacing_hz" ||
        member == "tx_gain_db" || member == "rx_gain_db" || member == "edition")
        return "air." + member;
    if (member.starts_with("privacy.") || member.starts_with("managed.")) return member;
    if (member == "cp_denominator") return "bs.cp";
    if (member == "frame_duration_code") return "bs.frame_duration_s";
    return section + "." + member;
}

}  // namespace wimax::macd
