// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of an open USRP that concern its RF side: channels, frequency, gains, antennas, and the wait for its
// oscillators. Each throws std::runtime_error, whose text names the setting, its value and what the device has instead.
#pragma once

#include <gnuradio/wimax/radio_frontend.h>

#include <uhd/usrp/multi_usrp.hpp>

namespace gr::wimax {

void choose_channels(uhd::usrp::multi_usrp& usrp, const RadioConfig& config);
/// Sets frequency, gain and antenna of every channel; a transmitter that is disabled is not changed.
void tune(uhd::usrp::multi_usrp& usrp, const RadioConfig& config);
/// Checked before any is set: all channels of a direction have one gain.
void check_gains(uhd::usrp::multi_usrp& usrp, size_t tx_channels, double tx_gain_db, double rx_gain_db);
GainRange gain_range(const uhd::gain_range_t& range);
void set_gains(uhd::usrp::multi_usrp& usrp, size_t tx_channels, double tx_gain_db, double rx_gain_db);
/// Waits until reference and local oscillators are locked, `lock_timeout_s` at most.
void wait_for_lock(uhd::usrp::multi_usrp& usrp, const RadioConfig& config);

}  // namespace gr::wimax
