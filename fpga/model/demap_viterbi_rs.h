// SPDX-License-Identifier: GPL-3.0-or-later
// Model of demap_viterbi_rs: equalized data carriers of a burst to its bytes, clause 8.3.3. Full band, all seven rates.
//
// In: the three words of burst_header.h (the third is unused), then 192 carriers per symbol in rising order, each a
// word of soft_carrier.h; end_of_burst on the last. Missing carriers count as erased, those beyond the burst are
// dropped, a refused header drops its burst. Out: the bytes of each symbol's block, four per word, the first in
// [31:24], `last` on each symbol's last; the burst's very last byte is its tail, as decoded. Then a separate word with
// `last` and end_of_burst: uncorrectable blocks in [31:16] (output as received), corrected bytes in [15:0]. The first
// word has the time of the header's first.
#pragma once

#include "fpga/model/axis_word.h"
#include "fpga/model/block_viterbi.h"
#include "fpga/model/burst_header.h"

#include <vector>

namespace wimax::fpga {

class DemapViterbiRs {
public:
    /// Takes one word; appends the resulting words to `out`.
    void push(const AxisWord& word, std::vector<AxisWord>& out);

    uint32_t bursts() const { return bursts_; }
    uint32_t failed_blocks() const { return failed_; }
    uint32_t corrected_bytes() const { return corrected_; }
    uint32_t refused() const { return refused_; }

private:
    void decode(const BurstHeader& header, std::vector<AxisWord>& out);

    std::vector<AxisWord> burst_;  // words since the last end of a burst
    BlockViterbi viterbi_;
    uint32_t bursts_ = 0, failed_ = 0, corrected_ = 0, refused_ = 0;
};

}  // namespace wimax::fpga
