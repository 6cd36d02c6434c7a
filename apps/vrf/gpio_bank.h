/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bank of GPIO lines as UHD has it: registers in the property tree, of which ATR chooses one by what the radio is
 * doing, and which levels that gave when. A radio whose streams have ended is idle; this one counts as receiving
 * always.
 */
#pragma once

#include <cstdint>
#include <string>
#include <uhd/property_tree.hpp>
#include <utility>
#include <vector>

#include "vrf/tx_fifo.h"

namespace wimax::vrf {

using LineLevels = std::vector<std::pair<int64_t, uint32_t>>;

/// `path`: /mboards/0/gpio/NAME. As registers are after a reset: inputs all.
void build_gpio_bank(uhd::property_tree& tree, const std::string& path);

/// Levels of its outputs while the radio sent `runs`, in order; the first is of the time before them.
LineLevels line_levels(uhd::property_tree& tree, const std::string& path, const std::vector<TxRun>& runs);

}  // namespace wimax::vrf
