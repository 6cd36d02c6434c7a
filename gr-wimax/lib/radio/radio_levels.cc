/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "radio/radio_levels.h"

#include "phy/base/decibels.h"
#include "radio/transmit_guard.h"
#include "radio/vrf_nodes.h"

#include <algorithm>

namespace gr::wimax {
namespace {

constexpr double kDefaultHeadroomDb = 12;
constexpr double kUncalibratedTxMaximumDbm = 10;     // typical of USRPs at their highest gain
constexpr double kUncalibratedRxFullScaleDbm = -10;  // at gain 0

}  // namespace

RadioLevels radio_levels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    const auto levels = vrf_levels(usrp.get_tree());
    double headroom = config.headroom_db.value_or(levels ? 0 : kDefaultHeadroomDb);
    const double tx_guess = kUncalibratedTxMaximumDbm - (usrp.get_tx_gain_range().stop() - usrp.get_tx_gain());
    const double rx_guess = kUncalibratedRxFullScaleDbm - usrp.get_rx_gain();
    const double full_scale = config.tx_full_scale_dbm.value_or(levels ? levels->tx_dbm : tx_guess);
    if (const auto& most = config.limits.max_power_dbm; most && config.limits.enable)
        headroom = std::max(headroom, full_scale + TransmitGuard::kPreambleDb - *most);
    return {full_scale - headroom, config.rx_full_scale_dbm.value_or(levels ? levels->rx_dbm : rx_guess),
            static_cast<float>(phy::amplitude_of_db(-headroom))};
}

}  // namespace gr::wimax
