/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gnuradio/block.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>
#include <gnuradio/wimax/transmit_path.h>

namespace gr::wimax {

/// Modulates the bursts of one frame (port `tx`, a TransmitFrame of messages.h) and hands the samples to the radio, or,
/// if none is given, to port `samples`. Downlink: long preamble, FCH with the frame prefix made from the first four
/// bursts, bursts, then an STC zone if some bursts are marked so: its second antenna's samples are a message of their
/// own. Uplink: each burst, and each focused contention code, moved in time, frequency and power. A frame that comes
/// after its deadline is discarded and reported on port `error` with its microseconds. Each frame ends with a `done`
/// message, whatever became of it.
class WIMAX_API burst_transmitter : virtual public gr::block {
public:
    using sptr = std::shared_ptr<burst_transmitter>;
    /// `bandwidth_hz`: 1.25e6 .. 28e6. Throws std::invalid_argument, also on a `shape` out of range.
    static sptr make(int64_t bandwidth_hz, TransmitPathPtr radio = nullptr, const phy::TransmitShape& shape = {});

    struct Counters {
        uint64_t frames = 0, empty = 0, late = 0, invalid = 0;
    };
    virtual Counters counters() const = 0;
};

}  // namespace gr::wimax
