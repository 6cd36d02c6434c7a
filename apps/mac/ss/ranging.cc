/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/ss/ranging.h"

#include "mac/air/ofdm256/subchannel_groups.h"
#include "mac/air/ofdm256/uplink_bursts.h"
#include "mac/pdu/pdu.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr int kRangingRetries = 16;
constexpr int64_t kInvitedMs = 1000;  // after that time without an invitation: contention again
constexpr int64_t kMinT3Ms = 60, kMaxT3Ms = 200;
constexpr int kT3Frames = 8;
constexpr int kTriesWithOldValues = 4;
constexpr float kQuarterDb = 0.25F;
// Limits of the PHY; corrections with larger sums are invalid.
constexpr int64_t kMaxTimingAdvance = 1'000'000;
constexpr float kMaxFrequencyAdjustHz = 1e6F;

}  // namespace

uint8_t power_code(float dbm) { return static_cast<uint8_t>(std::clamp(std::lround(2 * (dbm + 64)), 0L, 255L)); }

Ranging::Ranging(const SubscriberConfig& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      downlink_(dependencies.downlink),
      random_(dependencies.random),
      bursts_(dependencies.bursts) {}

void Ranging::new_phy(float max_power_dbm) {
    max_power_dbm_ = max_power_dbm;
    forget();
}

void Ranging::limit_power(float max_power_dbm) {
    if (max_power_dbm == max_power_dbm_) return;
    max_power_dbm_ = max_power_dbm;
    const float most = densest_dbm(subchannels_);
    if (!at_maximum_power_) asked_power_dbm_ = power_dbm_;
    at_maximum_power_ = asked_power_dbm_ >= most;
    power_dbm_ = std::min(asked_power_dbm_, most);
}

void Ranging::stop() {
    phase_ = Phase::none;
    asks_for_profile_ = false;
    wanted_diuc_ = 0;
    told_diuc_.reset();
    basic_cid_ = primary_cid_ = 0;
    t2_.stop();
    t3_.stop();
}

void Ranging::forget() {
    stop();
    subchannels_ = phy::kFullSubchannel;
    at_maximum_power_ = false;
    power_dbm_ = asked_power_dbm_ = 0;
    timing_advance_samples_ = 0;
    frequency_adjust_hz_ = 0;
}

void Ranging::start() {
    stop();
    phase_ = Phase::initial;
    draw_backoff();
    contend();
    power_dbm_ = std::max(config_.min_power_dbm, power_ceiling_dbm() - config_.first_power_backoff_db);
}

void Ranging::draw_backoff() {
    if (const Ucd* ucd = downlink_.ucd())
        backoff_.start(ucd->ranging_backoff[0] & 15, ucd->ranging_backoff[1] & 15, random_);
}

/// The base station may have announced wider windows since, because it detects collisions.
void Ranging::draw_again() {
    if (const Ucd* ucd = downlink_.ucd()) backoff_.retry(random_, ucd->ranging_backoff[1] & 15);
    else backoff_.retry(random_);
}

void Ranging::contend() {
    step_ = Step::contention;
    t2_.start(clock_.now, clock_.from_ms(config_.t2_ms));
}

void Ranging::ask_for_profile() {
    if (phase_ != Phase::served || asks_for_profile_) return;
    asks_for_profile_ = true;
    draw_backoff();
}

/// The largest power that initial ranging may use: EIRxP,IR,max + BS_EIRP - RSSI, and the station's own limit.
float Ranging::power_ceiling_dbm() const {
    const Dcd* dcd = downlink_.dcd();
    if (!dcd || !dcd->bs_eirp_dbm || !dcd->rss_ir_max_dbm) return max_power_dbm_;
    return std::min(max_power_dbm_,
                    static_cast<float>(*dcd->rss_ir_max_dbm + *dcd->bs_eirp_dbm) - downlink_.rssi_dbm());
}

bool Ranging::exhausted() {
    if (phase_ != Phase::initial || !t3_.expired(clock_.now)) return false;
    if (step_ == Step::waiting) {
        draw_again();
        if (backoff_.retries() > kRangingRetries) return true;
        const float ceiling = std::max(config_.min_power_dbm, power_ceiling_dbm());
        power_dbm_ = std::min(power_dbm_ + config_.ranging_power_step_db, ceiling);
        // Values from an earlier entry (T4, rerange) have had their tries.
        if (backoff_.retries() >= kTriesWithOldValues) {
            timing_advance_samples_ = 0;
            frequency_adjust_hz_ = 0;
        }
    } else if (step_ == Step::invited) {
        draw_again();
    }
    contend();
    return false;
}

Samples Ranging::t3() const {
    if (config_.t3_ms != 0) return clock_.from_ms(config_.t3_ms);
    return std::clamp<Samples>(kT3Frames * downlink_.frame_samples(), clock_.from_ms(kMinT3Ms),
                               clock_.from_ms(kMaxT3Ms));
}

void Ranging::send_request(const UplinkMap& uplink, const UplinkOpportunity& where, uint32_t symbol, uint16_t cid,
                           sap::TxFrame& tx) {
    const Dcd* dcd = downlink_.dcd();
    RngReq request;
    request.requested_profile = RequestedProfile{static_cast<uint8_t>(dcd ? dcd->change_count & 15 : 0),
                                                 wanted_diuc_ != 0 ? wanted_diuc_ : downlink_.preferred_diuc()};
    if (cid == cid::kInitialRanging) {
        request.ss_mac = config_.mac;
    } else if (at_maximum_power_) {
        request.anomalies = anomaly::kMaximumPower;
    } else if (power_dbm_ <= config_.min_power_dbm) {
        request.anomalies = anomaly::kMinimumPower;
    }
    auto& burst = bursts_.add(tx.bursts);
    place_ranging(uplink, where, symbol, burst);
    PduWriter writer(burst.payload, capacity_octets(burst));
    writer.message(cid, request);
    ++counters_.attempts;
    t2_.stop();
    if (phase_ == Phase::initial) t3_.start(clock_.now, t3());
}

void Ranging::add_request(const UplinkMap& uplink, sap::TxFrame& tx) {
    const Ucd* ucd = downlink_.ucd();
    if (phase_ == Phase::none || !ucd || downlink_.symbol_slots() == 0) return;
    for (const auto& where : uplink.opportunities()) {
        if (where.kind != OpportunityKind::initial_ranging) continue;
        // A served station, too, whose bursts do not arrive where they should (clause 6.3.10).
        const bool invited = phase_ == Phase::served || step_ == Step::invited;
        if (invited && where.belongs_to(basic_cid_)) {
            ++counters_.invited;
            send_request(uplink, where, 0, basic_cid_, tx);
            if (phase_ == Phase::initial) t3_.start(clock_.now, clock_.from_ms(kInvitedMs));
            return;
        }
        const bool contends = phase_ == Phase::served ? asks_for_profile_ : step_ == Step::contention;
        if (!contends || !where.open()) continue;
        const uint32_t size = ucd->ranging_opportunity_ps.value_or(0) / downlink_.symbol_slots();
        if (size == 0) continue;
        if (const auto opportunity = backoff_.pass(where.duration_symbols / size)) {
            if (phase_ == Phase::served) {
                asks_for_profile_ = false;
                send_request(uplink, where, *opportunity * size, basic_cid_, tx);
                return;
            }
            send_request(uplink, where, *opportunity * size, cid::kInitialRanging, tx);
            step_ = Step::waiting;
            asked_frame_ = downlink_.network_frame();
            asked_opportunity_ = *opportunity + 1;
            return;
        }
    }
}

void Ranging::apply(const RngRsp& rsp) {
    timing_advance_samples_ =
        static_cast<int32_t>(std::clamp(int64_t{timing_advance_samples_} + rsp.timing_adjust_samples.value_or(0),
                                        -kMaxTimingAdvance, kMaxTimingAdvance));
    frequency_adjust_hz_ = std::clamp(frequency_adjust_hz_ + static_cast<float>(rsp.frequency_adjust_hz.value_or(0)),
                                      -kMaxFrequencyAdjustHz, kMaxFrequencyAdjustHz);
    const float wanted = power_dbm_ + static_cast<float>(rsp.power_adjust_qdb.value_or(0)) * kQuarterDb;
    asked_power_dbm_ = wanted;
    at_maximum_power_ = wanted >= densest_dbm(subchannels_);
    power_dbm_ = std::clamp(wanted, config_.min_power_dbm, densest_dbm(subchannels_));
    if (rsp.timing_adjust_samples.value_or(0) != 0 || rsp.power_adjust_qdb.value_or(0) != 0 ||
        rsp.frequency_adjust_hz.value_or(0) != 0)
        ++counters_.corrections;
}

bool Ranging::mine(const RngRsp& rsp, uint16_t cid) const {
    if (cid != cid::kInitialRanging) return basic_cid_ != 0 && cid == basic_cid_;
    const bool asked = rsp.frame_number && asked_frame_ == *rsp.frame_number &&
                       rsp.opportunity_number.value_or(1) == asked_opportunity_;
    // Another station may have the same address, and have asked at another time.
    if (rsp.ss_mac) return *rsp.ss_mac == config_.mac && (asked || !rsp.frame_number);
    return phase_ == Phase::initial && step_ == Step::waiting && asked;
}

RangingAnswer Ranging::on_response(const RngRsp& rsp, uint16_t cid) {
    if (!mine(rsp, cid) || phase_ == Phase::none) return RangingAnswer::ignored;
    // On the initial ranging CID only initial ranging is valid: another station may have the same address.
    if (cid == cid::kInitialRanging && phase_ != Phase::initial) return RangingAnswer::ignored;
    const auto status = rsp.status.value_or(RangingStatus::continue_ranging);
    if (status == RangingStatus::abort) return RangingAnswer::aborted;
    if (status == RangingStatus::rerange) return RangingAnswer::rerange;
    apply(rsp);
    if (rsp.operational_profile) told_diuc_ = rsp.operational_profile->diuc;
    if (phase_ != Phase::initial) return RangingAnswer::corrected;
    if (rsp.basic_cid) basic_cid_ = *rsp.basic_cid;
    if (rsp.primary_cid) primary_cid_ = *rsp.primary_cid;
    t3_.stop();
    if (!rsp.ss_mac && cid == cid::kInitialRanging) {
        // Received, not decoded: the corrections are for this station, the next try is from the first window.
        draw_backoff();
        contend();
    } else if (status == RangingStatus::success && basic_cid_ != 0 && primary_cid_ != 0) {
        t2_.stop();
        phase_ = Phase::served;
        return RangingAnswer::succeeded;
    } else {
        step_ = basic_cid_ != 0 ? Step::invited : Step::contention;
        t3_.start(clock_.now, clock_.from_ms(kInvitedMs));
    }
    return RangingAnswer::corrected;
}

/// Transmit power with the station's maximum power on that many subchannels.
float Ranging::densest_dbm(uint32_t subchannels) const {
    return std::max(config_.min_power_dbm, max_power_dbm_ + density_gain_db(subchannels));
}

void Ranging::on_grants(const UplinkMap& uplink) {
    uint32_t most = 0;
    for (const auto& o : uplink.opportunities())
        if (o.kind == OpportunityKind::grant && o.belongs_to(basic_cid_))
            most = std::max(most, subchannels_in(o.subchannel));
    if (most == 0) return;
    subchannels_ = most;
    power_dbm_ = std::min(power_dbm_, densest_dbm(most));
}

/// A frame has one power. A request in contention next to a grant on some subchannels uses the power for all.
void Ranging::put_into(sap::TxFrame& tx) const {
    uint32_t most = tx.codes.empty() ? 0 : phy::kFullSubchannel;
    for (const auto& burst : tx.bursts)
        most = std::max(most, subchannels_in(static_cast<uint8_t>(burst.format.subchannel_index)));
    tx.timing_advance_samples = timing_advance_samples_;
    tx.frequency_adjust_hz = frequency_adjust_hz_;
    tx.power_dbm = std::min(power_dbm_, densest_dbm(most));
}

}  // namespace wimax::mac
