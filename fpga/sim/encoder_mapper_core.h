/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * encoder_mapper as Verilator compiles it: whole bursts to all of their words, as its model (model/encoder_mapper.h)
 * gives them.
 */
#pragma once

#include "fpga/sim/stream_core.h"

#include <Vencoder_mapper.h>

namespace wimax::fpga {

class EncoderMapperCore : public StreamCore<Vencoder_mapper> {
public:
    /// A symbol takes 968 cycles that are not stalled at most.
    static constexpr int kQuietCycles = 4000;

    explicit EncoderMapperCore(const Stalls& source = {}, const Stalls& sink = {})
        : StreamCore(kQuietCycles, source, sink) {}
};

}  // namespace wimax::fpga
