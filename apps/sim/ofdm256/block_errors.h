// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a burst's octets on its way: blocks that the receiver gets wrong.
#pragma once

#include "sap/messages.h"
#include "sim/random.h"

namespace wimax::sim {

/// Decodes with errors of independent blocks: sets fec_ok and failed_blocks and spoils the octets of wrong blocks. At
/// rate 0 there is no Reed-Solomon code: fec_ok stays true and only the octets are wrong. Returns how many are.
int decode_blocks(sap::RxBurst& burst, double block_error, Random& random);

/// Makes the whole burst wrong; at rate 0 the receiver does not notice.
void spoil(sap::RxBurst& burst, Random& random);

}  // namespace wimax::sim
