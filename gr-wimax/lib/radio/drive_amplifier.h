/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An amplifier's lines at a device: UHD's ATR, by which the FPGA itself sets a line to one level while samples are sent
 * and to another else. What has to be on earlier or longer is sent with zeros before or behind (BurstSender): so a line
 * can be on only while something is sent, whatever becomes of this program, which timed commands could not promise.
 */
#pragma once

#include <gnuradio/wimax/amplifier_line.h>

#include <uhd/usrp/multi_usrp.hpp>

#include <string>

namespace gr::wimax {

/// Throws as RadioFrontend::open() does. Off from then on, but while a burst is sent.
void drive_amplifier(uhd::usrp::multi_usrp& usrp, const AmplifierLine& amplifier);

std::string describe(const AmplifierLine& amplifier);

}  // namespace gr::wimax
