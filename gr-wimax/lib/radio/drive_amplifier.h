// SPDX-License-Identifier: GPL-3.0-or-later
// An amplifier's lines at a device: UHD's ATR, by which the FPGA sets a line to one level while samples are sent and to
// another otherwise. PieceMaker adds zeros before or after a burst if the line must be on earlier or longer. A line is
// therefore never on without samples, even if this program fails; timed commands would not guarantee that.
#pragma once

#include <gnuradio/wimax/amplifier_line.h>

#include <uhd/usrp/multi_usrp.hpp>

#include <string>

namespace gr::wimax {

/// Sets up the lines. Throws like RadioFrontend::open(). They are off except during bursts.
void drive_amplifier(uhd::usrp::multi_usrp& usrp, const AmplifierLine& amplifier);

std::string describe(const AmplifierLine& amplifier);

}  // namespace gr::wimax
