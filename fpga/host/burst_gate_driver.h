/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The core burst_gate in a radio, as the host sets it up, keeps it awake and asks what it has done.
 */
#pragma once

#include <gnuradio/wimax/radio_cores.h>

namespace wimax::fpga {

/// For RadioConfig::gate. Null: not this core, or another version of it.
std::shared_ptr<gr::wimax::TransmitGate> make_burst_gate(gr::wimax::RadioCorePtr core);

}  // namespace wimax::fpga
