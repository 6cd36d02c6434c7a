// SPDX-License-Identifier: GPL-3.0-or-later
// Signals for the tests of preamble_detect: preambles of all prefixes, levels and carrier offsets, in noise, followed
// by other signals, with gaps of time and tones between.
#pragma once

#include "fpga/model/axis_word.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::fpga {

/// Words with their time and other sidebands. The same for the same seed.
std::vector<AxisWord> preamble_signals(size_t samples, uint64_t seed);

}  // namespace wimax::fpga
