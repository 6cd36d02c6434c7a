/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What wimax-speed measures. Every item checks its own results, so that a fast but wrong decoder is not praised.
 */
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace wimax::speed {

/// Does one round of work and returns how much it was, in millions of the item's unit of work (bits, samples, ...).
/// Throws std::runtime_error if a result is wrong.
using Round = std::function<double()>;

struct Item {
    std::string name, unit;
    double real_time = 0;            ///< what 5.76 MS/s at 64-QAM 3/4 asks of this item, in its unit
    std::function<Round()> prepare;  ///< makes signals and workspaces, not timed
};

/// rx_<rate>, tx_<rate>, rx_idle.
void add_chain_items(std::vector<Item>& items);

/// viterbi_single, rs_decode_clean, rs_decode_full, fft256, llr_64qam.
void add_kernel_items(std::vector<Item>& items);

}  // namespace wimax::speed
