// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the settings that the blocks of a station and SubscriberChain have in common.
#pragma once

#include <gnuradio/wimax/phy/frame/downlink_receiver.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>
#include <gnuradio/wimax/ss_receiver.h>

#include <cstdint>

namespace gr::wimax {

struct SubscriberSetup {
    phy::DownlinkReceiverConfig receiver;
    int64_t sample_rate_hz = 0;
};

/// What a subscriber station's receiver core needs. Throws std::invalid_argument naming the faulty setting.
SubscriberSetup subscriber_setup(const ss_receiver::Config& config);

/// Throws std::invalid_argument if a transmitter cannot have these settings.
void check_transmitter(int64_t bandwidth_hz, const phy::TransmitShape& shape);

}  // namespace gr::wimax
