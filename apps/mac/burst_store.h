// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts of a frame, built in the buffers of previous frames, so that none is allocated from the heap.
#pragma once

#include "sap/messages.h"

#include <utility>
#include <vector>

namespace wimax::mac {

class BurstStore {
public:
    /// Empties the list and keeps its buffers.
    void take_back(std::vector<sap::TxBurst>& bursts) {
        while (!bursts.empty()) take_last(bursts);
    }
    /// Removes the last burst, which carries nothing.
    void take_last(std::vector<sap::TxBurst>& bursts) {
        if (bursts.back().payload.capacity() > 0) spare_.push_back(std::move(bursts.back().payload));
        bursts.pop_back();
    }
    /// A new burst without octets, at the end.
    sap::TxBurst& add(std::vector<sap::TxBurst>& bursts) {
        auto& burst = bursts.emplace_back();
        if (spare_.empty()) return burst;
        burst.payload = std::move(spare_.back());
        burst.payload.clear();
        spare_.pop_back();
        return burst;
    }

private:
    std::vector<std::vector<uint8_t>> spare_;
};

}  // namespace wimax::mac
