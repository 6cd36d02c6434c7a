/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/bs/broadcasts.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr int64_t kQuickMs = 1000, kQuickIntervalMs = 50;
constexpr uint8_t kMacVersion = 4;  // IEEE 802.16-2004

uint8_t quarter_db(float db) { return static_cast<uint8_t>(std::clamp(std::lround(db * 4), 0L, 255L)); }

MacAddress bsid_octets(uint64_t bsid) {
    MacAddress octets{};
    for (size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<uint8_t>(bsid >> (40 - 8 * i));
    return octets;
}

}  // namespace

Broadcasts::Broadcasts(const BaseStationConfig& config, const FrameLayout& layout)
    : layout_(layout),
      dcd_interval_(interval(config.profile.dcd_interval_ms)),
      ucd_interval_(interval(config.profile.ucd_interval_ms)),
      dl_map_interval_(interval(config.profile.dl_map_interval_ms)) {
    const auto khz = static_cast<uint32_t>(config.frequency_hz / 1000);
    dcd_.change_count = ucd_.change_count = 1;
    dcd_.rss_ir_max_dbm = static_cast<int16_t>(std::lround(config.target_rssi_dbm));
    dcd_.ttg_ps = static_cast<uint16_t>(std::min<uint32_t>(255, layout.ttg_slots));
    dcd_.rtg_ps = static_cast<uint8_t>(std::min<uint32_t>(255, layout.rtg_slots));
    dcd_.frequency_khz = ucd_.frequency_khz = khz;
    dcd_.bs_id = bsid_octets(config.bsid);
    dcd_.frame_duration_code = layout.frame_code;
    dcd_.mac_version = kMacVersion;
    const auto& profile = config.profile;
    for (uint8_t rate = 0; rate < phy::kRates; ++rate) {
        DownlinkProfile down;
        down.diuc = diuc_of(rate);
        down.fec = rate;
        down.exit_threshold = quarter_db(profile.exit_db[rate]);
        down.entry_threshold = quarter_db(profile.entry_db[rate]);
        dcd_.profiles.push_back(down);
        UplinkProfile up;
        up.uiuc = uiuc_of(rate);
        up.fec = rate;
        ucd_.profiles.push_back(up);
    }
    ucd_.ranging_backoff = {profile.ranging_backoff_start, profile.ranging_backoff_end};
    ucd_.request_backoff = {profile.request_backoff_start, profile.request_backoff_end};
    ucd_.reservation_timeout_maps = profile.reservation_timeout;
    ucd_.request_opportunity_ps = static_cast<uint16_t>(2 * layout.symbol_slots);
    ucd_.ranging_opportunity_ps = static_cast<uint16_t>(profile.ranging_symbols * layout.symbol_slots);
}

Samples Broadcasts::interval(uint32_t ms) const {
    // One frame less, because the turn of the other descriptor may delay one by a frame.
    return std::max<Samples>(0, layout_.samples_from_ms(ms) - layout_.frame_samples() - layout_.frame_samples() / 2);
}

void Broadcasts::restart(Samples now, float eirp_dbm) {
    dcd_.bs_eirp_dbm = static_cast<int16_t>(std::lround(eirp_dbm));
    next_dcd_ = next_ucd_ = next_dl_map_ = INT64_MIN;
    quick_until_ = now + layout_.samples_from_ms(kQuickMs);
}

void Broadcasts::choose(Samples now, bool& dcd, bool& ucd) {
    const Samples quick = now < quick_until_ ? layout_.samples_from_ms(kQuickIntervalMs) : INT64_MAX;
    const bool together = dcd_interval_ == 0 && ucd_interval_ == 0;
    dcd = now >= next_dcd_;
    ucd = now >= next_ucd_ && (!dcd || together);
    if (dcd) next_dcd_ = now + std::min(dcd_interval_, quick);
    if (ucd) next_ucd_ = now + std::min(ucd_interval_, quick);
}

const Dcd& Broadcasts::dcd(uint32_t frame_number) {
    dcd_.frame_number = frame_number;
    return dcd_;
}

}  // namespace wimax::mac
