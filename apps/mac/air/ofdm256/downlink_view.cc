/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/air/ofdm256/downlink_view.h"

#include "mac/rate_thresholds.h"

#include <algorithm>

namespace wimax::mac {

DownlinkView::DownlinkView(std::optional<uint64_t> bsid, const FrameClock& clock) : wanted_bsid_(bsid), clock_(clock) {
    diuc_rates_.fill(-1);
}

void DownlinkView::forget() {
    dcds_.clear();
    ucds_.clear();
    for (auto& uplink : uplinks_) uplink.forget();
    bsid_.reset();
    dcd_in_force_.reset();
    ucd_in_force_.reset();
    diuc_rates_.fill(-1);
    dl_map_fresh_ = false;
    frame_offset_ = symbol_slots_ = frame_slots_ = 0;
    rssi_dbm_ = kNoLevelDbm;
    cinr_db_ = kNoCinrDb;
    frequency_offset_hz_ = clock_offset_ppm_ = 0;
    quality_ = phy::ChannelQuality{};
}

void DownlinkView::on_tick(const sap::FrameTick& tick) {
    synchronised_ = tick.synchronised;
    if (!tick.synchronised) {
        ++counters_.unsynchronised_ticks;
        return;
    }
    frequency_offset_hz_ = tick.frequency_offset_hz;
    clock_offset_ppm_ = tick.clock_offset_ppm;
    symbol_slots_ = phy::slots_in_symbol(tick.cp_denominator);
}

void DownlinkView::on_burst(const sap::RxBurst& burst, bool broadcast) {
    dl_map_fresh_ = false;
    if (!burst.detected) return;
    cinr_db_ = burst.measured.cinr_db;
    if (!broadcast) return;
    symbol_slots_ = phy::slots_in_symbol(burst.cp_denominator);
    if (frame_slots_ == 0) frame_slots_ = static_cast<uint32_t>(phy::slots_in_samples(burst.frame_samples));
    rssi_dbm_ = burst.measured.rssi_dbm;
    quality_.add(burst.measured.rssi_dbm, burst.measured.cinr_db);
}

Broadcast DownlinkView::on_message(Octets message, const sap::RxBurst& burst) {
    switch (message_type(message).value_or(MessageType::tftp_cplt)) {
        case MessageType::dl_map:
            if (!decode(message, dl_map_)) break;
            return read_dl_map() ? Broadcast::dl_map : Broadcast::foreign;
        case MessageType::ul_map:
            if (!decode(message, ul_map_)) break;
            return read_ul_map(burst) ? Broadcast::ul_map : Broadcast::unusable_ul_map;
        case MessageType::dcd:
            if (!decode(message, dcd_)) break;
            read_dcd(burst);
            return Broadcast::dcd;
        case MessageType::ucd:
            if (!decode(message, ucd_)) break;
            ++counters_.ucds;
            ucds_.store(ucd_);
            return Broadcast::ucd;
        default: break;
    }
    return Broadcast::malformed;
}

bool DownlinkView::read_dl_map() {
    if ((wanted_bsid_ && *wanted_bsid_ != dl_map_.bs_id) || (bsid_ && *bsid_ != dl_map_.bs_id)) return false;
    ++counters_.dl_maps;
    bsid_ = dl_map_.bs_id;
    dl_map_fresh_ = true;
    use_profiles(dl_map_.dcd_count);
    return true;
}

void DownlinkView::read_dcd(const sap::RxBurst& burst) {
    ++counters_.dcds;
    if (dcd_.frame_number) frame_offset_ = phy::FrameNumber(*dcd_.frame_number).since(burst.frame_number);
    dcd_.frame_number.reset();  // only this differs between successive ones
    dcds_.store(dcd_);
    if (dcd_in_force_) use_profiles(*dcd_in_force_);
    if (dcd_.frame_duration_code && *dcd_.frame_duration_code < phy::kFrameDurationUs.size())
        frame_slots_ = static_cast<uint32_t>(phy::slots_in_samples(
            clock_.sample_rate_hz * phy::kFrameDurationUs[*dcd_.frame_duration_code] / 1'000'000));
}

/// A new set of burst profiles applies from the first DL-MAP on that carries its count.
void DownlinkView::use_profiles(uint8_t dcd_count) {
    dcd_in_force_ = dcd_count;
    const Dcd* dcd = dcds_.find(dcd_count);
    if (!dcd || rates_of(*dcd) == diuc_rates_) return;
    diuc_rates_ = rates_of(*dcd);
    profiles_changed_ = true;
}

/// A map describes the uplink of its frame or of the next.
bool DownlinkView::read_ul_map(const sap::RxBurst& burst) {
    ++counters_.maps;
    const Ucd* ucd = ucds_.find(ul_map_.ucd_count);
    if (!ucd || frame_slots_ == 0) return false;
    ucd_in_force_ = ul_map_.ucd_count;
    const uint32_t ahead = ul_map_.alloc_start_ps / frame_slots_;
    const phy::FrameNumber frame = burst.frame_number + ahead;
    UplinkMap& uplink = uplinks_[frame.value() % uplinks_.size()];
    if (ahead <= 1)
        uplink.read(ul_map_, rates_of(*ucd), frame, burst.prefix.frame_lsb,
                    phy::Slot(ul_map_.alloc_start_ps % frame_slots_), symbol_slots_);
    else uplink.forget();
    return true;
}

const UplinkMap* DownlinkView::uplink_of(phy::FrameNumber frame) const {
    const auto& uplink = uplinks_[frame.value() % uplinks_.size()];
    return uplink.describes(frame) ? &uplink : nullptr;
}

void DownlinkView::expect_bursts(const sap::RxBurst& broadcast, sap::RxExpect& expect) {
    if (!dl_map_fresh_) return;
    elements_.clear();
    for (const auto& ie : dl_map_.ies) elements_.push_back({ie.diuc, ie.preamble, ie.start_symbols});
    phy::read_map(elements_, broadcast.prefix, diuc_rates_, announced_);
    const auto slot_of = [this](int symbol) { return phy::Slot::of_symbol(symbol, symbol_slots_); };
    for (const int zone : announced_.zones) expect.stc_zone_slots.push_back(slot_of(zone));
    for (const auto& burst : announced_.bursts) {
        sap::RxAllocation a;
        a.start_slot = slot_of(burst.start_symbol);
        a.format = burst.format;
        expect.allocations.push_back(a);
    }
}

bool DownlinkView::profiles_changed(sap::ProfilesRequest& profiles) {
    if (!profiles_changed_) return false;
    profiles_changed_ = false;
    profiles.diuc_rates = diuc_rates_;
    profiles.dcd_count = dcd_in_force_.value_or(0);
    return true;
}

uint8_t DownlinkView::preferred_diuc() const {
    uint8_t best = 0, best_threshold = 0;
    if (!dcd() || dcd()->profiles.empty()) return diuc::kFirstProfile;
    for (const auto& profile : dcd()->profiles) {
        const uint8_t threshold = profile.entry_threshold.value_or(0);
        if (known_profile(profile.fec) && threshold * kThresholdStepDb <= cinr_db_ &&
            (best == 0 || threshold >= best_threshold)) {
            best = profile.diuc;
            best_threshold = threshold;
        }
    }
    return best != 0 ? best : dcd()->profiles.front().diuc;
}

RepRsp DownlinkView::report(const RepReq& asked) {
    namespace bit = tlv::report_request;
    const uint8_t type = asked.request->type.value_or(0);
    if (const unsigned alpha = type >> bit::kAveragingShift & bit::kAveragingMask; alpha != 0)
        quality_.set_averaging(static_cast<float>(alpha) * phy::kAveragingStep);
    const auto codes = [](uint8_t mean, const phy::RunningPower& of) {
        return std::array<uint8_t, 2>{mean, phy::deviation_code(of.deviation_db())};
    };
    RepRsp answer;
    auto& report = answer.report.emplace();
    report.channel = asked.request->channel;
    if (type & bit::basic) report.basic = tlv::report::not_measured;
    if (type & bit::cinr && quality_.cinr.measured())
        report.cinr = codes(phy::cinr_mean_code(quality_.cinr.mean_db()), quality_.cinr);
    if (type & bit::rssi && quality_.rssi.measured())
        report.rssi = codes(phy::rssi_mean_code(quality_.rssi.mean_db()), quality_.rssi);
    return answer;
}

}  // namespace wimax::mac
