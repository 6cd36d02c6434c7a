// SPDX-License-Identifier: GPL-3.0-or-later
// The Verilated core encoder_mapper: whole bursts to all of their words, like its model (model/encoder_mapper.h).
#pragma once

#include "fpga/sim/stream_core.h"

#include <Vencoder_mapper.h>

namespace wimax::fpga {

class EncoderMapperCore : public StreamCore<Vencoder_mapper> {
public:
    /// A symbol takes at most 968 cycles without stalls.
    static constexpr int kQuietCycles = 4000;

    explicit EncoderMapperCore(const Stalls& source = {}, const Stalls& sink = {})
        : StreamCore(kQuietCycles, source, sink) {}
};

}  // namespace wimax::fpga
