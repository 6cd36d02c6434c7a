// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of an OfdmaSpec: lead-in, one downlink subframe or uplink zone, tail. Scale: a data carrier has mean power 1.
#pragma once

#include "recording/iq_file.h"
#include "tools/iq/ofdma_spec.h"

namespace wimax::iq {

/// The subframe or the zone. An uplink zone is longer by the largest delay of its signals, which are added.
tl::expected<std::vector<Complex>, Fault> modulate(const OfdmaSpec& spec);

/// The whole signal, in parts.
Outcome generate(const OfdmaSpec& spec, const SampleSink& out);

}  // namespace wimax::iq
