// SPDX-License-Identifier: GPL-3.0-or-later
// Driver of the core burst_gate in a radio: sets it up, sends its heartbeat and reads its counters.
#pragma once

#include <gnuradio/wimax/radio_cores.h>

namespace wimax::fpga {

/// Driver for RadioConfig::gate. Null: another core, or another version of it.
std::shared_ptr<gr::wimax::TransmitGate> make_burst_gate(gr::wimax::RadioCorePtr core);

}  // namespace wimax::fpga
