/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "viterbi_kernels.h"

namespace gr::wimax::phy::viterbi {

void portable_add_compare_select(PathMetrics& metrics, const BranchMetrics* branches, uint64_t* decisions, size_t steps);
unsigned portable_best_end(const PathMetrics& metrics);
void portable_traceback(const uint64_t* decisions, size_t steps, unsigned end, size_t emit, uint8_t* out);

}  // namespace gr::wimax::phy::viterbi
