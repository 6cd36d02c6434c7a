// SPDX-License-Identifier: GPL-3.0-or-later
// Values that grow with the number of stations (bs.profile.scale): the configured values apply to a few stations, and
// are the minimum for many.
#pragma once

#include "mac/air/ofdm256/frame_layout.h"

namespace wimax::mac {

/// A poll: a request and its preamble.
inline constexpr uint32_t kPollSymbols = 2;
/// Largest exponent to which a contention window grows here.
inline constexpr uint8_t kMostScaledExponent = 10;

/// Scales the window of initial ranging by what is received: the number of stations about to enter is unknown.
class RangingWindow {
public:
    void heard(bool readable) {
        ++heard_;
        unreadable_ += readable ? 0 : 1;
    }
    /// No burst was found in an opportunity. Power well above that of an empty one indicates a collision.
    void silent(float rssi_dbm);
    /// For the time since the last call: number of doublings of the configured window from now on.
    uint8_t doublings();

private:
    uint32_t heard_ = 0, unreadable_ = 0;
    uint8_t doublings_ = 0;
    float empty_dbm_ = 1000;
};

/// For that number of registered stations. `profile`: in force; differs from the configuration's after a live change.
ContentionScale contention_scale(const BaseStationConfig& config, const BaseStationProfile& profile,
                                 const FrameLayout& layout, uint32_t stations);
inline ContentionScale contention_scale(const BaseStationConfig& config, const FrameLayout& layout, uint32_t stations) {
    return contention_scale(config, config.profile, layout, stations);
}

}  // namespace wimax::mac
