// SPDX-License-Identifier: GPL-3.0-or-later
// Driver of the core preamble_detect in a radio, which replaces a receiver's search.
#pragma once

#include <gnuradio/wimax/phy/acquire/preamble_detector.h>
#include <gnuradio/wimax/radio_cores.h>

#include <memory>

namespace wimax::fpga {

/// Searches the receiver's carrier offsets, and this prefix, or any. Null: another core, or another version of it.
std::shared_ptr<gr::wimax::phy::PreambleDetector> make_preamble_detect(
    gr::wimax::RadioCorePtr core, const gr::wimax::phy::Numerology& numerology,
    std::optional<gr::wimax::phy::CyclicPrefix> cp = {});
/// Without readers its records would wait: a core that is not polled is switched off.
void switch_off_preamble_detect(gr::wimax::RadioCore& core);

}  // namespace wimax::fpga
