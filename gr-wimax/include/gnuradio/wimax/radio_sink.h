// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/block.h>
#include <gnuradio/wimax/radio_frontend.h>

namespace gr::wimax {

/// Sends PDUs of port `samples` (dict with `start_sample` . c32vector) at their time. No stream input: transmission has
/// its own thread. Port `error` reports late PDUs with their delay in microseconds.
class WIMAX_API radio_sink : virtual public gr::block {
public:
    using sptr = std::shared_ptr<radio_sink>;
    static sptr make(std::shared_ptr<RadioFrontend> radio);
};

}  // namespace gr::wimax
