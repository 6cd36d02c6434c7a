// SPDX-License-Identifier: GPL-3.0-or-later
// Timing, frequency and power of everything that a subscriber station sends, as ranging corrects them (clauses 8.3.7.1
// and 8.3.7.4).
#pragma once

#include "mac/pdu/management_messages.h"
#include "mac/station_config.h"

#include <optional>

namespace wimax::mac {

class TransmitCorrections {
public:
    /// `config` outlives the object.
    explicit TransmitCorrections(const SubscriberConfig& config) : config_(config) {}

    /// Discards all corrections; the limit stays.
    void forget();
    void new_phy(float max_power_dbm);
    /// The transmitter has other gains. A base station that has found the station at its limit does not ask again: the
    /// power it requested last is sent as soon as possible.
    void limit_power(float max_power_dbm);

    /// The power of the first request of initial ranging, and a higher one after it. `ceiling_dbm`: what the base
    /// station allows there.
    void begin_power(float ceiling_dbm);
    void raise_power(float ceiling_dbm);
    void forget_timing_and_frequency();
    /// Returns false if there is nothing to correct.
    bool apply(const RngRsp& rsp);
    /// The gain of the widest grant: the narrower it is, the higher the power limit.
    void on_grants(float density_gain_db);

    /// Sets timing, frequency and power of a frame whose widest burst has this gain.
    void put_into(sap::TxFrame& tx, float density_gain_db) const;
    float power_dbm() const { return power_dbm_; }
    float max_power_dbm() const { return max_power_dbm_; }
    /// Its last grants were on a part of the band, because its power does not suffice for all of it.
    bool on_part_of_band() const { return density_gain_db_ > 0; }
    bool at_maximum_power() const { return at_maximum_power_; }
    bool at_minimum_power() const { return power_dbm_ <= config_.min_power_dbm; }
    int32_t timing_advance_samples() const { return timing_advance_samples_; }
    float frequency_adjust_hz() const { return frequency_adjust_hz_; }

private:
    float densest_dbm(float density_gain_db) const;

    const SubscriberConfig& config_;
    int32_t timing_advance_samples_ = 0;
    float frequency_adjust_hz_ = 0, power_dbm_ = 0, max_power_dbm_ = 0;
    float asked_power_dbm_ = 0;  ///< of a station at its maximum: the power it would need
    bool at_maximum_power_ = false;
    float density_gain_db_ = 0;  ///< gain of its last grants
};

}  // namespace wimax::mac
