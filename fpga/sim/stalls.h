// SPDX-License-Identifier: GPL-3.0-or-later
// Stalls of one side of a stream.
#pragma once

#include <cstdint>
#include <random>

namespace wimax::fpga {

/// True if a side waits in this cycle: a share of them, random but the same for the same seed.
class Stalls {
public:
    Stalls() = default;
    Stalls(double share, uint32_t seed) : limit_(static_cast<uint32_t>(share * 4294967295.0)), random_(seed) {}

    bool none() const { return limit_ == 0; }
    bool next() { return limit_ > 0 && static_cast<uint32_t>(random_()) < limit_; }

private:
    uint32_t limit_ = 0;
    std::mt19937 random_;
};

}  // namespace wimax::fpga
