/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * UHD streamers over a Radio: one RX channel, and any of its TX channels. Host formats fc32 (no conversion), fc64,
 * sc16, sc8; every wire format is accepted, since samples travel as fc32.
 */
#pragma once

#include <memory>
#include <uhd/stream.hpp>

#include "vrf/radio.h"

namespace wimax::vrf {

uhd::rx_streamer::sptr make_rx_streamer(std::shared_ptr<Radio> radio, const uhd::stream_args_t& args);
uhd::tx_streamer::sptr make_tx_streamer(std::shared_ptr<Radio> radio, const uhd::stream_args_t& args);
bool recv_async(Radio& radio, uhd::async_metadata_t& metadata, double timeout_s);

}  // namespace wimax::vrf
