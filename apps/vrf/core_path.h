// SPDX-License-Identifier: GPL-3.0-or-later
// Cores of an FPGA in a radio: they process received samples before the host does, and pass bursts to the antenna.
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

    /// Processes samples received from tick `first` on, in place; the host gets the result.
    virtual void receive(int64_t first, std::span<Sample> samples) = 0;
    /// Transmitted samples of the ticks from `first` on, taken from `bursts`; a burst is read at the latest when its
    /// line is switched on. False: there are none, and `out` is unchanged. `on` gets the samples that belong to bursts.
    virtual bool transmit(int64_t first, TxFifo& bursts, std::span<Sample> out, BurstSpans& on) = 0;
};

}  // namespace wimax::vrf
