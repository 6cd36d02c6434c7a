// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/radio_frontend.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace gr::wimax {

/// Source of received samples, 0 dBFS = mean sample power 1. Stream tag `rx_sample` (block_messages.h) has the sample
/// count at the start and after each jump of time. Gaps of up to 20 ms are filled with zeros, so that receivers keep
/// their grid.
class WIMAX_API radio_source : virtual public gr::sync_block {
public:
    using sptr = std::shared_ptr<radio_source>;
    /// Function that gets the samples before any block, in the source's thread: number of the first sample, and
    /// samples. It must return quickly; it needs no extra thread.
    using Tap = std::function<void(int64_t first, std::span<const gr_complex> samples)>;

    static sptr make(std::shared_ptr<RadioFrontend> radio, Tap tap = {});
};

}  // namespace gr::wimax
