// SPDX-License-Identifier: GPL-3.0-or-later
// The cores of fpga/ in the virtual radio, as Verilator compiles them:
//
//     antenna -> preamble_detect -> samples to the host
//                       |     `---> ofdm_frontend -> carriers to the host
//                       `---------> records to the host
//     bursts of the host -> burst_gate -> antenna
//
// All results of samples are available before the samples are. Samples have the format of the cores: 16 bits per
// coordinate, 1 is full scale, larger values are clipped. To save time, a detector that is switched off has no clock,
// nor has the front end before its first order. Any thread.
#pragma once

#include "fpga/sim/burst_gate_core.h"
#include "fpga/sim/ofdm_frontend_core.h"
#include "fpga/sim/preamble_detect_core.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "vrf/core_access.h"

namespace wimax::vrf {

class FpgaCores final : public RadioCores {
public:
    void receive(int64_t first, std::span<Sample> samples) override;
    bool transmit(int64_t first, TxFifo& bursts, std::span<Sample> out, BurstSpans& on) override;

    std::vector<CoreAccess> access() override;

private:
    /// Packets that wait for the host; the simulation does not wait for it. If there are too many, the newest are lost.
    class Packets {
    public:
        void add(std::span<const fpga::AxisWord> words);
        CorePacket take(std::span<uint32_t> to);

    private:
        std::mutex mutex_;
        std::deque<fpga::AxisWord> words_;
    };

    template <typename Core> static CoreAccess registers_of(std::string block, Core& core, std::mutex& mutex);

    std::mutex receiving_, sending_;
    fpga::PreambleDetectCore detector_;
    fpga::OfdmFrontendCore frontend_;
    fpga::BurstGateCore gate_;
    bool detects_ = true;   ///< since reset
    bool ordered_ = false;  ///< since construction
    Packets records_, symbols_;
    std::vector<fpga::AxisWord> heard_, passed_, carriers_, bursts_, sent_, record_;
    std::vector<fpga::Detection> detections_;
    std::vector<uint8_t> line_;
};

}  // namespace wimax::vrf
