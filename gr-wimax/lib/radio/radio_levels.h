/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What samples mean in dBm at the antenna: by calibration, by the radio's own word (UHD's power reference, or
 * the virtual radio's), or by a guess for a USRP.
 */
#pragma once

#include <gnuradio/wimax/radio_frontend.h>

#include <uhd/usrp/multi_usrp.hpp>

#include <optional>

namespace gr::wimax {

struct RadioLevels {
    double tx_dbm = 0;  ///< mean power of a data symbol at 0 dBFS given to transmit(), headroom taken off
    double rx_dbm = 0;  ///< at the antenna for 0 dBFS from receive()
    double headroom_db = 0;
    float tx_scale = 1;  ///< amplitude of the headroom
};

/// At the device's present gains. `headroom_db`: what it was at the start, which is kept.
RadioLevels radio_levels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config,
                         std::optional<double> headroom_db = {});

}  // namespace gr::wimax
