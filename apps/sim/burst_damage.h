// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a burst's octets on its way: blocks that the receiver gets wrong, and PDUs taken out on purpose.
#pragma once

#include "sap/messages.h"
#include "sim/error_model.h"

#include <random>

namespace wimax::sim {

using Random = std::mt19937_64;

/// Uniform in 0..1, 1 excluded.
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Decodes with errors of independent blocks: sets fec_ok and failed_blocks and spoils the octets of wrong blocks. At
/// rate 0 there is no Reed-Solomon code: fec_ok stays true and only the octets are wrong. Returns how many are.
int decode_blocks(sap::RxBurst& burst, double block_error, Random& random);

/// Makes the whole burst wrong; at rate 0 the receiver does not notice.
void spoil(sap::RxBurst& burst, Random& random);

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
