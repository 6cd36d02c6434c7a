// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/ranging_loop.h"
#include "phy/base/decibels.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr int kMaxAttempts = 6;  // "continue" answers in one initial ranging
constexpr int kBurstsToAverage = 4;
constexpr float kLinkAveraging = 0.25F;
constexpr float kFollowedPart = 0.3F;  // a command counts as followed if that part of it is seen
constexpr float kLevelMovedDb = 2.0F;
constexpr int64_t kHoldoffMs = 60;  // station's processing time and bursts on their way
constexpr int kHoldoffFrames = 6;
constexpr float kMaxPowerStepDb = 31.75F;
constexpr float kHeardCinrDb = 0;  // below that a found preamble gives no useful level and time

UplinkMeasurement median(std::span<const UplinkMeasurement> all) {
    UplinkMeasurement result;
    std::array<float, 8> values{};
    for (const auto member : {&UplinkMeasurement::rssi_dbm, &UplinkMeasurement::cinr_db, &UplinkMeasurement::evm_db,
                              &UplinkMeasurement::timing_offset_samples, &UplinkMeasurement::frequency_offset_hz}) {
        std::transform(all.begin(), all.end(), values.begin(), [member](const auto& m) { return m.*member; });
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(all.size()));
        result.*member = *middle;
    }
    return result;
}

}  // namespace

float signal_dbm(const UplinkMeasurement& measured) {
    return measured.rssi_dbm - static_cast<float>(phy::decibels(1 + phy::power_of_db(-measured.cinr_db)));
}

void RangingCorrection::put_into(RngRsp& rsp) const {
    rsp.timing_adjust_samples = timing_samples;
    rsp.power_adjust_qdb = power_qdb;
    rsp.frequency_adjust_hz = frequency_hz;
    rsp.status = status;
}

RangingLoop::RangingLoop(const BaseStationConfig& config, const FrameTiming& timing)
    : target_dbm_(config.target_rssi_dbm),
      power_limit_db_(config.power_tolerance_db),
      timing_limit_samples_(config.timing_tolerance_cp * static_cast<float>(timing.guard_samples)),
      frequency_limit_hz_(config.frequency_tolerance * static_cast<float>(timing.carrier_spacing_hz)),
      power_control_(config.power_control),
      holdoff_samples_(std::max(timing.samples_from_ms(kHoldoffMs), kHoldoffFrames * timing.frame_samples)),
      fast_power_(config.fast_power_stations > 0) {}

void RangingLoop::restart() {
    attempts_ = averaged_ = 0;
    failed_in_a_row_ = 0;
    exhausted_ = false;
    hold_until_ = INT64_MIN;
    power_ignored_ = power_asked_ = false;
}

void RangingLoop::power_changes(Samples now) {
    averaged_ = 0;
    failed_in_a_row_ = 0;
    exhausted_ = false;
    power_ignored_ = power_asked_ = false;
    hold_until_ = now + holdoff_samples_;
}

bool RangingLoop::within_limits(const UplinkMeasurement& m, bool ignore_power) const {
    return std::abs(m.timing_offset_samples) <= timing_limit_samples_ &&
           std::abs(m.frequency_offset_hz) <= frequency_limit_hz_ &&
           (ignore_power || !power_control_ || std::abs(target_dbm_ - signal_dbm(m)) <= power_limit_db_);
}

RangingCorrection RangingLoop::correction(const UplinkMeasurement& m) const {
    RangingCorrection c;
    c.timing_samples = static_cast<int32_t>(std::lround(m.timing_offset_samples));
    c.frequency_hz = static_cast<int32_t>(std::lround(-m.frequency_offset_hz));
    if (power_control_ && !power_ignored_) {
        const float db = std::clamp(target_dbm_ - signal_dbm(m), -kMaxPowerStepDb, kMaxPowerStepDb);
        c.power_qdb = static_cast<int8_t>(std::lround(db * 4));
    }
    return c;
}

/// Did the station follow the last command; and has its level moved since it stopped following?
void RangingLoop::judge_power(const UplinkMeasurement& m) {
    const float moved_db = signal_dbm(m) - level_when_asked_dbm_;
    const bool ignored = power_asked_ && moved_db * power_asked_db_ < kFollowedPart * power_asked_db_ * power_asked_db_;
    if (ignored && asked_fast_) fast_power_ = false;
    else if (ignored) power_ignored_ = true;
    else if (power_ignored_ && std::abs(moved_db) > kLevelMovedDb) power_ignored_ = false;
    power_asked_ = asked_fast_ = false;
}

void RangingLoop::watch_power(const UplinkMeasurement& m, const RangingCorrection& sent) {
    power_asked_db_ = static_cast<float>(sent.power_qdb) / 4;
    power_asked_ = std::abs(power_asked_db_) > power_limit_db_;
    level_when_asked_dbm_ = signal_dbm(m);
}

std::optional<RangingCorrection> RangingLoop::correct(const UplinkMeasurement& m, RangingCorrection c, Samples now) {
    c.status = RangingStatus::continue_ranging;
    if (fast_power_ && within_limits(m, true)) {
        c.timing_samples = c.frequency_hz = 0;
        c.power_alone = true;
    }
    timing_told_samples_ += c.timing_samples;
    if (!power_ignored_) watch_power(m, c);
    averaged_ = 0;
    failed_in_a_row_ = 0;
    hold_until_ = now + holdoff_samples_;
    return c;
}

RangingCorrection RangingLoop::on_request(const UplinkMeasurement& measured, bool at_limit) {
    const float followed_db = signal_dbm(measured) - level_when_asked_dbm_;
    const bool deaf = power_asked_ && followed_db * power_asked_db_ < kFollowedPart * power_asked_db_ * power_asked_db_;
    ++attempts_;
    const bool ignore_power = at_limit || deaf || attempts_ > kMaxAttempts;
    power_ignored_ = ignore_power && std::abs(target_dbm_ - signal_dbm(measured)) > power_limit_db_;
    RangingCorrection c = correction(measured);
    c.status = within_limits(measured, ignore_power) || attempts_ > kMaxAttempts ? RangingStatus::success
                                                                                 : RangingStatus::continue_ranging;
    watch_power(measured, c);
    timing_told_samples_ += c.timing_samples;
    smoothed_ = measured;
    averaged_ = 0;
    failed_in_a_row_ = 0;
    return c;
}

std::optional<RangingCorrection> RangingLoop::on_data(const UplinkMeasurement& measured, Samples now) {
    failed_in_a_row_ = 0;
    exhausted_ = false;
    if (now < hold_until_) {
        smoothed_ = measured;
        return std::nullopt;
    }
    if (averaged_ == 0) {
        smoothed_ = measured;
    } else {
        const auto mix = [](float& mean, float value) { mean += kLinkAveraging * (value - mean); };
        mix(smoothed_.rssi_dbm, measured.rssi_dbm);
        mix(smoothed_.cinr_db, measured.cinr_db);
        mix(smoothed_.evm_db, measured.evm_db);
        mix(smoothed_.timing_offset_samples, measured.timing_offset_samples);
        mix(smoothed_.frequency_offset_hz, measured.frequency_offset_hz);
    }
    if (++averaged_ < kBurstsToAverage) return std::nullopt;
    judge_power(smoothed_);
    if (within_limits(smoothed_, power_ignored_)) return std::nullopt;
    return correct(smoothed_, correction(smoothed_), now);
}

std::optional<RangingCorrection> RangingLoop::on_failed(const UplinkMeasurement& measured, Samples now) {
    averaged_ = 0;
    exhausted_ = false;
    if (now < hold_until_ || measured.cinr_db < kHeardCinrDb) return std::nullopt;
    failed_[failed_in_a_row_++ % kFailedToJudge] = measured;
    if (failed_in_a_row_ < kFailedToJudge) return std::nullopt;
    smoothed_ = median(failed_);
    if (power_control_ && signal_dbm(smoothed_) > target_dbm_ + power_limit_db_) return std::nullopt;
    judge_power(smoothed_);
    exhausted_ = within_limits(smoothed_, power_ignored_);
    if (exhausted_) {
        failed_in_a_row_ = 0;
        return std::nullopt;
    }
    return correct(smoothed_, correction(smoothed_), now);
}

}  // namespace wimax::mac
