// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/radio_settings.h"

#include <utility>

namespace wimax::vrf {

void RadioSettings::tune(std::function<void(Tuning&)> change, std::optional<int64_t> tick, int64_t now) {
    const std::lock_guard lock(mutex_);
    if (tick && *tick > now) timed_.emplace(*tick, std::move(change));
    else change(tuning_);
}

Tuning RadioSettings::tuning() const {
    const std::lock_guard lock(mutex_);
    return tuning_;
}

Tuning RadioSettings::before(int64_t end) {
    const std::lock_guard lock(mutex_);
    while (!timed_.empty() && timed_.begin()->first < end) {
        timed_.begin()->second(tuning_);
        timed_.erase(timed_.begin());
    }
    return tuning_;
}

void RadioSettings::use(const Welcome& welcome) {
    const std::lock_guard lock(mutex_);
    tx_power_dbm_ = welcome.tx_power_dbm;
    rx_full_scale_dbm_ = welcome.rx_full_scale_dbm;
}

double RadioSettings::tx_reference_dbm() const {
    const std::lock_guard lock(mutex_);
    return tx_power_dbm_ - (kMaxTxGainDb - tuning_.tx_gain_db[0]);
}

double RadioSettings::rx_reference_dbm() const {
    const std::lock_guard lock(mutex_);
    return rx_full_scale_dbm_ - tuning_.rx_gain_db;
}

}  // namespace wimax::vrf
