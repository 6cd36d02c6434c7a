// SPDX-License-Identifier: GPL-3.0-or-later
// Weighted max-min shares over time. Each claimant has a level, the amount served divided by its weight. A frame's
// capacity is given to the lowest levels first, until all that still want something have the same level. Idle claimants
// gain no credit, and keep none: a claimant that becomes busy begins at the lowest level of those that were busy
// before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wimax::mac {

struct Claim {
    double demand = 0;  ///< units of the resource
    double weight = 1;
    double served = 0;  ///< so far, divided by weight
    double share = 0;   ///< result: 0..demand
};

/// Sets the shares; their sum is at most `capacity` and reaches it if the demand does.
void share_out(std::span<Claim> claims, double capacity);

/// Keeps the history of what was served between frames.
class ServiceHistory {
public:
    double served = 0;
    double deficit_octets = 0;   ///< deficit round robin
    double average_octets = 0;   ///< per frame, recent mean: proportional fair
    uint32_t average_frame = 0;  ///< frame up to which the mean is computed
    uint32_t busy_frame = 0;     ///< the last one in which it wanted something
    /// Gives up the credit below this level.
    void catch_up(double level) {
        if (served < level) served = level;
    }
    void add(double amount, double weight) { served += amount / weight; }
};

/// Frame `frame` (counted from 1) begins for these busy claimants: removes credit of those that were idle in the frame
/// before, and limits that of the others to `limit`. If all were idle, they begin at the same level.
void level_histories(std::vector<ServiceHistory*>& busy, double limit, uint32_t frame);

}  // namespace wimax::mac
