/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The core preamble_detect as Verilator compiles it, behind the interface of its model (model/preamble_detect.h): after
 * each process() it has done with all that has come, so that both give the same.
 */
#pragma once

#include "fpga/model/preamble_detect.h"
#include "fpga/sim/stalls.h"

#include <memory>
#include <span>
#include <vector>

namespace wimax::fpga {

class PreambleDetectCore {
public:
    /// Whoever gives samples, takes them, and takes records, waits so often.
    explicit PreambleDetectCore(const Stalls& source = {}, const Stalls& sink = {}, const Stalls& records = {});
    ~PreambleDetectCore();

    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address);
    void process(std::span<const AxisWord> in, std::vector<AxisWord>& out, std::vector<Detection>& detections);
    void process(uint64_t first, std::span<const FixedSample> in, std::vector<Detection>& detections);
    /// Of the core's clock, since the beginning.
    uint64_t cycles() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::vector<AxisWord> words_, passed_;
};

}  // namespace wimax::fpga
