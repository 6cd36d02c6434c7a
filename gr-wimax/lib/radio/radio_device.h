// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a USRP, from its device arguments to its streams. Sender and receiver use the result.
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
    uhd::tx_streamer::sptr tx;  ///< none if transmission is disabled
    RatePlan plan;
    size_t tx_channels = 1;
    int64_t chunk = 0;  ///< device ticks per lock-step exchange; 0: time runs without commits
    RadioLevels levels;
    std::shared_ptr<TransmitGate> gate;  ///< none: samples are sent without a gate

    bool lock_step() const { return chunk > 0; }
    /// Lock-step: time only continues if commits are at least this many channel samples ahead of reception.
    int64_t least_lead() const;
    /// The first device tick of a transmission at this or a later channel sample.
    int64_t commit_tick(int64_t channel_sample) const;
};

/// Opens the device without settings. If the driver fails, the text includes the command to type. Throws like
/// RadioFrontend::open().
uhd::usrp::multi_usrp::sptr open_usrp(const std::string& device_args);

/// Throws like RadioFrontend::open().
RadioDevice open_radio_device(const RadioConfig& config);

/// Effective settings, one per line.
std::string describe(const RadioDevice& device, const RadioConfig& config);

}  // namespace gr::wimax
