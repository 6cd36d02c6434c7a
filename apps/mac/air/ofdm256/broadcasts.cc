// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/broadcasts.h"

#include "mac/pdu/cid.h"
#include "mac/pdu/pdu.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr int64_t kQuickMs = 1000, kQuickIntervalMs = 50;
constexpr int64_t kLongIntervalFrames = 4;
// Announcements of a change: a station that misses two of them receives the third. Frames that earlier UL-MAPs
// described end before the change takes effect (UCD and DCD transition interval: at least two frames).
constexpr int kAnnouncements = 3;
constexpr int64_t kAnnouncementFrames = 2, kTransitionFrames = 4;
constexpr size_t kSmallDlMapOctets = kHeaderOctets + kCrcOctets + 8 + 4 * 3;  // two bursts and the end

template <class Message> size_t pdu_octets(const Message& message) {
    Buffer octets;
    PduWriter(octets, kMaxPduOctets).message(cid::kBroadcast, message);
    return octets.size();
}

uint8_t quarter_db(float db) { return static_cast<uint8_t>(std::clamp(std::lround(db * 4), 0L, 255L)); }

MacAddress bsid_octets(uint64_t bsid) {
    MacAddress octets{};
    for (size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<uint8_t>(bsid >> (40 - 8 * i));
    return octets;
}

}  // namespace

Broadcasts::Broadcasts(const BaseStationConfig& config, const FrameLayout& layout)
    : layout_(layout),
      margin_db_(config.adaptation.margin_db),
      dcd_interval_(interval(config.profile.dcd_interval_ms)),
      ucd_interval_(interval(config.profile.ucd_interval_ms)),
      dl_map_interval_(interval(config.profile.dl_map_interval_ms)) {
    dcd_.change_count = ucd_.change_count = 1;
    dcd_.rss_ir_max_dbm = static_cast<int16_t>(std::lround(config.target_rssi_dbm));
    if (const auto turns = layout.duplex->turns()) {
        dcd_.ttg_ps = static_cast<uint16_t>(std::min<uint32_t>(255, turns->ttg));
        dcd_.rtg_ps = static_cast<uint8_t>(std::min<uint32_t>(255, turns->rtg));
    }
    dcd_.frequency_khz = static_cast<uint32_t>(config.carriers.downlink_hz / 1000);
    ucd_.frequency_khz = static_cast<uint32_t>(config.carriers.uplink_hz() / 1000);
    dcd_.bs_id = bsid_octets(config.bsid);
    dcd_.frame_duration_code = layout.frame_code;
    dcd_.mac_version = mac_version(config.edition);
    const auto& profile = config.profile;
    for (size_t row = 0; row < kRateCount; ++row) {
        const ProfileId id = profile_in_row(row);
        DownlinkProfile down;
        down.diuc = diuc_of(id);
        down.fec = fec_code_of(id);
        dcd_.profiles.push_back(down);
        UplinkProfile up;
        up.uiuc = uiuc_of(id);
        up.fec = fec_code_of(id);
        ucd_.profiles.push_back(up);
    }
    put(descriptor_values(profile, margin_db_));
    thresholds_ = values_.thresholds;
    ucd_.request_opportunity_ps = static_cast<uint16_t>(2 * layout.symbol_slots);
    ucd_.ranging_opportunity_ps = static_cast<uint16_t>(profile.ranging_symbols * layout.symbol_slots);
    if (profile.focused_subchannel_codes > 0)
        ucd_.focused_codes = static_cast<uint8_t>(profile.focused_subchannel_codes);
    dcd_.bs_eirp_dbm = 0;  // restart() sets it
    dcd_.frame_number = 0;
    dcd_octets_ = pdu_octets(dcd_);
    ucd_octets_ = pdu_octets(ucd_);
}

void Broadcasts::put(const DescriptorValues& values) {
    values_ = values;
    for (size_t rate = 0; rate < kRateCount; ++rate) {
        dcd_.profiles[rate].exit_threshold = quarter_db(values.thresholds.exit_db[rate]);
        dcd_.profiles[rate].entry_threshold = quarter_db(values.thresholds.entry_db[rate]);
    }
    ucd_.ranging_backoff = values.ranging_backoff;
    ucd_.request_backoff = values.request_backoff;
    ucd_.reservation_timeout_maps = values.reservation_timeout_maps;
}

bool Broadcasts::change(const DescriptorValues& values, Samples now) {
    if (changing()) return false;
    const bool down = values.thresholds != values_.thresholds;
    DescriptorValues same_down = values;
    same_down.thresholds = values_.thresholds;
    const bool up = same_down != values_;
    put(values);
    if (down) begin_dcd_change(now);
    if (up) {
        ++ucd_.change_count;
        ucd_change_.begin(kAnnouncements);
        next_ucd_ = now;
    }
    return true;
}

bool Broadcasts::change_power(float eirp_dbm, float target_dbm, Samples now) {
    if (changing()) return false;
    const auto target = static_cast<int16_t>(std::lround(target_dbm)),
               eirp = static_cast<int16_t>(std::lround(eirp_dbm));
    if (dcd_.rss_ir_max_dbm == target && dcd_.bs_eirp_dbm == eirp) return true;
    dcd_.rss_ir_max_dbm = target;
    dcd_.bs_eirp_dbm = eirp;
    begin_dcd_change(now);
    return true;
}

void Broadcasts::begin_dcd_change(Samples now) {
    ++dcd_.change_count;
    dcd_change_.begin(kAnnouncements);
    next_dcd_ = now;
}

void Broadcasts::begin_frame(Samples now) {
    if (dcd_change_.comes_into_force(now, dcd_.change_count)) thresholds_ = values_.thresholds;
    ucd_change_.comes_into_force(now, ucd_.change_count);
}

void Broadcasts::dcd_sent(Samples now) {
    dcd_change_.sent(now + kTransitionFrames * layout_.frame_samples());
    next_dcd_ = now + interval_at(now, dcd_interval_, dcd_change_);
}

void Broadcasts::ucd_sent(Samples now) {
    ucd_change_.sent(now + kTransitionFrames * layout_.frame_samples());
    next_ucd_ = now + interval_at(now, ucd_interval_, ucd_change_);
}

Samples Broadcasts::interval(uint32_t ms) const {
    const Samples exact = layout_.samples_from_ms(ms), frame = layout_.frame_samples();
    if (2 * exact <= 3 * frame) return 0;
    // Half a frame less meets the intended frame. Long intervals are a frame shorter, since the other descriptor's turn
    // may delay one by a frame.
    return exact - frame / 2 - (exact > kLongIntervalFrames * frame ? frame : 0);
}

Samples Broadcasts::interval_at(Samples now, Samples usual, const Change& change) const {
    if (change.announcements_left > 0)
        return std::min(usual, kAnnouncementFrames * layout_.frame_samples() - layout_.frame_samples() / 2);
    return now < quick_until_ ? std::min(usual, layout_.samples_from_ms(kQuickIntervalMs)) : usual;
}

size_t Broadcasts::most_octets() const {
    const bool together = dcd_interval_ == 0 || ucd_interval_ == 0;
    return (together ? dcd_octets_ + ucd_octets_ : std::max(dcd_octets_, ucd_octets_)) +
           (dl_map_interval_ == 0 ? kSmallDlMapOctets : 0);
}

void Broadcasts::restart(Samples now, float eirp_dbm, float target_dbm) {
    dcd_.rss_ir_max_dbm = static_cast<int16_t>(std::lround(target_dbm));
    dcd_.bs_eirp_dbm = static_cast<int16_t>(std::lround(eirp_dbm));
    // No station is served: the announced values take effect.
    dcd_change_ = {dcd_.change_count};
    ucd_change_ = {ucd_.change_count};
    thresholds_ = values_.thresholds;
    next_dcd_ = next_ucd_ = next_dl_map_ = INT64_MIN;
    quick_until_ = now + layout_.samples_from_ms(kQuickMs);
}

Broadcasts::Due Broadcasts::due(Samples now) const {
    Due due{now >= next_dcd_, now >= next_ucd_};
    if (due.dcd && due.ucd && dcd_interval_ != 0 && ucd_interval_ != 0) {
        due.dcd = next_dcd_ <= next_ucd_;
        due.ucd = !due.dcd;
    }
    return due;
}

const Dcd& Broadcasts::dcd(phy::FrameNumber frame) {
    dcd_.frame_number = frame.value();
    return dcd_;
}

}  // namespace wimax::mac
