/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cores of an FPGA in a radio: they see all that is received before the host does, and let bursts out to the antenna.
 */
#pragma once

#include <cstdint>
#include <span>

#include "vrf/burst_spans.h"
#include "vrf/link.h"

namespace wimax::vrf {

class TxFifo;

class CorePath {
public:
    virtual ~CorePath() = default;

    /// Samples received from tick `first` on, in place: what goes on to the host.
    virtual void receive(int64_t first, std::span<Sample> samples) = 0;
    /// What leaves in the ticks from `first` on, taken from `bursts`; a burst is handed over no later than its line is
    /// switched on. False: nothing leaves, and `out` is untouched. `on` gets the samples that are of bursts.
    virtual bool transmit(int64_t first, TxFifo& bursts, std::span<Sample> out, BurstSpans& on) = 0;
};

}  // namespace wimax::vrf
