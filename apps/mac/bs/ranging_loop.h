// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's control loop for one station's timing, power and frequency (clauses 6.3.10, 8.3.7.1 and 8.3.7.4).
#pragma once

#include "mac/clock.h"
#include "mac/pdu/management_messages.h"
#include "mac/sample_time.h"
#include "mac/station_config.h"
#include "sap/messages.h"

#include <algorithm>

namespace wimax::mac {

using UplinkMeasurement = sap::RxMeasurement;
/// The station's part of the RSSI; its power cannot affect the rest, which is noise and interference.
float signal_dbm(const UplinkMeasurement& measured);

struct RangingCorrection {
    int32_t timing_samples = 0;  ///< positive: transmit earlier
    int8_t power_qdb = 0;        ///< 0.25 dB
    int32_t frequency_hz = 0;
    RangingStatus status = RangingStatus::success;
    bool power_alone = false;  ///< nothing else is to be corrected, and the station has not ignored an FPC

    void put_into(RngRsp& rsp) const;
};

class RangingLoop {
public:
    RangingLoop(const BaseStationConfig& config, const FrameTiming& timing);
    void aim_at(float target_dbm) { target_dbm_ = target_dbm; }

    /// Response to a decoded RNG-REQ. `at_limit`: the station reported that its power ends there.
    RangingCorrection on_request(const UplinkMeasurement& measured, bool at_limit);
    /// A data burst was delivered. Returns a correction if one is due.
    std::optional<RangingCorrection> on_data(const UplinkMeasurement& measured, Samples now);
    /// A burst was heard and delivered nothing. The median of a few in a row is corrected; otherwise a station too weak
    /// to be decoded would get no command. Never lowers the power, and ignores bursts that are noise (CINR below 0 dB)
    /// or too strong to be the station's.
    std::optional<RangingCorrection> on_failed(const UplinkMeasurement& measured, Samples now);
    void restart();

    /// The last few bursts have all failed, and there was nothing to correct.
    bool exhausted() const { return exhausted_; }
    /// Power deficit in dB that a command can still correct.
    float missing_db(const UplinkMeasurement& measured) const {
        return power_control_ && !power_ignored_ ? std::max(0.0F, target_dbm_ - signal_dbm(measured)) : 0;
    }
    /// Power deficit in dB, whether the station follows commands or not.
    float below_target_db(const UplinkMeasurement& measured) const {
        return power_control_ ? std::max(0.0F, target_dbm_ - signal_dbm(measured)) : 0;
    }
    /// It has not followed the last power command: it is at its limit.
    bool deaf() const { return power_ignored_; }
    /// The last power command went out in an FPC, which a station may not understand.
    void asked_by_fast_power() { asked_fast_ = true; }
    /// The station's allowed power has changed: earlier measurements no longer apply, and averaging restarts.
    void power_changes(Samples now);
    const UplinkMeasurement& smoothed() const { return smoothed_; }
    /// The station ranges without a basic CID: it has followed no timing command so far.
    void begins() { timing_told_samples_ = 0; }
    /// Sum of the timing commands: how much earlier the station sends than it receives.
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
    // A station that no longer follows power commands is at its limit. It gets no more of them until its level moves
    // without a command.
    bool power_ignored_ = false, power_asked_ = false;
    bool fast_power_, asked_fast_ = false;  ///< commands may be sent by FPC; the last one was
    float power_asked_db_ = 0, level_when_asked_dbm_ = 0;
};

}  // namespace wimax::mac
