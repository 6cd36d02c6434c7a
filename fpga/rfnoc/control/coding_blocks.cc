// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/rfnoc/control/coding_blocks.h"

namespace wimax::rfnoc {

EncoderMapperControl::Counts EncoderMapperControl::counts() {
    using namespace fpga::encoder_mapper;
    return {.bursts = read(kBursts), .symbols = read(kSymbols), .refused = read(kRefused)};
}

DemapViterbiRsControl::Counts DemapViterbiRsControl::counts() {
    using namespace fpga::demap_viterbi_rs;
    return {.bursts = read(kBursts),
            .failed_blocks = read(kFailed),
            .refused = read(kRefused),
            .corrected_bytes = read(kCorrected)};
}

}  // namespace wimax::rfnoc
