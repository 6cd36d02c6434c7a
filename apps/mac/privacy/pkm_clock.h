// SPDX-License-Identifier: GPL-3.0-or-later
// Sample time in seconds and back, as PKM counts its lifetimes.
#pragma once

#include "mac/sample_time.h"

namespace wimax::mac::privacy {

struct PkmClock {
    int64_t samples_per_s = 1;

    Samples from_s(uint32_t seconds) const { return Samples{seconds} * samples_per_s; }
    /// Whole seconds until `end`, 0 if it is over.
    uint32_t left_s(Samples now, Samples end) const {
        return end > now ? static_cast<uint32_t>((end - now) / samples_per_s) : 0;
    }
};

/// Times at which an end got its newest keys; the TEK is the primary SA's. For its status.
struct KeyTimes {
    Samples ak = 0, tek = 0;
};

}  // namespace wimax::mac::privacy
