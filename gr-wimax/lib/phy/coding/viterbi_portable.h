// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "phy/coding/viterbi_kernels.h"

namespace gr::wimax::phy::viterbi {

void portable_add_compare_select(PathMetrics& metrics, const BranchMetrics* branches, Survivors* survivors,
                                 size_t rounds);
unsigned portable_best_end(const PathMetrics& metrics);
void portable_traceback(const Survivors* survivors, size_t rounds, unsigned end, size_t bytes, uint8_t* out);

}  // namespace gr::wimax::phy::viterbi
