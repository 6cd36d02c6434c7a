// SPDX-License-Identifier: GPL-3.0-or-later
// A Verilated core with one stream of words in and one out, and registers. Shared by the harnesses of such cores.
#pragma once

#include "fpga/sim/verilated_core.h"

#include <span>
#include <utility>
#include <vector>

namespace wimax::fpga {

template <class Top> class StreamCore {
public:
    /// Output is complete if neither end has moved for `quiet_cycles`: more than all stages take with these stalls.
    explicit StreamCore(int quiet_cycles, const Stalls& source = {}, const Stalls& sink = {})
        : quiet_cycles_(quiet_cycles),
          source_(WIMAX_AXIS_PORTS(core_.top(), s_axis), source),
          sink_(WIMAX_AXIS_PORTS(core_.top(), m_axis), sink) {
        core_.reset();
    }

    void write(uint32_t address, uint32_t value) { core_.write(address, value, source_, sink_); }
    uint32_t read(uint32_t address) { return core_.read(address, source_, sink_); }

    /// Continues until there is no more output, and returns it. Times of words without one are 0, like the models'. If
    /// a core stops taking words, the run ends and its words are missing.
    std::vector<AxisWord> run(std::span<const AxisWord> words) {
        source_.send(words);
        for (int quiet = 0; quiet < quiet_cycles_; ++quiet) {
            const size_t left = source_.left(), come = sink_.words.size();
            cycle();
            const bool took = source_.left() != left, gave = sink_.words.size() != come;
            if (took || gave) quiet = 0;
            if (took) {
                taken_ = first_ = last_ = cycles();
            } else if (gave) {
                last_ = cycles();
                if (first_ == taken_) first_ = last_;
            }
        }
        for (auto& word : sink_.words)
            if (!word.has_time) word.time = 0;
        return std::exchange(sink_.words, {});
    }
    /// Cycles from the last word taken to the first, and to the last, output word after it, in the last run().
    uint64_t cycles_to_first() const { return first_ - taken_; }
    uint64_t cycles_to_last() const { return last_ - taken_; }

    void cycle() { core_.cycle(source_, sink_); }
    uint64_t cycles() const { return core_.cycles(); }
    Top& top() { return core_.top(); }
    AxisSource& source() { return source_; }
    AxisSink& sink() { return sink_; }

private:
    int quiet_cycles_;
    VerilatedCore<Top> core_;
    AxisSource source_;
    AxisSink sink_;
    uint64_t taken_ = 0, first_ = 0, last_ = 0;
};

}  // namespace wimax::fpga
