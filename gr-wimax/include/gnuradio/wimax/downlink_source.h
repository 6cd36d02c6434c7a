// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/api.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace gr::wimax {

/// Test signal: an endless stream of downlink frames (clause 8.3.5.1), frame numbers counting from 0. A frame has a
/// long preamble, FCH and one to four consecutive bursts, all announced in the frame prefix. DIUC 1..7 mean rates 0..6,
/// the default of the receivers. With `stc_bursts` an STC zone (clause 8.3.8, phy/stc/stc.h) follows, and
/// a second output has the samples of antenna 1, silent outside the zone. 0 dBFS = mean sample power 1 of a data symbol
/// (of both antennas together), preambles have 3 dB more. Scale the samples before a real transmitter.
class WIMAX_API downlink_source : virtual public gr::sync_block {
public:
    using sptr = std::shared_ptr<downlink_source>;
    struct Burst {
        int rate_id = 6;  ///< 0 .. 6
        int data_symbols = 90;
    };
    struct Config {
        int64_t bandwidth_hz = 5'000'000;  ///< 1.25e6 .. 28e6
        int cp_denominator = 8;            ///< 4, 8, 16, 32
        int frame_duration_code = 4;       ///< 0 .. 6: 2.5, 4, 5, 8, 10, 12.5, 20 ms
        uint64_t bsid = 0;                 ///< the low 4 bits are sent
        std::vector<Burst> bursts{Burst{}};
        std::vector<uint8_t> payload;   ///< octets of each burst, padded with 0xFF
        std::vector<Burst> stc_bursts;  ///< up to four, even data_symbols; at most three `bursts` then
    };
    /// Throws std::invalid_argument naming the faulty setting.
    static sptr make(const Config& config);
};

}  // namespace gr::wimax
