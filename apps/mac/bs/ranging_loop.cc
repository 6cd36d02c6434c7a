/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <mac/bs/ranging_loop.h>

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr int kMaxAttempts = 6;  // "continue" answers in one initial ranging
constexpr int kBurstsToAverage = 4;
constexpr float kAveraging = 0.25F;
constexpr float kFollowedPart = 0.3F;  // a command counts as followed if that part of it is seen
constexpr float kLevelMovedDb = 2.0F;
constexpr int64_t kHoldoffMs = 60;  // station's processing time and bursts on their way
constexpr int kHoldoffFrames = 6;
constexpr float kMaxPowerStepDb = 31.75F;

}  // namespace

void RangingCorrection::put_into(RngRsp& rsp) const {
    rsp.timing_adjust_samples = timing_samples;
    rsp.power_adjust_qdb = power_qdb;
    rsp.frequency_adjust_hz = frequency_hz;
    rsp.status = status;
}

RangingLoop::RangingLoop(const BaseStationConfig& config, const FrameLayout& layout)
    : target_dbm_(config.target_rssi_dbm),
      power_limit_db_(config.power_tolerance_db),
      timing_limit_samples_(config.timing_tolerance_cp * static_cast<float>(layout.numerology.cp_samples())),
      frequency_limit_hz_(config.frequency_tolerance * static_cast<float>(layout.numerology.carrier_spacing_hz())),
      power_control_(config.power_control),
      holdoff_samples_(std::max(layout.samples_from_ms(kHoldoffMs), kHoldoffFrames * layout.frame_samples())) {}

void RangingLoop::restart() {
    attempts_ = averaged_ = 0;
    hold_until_ = INT64_MIN;
    power_ignored_ = power_asked_ = false;
}

bool RangingLoop::within_limits(const UplinkMeasurement& m, bool ignore_power) const {
    return std::abs(m.timing_offset_samples) <= timing_limit_samples_ &&
           std::abs(m.frequency_offset_hz) <= frequency_limit_hz_ &&
           (ignore_power || !power_control_ || std::abs(target_dbm_ - m.rssi_dbm) <= power_limit_db_);
}

RangingCorrection RangingLoop::correction(const UplinkMeasurement& m) const {
    RangingCorrection c;
    c.timing_samples = static_cast<int32_t>(std::lround(m.timing_offset_samples));
    c.frequency_hz = static_cast<int32_t>(std::lround(-m.frequency_offset_hz));
    if (power_control_ && !power_ignored_) {
        const float db = std::clamp(target_dbm_ - m.rssi_dbm, -kMaxPowerStepDb, kMaxPowerStepDb);
        c.power_qdb = static_cast<int8_t>(std::lround(db * 4));
    }
    return c;
}

void RangingLoop::watch_power(const UplinkMeasurement& m, const RangingCorrection& sent) {
    power_asked_db_ = static_cast<float>(sent.power_qdb) / 4;
    power_asked_ = std::abs(power_asked_db_) > power_limit_db_;
    rssi_when_asked_dbm_ = m.rssi_dbm;
}

RangingCorrection RangingLoop::on_request(const UplinkMeasurement& measured, bool at_limit) {
    const float followed_db = measured.rssi_dbm - rssi_when_asked_dbm_;
    const bool deaf = power_asked_ && followed_db * power_asked_db_ < kFollowedPart * power_asked_db_ * power_asked_db_;
    ++attempts_;
    const bool ignore_power = at_limit || deaf || attempts_ > kMaxAttempts;
    power_ignored_ = ignore_power && std::abs(target_dbm_ - measured.rssi_dbm) > power_limit_db_;
    RangingCorrection c = correction(measured);
    c.status = within_limits(measured, ignore_power) || attempts_ > kMaxAttempts ? RangingStatus::success
                                                                                 : RangingStatus::continue_ranging;
    watch_power(measured, c);
    smoothed_ = measured;
    averaged_ = 0;
    return c;
}

std::optional<RangingCorrection> RangingLoop::on_data(const UplinkMeasurement& measured, Samples now) {
    if (now < hold_until_) {
        smoothed_ = measured;
        return std::nullopt;
    }
    if (averaged_ == 0) {
        smoothed_ = measured;
    } else {
        const auto mix = [](float& mean, float value) { mean += kAveraging * (value - mean); };
        mix(smoothed_.rssi_dbm, measured.rssi_dbm);
        mix(smoothed_.cinr_db, measured.cinr_db);
        mix(smoothed_.evm_db, measured.evm_db);
        mix(smoothed_.timing_offset_samples, measured.timing_offset_samples);
        mix(smoothed_.frequency_offset_hz, measured.frequency_offset_hz);
    }
    if (++averaged_ < kBurstsToAverage) return std::nullopt;
    const float moved_db = smoothed_.rssi_dbm - rssi_when_asked_dbm_;
    if (power_asked_ && moved_db * power_asked_db_ < kFollowedPart * power_asked_db_ * power_asked_db_)
        power_ignored_ = true;
    else if (power_ignored_ && std::abs(moved_db) > kLevelMovedDb)
        power_ignored_ = false;
    power_asked_ = false;
    if (within_limits(smoothed_, power_ignored_)) return std::nullopt;
    RangingCorrection c = correction(smoothed_);
    c.status = RangingStatus::continue_ranging;
    if (!power_ignored_) watch_power(smoothed_, c);
    averaged_ = 0;
    hold_until_ = now + holdoff_samples_;
    return c;
}

}  // namespace wimax::mac
