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
    double peak_headroom_db = 0;  ///< of it, what peaks need; the rest keeps within the limit of the power
    float tx_scale = 1;           ///< amplitude of the headroom
};

/// At the device's present gains. `headroom_db`: what it was at the start, which is kept.
RadioLevels radio_levels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config,
                         std::optional<double> headroom_db = {});

/// What full scale is at the gain that the device has now, at the antenna, where it was `full_scale_dbm` at `gain_db`.
/// By calibration, or the device's word, or as many dB as the gain has changed; a virtual radio may still be about to.
double full_scale_at(uhd::usrp::multi_usrp& usrp, const RadioConfig& config, bool transmit, double gain_db,
                     double full_scale_dbm);

}  // namespace gr::wimax
