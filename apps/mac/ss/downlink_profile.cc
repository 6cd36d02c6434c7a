// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/downlink_profile.h"

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

DownlinkProfileControl::DownlinkProfileControl(const LinkAdaptationConfig& config, const MacAddress& own,
                                               const Dependencies& dependencies)
    : own_(own),
      clock_(dependencies.clock),
      air_(dependencies.air),
      ranging_(dependencies.ranging),
      management_(dependencies.management),
      rates_(config, dependencies.policies),
      policy_(rates_.make({own, false}, 1, 1, thresholds_)) {}

void DownlinkProfileControl::on_burst(const sap::RxBurst& burst, bool broadcast, bool whole, bool own) {
    if (!served_) return;
    const bool zone = air_.in_zone(burst);
    if (zone && own) zone_until_ = clock_.now + clock_.from_ms(kZoneHoldsMs);
    if (own && !broadcast && !zone) zone_until_ = INT64_MIN;
    const bool in_zone = clock_.now < zone_until_;
    if (in_zone ? zone : broadcast) policy_->measured(burst.measured.cinr_db, clock_.now);
    if (!broadcast && zone == in_zone) judge(burst, whole);
}

void DownlinkProfileControl::judge(const sap::RxBurst& burst, bool whole) {
    const ProfileId profile = air_.profile_of(burst);
    policy_->burst(profile, burst_fate(profile, burst.payload.size(), burst.failed_blocks, whole),
                   burst.measured.cinr_db, clock_.now);
}

/// A rate without a profile takes the thresholds of the next higher one, so that it is never selected.
void DownlinkProfileControl::read_thresholds() {
    announced_.reset();
    const auto profiles = air_.read_thresholds(thresholds_);
    if (!profiles) return;
    const auto& there = *profiles;
    for (size_t rate = kRateCount - 1; rate-- > 0;) {
        if (there[rate]) continue;
        thresholds_.entry_db[rate] = thresholds_.entry_db[rate + 1];
        thresholds_.exit_db[rate] = thresholds_.exit_db[rate + 1];
    }
    const auto first = std::find(there.begin(), there.end(), true);
    const auto last = std::find(there.rbegin(), there.rend(), true);
    if (first == there.end()) return;
    announced_ = {profile_in_row(static_cast<size_t>(first - there.begin())),
                  profile_in_row(static_cast<size_t>(there.rend() - last - 1))};
}

void DownlinkProfileControl::follow_dcd() {
    if (dcd_version_ != air_.state().dcd_version) read_thresholds();
    dcd_version_ = air_.state().dcd_version;
    if (announced_ && clock_.now >= limits_until_) policy_->set_limits(announced_->lowest, announced_->highest);
}

void DownlinkProfileControl::enter() {
    const auto told_before = ranging_.take_profile();
    before_ = changes();
    policy_ = rates_.make({own_, false}, air_.frame_samples(), clock_.sample_rate_hz, thresholds_);
    limits_until_ = clock_.now;
    follow_dcd();
    policy_->start(air_.state().cinr_db);
    asked_.reset();
    zone_until_ = INT64_MIN;
    frames_without_grant_ = 0;
    if (told_before) told(*told_before);
}

void DownlinkProfileControl::told(uint8_t code) {
    const auto profile = air_.profile_of(code);
    if (!profile) return;
    // Overrides the assumed limits.
    policy_->set_limits(std::min(policy_->lowest(), *profile), std::max(policy_->highest(), *profile));
    policy_->adopt(*profile, clock_.now);
}

void DownlinkProfileControl::on_response(const DbpcRsp& response) {
    const auto answered = air_.profile_of(response.diuc);
    if (!served_ || !answered) return;
    told(response.diuc);
    if (!asked_ || (asked_->before >> row_of(*answered) & 1) != 0) return;
    if (const ProfileId limit = *answered; limit != asked_->profile) {
        ++counters_.refusals;
        if (asked_->profile > limit) policy_->set_limits(std::min(policy_->lowest(), limit), limit);
        else policy_->set_limits(limit, std::max(policy_->highest(), limit));
        limits_until_ = clock_.now + clock_.from_ms(kLimitsHoldMs);
    }
    asked_.reset();
}

void DownlinkProfileControl::ask(ProfileId profile) {
    const auto dcd_count = air_.dcd_count();
    const uint8_t code = air_.code_of(profile);
    if (!dcd_count || code == 0) return;
    if (!asked_ || asked_->profile != profile) {
        const uint32_t before = asked_ ? asked_->before | 1U << row_of(asked_->profile) : 0;
        asked_ = Request{profile, before & ~(1U << row_of(profile)), 0, 0};
    }
    ranging_.want_profile(code);
    if (asked_->sent >= kUnanswered || frames_without_grant_ >= kFramesWithoutGrant) {
        ++counters_.ranging_requests;
        ranging_.ask_for_profile();
    }
    if (management_.queue.empty()) management_.queue.push(ranging_.basic_cid(), DbpcReq{code, *dcd_count});
    auto& count = asked_->sent == 0 ? counters_.requests : counters_.repetitions;
    ++count;
    asked_->sent = std::min(asked_->sent + 1, kMostPatient);
    asked_->repeat_at = clock_.now + asked_->sent * kAnswerFrames * air_.frame_samples();
}

void DownlinkProfileControl::begin_frame(bool served, bool granted, const LinkAim& aim) {
    if (served && !served_) enter();
    served_ = served;
    if (!served) return;
    policy_->set_aim(aim);
    frames_without_grant_ = granted ? 0 : frames_without_grant_ + 1;
    if (const auto code = ranging_.take_profile()) told(*code);
    follow_dcd();
    const ProfileId wanted = policy_->wanted(clock_.now);
    if (wanted == policy_->id()) {
        asked_.reset();
        ranging_.want_profile(air_.code_of(wanted));
    } else if (!asked_ || wanted < asked_->profile || clock_.now >= asked_->repeat_at) {
        ask(wanted);
    }
}

}  // namespace wimax::mac
