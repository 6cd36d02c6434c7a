/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "radio/radio_levels.h"

#include "phy/base/decibels.h"
#include "radio/vrf_nodes.h"

namespace gr::wimax {
namespace {

constexpr double kDefaultHeadroomDb = 12;
constexpr double kUncalibratedTxMaximumDbm = 10;     // typical of USRPs at their highest gain
constexpr double kUncalibratedRxFullScaleDbm = -10;  // at gain 0

}  // namespace

RadioLevels radio_levels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config) {
    const auto levels = vrf_levels(usrp.get_tree());
    const double headroom = config.headroom_db.value_or(levels ? 0 : kDefaultHeadroomDb);
    const double tx_guess = kUncalibratedTxMaximumDbm - (usrp.get_tx_gain_range().stop() - usrp.get_tx_gain());
    const double rx_guess = kUncalibratedRxFullScaleDbm - usrp.get_rx_gain();
    return {config.tx_full_scale_dbm.value_or(levels ? levels->tx_dbm : tx_guess) - headroom,
            config.rx_full_scale_dbm.value_or(levels ? levels->rx_dbm : rx_guess),
            static_cast<float>(phy::amplitude_of_db(-headroom))};
}

}  // namespace gr::wimax
