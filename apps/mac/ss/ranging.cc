// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/ranging.h"

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

}  // namespace

uint8_t power_code(float dbm) { return static_cast<uint8_t>(std::clamp(std::lround(2 * (dbm + 64)), 0L, 255L)); }

Ranging::Ranging(const SubscriberConfig& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      air_(dependencies.air),
      random_(dependencies.random),
      bursts_(dependencies.bursts),
      corrections_(config) {}

void Ranging::new_phy(float max_power_dbm) {
    stop();
    corrections_.new_phy(max_power_dbm);
}

void Ranging::stop() {
    phase_ = Phase::none;
    asks_for_profile_ = false;
    wanted_code_ = 0;
    told_code_.reset();
    basic_cid_ = primary_cid_ = 0;
    t2_.stop();
    t3_.stop();
}

void Ranging::forget() {
    stop();
    corrections_.forget();
}

void Ranging::start() {
    stop();
    phase_ = Phase::initial;
    draw_backoff();
    contend();
    corrections_.begin_power(power_ceiling_dbm());
}

void Ranging::draw_backoff() {
    if (const auto terms = air_.contention_terms()) backoff_.start(terms->ranging.first, terms->ranging.last, random_);
}

/// The base station may have announced wider windows since, because it detects collisions.
void Ranging::draw_again() {
    if (const auto terms = air_.contention_terms()) backoff_.retry(random_, terms->ranging.last);
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

/// The largest power that initial ranging may use: the base station's limit, and the station's own.
float Ranging::power_ceiling_dbm() const {
    const float own = corrections_.max_power_dbm();
    return std::min(own, air_.ranging_ceiling_dbm().value_or(own));
}

bool Ranging::exhausted() {
    if (phase_ != Phase::initial || !t3_.expired(clock_.now)) return false;
    if (step_ == Step::waiting) {
        draw_again();
        if (backoff_.retries() > kRangingRetries) return true;
        corrections_.raise_power(power_ceiling_dbm());
        // Values from an earlier entry (T4, rerange) have had their tries.
        if (backoff_.retries() >= kTriesWithOldValues) corrections_.forget_timing_and_frequency();
    } else if (step_ == Step::invited) {
        draw_again();
    }
    contend();
    return false;
}

Samples Ranging::t3() const {
    if (config_.t3_ms != 0) return clock_.from_ms(config_.t3_ms);
    return std::clamp<Samples>(kT3Frames * air_.frame_samples(), clock_.from_ms(kMinT3Ms), clock_.from_ms(kMaxT3Ms));
}

void Ranging::write_request(const SubscriberUplink& uplink, uint16_t cid, sap::TxBurst& burst) {
    RngReq request;
    request.requested_profile = RequestedProfile{static_cast<uint8_t>(air_.dcd_count().value_or(0) & 15),
                                                 wanted_code_ != 0 ? wanted_code_ : air_.preferred_code()};
    if (cid == cid::kInitialRanging) {
        request.ss_mac = config_.mac;
    } else if (corrections_.at_maximum_power()) {
        request.anomalies = anomaly::kMaximumPower;
    } else if (corrections_.at_minimum_power()) {
        request.anomalies = anomaly::kMinimumPower;
    }
    PduWriter writer(burst.payload, uplink.capacity_octets(burst));
    writer.message(cid, request);
    ++counters_.attempts;
    t2_.stop();
    if (phase_ == Phase::initial) t3_.start(clock_.now, t3());
}

/// In most frames a served station has nothing to look for.
bool Ranging::may_send(const SubscriberUplink& uplink) const {
    return phase_ == Phase::initial || (phase_ == Phase::served && (asks_for_profile_ || uplink.has_invitations()));
}

void Ranging::add_request(const SubscriberUplink& uplink, sap::TxFrame& tx) {
    if (!may_send(uplink)) return;
    const auto terms = air_.contention_terms();
    if (!terms) return;
    const auto send = [&](const Opportunity& where, uint32_t opportunity, uint16_t cid) {
        auto& burst = bursts_.add(tx.bursts);
        uplink.place_contention(where, opportunity, *terms, burst);
        write_request(uplink, cid, burst);
    };
    for (size_t i = 0; const auto* where = uplink.opportunity(i); ++i) {
        if (where->kind != OpportunityKind::initial_ranging) continue;
        // A served station, too, whose bursts do not arrive where they should (clause 6.3.10).
        const bool invited = phase_ == Phase::served || step_ == Step::invited;
        if (invited && where->belongs_to(basic_cid_)) {
            ++counters_.invited;
            send(*where, 0, basic_cid_);
            if (phase_ == Phase::initial) t3_.start(clock_.now, clock_.from_ms(kInvitedMs));
            return;
        }
        const bool contends = phase_ == Phase::served ? asks_for_profile_ : step_ == Step::contention;
        if (!contends || !where->open()) continue;
        if (const auto opportunity = backoff_.pass(uplink.opportunities_in(*where, *terms))) {
            if (phase_ == Phase::served) {
                asks_for_profile_ = false;
                return send(*where, *opportunity, basic_cid_);
            }
            send(*where, *opportunity, cid::kInitialRanging);
            step_ = Step::waiting;
            asked_frame_ = air_.network_frame();
            asked_opportunity_ = *opportunity + 1;
            return;
        }
    }
}

bool Ranging::mine(const RngRsp& rsp, uint16_t cid) const {
    if (cid != cid::kInitialRanging) return basic_cid_ != 0 && cid == basic_cid_;
    const bool asked = rsp.frame_number && asked_frame_ == *rsp.frame_number &&
                       rsp.opportunity_number.value_or(1) == asked_opportunity_;
    // Another station may have the same address, and have asked at another time.
    if (rsp.ss_mac) return *rsp.ss_mac == config_.mac && (asked || !rsp.frame_number);
    return phase_ == Phase::initial && step_ == Step::waiting && asked;
}

void Ranging::on_fast_power(int8_t adjust_qdb) {
    if (phase_ != Phase::served) return;
    RngRsp command;
    command.power_adjust_qdb = adjust_qdb;
    if (!corrections_.apply(command)) return;
    ++counters_.corrections;
    ++counters_.fast_power;
}

RangingAnswer Ranging::on_response(const RngRsp& rsp, uint16_t cid) {
    if (!mine(rsp, cid) || phase_ == Phase::none) return RangingAnswer::ignored;
    // On the initial ranging CID only initial ranging is valid: another station may have the same address.
    if (cid == cid::kInitialRanging && phase_ != Phase::initial) return RangingAnswer::ignored;
    const auto status = rsp.status.value_or(RangingStatus::continue_ranging);
    if (status == RangingStatus::abort) return RangingAnswer::aborted;
    if (status == RangingStatus::rerange) return RangingAnswer::rerange;
    if (corrections_.apply(rsp)) ++counters_.corrections;
    if (rsp.operational_profile) told_code_ = rsp.operational_profile->diuc;
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

}  // namespace wimax::mac
