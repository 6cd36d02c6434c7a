// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated core demap_viterbi_rs: whole bursts to all of their words, like its model (model/demap_viterbi_rs.h).
#pragma once

#include "fpga/sim/stream_core.h"

#include <Vdemap_viterbi_rs.h>

namespace wimax::fpga {

class DemapViterbiRsCore : public StreamCore<Vdemap_viterbi_rs> {
public:
    /// The first word of a burst of BPSK takes 3500 cycles.
    static constexpr int kQuietCycles = 8000;

    explicit DemapViterbiRsCore(const Stalls& source = {}, const Stalls& sink = {})
        : StreamCore(kQuietCycles, source, sink) {}
};

}  // namespace wimax::fpga
