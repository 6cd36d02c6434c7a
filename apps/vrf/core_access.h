// SPDX-License-Identifier: GPL-3.0-or-later
// Interface of the UHD device to the FPGA cores of a virtual radio, independent of their simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/faults.h"
#include "vrf/core_path.h"

namespace wimax::vrf {

/// A packet of a core: its number of words, and its time.
struct CorePacket {
    size_t words = 0;  ///< 0: no packet is waiting
    int64_t time = 0;
    bool has_time = false, end_of_burst = false;
};

/// Access of a host to a core. A function that the core does not have does nothing.
struct CoreAccess {
    std::string block;
    std::function<uint32_t(uint32_t address)> peek;
    std::function<void(uint32_t address, uint32_t value)> poke;
    /// Reads the next packet, or as much of it as fits.
    std::function<CorePacket(std::span<uint32_t> words)> take;
    /// Writes the words of an order, the lowest bits first. False: the order has another number of words.
    std::function<bool(std::span<const uint32_t> words)> order;
};

/// All cores of one radio.
class RadioCores : public CorePath {
public:
    /// One entry per core, with the name of its block.
    virtual std::vector<CoreAccess> access() = 0;
};

/// Cores for one radio. A build without FPGA cores (WIMAX_FPGA) returns a fault that names the option.
tl::expected<std::shared_ptr<RadioCores>, Fault> make_cores();

}  // namespace wimax::vrf
