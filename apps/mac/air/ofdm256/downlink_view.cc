// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/downlink_view.h"

#include "mac/air/ofdm256/burst_tap.h"
#include "mac/air/ofdm256/frame_layout.h"
#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/capabilities.h"
#include "mac/rate_adaptation.h"

#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>
#include <utility>

namespace wimax::mac {
namespace {

constexpr uint8_t kAnswerMaps = 10;   // without a reservation timeout
constexpr uint8_t kMostBoostDb = 30;  // largest value of the PHY

Samples whole_slots(int64_t samples) { return phy::samples_in_slots(phy::slots_in_samples(samples)); }

}  // namespace

DownlinkView::DownlinkView(std::optional<uint64_t> bsid, Edition edition, const FrameClock& clock)
    : SubscriberAir(clock), wanted_bsid_(bsid), uplinks_{UplinkMap(edition), UplinkMap(edition)} {
    diuc_rates_.fill(-1);
}

void DownlinkView::forget() {
    dcds_.clear();
    ucds_.clear();
    for (auto& uplink : uplinks_) uplink.forget();
    const bool synchronised = state_.synchronised;
    const uint32_t dcd_version = state_.dcd_version + 1;
    state_ = {};
    state_.synchronised = synchronised;
    state_.dcd_version = dcd_version;
    dcd_in_force_.reset();
    ucd_in_force_.reset();
    diuc_rates_.fill(-1);
    terms_.reset();
    dl_map_fresh_ = false;
    symbol_slots_ = 0;
}

void DownlinkView::on_tick(const sap::FrameTick& tick) {
    state_.synchronised = tick.synchronised;
    if (!tick.synchronised) {
        ++counters_.unsynchronised_ticks;
        return;
    }
    state_.frequency_offset_hz = tick.frequency_offset_hz;
    state_.clock_offset_ppm = tick.clock_offset_ppm;
    symbol_slots_ = phy::slots_in_symbol(tick.cp_denominator);
}

void DownlinkView::on_burst(const sap::RxBurst& burst, bool broadcast) {
    dl_map_fresh_ = false;
    if (!burst.detected) return;
    state_.cinr_db = burst.measured.cinr_db;
    if (!broadcast) return;
    symbol_slots_ = phy::slots_in_symbol(burst.cp_denominator);
    if (state_.frame_samples == 0) state_.frame_samples = whole_slots(burst.frame_samples);
    const uint32_t symbols = kFirstBurstSymbol + symbols_for(burst.rate_id % phy::kRates, burst.payload.size());
    state_.maps_samples = phy::samples_in_slots(symbols * symbol_slots_);
    state_.rssi_dbm = burst.measured.rssi_dbm;
    state_.quality.add(burst.measured.rssi_dbm, burst.measured.cinr_db);
}

Broadcast DownlinkView::on_message(Octets message, ReadBurst& reading, const sap::RxBurst& burst, uint16_t basic_cid) {
    switch (message_type(message).value_or(MessageType::tftp_cplt)) {
        case MessageType::dl_map:
            if (const auto* map = reading.decoded<DlMap>(message))
                return read(*map) ? Broadcast::dl_map : Broadcast::foreign;
            break;
        case MessageType::ul_map:
            if (const auto* map = reading.decoded<IndexedUlMap>(message))
                return read(*map, burst, basic_cid) ? Broadcast::ul_map : Broadcast::unusable_ul_map;
            break;
        case MessageType::dcd:
            if (const auto* dcd = reading.decoded<Dcd>(message)) {
                read(*dcd, burst);
                return Broadcast::dcd;
            }
            break;
        case MessageType::ucd:
            if (const auto* ucd = reading.decoded<Ucd>(message)) {
                ++counters_.ucds;
                if (ucds_.store(*ucd)) use_ucd();
                return Broadcast::ucd;
            }
            break;
        default: break;
    }
    return Broadcast::malformed;
}

bool DownlinkView::read(const DlMap& map) {
    if ((wanted_bsid_ && *wanted_bsid_ != map.bs_id) || (state_.bsid && *state_.bsid != map.bs_id)) return false;
    ++counters_.dl_maps;
    state_.bsid = map.bs_id;
    dl_map_fresh_ = true;
    elements_.clear();
    for (const auto& ie : map.ies) elements_.push_back({ie.diuc, ie.preamble, ie.start_symbols});
    use_profiles(map.dcd_count);
    return true;
}

void DownlinkView::read(const Dcd& dcd, const sap::RxBurst& burst) {
    ++counters_.dcds;
    if (dcd.frame_number) state_.frame_offset = phy::FrameNumber(*dcd.frame_number).since(burst.frame_number);
    dcd_ = dcd;
    dcd_.frame_number.reset();  // only this differs between successive ones
    if (dcds_.store(dcd_)) ++state_.dcd_version;
    if (dcd_in_force_) use_profiles(*dcd_in_force_);
    if (dcd.frame_duration_code && *dcd.frame_duration_code < phy::kFrameDurationUs.size())
        state_.frame_samples =
            whole_slots(clock_.sample_rate_hz * phy::kFrameDurationUs[*dcd.frame_duration_code] / 1'000'000);
}

/// A new set of burst profiles applies from the first DL-MAP on that carries its count.
void DownlinkView::use_profiles(uint8_t dcd_count) {
    if (dcd_in_force_ != dcd_count) ++state_.dcd_version;
    dcd_in_force_ = dcd_count;
    if (rates_version_ == state_.dcd_version) return;
    rates_version_ = state_.dcd_version;
    const Dcd* dcd = dcds_.find(dcd_count);
    if (!dcd || rates_of(*dcd) == diuc_rates_) return;
    diuc_rates_ = rates_of(*dcd);
    profiles_changed_ = true;
}

void DownlinkView::use_ucd() {
    uiuc_rates_ = rates_of(*ucd());
    terms_ = terms_of(*ucd());
}

ContentionTerms terms_of(const Ucd& ucd) {
    const auto window = [](const std::array<uint8_t, 2>& exponents) {
        return ContentionTerms::Window{static_cast<uint8_t>(exponents[0] & 15),
                                       static_cast<uint8_t>(exponents[1] & 15)};
    };
    const uint8_t narrow_codes = ucd.focused_codes.value_or(0);
    const auto boost = ucd.profiles.empty() ? std::nullopt : ucd.profiles.front().focused_power_boost_db;
    return {.ranging = window(ucd.ranging_backoff),
            .requests = window(ucd.request_backoff),
            .answer_maps = std::max<uint32_t>(1, ucd.reservation_timeout_maps.value_or(kAnswerMaps)),
            .ranging_opportunity_slots = ucd.ranging_opportunity_ps.value_or(0),
            .code_boost_db = static_cast<float>(std::min<uint8_t>(boost.value_or(0), kMostBoostDb)),
            .narrow_codes = narrow_codes <= kFocusedCodes ? narrow_codes : uint8_t{0}};
}

std::optional<float> DownlinkView::ranging_ceiling_dbm() const {
    if (!dcd() || !dcd()->bs_eirp_dbm || !dcd()->rss_ir_max_dbm) return std::nullopt;
    return static_cast<float>(*dcd()->rss_ir_max_dbm + *dcd()->bs_eirp_dbm) - state_.rssi_dbm;
}

/// A frame has one power. A request in contention next to a grant on some subchannels uses the power for all. A code
/// has fewer carriers than a subchannel; one with a boost has it on top of the power for all.
float DownlinkView::density_gain_db(const sap::TxFrame& tx) const {
    uint32_t most = tx.codes.empty() ? 0 : 1;
    for (const auto& code : tx.codes)
        if (code.boost_db > 0) most = phy::kFullSubchannel;
    for (const auto& burst : tx.bursts)
        most = std::max(most, subchannels_in(static_cast<uint8_t>(burst.format.subchannel_index)));
    return mac::density_gain_db(most);
}

/// A map describes the uplink of its frame or of the next.
bool DownlinkView::read(const IndexedUlMap& indexed, const sap::RxBurst& burst, uint16_t basic_cid) {
    const UlMap& map = indexed.map();
    ++counters_.maps;
    const Ucd* ucd = ucds_.find(map.ucd_count);
    const auto frame_slots = static_cast<uint32_t>(phy::slots_in_samples(frame_samples()));
    if (!ucd || frame_slots == 0) return false;
    if (std::exchange(ucd_in_force_, map.ucd_count) != map.ucd_count) use_ucd();
    const uint32_t ahead = map.alloc_start_ps / frame_slots;
    const phy::FrameNumber frame = burst.frame_number + ahead;
    UplinkMap& uplink = uplinks_[frame.value() % uplinks_.size()];
    if (ahead > 1) {
        uplink.forget();
        return true;
    }
    uplink.read(indexed, uiuc_rates_, frame, burst.prefix.frame_lsb, phy::Slot(map.alloc_start_ps % frame_slots),
                symbol_slots_, basic_cid);
    if (basic_cid != 0) counters_.zero_subchannels += uplink.zero_subchannels();
    return true;
}

const UplinkMap* DownlinkView::uplink_of(phy::FrameNumber frame) const {
    const auto& uplink = uplinks_[frame.value() % uplinks_.size()];
    return uplink.describes(frame) ? &uplink : nullptr;
}

void DownlinkView::expect(const sap::RxBurst& broadcast, const UplinkRights& rights, sap::RxExpect& expect) {
    expect.phy_session = broadcast.phy_session;
    expect.frame_number = broadcast.frame_number;
    expect.want_prefix_bursts = true;
    expect.allocations.clear();
    expect.stc_zone_slots.clear();
    const auto* uplink = uplink_of(broadcast.frame_number);
    expect.first_uplink_slot = uplink ? uplink->first_slot(rights) : phy::Slot();
    const auto* next = uplink_of(broadcast.frame_number + 1);
    expect.next_uplink_slot = next ? next->first_slot_of_anybody() : phy::Slot();
    expect_bursts(broadcast, expect);
}

void DownlinkView::expect_bursts(const sap::RxBurst& broadcast, sap::RxExpect& expect) {
    if (!dl_map_fresh_) return;
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

uint8_t DownlinkView::code_of(ProfileId profile) const {
    const auto found = std::ranges::find(diuc_rates_, static_cast<int8_t>(rate_id_of(profile)));
    return found == diuc_rates_.end() ? uint8_t{0} : static_cast<uint8_t>(found - diuc_rates_.begin());
}

std::optional<DownlinkView::Rows> DownlinkView::read_thresholds(RateThresholds& thresholds) const {
    if (!dcd()) return std::nullopt;
    Rows there{};
    for (const auto& profile : dcd()->profiles) {
        const auto known = known_profile(profile.fec);
        if (!known) continue;
        const size_t row = row_of(*known);
        const float entry_db = entry_thresholds_db(0)[row];
        there[row] = true;
        thresholds.entry_db[row] = profile.entry_threshold ? kThresholdStepDb * *profile.entry_threshold : entry_db;
        thresholds.exit_db[row] = profile.exit_threshold ? kThresholdStepDb * *profile.exit_threshold
                                                         : thresholds.entry_db[row] - kHysteresisDb;
    }
    return there;
}

bool DownlinkView::in_zone(const sap::RxBurst& burst) const { return burst.index > phy::kStcZoneIndex; }

void DownlinkView::tap_sent(PduTap& tap, uint16_t basic_cid, const sap::TxFrame& tx) const {
    mac::tap_sent(tap, {network_frame(), clock_.now, false}, basic_cid, tx.bursts);
}

void DownlinkView::tap_received(PduTap& tap, const sap::RxBurst& burst, bool broadcast) const {
    const Samples start = broadcast ? burst.frame_start_sample : start_of(burst.frame_number, clock_, frame_samples());
    mac::tap_received(tap, {in_network(burst.frame_number), start, true}, burst);
}

uint8_t DownlinkView::preferred_code() const {
    static const RateNeeds needs = needs_db(LinkGoal::few_losses, LinkAdaptationConfig{}.target_loss);
    uint8_t best = 0, best_threshold = 0;
    if (!dcd() || dcd()->profiles.empty()) return diuc::kFirstProfile;
    for (const auto& profile : dcd()->profiles) {
        const uint8_t threshold = profile.entry_threshold.value_or(0);
        const auto known = known_profile(profile.fec);
        if (!known || state_.cinr_db < needs[row_of(*known)]) continue;
        if (threshold * kThresholdStepDb <= state_.cinr_db && (best == 0 || threshold >= best_threshold)) {
            best = profile.diuc;
            best_threshold = threshold;
        }
    }
    return best != 0 ? best : dcd()->profiles.front().diuc;
}

void DownlinkView::describe(SbcReq& request) const {
    request.fft_sizes = capability::kFft256;
    request.demodulator = capability::kDemodulator;
    request.modulator = capability::kModulator;
}

RepRsp DownlinkView::report(const RepReq& asked) {
    namespace bit = tlv::report_request;
    const uint8_t type = asked.request->type.value_or(0);
    if (const unsigned alpha = type >> bit::kAveragingShift & bit::kAveragingMask; alpha != 0)
        state_.quality.set_averaging(static_cast<float>(alpha) * phy::kAveragingStep);
    const auto codes = [](uint8_t mean, const phy::RunningPower& of) {
        return std::array<uint8_t, 2>{mean, phy::deviation_code(of.deviation_db())};
    };
    RepRsp answer;
    auto& report = answer.report.emplace();
    report.channel = asked.request->channel;
    if (type & bit::basic) report.basic = tlv::report::not_measured;
    if (type & bit::cinr && state_.quality.cinr.measured())
        report.cinr = codes(phy::cinr_mean_code(state_.quality.cinr.mean_db()), state_.quality.cinr);
    if (type & bit::rssi && state_.quality.rssi.measured())
        report.rssi = codes(phy::rssi_mean_code(state_.quality.rssi.mean_db()), state_.quality.rssi);
    return answer;
}

}  // namespace wimax::mac
