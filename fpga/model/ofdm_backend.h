// SPDX-License-Identifier: GPL-3.0-or-later
// Model of the core `ofdm_backend`, bit by bit: packets of the used carriers of OFDM symbols in (200 words, offsets
// -100..-1, 1..100, I in the upper half), samples with cyclic prefix out, one packet per symbol (clause 8.3.2). The
// time of a packet's first word is that of its first sample; the end of a burst with a packet's last word is that of
// its last.
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/fft256.h"
#include "fpga/model/ofdm_backend_registers.h"

#include <span>
#include <vector>

namespace wimax::fpga {

class OfdmBackend {
public:
    void write(uint32_t address, uint32_t value);
    uint32_t read(uint32_t address) const;
    /// Takes carriers, appends samples to `out`.
    void process(std::span<const AxisWord> carriers, std::vector<AxisWord>& out);

private:
    void take(const AxisWord& word, std::vector<AxisWord>& out);
    void send(bool end_of_burst, std::vector<AxisWord>& out);
    FixedSample shortened(FixedComplex sum);

    uint32_t prefix_ = ofdm_backend::kDefaultPrefix, gain_ = ofdm_backend::kDefaultGain;
    uint32_t symbols_ = 0, saturated_ = 0, bad_lengths_ = 0;
    FixedBlock block_{};
    size_t place_ = 0;
    uint32_t symbol_prefix_ = 0;
    AxisWord first_;
};

}  // namespace wimax::fpga
