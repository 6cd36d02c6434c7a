// SPDX-License-Identifier: GPL-3.0-or-later
// UHD streamers over a Radio: one RX channel, and any of its TX channels. Host formats fc32 (no conversion), fc64,
// sc16, sc8; every wire format is accepted, because samples are sent as fc32.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <uhd/stream.hpp>

#include "vrf/personality.h"
#include "vrf/radio.h"

namespace wimax::vrf {

class RadioCores;

/// Data shared by a device and its streamers.
struct DeviceState {
    std::shared_ptr<RadioCores> cores;  ///< with the argument fpga=1
    std::unique_ptr<Radio> radio;
    Personality personality;
    std::array<std::atomic<double>, 2> rate_hz{};  ///< RX, TX: as in the model
    std::atomic<double> clock_hz{0};

    /// The model's rate stands for the channel's: samples are the same, and their durations nearly are.
    double check_rate(bool tx) const;
    void check_plug() const;
};

uhd::rx_streamer::sptr make_rx_streamer(std::shared_ptr<DeviceState> host, const uhd::stream_args_t& args);
uhd::tx_streamer::sptr make_tx_streamer(std::shared_ptr<DeviceState> host, const uhd::stream_args_t& args);
bool recv_async(Radio& radio, double rate_hz, uhd::async_metadata_t& metadata, double timeout_s);

}  // namespace wimax::vrf
