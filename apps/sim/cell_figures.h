// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sim/histogram.h"
#include "sim/pdu_drops.h"

namespace wimax::sim {

/// Counters of one kind of contention.
struct CellContentionCounters {
    uint64_t opportunities = 0, attempts = 0;
    uint64_t collisions = 0;  ///< opportunities with more than one attempt
    uint64_t collided = 0;    ///< attempts in them
    uint64_t captured = 0;    ///< opportunities in which one of them was received
    uint64_t successes = 0;   ///< received and right
};

struct CellCounters {
    CellContentionCounters requests, ranging, codes;
    uint64_t frames = 0;
    uint64_t dl_bursts = 0, dl_bursts_wrong = 0;     ///< at the stations; wrong: with a wrong block
    uint64_t dl_symbols = 0;                         ///< of bursts after burst #1
    uint64_t ul_bursts = 0, ul_bursts_wrong = 0;     ///< bursts in a grant
    uint64_t ul_grants = 0, ul_granted_symbols = 0;  ///< of all grants, with preambles
    uint64_t ul_collisions = 0;                      ///< grants in which another burst was received, too
    uint64_t stray_bursts = 0;                       ///< sent where nothing was expected
    DropCounters drops;
};

/// Times of frames, us.
struct CellTimes {
    Histogram schedule_cpu{1};  ///< CPU time to schedule a frame
    Histogram base_station{1};  ///< on the wall: all that the base station's MAC does
    Histogram frame{1};         ///< on the wall: everything
};

}  // namespace wimax::sim
