/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/ss/downlink_profile.h"

#include "mac/rate_thresholds.h"

#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int64_t kAnswerFrames = 4;  // asked in one, answered in the next or, if received late, the one after
constexpr int kMostPatient = 8;       // repetitions are delayed more and more, up to that factor
constexpr int kUnanswered = 2;        // requests before ranging is used as well
constexpr uint32_t kFramesWithoutGrant = 8;
constexpr int64_t kLimitsHoldMs = 10'000;
constexpr int64_t kZoneHoldsMs = 1000;  // without a burst for this station there

}  // namespace

DownlinkProfileControl::DownlinkProfileControl(const LinkAdaptationConfig& config, const Dependencies& dependencies)
    : config_(config),
      clock_(dependencies.clock),
      downlink_(dependencies.downlink),
      ranging_(dependencies.ranging),
      management_(dependencies.management) {
    adaptation_.emplace(RateAdaptation::Config{}, thresholds_);
}

void DownlinkProfileControl::on_burst(const sap::RxBurst& burst, bool broadcast, bool whole, bool own) {
    if (!served_) return;
    const bool zone = burst.index > phy::kStcZoneIndex;
    if (zone && own) zone_until_ = clock_.now + clock_.from_ms(kZoneHoldsMs);
    if (own && !broadcast && !zone) zone_until_ = INT64_MIN;
    const bool in_zone = clock_.now < zone_until_;
    if (in_zone ? zone : broadcast) adaptation_->measured(burst.measured.cinr_db, clock_.now);
    if (!broadcast && zone == in_zone) adaptation_->burst(profile_of(burst), whole, burst.measured.cinr_db, clock_.now);
}

/// A rate without a profile takes the thresholds of the next higher one, so that it is never selected.
void DownlinkProfileControl::read_thresholds() {
    const Dcd* dcd = downlink_.dcd();
    if (!dcd) return;
    std::array<bool, kRateCount> there{};
    for (const auto& profile : dcd->profiles) {
        if (!profile.fec || *profile.fec >= kRateCount) continue;
        const size_t rate = *profile.fec;
        const float needed = receiver_thresholds_db(0)[rate];
        there[rate] = true;
        thresholds_.entry_db[rate] =
            profile.entry_threshold ? kThresholdStepDb * *profile.entry_threshold : needed + kHysteresisDb;
        thresholds_.exit_db[rate] = profile.exit_threshold ? kThresholdStepDb * *profile.exit_threshold
                                                           : thresholds_.entry_db[rate] - kHysteresisDb;
    }
    for (size_t rate = kRateCount - 1; rate-- > 0;) {
        if (there[rate]) continue;
        thresholds_.entry_db[rate] = thresholds_.entry_db[rate + 1];
        thresholds_.exit_db[rate] = thresholds_.exit_db[rate + 1];
    }
    const auto first = std::find(there.begin(), there.end(), true);
    const auto last = std::find(there.rbegin(), there.rend(), true);
    if (first == there.end() || clock_.now < limits_until_) return;
    adaptation_->set_limits(profile_in_row(static_cast<size_t>(first - there.begin())),
                            profile_in_row(static_cast<size_t>(there.rend() - last - 1)));
}

void DownlinkProfileControl::enter() {
    const auto told_before = ranging_.take_profile();
    before_ = changes();
    adaptation_.emplace(adaptation_config(config_, downlink_.frame_samples(), clock_.sample_rate_hz), thresholds_);
    limits_until_ = clock_.now;
    read_thresholds();
    adaptation_->start(downlink_.cinr_db());
    asked_.reset();
    zone_until_ = INT64_MIN;
    frames_without_grant_ = 0;
    if (told_before) told(*told_before);
}

void DownlinkProfileControl::told(uint8_t diuc) {
    const auto profile = profile_of(downlink_.diuc_rates(), diuc);
    if (!profile) return;
    // Overrides the assumed limits.
    adaptation_->set_limits(std::min(adaptation_->lowest(), *profile), std::max(adaptation_->highest(), *profile));
    adaptation_->adopt(*profile, clock_.now);
}

void DownlinkProfileControl::on_response(const DbpcRsp& response) {
    const auto answered = profile_of(downlink_.diuc_rates(), response.diuc);
    if (!served_ || !answered) return;
    told(response.diuc);
    if (!asked_ || (asked_->before >> row_of(*answered) & 1) != 0) return;
    if (const ProfileId limit = *answered; limit != asked_->profile) {
        ++counters_.refusals;
        if (asked_->profile > limit) adaptation_->set_limits(std::min(adaptation_->lowest(), limit), limit);
        else adaptation_->set_limits(limit, std::max(adaptation_->highest(), limit));
        limits_until_ = clock_.now + clock_.from_ms(kLimitsHoldMs);
    }
    asked_.reset();
}

uint8_t DownlinkProfileControl::diuc_of(ProfileId profile) const {
    const auto& rates = downlink_.diuc_rates();
    const auto found = std::find(rates.begin(), rates.end(), static_cast<int8_t>(rate_id_of(profile)));
    return found == rates.end() ? uint8_t{0} : static_cast<uint8_t>(found - rates.begin());
}

void DownlinkProfileControl::ask(ProfileId profile) {
    const Dcd* dcd = downlink_.dcd();
    const uint8_t diuc = diuc_of(profile);
    if (!dcd || diuc == 0) return;
    if (!asked_ || asked_->profile != profile) {
        const uint32_t before = asked_ ? asked_->before | 1U << row_of(asked_->profile) : 0;
        asked_ = Request{profile, before & ~(1U << row_of(profile)), 0, 0};
    }
    ranging_.want_profile(diuc);
    if (asked_->sent >= kUnanswered || frames_without_grant_ >= kFramesWithoutGrant) {
        ++counters_.ranging_requests;
        ranging_.ask_for_profile();
    }
    if (management_.queue.empty()) management_.queue.push(ranging_.basic_cid(), DbpcReq{diuc, dcd->change_count});
    auto& count = asked_->sent == 0 ? counters_.requests : counters_.repetitions;
    ++count;
    asked_->sent = std::min(asked_->sent + 1, kMostPatient);
    asked_->repeat_at = clock_.now + asked_->sent * kAnswerFrames * downlink_.frame_samples();
}

void DownlinkProfileControl::begin_frame(bool served, bool granted) {
    if (served && !served_) enter();
    served_ = served;
    if (!served) return;
    frames_without_grant_ = granted ? 0 : frames_without_grant_ + 1;
    if (const auto diuc = ranging_.take_profile()) told(*diuc);
    read_thresholds();
    const ProfileId wanted = adaptation_->wanted(clock_.now);
    if (wanted == adaptation_->id()) {
        asked_.reset();
        ranging_.want_profile(diuc_of(wanted));
    } else if (!asked_ || wanted < asked_->profile || clock_.now >= asked_->repeat_at) {
        ask(wanted);
    }
}

}  // namespace wimax::mac
