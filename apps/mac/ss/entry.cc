/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Network entry of a subscriber station: states, timers, initial ranging.
 */
#include <mac/control/status.h>
#include <mac/ss/subscriber_station.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr int kRangingRetries = 16, kSbcRetries = 8, kRegistrationRetries = 3, kDsxRetries = 3;
constexpr int64_t kAbortedMs = 5000;  // how long a channel that refused this station is left alone
constexpr int64_t kInvitedMs = 1000;  // without an invitation that long: contention again
constexpr int64_t kMinT3Ms = 60, kMaxT3Ms = 200;
constexpr int kT3Frames = 8;
constexpr int kTriesWithOldValues = 4;
constexpr uint8_t kRangingRate = 0, kRangingPreambleSymbols = 2, kRangingDataSymbols = 2;
constexpr uint8_t kAnomalyMaximumPower = 1, kAnomalyMinimumPower = 2;
constexpr float kQuarterDb = 0.25F;
// What the PHY takes; corrections that add up to more are nonsense.
constexpr int64_t kMaxTimingAdvance = 1'000'000;
constexpr float kMaxFrequencyAdjustHz = 1e6F;

}  // namespace

const char* to_string(SsState state) {
    constexpr const char* names[] = {"scanning", "DL-MAP wait", "DCD/UCD wait", "ranging",
                                     "SBC",      "REG",         "registered",   "operational"};
    return names[static_cast<size_t>(state)];
}

void SubscriberStation::set_state(SsState state, const std::string& why) {
    state_ = state;
    attempts_ = 0;
    event("entry", std::string(to_string(state)) + (why.empty() ? "" : ": " + why));
}

void SubscriberStation::forget_network() {
    basic_cid_ = primary_cid_ = 0;
    management_.clear();
    management_request_.clear();
    primary_ = Reassembler(Reassembler::kManagementOctets);
    drop_flows();
    transactions_.clear();
    contending_ = muted_ = false;
    answer_awaited_ = 0;
    operational_at_ = -1;
    for (auto* timer : {&t2_, &t3_, &t4_, &t6_, &t18_, &flows_timer_}) timer->stop();
}

void SubscriberStation::restart(const std::string& why) {
    ++counters_.restarts;
    forget_network();
    dcds_.clear();
    ucds_.clear();
    for (auto& map : maps_) map.valid = false;
    bsid_.reset();
    dcd_in_force_.reset();
    frame_slots_ = 0;
    at_maximum_power_ = false;
    timing_advance_samples_ = 0;
    frequency_adjust_hz_ = 0;
    quality_ = phy::ChannelQuality{};
    for (auto* timer : {&lost_dl_map_, &lost_ul_map_, &t1_, &t12_, &t21_}) timer->stop();
    set_state(SsState::scanning, why);
}

void SubscriberStation::start_ranging(const std::string& why) {
    forget_network();
    const Ucd* ucd = ucds_.newest();
    if (!ucd) return restart(why);
    ranging_backoff_.start(ucd->ranging_backoff[0] & 15, ucd->ranging_backoff[1] & 15, random_);
    contend_for_ranging();
    power_dbm_ = std::max(config_.min_power_dbm, power_ceiling_dbm() - config_.first_power_backoff_db);
    set_state(SsState::ranging, why);
}

/// The largest power that initial ranging may use: EIRxP,IR,max + BS_EIRP - RSSI, and the station's own limit.
float SubscriberStation::power_ceiling_dbm() const {
    const Dcd* dcd = dcds_.newest();
    if (!dcd || !dcd->bs_eirp_dbm || !dcd->rss_ir_max_dbm) return max_power_dbm_;
    return std::min(max_power_dbm_, static_cast<float>(*dcd->rss_ir_max_dbm + *dcd->bs_eirp_dbm) - rssi_dbm_);
}

void SubscriberStation::descriptors_known() {
    if (state_ == SsState::downlink_map && bsid_) {
        t21_.stop();
        t1_.start(now_, from_ms(config_.t1_ms));
        t12_.start(now_, from_ms(config_.t12_ms));
        set_state(SsState::descriptors, "DL-MAP received");
    }
    if (state_ == SsState::descriptors && dcds_.newest() && ucds_.newest()) start_ranging("DCD and UCD received");
}

void SubscriberStation::run_timers() {
    if (lost_dl_map_.expired(now_)) return restart("lost DL-MAP");
    if (lost_ul_map_.expired(now_)) return restart("lost UL-MAP");
    if (t21_.expired(now_)) return restart("no DL-MAP (T21)");
    if (t1_.expired(now_)) return restart("no DCD (T1)");
    if (t12_.expired(now_)) return restart("no UCD (T12)");
    if (t2_.expired(now_)) return restart("no ranging opportunity (T2)");
    if (muted_) return;  // by DREG-CMD 1: it listens, and waits for RES-CMD or leave to go on
    if (t4_.expired(now_)) return start_ranging("no unicast grant (T4)");
    if (flows_timer_.expired(now_)) return start_ranging("no service flows");
    if (state_ == SsState::ranging) run_ranging_timers();
    if (t18_.expired(now_)) {
        if (++attempts_ > kSbcRetries) return start_ranging("no SBC-RSP (T18)");
        if (management_.empty()) send_sbc_request();
        t18_.start(now_, from_ms(config_.t18_ms));
    }
    if (t6_.expired(now_)) {
        if (++attempts_ > kRegistrationRetries) return start_ranging("no REG-RSP (T6)");
        if (management_.empty()) send_registration();
        t6_.start(now_, from_ms(config_.t6_ms));
    }
    run_transactions();
}

void SubscriberStation::contend_for_ranging() {
    ranging_step_ = RangingStep::contention;
    t2_.start(now_, from_ms(config_.t2_ms));
}

void SubscriberStation::run_ranging_timers() {
    if (!t3_.expired(now_)) return;
    if (ranging_step_ == RangingStep::waiting) {
        ranging_backoff_.retry(random_);
        if (ranging_backoff_.retries() > kRangingRetries) return restart("ranging retries exhausted");
        const float ceiling = std::max(config_.min_power_dbm, power_ceiling_dbm());
        power_dbm_ = std::min(power_dbm_ + config_.ranging_power_step_db, ceiling);
        // Values kept from before (T4, rerange) have had their chance.
        if (ranging_backoff_.retries() >= kTriesWithOldValues) {
            timing_advance_samples_ = 0;
            frequency_adjust_hz_ = 0;
        }
    } else if (ranging_step_ == RangingStep::invited) {
        ranging_backoff_.retry(random_);
    }
    contend_for_ranging();
}

void SubscriberStation::run_transactions() {
    const size_t before = flows_.size();
    std::erase_if(transactions_, [this](Transaction& transaction) {
        if (!transaction.t8.expired(now_)) return transaction.t10.expired(now_);
        if (++transaction.sent <= 1 + kDsxRetries) {
            management_.push(primary_cid_, transaction.response);
            transaction.t8.start(now_, from_ms(config_.t8_ms));
            return false;
        }
        undo(transaction.tid, "no DSA-ACK (T8)");
        return true;  // a repeated DSA-REQ begins anew: it must not be told that the flow is there
    });
    if (flows_.size() != before) check_operational();
}

uint8_t SubscriberStation::preferred_diuc() const {
    const Dcd* dcd = dcds_.newest();
    uint8_t best = 0, best_threshold = 0;
    if (dcd)
        for (const auto& profile : dcd->profiles) {
            const uint8_t threshold = profile.entry_threshold.value_or(0);
            const bool usable = profile.fec && *profile.fec < phy::kRates;
            if (usable && threshold * kQuarterDb <= cinr_db_ && (best == 0 || threshold >= best_threshold)) {
                best = profile.diuc;
                best_threshold = threshold;
            }
        }
    return best != 0 ? best : dcd && !dcd->profiles.empty() ? dcd->profiles.front().diuc : diuc::kFirstProfile;
}

void SubscriberStation::send_ranging_request(uint32_t start_slot, uint16_t cid, sap::TxFrame& tx,
                                             const UplinkMapInForce& map) {
    RngReq request;
    request.requested_profile = RequestedProfile{
        static_cast<uint8_t>(dcds_.newest() ? dcds_.newest()->change_count & 15 : 0), preferred_diuc()};
    if (cid == cid::kInitialRanging) {
        request.ss_mac = config_.mac;
    } else if (at_maximum_power_) {
        request.anomalies = kAnomalyMaximumPower;
    } else if (power_dbm_ <= config_.min_power_dbm) {
        request.anomalies = kAnomalyMinimumPower;
    }
    auto& burst = bursts_.add(tx.bursts);
    burst.start_slot = start_slot;
    burst.rate_id = kRangingRate;
    burst.iuc = uiuc::kInitialRanging;
    burst.preamble_symbols = kRangingPreambleSymbols;
    burst.data_symbols = kRangingDataSymbols;
    burst.seed_frame_lsb = map.seed_frame_lsb;
    PduWriter writer(burst.payload, bytes_in(kRangingRate, kRangingDataSymbols));
    writer.message(cid, request);
    ++counters_.ranging_attempts;
    const auto t3_ms = config_.t3_ms != 0
                           ? static_cast<Samples>(config_.t3_ms) * sample_rate_hz_ / 1000
                           : std::clamp<Samples>(Samples{kT3Frames} * frame_slots_ * phy::kSamplesPerSlot,
                                                 from_ms(kMinT3Ms), from_ms(kMaxT3Ms));
    t2_.stop();
    if (state_ == SsState::ranging) t3_.start(now_, t3_ms);
}

void SubscriberStation::add_ranging(const UplinkMapInForce& map, sap::TxFrame& tx) {
    const Ucd* ucd = ucds_.newest();
    if (state_ < SsState::ranging || !ucd || symbol_slots_ == 0) return;
    for (const auto& ie : map.ies) {
        if (ie.uiuc != uiuc::kInitialRanging) continue;
        // Also one that is served: its bursts do not arrive where they should (clause 6.3.10).
        const bool invited = state_ > SsState::ranging || ranging_step_ == RangingStep::invited;
        if (invited && basic_cid_ != 0 && ie.cid == basic_cid_) {
            ++counters_.ranging_invited;
            send_ranging_request(slot(map, ie.start_symbols), basic_cid_, tx, map);
            if (state_ == SsState::ranging) t3_.start(now_, from_ms(kInvitedMs));
            return;
        }
        if (state_ > SsState::ranging) continue;
        const bool open = ie.cid == cid::kBroadcast || ie.cid == cid::kInitialRanging;
        if (ranging_step_ != RangingStep::contention || !open) continue;
        const uint32_t size = ucd->ranging_opportunity_ps.value_or(0) / symbol_slots_;
        if (size == 0) continue;
        if (const auto opportunity = ranging_backoff_.pass(ie.duration_symbols / size)) {
            send_ranging_request(slot(map, ie.start_symbols + *opportunity * size), cid::kInitialRanging, tx, map);
            ranging_step_ = RangingStep::waiting;
            ranging_frame_ = (frame_ + frame_offset_) & 0xFFFFFF;
            ranging_opportunity_ = *opportunity + 1;
            return;
        }
    }
}

void SubscriberStation::apply_corrections(const RngRsp& rsp) {
    timing_advance_samples_ =
        static_cast<int32_t>(std::clamp(int64_t{timing_advance_samples_} + rsp.timing_adjust_samples.value_or(0),
                                        -kMaxTimingAdvance, kMaxTimingAdvance));
    frequency_adjust_hz_ = std::clamp(frequency_adjust_hz_ + static_cast<float>(rsp.frequency_adjust_hz.value_or(0)),
                                      -kMaxFrequencyAdjustHz, kMaxFrequencyAdjustHz);
    const float wanted = power_dbm_ + static_cast<float>(rsp.power_adjust_qdb.value_or(0)) * kQuarterDb;
    at_maximum_power_ = wanted >= max_power_dbm_;
    power_dbm_ = std::clamp(wanted, config_.min_power_dbm, std::max(config_.min_power_dbm, max_power_dbm_));
    if (rsp.timing_adjust_samples.value_or(0) != 0 || rsp.power_adjust_qdb.value_or(0) != 0 ||
        rsp.frequency_adjust_hz.value_or(0) != 0)
        ++counters_.corrections;
}

bool SubscriberStation::mine(const RngRsp& rsp, uint16_t cid) const {
    if (cid != cid::kInitialRanging) return basic_cid_ != 0 && cid == basic_cid_;
    const bool asked = rsp.frame_number && *rsp.frame_number == ranging_frame_ &&
                       rsp.opportunity_number.value_or(1) == ranging_opportunity_;
    // Another station may have this one's address, and have asked at another time.
    if (rsp.ss_mac) return *rsp.ss_mac == config_.mac && (asked || !rsp.frame_number);
    return state_ == SsState::ranging && ranging_step_ == RangingStep::waiting && asked;
}

void SubscriberStation::on_ranging_response(const RngRsp& rsp, uint16_t cid) {
    if (!mine(rsp, cid) || state_ < SsState::ranging) return;
    // On the initial ranging CID nothing but ranging is meant: another station may use this one's address.
    if (cid == cid::kInitialRanging && state_ != SsState::ranging) return;
    const auto status = rsp.status.value_or(RangingStatus::continue_ranging);
    if (status == RangingStatus::abort) {
        blocked_until_ = now_ + from_ms(kAbortedMs);
        return restart("ranging aborted by the base station");
    }
    if (status == RangingStatus::rerange) return start_ranging("base station asks for it");
    apply_corrections(rsp);
    if (state_ != SsState::ranging) return;
    if (rsp.basic_cid) basic_cid_ = *rsp.basic_cid;
    if (rsp.primary_cid) primary_cid_ = *rsp.primary_cid;
    t3_.stop();
    if (!rsp.ss_mac && cid == cid::kInitialRanging) {
        // Heard, not understood: the corrections are for this station, the next try is from the first window.
        const Ucd* ucd = ucds_.newest();
        if (ucd) ranging_backoff_.start(ucd->ranging_backoff[0] & 15, ucd->ranging_backoff[1] & 15, random_);
        contend_for_ranging();
    } else if (status == RangingStatus::success && basic_cid_ != 0 && primary_cid_ != 0) {
        t2_.stop();
        t4_.start(now_, from_ms(config_.t4_ms));
        set_state(SsState::capabilities, "ranging succeeded, basic CID " + std::to_string(basic_cid_));
        send_sbc_request();
        t18_.start(now_, from_ms(config_.t18_ms));
    } else {
        ranging_step_ = basic_cid_ != 0 ? RangingStep::invited : RangingStep::contention;
        t3_.start(now_, from_ms(kInvitedMs));
    }
}

}  // namespace wimax::mac
