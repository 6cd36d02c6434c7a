// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated core `ofdm_backend` with the interface of its model (fpga/model/ofdm_backend.h).
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/sim/stalls.h"

#include <memory>
#include <span>
#include <vector>

namespace wimax::fpga {

class OfdmBackendCore {
public:
    /// Stalls of both ends of the core.
    explicit OfdmBackendCore(const Stalls& source = {}, const Stalls& sink = {});
    ~OfdmBackendCore();

    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address);
    /// Continues until there is no more output. Times of words without one are 0, like the model's.
    void process(std::span<const AxisWord> carriers, std::vector<AxisWord>& out);
    uint64_t cycles() const;
    /// Cycles from the last carrier taken to the first sample output, in the last process().
    uint64_t latency_cycles() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace wimax::fpga
