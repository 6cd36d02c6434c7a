/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The core preamble_detect in a radio, in the place of a receiver's search.
 */
#pragma once

#include <gnuradio/wimax/phy/acquire/preamble_detector.h>
#include <gnuradio/wimax/radio_cores.h>

#include <memory>

namespace wimax::fpga {

/// Searches all carrier offsets that the receiver would, and this prefix, or any. Null: not this core, or another
/// version of it.
std::shared_ptr<gr::wimax::phy::PreambleDetector> make_preamble_detect(
    gr::wimax::RadioCorePtr core, const gr::wimax::phy::Numerology& numerology,
    std::optional<gr::wimax::phy::CyclicPrefix> cp = {});
/// Without records of it nobody waits for them: a core that is not asked is switched off.
void switch_off_preamble_detect(gr::wimax::RadioCore& core);

}  // namespace wimax::fpga
