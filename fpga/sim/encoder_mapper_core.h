/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * encoder_mapper as Verilator compiles it, behind the interface of its model.
 */
#pragma once

#include "fpga/model/encoder_mapper.h"
#include "fpga/sim/verilated_core.h"

#include <Vencoder_mapper.h>

namespace wimax::fpga {

class EncoderMapperCore {
public:
    explicit EncoderMapperCore(Stalls source = {}, Stalls sink = {})
        : source_(WIMAX_AXIS_PORTS(core_.top(), s_axis), source), sink_(WIMAX_AXIS_PORTS(core_.top(), m_axis), sink) {
        core_.reset();
    }

    /// Whole bursts; returns all of their carriers. Ends when nothing has come for longer than a symbol takes.
    std::vector<AxisWord> run(std::span<const AxisWord> words) {
        constexpr int kQuietCycles = 4000;
        source_.send(words);
        size_t before = 0;
        for (int quiet = 0; quiet < kQuietCycles; ++quiet) {
            core_.cycle(source_, sink_);
            if (!source_.idle() || sink_.words.size() != before) quiet = 0;
            before = sink_.words.size();
        }
        return std::exchange(sink_.words, {});
    }

    uint32_t read(uint32_t address) { return core_.read(address, source_, sink_); }
    VerilatedCore<Vencoder_mapper>& core() { return core_; }
    AxisSource& source() { return source_; }
    AxisSink& sink() { return sink_; }

private:
    VerilatedCore<Vencoder_mapper> core_;
    AxisSource source_;
    AxisSink sink_;
};

}  // namespace wimax::fpga
