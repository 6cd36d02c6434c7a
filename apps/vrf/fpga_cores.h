/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cores of fpga/ in the virtual radio, as Verilator compiles them:
 *
 *     antenna -> preamble_detect -> samples to the host
 *                       |     `---> ofdm_frontend -> carriers to the host
 *                       `---------> records to the host
 *     bursts of the host -> burst_gate -> antenna
 *
 * All that samples give is there before the samples are. They are those of the cores: 16 bits a coordinate, 1 is full
 * scale, what is beyond is clipped. Simulation takes time: a detector that is switched off has no clock, nor has the
 * front end before its first order. Any thread.
 */
#pragma once

#include "fpga/sim/burst_gate_core.h"
#include "fpga/sim/ofdm_frontend_core.h"
#include "fpga/sim/preamble_detect_core.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "vrf/core_path.h"

namespace wimax::vrf {

/// Of a packet of a core: words beside its time.
struct CorePacket {
    size_t words = 0;  ///< 0: none has come
    int64_t time = 0;
    bool has_time = false, end_of_burst = false;
};

/// How a host reaches a core; what a core does not have does nothing.
struct CoreAccess {
    std::string block;
    std::function<uint32_t(uint32_t address)> peek;
    std::function<void(uint32_t address, uint32_t value)> poke;
    /// The next packet, or as much of it as there is room for.
    std::function<CorePacket(std::span<uint32_t> words)> take;
    /// Words of an order, the lowest bits first. False: it has not so many words.
    std::function<bool(std::span<const uint32_t> words)> order;
};

class FpgaCores final : public CorePath {
public:
    void receive(int64_t first, std::span<Sample> samples) override;
    bool transmit(int64_t first, TxFifo& bursts, std::span<Sample> out, BurstSpans& on) override;

    /// By the names of their blocks.
    std::vector<CoreAccess> access();

private:
    /// Packets that wait for the host, who takes them without waiting for cores. Of one that does not the newest are
    /// lost.
    class Packets {
    public:
        void add(std::span<const fpga::AxisWord> words);
        CorePacket take(std::span<uint32_t> to);

    private:
        std::mutex mutex_;
        std::deque<fpga::AxisWord> words_;
    };

    template <typename Core>
    static CoreAccess registers_of(std::string block, Core& core, std::mutex& mutex);

    std::mutex receiving_, sending_;
    fpga::PreambleDetectCore detector_;
    fpga::OfdmFrontendCore frontend_;
    fpga::BurstGateCore gate_;
    bool detects_ = true;   ///< as after reset
    bool ordered_ = false;  ///< ever
    Packets records_, symbols_;
    std::vector<fpga::AxisWord> heard_, passed_, carriers_, bursts_, sent_, record_;
    std::vector<fpga::Detection> detections_;
    std::vector<uint8_t> line_;
};

}  // namespace wimax::vrf
