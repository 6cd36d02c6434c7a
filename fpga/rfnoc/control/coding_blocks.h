// SPDX-License-Identifier: GPL-3.0-or-later
// Controllers of the blocks that code and decode bursts. What streams through them is in fpga/model/encoder_mapper.h
// and demap_viterbi_rs.h; there is nothing to set.
#pragma once

#include "fpga/rfnoc/control/block_control.h"

namespace wimax::rfnoc {

class EncoderMapperControl : public BlockControl {
public:
    explicit EncoderMapperControl(make_args_ptr args) : BlockControl(std::move(args), kEncoderMapper) {}

    struct Counts {
        uint32_t bursts = 0, symbols = 0, refused = 0;
    };
    Counts counts();
};

class DemapViterbiRsControl : public BlockControl {
public:
    explicit DemapViterbiRsControl(make_args_ptr args) : BlockControl(std::move(args), kDemapViterbiRs) {}

    struct Counts {
        uint32_t bursts = 0, failed_blocks = 0, refused = 0, corrected_bytes = 0;
    };
    Counts counts();
};

}  // namespace wimax::rfnoc
