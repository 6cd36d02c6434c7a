// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/device_gains.h"

#include "radio/radio_tuning.h"
#include "radio/refusal.h"
#include "radio/transmit_guard.h"

namespace gr::wimax {

DeviceGains::DeviceGains(RadioDevice& device, const RadioConfig& config)
    : device_(device), config_(config), spare_headroom_db_(device.levels.headroom_db - device.levels.peak_headroom_db) {
    const auto all = levels();
    note_tx(all);
    note_rx(all);
}

/// Levels at the device's gains.
RadioLevels DeviceGains::levels() const { return radio_levels(*device_.usrp, config_, device_.levels.headroom_db); }

void DeviceGains::note_tx(const RadioLevels& levels) {
    tx_ = {device_.usrp->get_tx_gain(), levels.tx_dbm + levels.headroom_db};
    tx_dbm_ = levels.tx_dbm;
    tx_gain_db_ = tx_now_db_ = tx_.gain_db;
}

void DeviceGains::note_rx(const RadioLevels& levels) {
    rx_ = {device_.usrp->get_rx_gain(), levels.rx_dbm};
    rx_dbm_ = levels.rx_dbm;
    rx_gain_db_ = rx_now_db_ = rx_.gain_db;
}

size_t DeviceGains::tx_channels() const { return config_.limits.enable ? device_.tx_channels : 0; }

void DeviceGains::check(double tx_gain_db, double rx_gain_db) const {
    const auto& limits = config_.limits;
    const double peak_dbm = tx_dbm_ + (tx_gain_db - tx_gain_db_) + TransmitGuard::kPreambleDb;
    constexpr double kRounding = 1e-6;
    if (limits.enable && limits.max_power_dbm && peak_dbm > *limits.max_power_dbm + kRounding)
        refuse("tx gain: " + number_text(tx_gain_db) + " dB, which is " + number_text(peak_dbm) +
               " dBm, above max_power_dbm");
    check_gains(*device_.usrp, tx_channels(), tx_gain_db, rx_gain_db);
}

void DeviceGains::ask(double tx_gain_db, double rx_gain_db) {
    const std::lock_guard guard(mutex_);
    auto& usrp = *device_.usrp;
    if (tx_gain_db != tx_.gain_db) {
        for (size_t channel = 0; channel < tx_channels(); ++channel) usrp.set_tx_gain(tx_gain_db, channel);
        note_tx(levels());
        ++tx_asked_;
    }
    if (rx_gain_db != rx_.gain_db) {
        usrp.set_rx_gain(rx_gain_db);
        note_rx(levels());
        ++rx_asked_;
    }
}

template <typename Set> void DeviceGains::at_tick(int64_t tick, Set set) {
    auto& usrp = *device_.usrp;
    if (!device_.lock_step()) return set(usrp);
    usrp.set_command_time(uhd::time_spec_t::from_ticks(tick, device_.plan.tick_rate_hz));
    set(usrp);
    usrp.clear_command_time();
}

double DeviceGains::set_tx(double gain_db, int64_t tick) {
    const std::lock_guard guard(mutex_);
    at_tick(tick, [&](auto& usrp) {
        for (size_t channel = 0; channel < device_.tx_channels; ++channel) usrp.set_tx_gain(gain_db, channel);
    });
    tx_now_db_ = device_.usrp->get_tx_gain();
    return tx_.full_scale_dbm - full_scale_dbm(true, tx_);
}

double DeviceGains::set_rx(double gain_db, int64_t tick) {
    const std::lock_guard guard(mutex_);
    at_tick(tick, [&](auto& usrp) { usrp.set_rx_gain(gain_db); });
    rx_now_db_ = device_.usrp->get_rx_gain();
    return full_scale_dbm(false, rx_) - rx_.full_scale_dbm;
}

/// Levels at the gain that was just set.
double DeviceGains::full_scale_dbm(bool transmit, const At& asked) const {
    return full_scale_at(*device_.usrp, config_, transmit, asked.gain_db, asked.full_scale_dbm);
}

}  // namespace gr::wimax
