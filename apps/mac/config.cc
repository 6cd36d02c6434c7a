/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/bs/broadcasts.h>
#include <mac/config.h>
#include <mac/config_fields.h>
#include <mac/frame_layout.h>

#include <cstdio>

namespace wimax::mac {
namespace {

/// UL-MAP with request and ranging region, one grant and the end.
constexpr size_t kSmallUlMapOctets = 17 + 6 * 4;
constexpr Limits kBsids{0, double(sap::kMaxBsid)};

std::string written(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", value);
    return text;
}

/// Visitor of config_fields.h: a fault for each number out of its range.
class Check {
public:
    explicit Check(std::vector<std::string>& faults, std::string prefix = "")
        : faults_(faults), prefix_(std::move(prefix)) {}

    template <class T>
    void operator()(const std::string& key, const T& value, Limits limits, const char* = "", const char* = "") {
        const auto number = static_cast<double>(value);
        if (number >= limits.low && number <= limits.high) return;
        add(key, written(number) + ", allowed " + written(limits.low) + ".." + written(limits.high));
    }
    template <class T>
    void operator()(const std::string& key, const std::optional<T>& value, Limits limits, const char* = "",
                    const char* = "") {
        if (value) (*this)(key, *value, limits);
    }
    void operator()(const std::string&, const bool&, const char*) {}
    template <class T, size_t N>
    void each(const std::string& key, const std::array<T, N>& values, Limits limits, const char*, const char*) {
        for (size_t i = 0; i < N; ++i) (*this)(key + "[" + std::to_string(i) + "]", values[i], limits);
    }
    void add(const std::string& key, const std::string& text) { faults_.push_back(prefix_ + key + ": " + text); }

private:
    std::vector<std::string>& faults_;
    const std::string prefix_;
};

void check_flow(Check check, const ServiceFlowConfig& flow) {
    visit(check, flow);
    check("name (length)", flow.name.size(), {0, kMaxFlowName});
    if (flow.scheduling == SchedulingType::ugs && flow.max_sustained_rate_bps == 0)
        check.add("max_sustained_rate_bps", "0, a UGS flow needs its rate");
    if (flow.max_sustained_rate_bps != 0 && flow.min_reserved_rate_bps > flow.max_sustained_rate_bps)
        check.add("min_reserved_rate_bps",
                  std::to_string(flow.min_reserved_rate_bps) + ", at most max_sustained_rate_bps");
}

void check_station(std::vector<std::string>& faults, const std::string& prefix, const StationConfig& station) {
    Check check(faults, prefix);
    visit(check, station);
    check("flows (number)", station.flows.size(), {0, kMaxStationFlows});
    bool up = station.flows.empty(), down = station.flows.empty();
    for (size_t i = 0; i < station.flows.size(); ++i) {
        check_flow(Check(faults, prefix + "flows[" + std::to_string(i) + "]."), station.flows[i]);
        (station.flows[i].direction == FlowDirection::uplink ? up : down) = true;
    }
    if (!up || !down) check.add("flows", "needs at least one downlink and one uplink flow");
}

void check_profile(Check check, const BaseStationProfile& profile) {
    visit(check, profile);
    visit_thresholds(check, profile);
    check("ranging_backoff_end", profile.ranging_backoff_end, {double(profile.ranging_backoff_start), 15});
    check("request_backoff_end", profile.request_backoff_end, {double(profile.request_backoff_start), 15});
}

}  // namespace

std::optional<BaseStationProfile> BaseStationProfile::named(const std::string& name, uint32_t frame_us) {
    BaseStationProfile profile;
    profile.name = name;
    if (name == "Lab") return profile;
    if (name != "Default" && name != "Speedy") return std::nullopt;
    profile.dcd_interval_ms = profile.ucd_interval_ms = profile.dl_map_interval_ms = profile.ranging_interval_ms = 0;
    profile.request_opportunities = 2;  // five contention symbols, an opportunity has two
    profile.spare_ranging = false;
    profile.unasked_symbols = 0;
    profile.grant_spare = false;
    if (name == "Speedy") {
        const auto frames_in_ms = [frame_us](uint32_t frames) { return (frames * frame_us + 999) / 1000; };
        profile.dcd_interval_ms = profile.ucd_interval_ms = frames_in_ms(2);
        profile.ranging_interval_ms = frames_in_ms(5);
        profile.request_opportunities = 1;
    }
    return profile;
}

std::vector<std::string> validate(const BaseStationConfig& config) {
    std::vector<std::string> out;
    Check check(out);
    visit_air(check, config);
    visit(check, config);
    check("bsid", config.bsid, kBsids);
    check_profile(Check(out, "profile."), config.profile);
    for (size_t i = 0; i < config.stations.size(); ++i)
        check_station(out, "stations[" + std::to_string(i) + "].", config.stations[i]);
    if (config.unknown_station) check_station(out, "unknown_station.", *config.unknown_station);
    const auto layout = FrameLayout::make(config, out);
    if (layout && config.broadcast_rate_id < phy::kRates) {
        // A cell whose descriptors never fit would be on the air, and nobody could enter.
        const size_t room = bytes_in(config.broadcast_rate_id, layout->max_broadcast_symbols);
        const size_t needed = kSmallUlMapOctets + Broadcasts(config, *layout).most_octets();
        if (needed > room)
            check.add("broadcast_rate_id", std::to_string(config.broadcast_rate_id) + ", with which burst #1 holds " +
                                               std::to_string(room) + " octets; maps and descriptors of a frame need " +
                                               std::to_string(needed) +
                                               ": a higher rate, a longer frame or another profile");
    }
    if (layout) {
        // Both regions must fit in a frame that has both; a frame without a ranging region must have room for a burst.
        constexpr uint32_t kShortestBurst = 3;
        const uint32_t requests = 2 * config.profile.request_opportunities;
        const uint32_t regions = requests + std::max(config.profile.ranging_symbols, kShortestBurst);
        if (regions > layout->ul_symbols)
            check.add("profile.request_opportunities", "request and ranging regions of " + std::to_string(regions) +
                                                           " symbols, allowed at most the uplink's " +
                                                           std::to_string(layout->ul_symbols));
    }
    return out;
}

std::vector<std::string> validate(const SubscriberConfig& config) {
    std::vector<std::string> out;
    Check check(out);
    visit_air(check, config);
    visit(check, config);
    check("bsid", config.bsid, kBsids);
    if (config.mac[0] & 1) check.add("mac", "a group address, allowed are individual ones (first octet even)");
    return out;
}

}  // namespace wimax::mac
