// SPDX-License-Identifier: GPL-3.0-or-later
// PDUs that are taken out of bursts on purpose.
#pragma once

#include "sap/messages.h"
#include "sim/random.h"

namespace wimax::sim {

struct DropConfig {
    double pdu = 0;       ///< probability that a PDU of a transport connection is lost
    double feedback = 0;  ///< probability that ARQ feedback in a separate message is lost
    bool any() const { return pdu > 0 || feedback > 0; }
};
struct DropCounters {
    uint64_t pdus_seen = 0, pdus_dropped = 0, feedback_seen = 0, feedback_dropped = 0;
};

/// Removes PDUs from a burst and moves the later ones up, so that only these are lost: maps, management messages and
/// requests stay as they are. `basic_cids`: m of the base station.
void drop_pdus(sap::RxBurst& burst, const DropConfig& config, uint16_t basic_cids, Random& random,
               DropCounters& counters);

}  // namespace wimax::sim
