/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The base station's control loop for one station's timing, power and frequency (clauses 6.3.10, 8.3.7.1 and 8.3.7.4).
 */
#pragma once

#include "mac/frame_layout.h"
#include "mac/pdu/management_messages.h"
#include "mac/sample_time.h"
#include "mac/station_config.h"

#include <algorithm>

namespace wimax::mac {

struct UplinkMeasurement {
    float rssi_dbm = -200, cinr_db = -100, evm_db = 0;
    float timing_offset_samples = 0, frequency_offset_hz = 0;

    /// The station's part of the RSSI; the rest is noise and interference, about which its power can do nothing.
    float signal_dbm() const;
};

struct RangingCorrection {
    int32_t timing_samples = 0;  ///< positive: transmit earlier
    int8_t power_qdb = 0;        ///< 0.25 dB
    int32_t frequency_hz = 0;
    RangingStatus status = RangingStatus::success;

    void put_into(RngRsp& rsp) const;
};

class RangingLoop {
public:
    RangingLoop(const BaseStationConfig& config, const FrameLayout& layout);
    void aim_at(float target_dbm) { target_dbm_ = target_dbm; }

    /// Answer to a decoded RNG-REQ. `at_limit`: the station said that its power ends there.
    RangingCorrection on_request(const UplinkMeasurement& measured, bool at_limit);
    /// A data burst that delivered; a correction if one is due.
    std::optional<RangingCorrection> on_data(const UplinkMeasurement& measured, Samples now);
    /// A burst that was heard and delivered nothing. A few in a row correct, by their median: a station too weak to be
    /// decoded would otherwise never be told. Never lowers the power, and takes nothing from bursts that are noise
    /// (CINR below 0 dB) or too strong to be the station's own.
    std::optional<RangingCorrection> on_failed(const UplinkMeasurement& measured, Samples now);
    void restart();

    /// The last few bursts have all failed, and there was nothing to correct.
    bool exhausted() const { return exhausted_; }
    /// By which the station's level is too low, and a command may mend it.
    float missing_db(const UplinkMeasurement& measured) const {
        return power_control_ && !power_ignored_ ? std::max(0.0F, target_dbm_ - measured.signal_dbm()) : 0;
    }
    /// The same whether it follows commands or not.
    float below_target_db(const UplinkMeasurement& measured) const {
        return power_control_ ? std::max(0.0F, target_dbm_ - measured.signal_dbm()) : 0;
    }
    /// It has not followed the last power command: it is at its limit.
    bool deaf() const { return power_ignored_; }
    /// Another power was allowed to it: what was measured before says nothing of that, and it is listened to anew.
    void power_changes(Samples now);
    const UplinkMeasurement& smoothed() const { return smoothed_; }
    /// Timing that it was told in all: how much earlier it sends than it hears.
    int64_t timing_told_samples() const { return timing_told_samples_; }

private:
    RangingCorrection correction(const UplinkMeasurement& measured) const;
    bool within_limits(const UplinkMeasurement& measured, bool ignore_power) const;
    void judge_power(const UplinkMeasurement& measured);
    void watch_power(const UplinkMeasurement& measured, const RangingCorrection& sent);
    std::optional<RangingCorrection> correct(const UplinkMeasurement& measured, RangingCorrection c, Samples now);

    static constexpr size_t kFailedToJudge = 5;

    float target_dbm_, power_limit_db_, timing_limit_samples_, frequency_limit_hz_;
    bool power_control_;
    Samples holdoff_samples_;
    int attempts_ = 0, averaged_ = 0;
    std::array<UplinkMeasurement, kFailedToJudge> failed_;
    size_t failed_in_a_row_ = 0;
    bool exhausted_ = false;
    Samples hold_until_ = INT64_MIN;
    UplinkMeasurement smoothed_;
    int64_t timing_told_samples_ = 0;
    // A station that no longer follows power commands is at its limit; it is left alone until its level moves by
    // itself.
    bool power_ignored_ = false, power_asked_ = false;
    float power_asked_db_ = 0, level_when_asked_dbm_ = 0;
};

}  // namespace wimax::mac
