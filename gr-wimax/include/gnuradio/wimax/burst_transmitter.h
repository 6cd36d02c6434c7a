// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/block.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>
#include <gnuradio/wimax/transmit_path.h>

namespace gr::wimax {

/// Modulates the bursts of one frame (port `tx`, a TransmitFrame of block_messages.h). The samples are sent to the
/// radio or, without a radio, to port `samples`. Downlink: long preamble, FCH with the frame prefix of the first four
/// bursts, bursts, then an STC zone if bursts are marked `stc`; the samples of its second antenna are a separate
/// message. Uplink: each burst and each focused contention code, shifted in time, frequency and power. A frame after
/// its deadline is discarded and reported on port `error` with its delay in microseconds. Each frame, sent or
/// discarded, ends with a `done` message.
class WIMAX_API burst_transmitter : virtual public gr::block {
public:
    using sptr = std::shared_ptr<burst_transmitter>;
    /// `bandwidth_hz`: 1.25e6 .. 28e6. Throws std::invalid_argument, also on a `shape` out of range.
    /// `errors`: gets errors, for programs in C++.
    static sptr make(int64_t bandwidth_hz, TransmitPathPtr radio = nullptr, const phy::TransmitShape& shape = {},
                     ReportHandler errors = nullptr);

    struct Counters {
        uint64_t frames = 0, empty = 0, late = 0, invalid = 0;
    };
    virtual Counters counters() const = 0;
};

}  // namespace gr::wimax
