// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated core burst_gate with the interface of its model (model/burst_gate.h).
#pragma once

#include "fpga/model/burst_gate.h"
#include "fpga/sim/stalls.h"

#include <memory>
#include <span>
#include <vector>

namespace wimax::fpga {

class BurstGateCore {
public:
    /// Stalls of the input, the output and the time.
    explicit BurstGateCore(const Stalls& source = {}, const Stalls& sink = {}, const Stalls& time = {});
    ~BurstGateCore();

    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address);
    void process(std::span<const AxisWord> words, uint64_t first, size_t ticks, std::vector<AxisWord>& out,
                 std::vector<uint8_t>& line);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace wimax::fpga
