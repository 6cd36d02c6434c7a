// SPDX-License-Identifier: GPL-3.0-or-later
// Levels of samples in dBm at the antenna: from calibration, from the radio's power reference (UHD's or the virtual
// radio's), or an estimate for a USRP.
#pragma once

#include <gnuradio/wimax/radio_frontend.h>

#include <uhd/usrp/multi_usrp.hpp>

#include <optional>

namespace gr::wimax {

struct RadioLevels {
    double tx_dbm = 0;  ///< mean power of a data symbol at 0 dBFS given to transmit(), minus the headroom
    double rx_dbm = 0;  ///< at the antenna for 0 dBFS from receive()
    double headroom_db = 0;
    double peak_headroom_db = 0;  ///< part of it for peaks; the rest is due to the power limit
    float tx_scale = 1;           ///< amplitude of the headroom
};

/// Levels at the device's present gains. `headroom_db`: constant, from the start.
RadioLevels radio_levels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config,
                         std::optional<double> headroom_db = {});

/// Full scale at the antenna at the device's present gain; it was `full_scale_dbm` at `gain_db`. From calibration, or
/// the device's power reference, or changed by as many dB as the gain; a virtual radio may not have changed it yet.
double full_scale_at(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, bool transmit, double gain_db,
                     double full_scale_dbm);

}  // namespace gr::wimax
