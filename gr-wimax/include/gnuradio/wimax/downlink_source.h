/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/api.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace gr::wimax {

/// Test signal: an endless stream of downlink frames, each with one burst right after the frame prefix, frame numbers
/// counting from 0. 0 dBFS = mean sample power 1; scale before a real transmitter.
class WIMAX_API downlink_source : virtual public gr::sync_block {
public:
    using sptr = std::shared_ptr<downlink_source>;
    struct Config {
        int64_t bandwidth_hz = 5'000'000;
        int cp_denominator = 8;
        int frame_duration_code = 4;
        uint64_t bsid = 0;
        int rate_id = 6;
        int data_symbols = 90;
        std::vector<uint8_t> payload;  ///< padded with 0xFF
    };
    /// Throws std::invalid_argument naming the faulty setting.
    static sptr make(const Config& config);
};

}  // namespace gr::wimax
