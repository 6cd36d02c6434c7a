// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated core preamble_detect with the interface of its model (model/preamble_detect.h). process() returns after
// the core has processed all samples, so that both give the same results.
#pragma once

#include "fpga/model/preamble_detect.h"
#include "fpga/sim/stalls.h"

#include <memory>
#include <span>
#include <vector>

namespace wimax::fpga {

class PreambleDetectCore {
public:
    /// Stalls of the samples' input, their output, and the records' output.
    explicit PreambleDetectCore(const Stalls& source = {}, const Stalls& sink = {}, const Stalls& records = {});
    ~PreambleDetectCore();

    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address);
    void process(std::span<const AxisWord> in, std::vector<AxisWord>& out, std::vector<Detection>& detections);
    void process(uint64_t first, std::span<const FixedSample> in, std::vector<Detection>& detections);
    /// Cycles of the core's clock, since the start.
    uint64_t cycles() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::vector<AxisWord> words_, passed_;
};

}  // namespace wimax::fpga
