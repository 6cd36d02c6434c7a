/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * demap_viterbi_rs as Verilator compiles it, behind the interface of its model.
 */
#pragma once

#include "fpga/model/demap_viterbi_rs.h"
#include "fpga/sim/verilated_core.h"

#include <Vdemap_viterbi_rs.h>

#include <utility>

namespace wimax::fpga {

class DemapViterbiRsCore {
public:
    explicit DemapViterbiRsCore(Stalls source = {}, Stalls sink = {})
        : source_(WIMAX_AXIS_PORTS(core_.top(), s_axis), source), sink_(WIMAX_AXIS_PORTS(core_.top(), m_axis), sink) {
        core_.reset();
    }

    /// Whole bursts; returns all of their words. Ends when nothing has moved for longer than all stages take.
    std::vector<AxisWord> run(std::span<const AxisWord> words) {
        constexpr int kQuietCycles = 8000;
        source_.send(words);
        size_t before = 0;
        for (int quiet = 0; quiet < kQuietCycles; ++quiet) {
            core_.cycle(source_, sink_);
            const size_t moved = sink_.words.size() - source_.left();
            if (moved != before) quiet = 0;
            before = moved;
        }
        return std::exchange(sink_.words, {});
    }

    uint32_t read(uint32_t address) { return core_.read(address, source_, sink_); }
    VerilatedCore<Vdemap_viterbi_rs>& core() { return core_; }
    AxisSource& source() { return source_; }
    AxisSink& sink() { return sink_; }

private:
    VerilatedCore<Vdemap_viterbi_rs> core_;
    AxisSource source_;
    AxisSink sink_;
};

}  // namespace wimax::fpga
