/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timers and lifetimes of PKM (10.2), in seconds of sample time.
 */
#pragma once

#include "mac/sample_time.h"

namespace wimax::mac::privacy {

/// The station's.
struct PkmTimers {
    uint32_t authorize_wait_s = 10;         ///< 2..30
    uint32_t reauthorize_wait_s = 10;       ///< 2..30
    uint32_t authorization_grace_s = 600;   ///< before the AK ends: 300 to 35 days; shorter ones for a laboratory
    uint32_t operational_wait_s = 1;        ///< 1..10
    uint32_t rekey_wait_s = 1;              ///< 1..10
    uint32_t tek_grace_s = 3600;            ///< before the newer TEK ends: 300 to 302 399
    uint32_t authorize_reject_wait_s = 60;  ///< 10..600
};

/// The base station's.
struct PkmLifetimes {
    uint32_t ak_s = 604'800;  ///< 1 to 70 days
    uint32_t tek_s = 43'200;  ///< 30 minutes to 7 days
};

/// Sample time in seconds and back.
struct PkmClock {
    int64_t samples_per_s = 1;

    Samples from_s(uint32_t seconds) const { return Samples{seconds} * samples_per_s; }
    /// Whole seconds until `end`, none where it is over.
    uint32_t left_s(Samples now, Samples end) const {
        return end > now ? static_cast<uint32_t>((end - now) / samples_per_s) : 0;
    }
};

}  // namespace wimax::mac::privacy
