/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The base station's control loop for one station's timing, power and frequency (clauses 6.3.10 and 8.3.7.1-4).
 */
#pragma once

#include <mac/config.h>
#include <mac/frame_layout.h>
#include <mac/pdu/messages.h>
#include <mac/time.h>

namespace wimax::mac {

struct UplinkMeasurement {
    float rssi_dbm = -200, cinr_db = -100, evm_db = 0;
    float timing_offset_samples = 0, frequency_offset_hz = 0;
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

    /// Answer to a decoded RNG-REQ. `at_limit`: the station said that its power ends there.
    RangingCorrection on_request(const UplinkMeasurement& measured, bool at_limit);
    /// A decoded data burst; a correction if one is due.
    std::optional<RangingCorrection> on_data(const UplinkMeasurement& measured, Samples now);
    void restart();

    const UplinkMeasurement& smoothed() const { return smoothed_; }

private:
    RangingCorrection correction(const UplinkMeasurement& measured) const;
    bool within_limits(const UplinkMeasurement& measured, bool ignore_power) const;
    void watch_power(const UplinkMeasurement& measured, const RangingCorrection& sent);

    float target_dbm_, power_limit_db_, timing_limit_samples_, frequency_limit_hz_;
    bool power_control_;
    Samples holdoff_samples_;
    int attempts_ = 0, averaged_ = 0;
    Samples hold_until_ = INT64_MIN;
    UplinkMeasurement smoothed_;
    // A station that no longer follows power commands is at its limit; it is left alone until its level moves by
    // itself.
    bool power_ignored_ = false, power_asked_ = false;
    float power_asked_db_ = 0, rssi_when_asked_dbm_ = 0;
};

}  // namespace wimax::mac
