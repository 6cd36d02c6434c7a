// SPDX-License-Identifier: GPL-3.0-or-later
// A bank of GPIO lines as in UHD: registers in the property tree, one of which ATR selects by the radio's activity, and
// a record of the resulting levels and times. A real radio without streams is idle; this one always counts as
// receiving.
#pragma once

#include <cstdint>
#include <string>
#include <uhd/property_tree.hpp>
#include <utility>
#include <vector>

#include "vrf/tx_fifo.h"

namespace wimax::vrf {

using LineLevels = std::vector<std::pair<int64_t, uint32_t>>;

/// `path`: /mboards/0/gpio/NAME. Registers as after a reset: all lines are inputs.
void build_gpio_bank(uhd::property_tree& tree, const std::string& path);

/// Levels of its outputs while the radio sent `runs`, in order; the first is from before them.
LineLevels line_levels(uhd::property_tree& tree, const std::string& path, const std::vector<TxRun>& runs);

}  // namespace wimax::vrf
