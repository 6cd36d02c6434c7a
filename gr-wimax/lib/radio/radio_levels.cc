// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/radio_levels.h"

#include "phy/base/decibels.h"
#include "radio/transmit_guard.h"
#include "radio/vrf_nodes.h"

#include <uhd/property_tree.hpp>
#include <uhd/usrp/mboard_eeprom.hpp>

#include <algorithm>
#include <optional>

namespace gr::wimax {
namespace {

constexpr double kDefaultHeadroomDb = 12;
constexpr double kUncalibratedTxMaximumDbm = 10;     // typical of USRPs at their highest gain
constexpr double kUncalibratedRxFullScaleDbm = -10;  // at gain 0

std::optional<double> measured(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, bool transmit) {
    if (config.calibration.empty()) return std::nullopt;
    const auto board = usrp.get_tree()->access<uhd::usrp::mboard_eeprom_t>("/mboards/0/eeprom").get();
    return full_scale_dbm(config.calibration,
                          {board.get("serial", ""), transmit, transmit ? usrp.get_tx_antenna() : usrp.get_rx_antenna(),
                           transmit ? config.tx_frequency_hz : config.rx_frequency_hz,
                           transmit ? usrp.get_tx_gain() : usrp.get_rx_gain()});
}

}  // namespace

RadioLevels radio_levels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, std::optional<double> headroom_db) {
    const auto levels = vrf_levels(usrp.get_tree());
    const double tx_gain = usrp.get_tx_gain(), rx_gain = usrp.get_rx_gain();
    const auto at_gain = [](std::optional<double> calibrated, double more_db) {
        if (calibrated) *calibrated += more_db;
        return calibrated;
    };
    const double tx_guess = kUncalibratedTxMaximumDbm - (usrp.get_tx_gain_range().stop() - tx_gain);
    const double rx_guess = kUncalibratedRxFullScaleDbm - rx_gain;
    const double tx_calibrated_at = config.limits.enable ? config.tx_gain_db : tx_gain;
    auto tx = at_gain(config.tx_full_scale_dbm, tx_gain - tx_calibrated_at);
    auto rx = at_gain(config.rx_full_scale_dbm, config.rx_gain_db - rx_gain);
    if (!tx) tx = measured(usrp, config, true);
    if (!rx) rx = measured(usrp, config, false);
    if (!tx && usrp.has_tx_power_reference()) tx = usrp.get_tx_power_reference();
    if (!rx && usrp.has_rx_power_reference()) rx = usrp.get_rx_power_reference();
    const double full_scale = tx.value_or(levels ? levels->tx_dbm : tx_guess);
    const double peaks = config.headroom_db.value_or(vrf_never_clips(usrp.get_tree()) ? 0 : kDefaultHeadroomDb);
    double headroom = peaks;
    if (const auto& most = config.limits.max_power_dbm; most && config.limits.enable)
        headroom = std::max(headroom, full_scale + TransmitGuard::kPreambleDb - *most);
    headroom = headroom_db.value_or(headroom);
    return {full_scale - headroom, rx.value_or(levels ? levels->rx_dbm : rx_guess), headroom, peaks,
            static_cast<float>(phy::amplitude_of_db(-headroom))};
}

double full_scale_at(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, bool transmit, double gain_db,
                     double full_scale_dbm) {
    const double change_db = (transmit ? usrp.get_tx_gain() : usrp.get_rx_gain()) - gain_db;
    const double by_gain = full_scale_dbm + (transmit ? change_db : -change_db);
    if ((transmit ? config.tx_full_scale_dbm : config.rx_full_scale_dbm) || vrf_levels(usrp.get_tree())) return by_gain;
    if (const auto point = measured(usrp, config, transmit)) return *point;
    if (transmit && usrp.has_tx_power_reference()) return usrp.get_tx_power_reference();
    if (!transmit && usrp.has_rx_power_reference()) return usrp.get_rx_power_reference();
    return by_gain;
}

}  // namespace gr::wimax
