/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gnuradio/sync_block.h>
#include <gnuradio/wimax/radio_frontend.h>

namespace gr::wimax {

/// Source of received samples, 0 dBFS = mean sample power 1. Stream tag `rx_sample` (messages.h) holds the sample count
/// at the start and after each jump of time; gaps of up to 20 ms are filled with zeros, so that receivers keep their
/// grid.
class WIMAX_API radio_source : virtual public gr::sync_block {
public:
    using sptr = std::shared_ptr<radio_source>;
    static sptr make(std::shared_ptr<RadioFrontend> radio);
};

}  // namespace gr::wimax
