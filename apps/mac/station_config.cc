// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/station_config.h"
#include "mac/config_check.h"

#include <algorithm>

namespace wimax::mac {

std::optional<BaseStationProfile> BaseStationProfile::named(const std::string& name, uint32_t frame_us) {
    BaseStationProfile profile;
    profile.name = name;
    if (name == "Lab") return profile;
    if (name != "Default" && name != "Speedy") return std::nullopt;
    profile.dcd_interval_ms = profile.ucd_interval_ms = profile.dl_map_interval_ms = profile.ranging_interval_ms = 0;
    // Their descriptors in every other frame instead of every frame left 9.7 symbols of 100 to IP: 233 octets per
    // frame, the size of DCD and UCD of seven burst profiles, if they were sent at BPSK 1/2.
    profile.broadcast_rate_id = 0;
    profile.request_symbols = 5;
    profile.spare_ranging = false;
    profile.unasked_symbols = 0;
    profile.grant_spare = false;
    profile.turn_regions = false;  // delays by request varied by 0.3 ms there
    profile.scale = false;
    if (name == "Speedy") {
        const auto frames_in_ms = [frame_us](uint32_t frames) { return (frames * frame_us + 999) / 1000; };
        profile.dcd_interval_ms = profile.ucd_interval_ms = frames_in_ms(2);
        profile.ranging_interval_ms = frames_in_ms(5);
        profile.request_symbols = 2;
    }
    return profile;
}

RateLimits rate_limits(const BaseStationConfig& config, const StationConfig& station) {
    const uint8_t down = station.dl_rate_id.value_or(config.dl_rate_id);
    const uint8_t up = station.ul_rate_id.value_or(config.ul_rate_id);
    const auto lowest = [](std::optional<uint8_t> own, std::optional<uint8_t> others, uint8_t highest) {
        return profile_in_row(std::min(own ? *own : others.value_or(highest), highest));
    };
    RateLimits limits;
    limits.dl_highest = profile_in_row(down);
    limits.ul_highest = profile_in_row(up);
    limits.dl_lowest = lowest(station.dl_lowest_rate_id, config.dl_lowest_rate_id, down);
    limits.ul_lowest = lowest(station.ul_lowest_rate_id, config.ul_lowest_rate_id, up);
    return limits;
}

Faults validate(const SubscriberConfig& config) {
    Faults out;
    Check check(out);
    visit_air(check, config);
    check_spacing(check, config.carriers, config.bandwidth_hz);
    visit(check, config);
    Check adaptation(out, "adaptation.");
    visit_adaptation(adaptation, config.adaptation);
    check("bsid", config.bsid, kBsids);
    check("scan_frequencies_hz (number)", config.scan_frequencies_hz.size(), {0, kMostScanChannels});
    for (size_t i = 0; i < config.scan_frequencies_hz.size(); ++i)
        check("scan_frequencies_hz[" + std::to_string(i) + "]", config.scan_frequencies_hz[i],
              {sap::kMinFrequencyHz, sap::kMaxFrequencyHz});
    if (config.privacy.policy != PrivacyPolicy::off && !config.privacy.credentials)
        check.add("privacy.certificate", "(none)", "a certificate and its private key, or privacy.policy off");
    Check managed(out, "managed.");
    visit(managed, config.managed);
    if (config.managed.offered && config.managed.needs_file && config.managed.file_key.empty())
        managed.add("file_key", "(none)", "a key for configuration files, or managed.needs_file: false");
    if (config.managed.longest_wait_ms < config.managed.first_wait_ms)
        managed.add("longest_wait_ms", written(config.managed.longest_wait_ms), "at least managed.first_wait_ms");
    if (config.managed.offered && config.managed.needs_file && !config.managed.needs_address)
        managed.add("needs_address", "false", "true with managed.needs_file: the file needs an address");
    check_mac(check, config.mac);
    return out;
}

}  // namespace wimax::mac
