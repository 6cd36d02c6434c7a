// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/transmit_corrections.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr float kQuarterDb = 0.25F;
// Limits of the PHY; corrections with larger sums are invalid.
constexpr int64_t kMaxTimingAdvance = 1'000'000;
constexpr float kMaxFrequencyAdjustHz = 1e6F;

}  // namespace

void TransmitCorrections::forget() {
    density_gain_db_ = 0;
    at_maximum_power_ = false;
    power_dbm_ = asked_power_dbm_ = 0;
    forget_timing_and_frequency();
}

void TransmitCorrections::new_phy(float max_power_dbm) {
    max_power_dbm_ = max_power_dbm;
    forget();
}

void TransmitCorrections::limit_power(float max_power_dbm) {
    if (max_power_dbm == max_power_dbm_) return;
    max_power_dbm_ = max_power_dbm;
    const float most = densest_dbm(density_gain_db_);
    if (!at_maximum_power_) asked_power_dbm_ = power_dbm_;
    at_maximum_power_ = asked_power_dbm_ >= most;
    power_dbm_ = std::min(asked_power_dbm_, most);
}

void TransmitCorrections::begin_power(float ceiling_dbm) {
    power_dbm_ = std::max(config_.min_power_dbm, ceiling_dbm - config_.first_power_backoff_db);
}

void TransmitCorrections::raise_power(float ceiling_dbm) {
    power_dbm_ =
        std::min(power_dbm_ + config_.ranging_power_step_db, std::max(config_.min_power_dbm, ceiling_dbm));
}

void TransmitCorrections::forget_timing_and_frequency() {
    timing_advance_samples_ = 0;
    frequency_adjust_hz_ = 0;
}

bool TransmitCorrections::apply(const RngRsp& rsp) {
    const auto samples = rsp.timing_adjust_samples.value_or(0);
    const auto hz = rsp.frequency_adjust_hz.value_or(0);
    const auto quarters = rsp.power_adjust_qdb.value_or(0);
    timing_advance_samples_ = static_cast<int32_t>(
        std::clamp(int64_t{timing_advance_samples_} + samples, -kMaxTimingAdvance, kMaxTimingAdvance));
    frequency_adjust_hz_ =
        std::clamp(frequency_adjust_hz_ + static_cast<float>(hz), -kMaxFrequencyAdjustHz, kMaxFrequencyAdjustHz);
    asked_power_dbm_ = power_dbm_ + static_cast<float>(quarters) * kQuarterDb;
    const float most = densest_dbm(density_gain_db_);
    at_maximum_power_ = asked_power_dbm_ >= most;
    power_dbm_ = std::clamp(asked_power_dbm_, config_.min_power_dbm, most);
    return samples != 0 || hz != 0 || quarters != 0;
}

void TransmitCorrections::on_grants(float density_gain_db) {
    density_gain_db_ = density_gain_db;
    power_dbm_ = std::min(power_dbm_, densest_dbm(density_gain_db_));
}

void TransmitCorrections::put_into(sap::TxFrame& tx, float density_gain_db) const {
    tx.timing_advance_samples = timing_advance_samples_;
    tx.frequency_adjust_hz = frequency_adjust_hz_;
    tx.power_dbm = std::min(power_dbm_, densest_dbm(density_gain_db));
}

/// Transmit power with the station's maximum power in that part of the band.
float TransmitCorrections::densest_dbm(float density_gain_db) const {
    return std::max(config_.min_power_dbm, max_power_dbm_ + density_gain_db);
}

}  // namespace wimax::mac
