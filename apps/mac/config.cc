/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/bs/broadcasts.h>
#include <mac/config.h>
#include <mac/frame_layout.h>

#include <cstdio>

namespace wimax::mac {
namespace {

/// UL-MAP with request and ranging region, one grant and the end.
constexpr size_t kSmallUlMapOctets = 17 + 6 * 4;

class Faults {
public:
    explicit Faults(std::vector<std::string>& out) : out_(out) {}
    template <class T>
    void range(const std::string& key, T value, T low, T high) {
        if (value >= low && value <= high) return;
        out_.push_back(key + ": " + number(value) + ", allowed " + number(low) + ".." + number(high));
    }
    void rate(const std::string& key, const std::optional<uint8_t>& value) {
        if (value) range<int>(key, *value, 0, phy::kRates - 1);
    }
    void add(const std::string& text) { out_.push_back(text); }

private:
    template <class T>
    static std::string number(T value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.12g", static_cast<double>(value));
        return text;
    }
    std::vector<std::string>& out_;
};

void check_flow(Faults& faults, const std::string& key, const ServiceFlowConfig& flow) {
    faults.range<size_t>(key + "name (length)", flow.name.size(), 0, 126);
    faults.range<int>(key + "traffic_priority", flow.traffic_priority, 0, 7);
    faults.range<uint32_t>(key + "queue_limit_bytes", flow.queue_limit_bytes, 3000, 100'000'000);
    if (flow.scheduling == SchedulingType::ugs && flow.max_sustained_rate_bps == 0)
        faults.add(key + "max_sustained_rate_bps: 0, a UGS flow needs its rate");
    if (flow.max_sustained_rate_bps != 0 && flow.min_reserved_rate_bps > flow.max_sustained_rate_bps)
        faults.add(key + "min_reserved_rate_bps: " + std::to_string(flow.min_reserved_rate_bps) +
                   ", at most max_sustained_rate_bps");
    faults.range<uint32_t>(key + "grant_interval_us", flow.grant_interval_us, 0, 10'000'000);
}

void check_station(Faults& faults, const std::string& key, const StationConfig& station) {
    faults.rate(key + "dl_rate_id", station.dl_rate_id);
    faults.rate(key + "ul_rate_id", station.ul_rate_id);
    faults.range<uint32_t>(key + "weight", station.weight, 1, 100);
    faults.range<size_t>(key + "flows (number)", station.flows.size(), 0, 32);
    bool up = station.flows.empty(), down = station.flows.empty();
    for (size_t i = 0; i < station.flows.size(); ++i) {
        check_flow(faults, key + "flows[" + std::to_string(i) + "].", station.flows[i]);
        (station.flows[i].direction == FlowDirection::uplink ? up : down) = true;
    }
    if (!up || !down) faults.add(key + "flows: needs at least one downlink and one uplink flow");
}

void check_profile(Faults& faults, const BaseStationProfile& profile) {
    faults.range<uint32_t>("profile.dcd_interval_ms", profile.dcd_interval_ms, 0, 10'000);
    faults.range<uint32_t>("profile.ucd_interval_ms", profile.ucd_interval_ms, 0, 10'000);
    faults.range<uint32_t>("profile.dl_map_interval_ms", profile.dl_map_interval_ms, 0, 500);
    faults.range<uint32_t>("profile.ranging_interval_ms", profile.ranging_interval_ms, 0, 2000);
    faults.range<uint32_t>("profile.ranging_symbols", profile.ranging_symbols, 5, 40);
    faults.range<uint32_t>("profile.request_opportunities", profile.request_opportunities, 0, 64);
    faults.range<int>("profile.ranging_backoff_end", profile.ranging_backoff_end, profile.ranging_backoff_start, 15);
    faults.range<int>("profile.request_backoff_end", profile.request_backoff_end, profile.request_backoff_start, 15);
    faults.range<int>("profile.reservation_timeout", profile.reservation_timeout, 1, 255);
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
    Faults faults(out);
    faults.rate("broadcast_rate_id", config.broadcast_rate_id);
    faults.rate("dl_rate_id", config.dl_rate_id);
    faults.rate("ul_rate_id", config.ul_rate_id);
    faults.rate("ul_lowest_rate_id", config.ul_lowest_rate_id);
    faults.range<double>("dl_share", config.dl_share, 0.1, 0.9);
    faults.range<uint64_t>("bsid", config.bsid, 0, (uint64_t{1} << 48) - 1);
    faults.range<uint32_t>("first_frame_number", config.first_frame_number, 0, 0xFFFFFF);
    faults.range<float>("target_rssi_dbm", config.target_rssi_dbm, -120.0F, 30.0F);
    faults.range<float>("power_tolerance_db", config.power_tolerance_db, 0.25F, 10.0F);
    faults.range<float>("frequency_tolerance", config.frequency_tolerance, 0.001F, 0.1F);
    faults.range<float>("timing_tolerance_cp", config.timing_tolerance_cp, 0.01F, 0.5F);
    faults.range<uint32_t>("max_stations", config.max_stations, 1, 320);
    faults.range<uint32_t>("sdu_buffers", config.sdu_buffers, 64, 100'000);
    faults.range<float>("codel_target_frames", config.codel_target_frames, 1.0F, 100.0F);
    faults.range<uint32_t>("codel_interval_ms", config.codel_interval_ms, 10, 10'000);
    check_profile(faults, config.profile);
    for (size_t i = 0; i < config.stations.size(); ++i)
        check_station(faults, "stations[" + std::to_string(i) + "].", config.stations[i]);
    if (config.unknown_station) check_station(faults, "unknown_station.", *config.unknown_station);
    const auto layout = FrameLayout::make(config, out);
    if (layout && config.broadcast_rate_id < phy::kRates) {
        // A cell whose descriptors never fit would be on the air, and nobody could enter.
        const size_t room = bytes_in(config.broadcast_rate_id, layout->max_broadcast_symbols);
        const size_t needed = kSmallUlMapOctets + Broadcasts(config, *layout).most_octets();
        if (needed > room)
            faults.add("broadcast_rate_id: " + std::to_string(config.broadcast_rate_id) +
                       ", with which burst #1 holds " + std::to_string(room) +
                       " octets; maps and descriptors of a frame need " + std::to_string(needed) +
                       ": a higher rate, a longer frame or another profile");
    }
    if (layout) {
        // Both regions must fit in a frame that has both; a frame without a ranging region must have room for a burst.
        constexpr uint32_t kShortestBurst = 3;
        const uint32_t requests = 2 * config.profile.request_opportunities;
        const uint32_t regions = requests + std::max(config.profile.ranging_symbols, kShortestBurst);
        if (regions > layout->ul_symbols)
            faults.add("profile.request_opportunities: request and ranging regions of " + std::to_string(regions) +
                       " symbols, allowed at most the uplink's " + std::to_string(layout->ul_symbols));
    }
    return out;
}

std::vector<std::string> validate(const SubscriberConfig& config) {
    std::vector<std::string> out;
    Faults faults(out);
    if (!phy::Numerology::make(config.bandwidth_hz, phy::CyclicPrefix::g1_8))
        faults.range<uint32_t>("bandwidth_hz", config.bandwidth_hz, 1'250'000, 28'000'000);
    if (config.bsid) faults.range<uint64_t>("bsid", *config.bsid, 0, (uint64_t{1} << 48) - 1);
    faults.range<uint32_t>("sdu_buffers", config.sdu_buffers, 64, 100'000);
    faults.range<uint32_t>("queue_limit_bytes", config.queue_limit_bytes, 3000, 100'000'000);
    faults.range<float>("first_power_backoff_db", config.first_power_backoff_db, 0.0F, 40.0F);
    faults.range<float>("ranging_power_step_db", config.ranging_power_step_db, 0.0F, 10.0F);
    faults.range<float>("codel_target_frames", config.codel_target_frames, 1.0F, 100.0F);
    faults.range<uint32_t>("codel_interval_ms", config.codel_interval_ms, 10, 10'000);
    if (config.mac[0] & 1) faults.add("mac: a group address, allowed are individual ones (first octet even)");
    return out;
}

}  // namespace wimax::mac
