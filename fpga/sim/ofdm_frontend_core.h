// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated core `ofdm_frontend` with the interface of its model (fpga/model/ofdm_frontend.h).
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/ofdm_frontend_registers.h"
#include "fpga/sim/stalls.h"

#include <memory>
#include <span>
#include <vector>

namespace wimax::fpga {

class OfdmFrontendCore {
public:
    /// Stalls of both ends of the core.
    explicit OfdmFrontendCore(const Stalls& source = {}, const Stalls& sink = {});
    ~OfdmFrontendCore();

    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address);
    void order(const ofdm_frontend::Order& order) { this->order(order.word()); }
    void order(const ofdm_frontend::Order::Word& word);
    /// Continues until there is no more output. Times of words without one are 0, like the model's.
    void process(std::span<const AxisWord> samples, std::vector<AxisWord>& out);
    uint64_t cycles() const;
    /// Cycles from the last sample taken to the last word output, in the last process().
    uint64_t latency_cycles() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace wimax::fpga
