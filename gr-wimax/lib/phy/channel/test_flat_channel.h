// SPDX-License-Identifier: GPL-3.0-or-later
// A channel for tests of what follows it.
#pragma once

#include "phy/channel/channel_estimator.h"

namespace gr::wimax::phy::test {

/// A response of 1 on all carriers, without an echo.
inline ChannelEstimate flat_channel(double noise) {
    ChannelEstimate channel;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) channel.response[k] = 1;
    channel.noise_variance = static_cast<float>(noise);
    channel.last_path = 1;
    channel.complete();
    return channel;
}

}  // namespace gr::wimax::phy::test
