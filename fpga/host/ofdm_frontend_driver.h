// SPDX-License-Identifier: GPL-3.0-or-later
// Driver of the core ofdm_frontend in a radio: delivers the carriers of symbols that a receiver orders.
#pragma once

#include <gnuradio/wimax/phy/frame/symbol_transformer.h>
#include <gnuradio/wimax/radio_cores.h>

#include <memory>

namespace wimax::fpga {

/// Null: another core, or another version of it.
std::shared_ptr<gr::wimax::phy::SymbolTransformer> make_ofdm_frontend(gr::wimax::RadioCorePtr core);

}  // namespace wimax::fpga
