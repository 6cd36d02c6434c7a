/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A USRP from its device arguments to streams: what sender and receiver work on.
 */
#pragma once

#include "radio/radio_levels.h"
#include "radio/rate_plan.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <uhd/stream.hpp>
#include <uhd/usrp/multi_usrp.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace gr::wimax {

inline constexpr int kMaxTxChannels = 2;

struct RadioDevice {
    uhd::usrp::multi_usrp::sptr usrp;
    uhd::rx_streamer::sptr rx;
    uhd::tx_streamer::sptr tx;  ///< none where nothing may be sent
    RatePlan plan;
    size_t tx_channels = 1;
    int64_t chunk = 0;  ///< device ticks a lock-step exchange; 0: this radio's time runs by itself
    RadioLevels levels;
    std::shared_ptr<TransmitGate> gate;  ///< none: what is sent goes straight to the antenna

    bool lock_step() const { return chunk > 0; }
    /// Lock-step: time only goes on if commits are so many channel samples ahead of what was received, or more.
    int64_t least_lead() const;
    /// The first device tick that belongs to a transmission at a channel sample or later.
    int64_t commit_tick(int64_t channel_sample) const;
};

/// The device itself, as it is found; what its driver says when it does not open comes with the line to type. Throws as
/// RadioFrontend::open() does.
uhd::usrp::multi_usrp::sptr open_usrp(const std::string& device_args);

/// Throws as RadioFrontend::open() does.
RadioDevice open_radio_device(const RadioConfig& config);

/// Effective settings, one per line.
std::string describe(const RadioDevice& device, const RadioConfig& config);

}  // namespace gr::wimax
