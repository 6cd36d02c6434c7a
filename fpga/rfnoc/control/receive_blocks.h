// SPDX-License-Identifier: GPL-3.0-or-later
// Controllers of the blocks after a receiver. Output 1 of the detector sends packets of fpga/model/preamble_detect.h,
// the front end those of fpga/model/ofdm_frontend.h; packets.h converts a streamer's packets to words.
#pragma once

#include "fpga/rfnoc/control/block_control.h"

namespace wimax::rfnoc {

class PreambleDetectControl : public BlockControl {
public:
    /// Initially switched off: unread records would stop the samples.
    explicit PreambleDetectControl(make_args_ptr args, Connect connect = own_graph());

    void set_ticks_per_sample(int ticks) { write_ticks_per_sample(ticks); }
    void set(const fpga::preamble_detect::Settings& settings);
    fpga::preamble_detect::Settings settings();

    struct Counts {
        uint16_t detections = 0, plateaus = 0;  ///< modulo 2^16
    };
    Counts counts();
};

class OfdmFrontendControl : public BlockControl {
public:
    explicit OfdmFrontendControl(make_args_ptr args, Connect connect = own_graph());

    void set_ticks_per_sample(int ticks) { write_ticks_per_sample(ticks); }
    /// Its time is in ticks. Call it before the samples of its time; at most kOrdersWaiting wait. One more is counted
    /// as lost, without a response.
    void order(const fpga::ofdm_frontend::Order& order);
    void forget_orders();
    bool has_room();
    /// For orders without one: 2^-32 turns per sample.
    void set_increment(int32_t increment);

    struct Counts {
        uint32_t samples = 0, words = 0, symbols = 0;  ///< modulo 2^32
        uint16_t cut = 0, late = 0;                    ///< orders; modulo 2^16
        uint32_t lost = 0;                             ///< orders without room
    };
    Counts counts();
};

}  // namespace wimax::rfnoc
