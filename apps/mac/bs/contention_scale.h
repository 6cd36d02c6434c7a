/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What grows with the number of stations by itself (bs.profile.scale): the configured values are those of a few
 * stations, and the least for many.
 */
#pragma once

#include "mac/frame_layout.h"

namespace wimax::mac {

/// A poll: a request and its preamble.
inline constexpr uint32_t kPollSymbols = 2;
/// Of a contention window, that anything here grows to.
inline constexpr uint8_t kMostScaledExponent = 10;

struct ContentionScale {
    uint32_t request_symbols = 0;                ///< of the request region, a frame
    uint8_t backoff_start = 0, backoff_end = 0;  ///< of requests, exponents of 2
    uint32_t t27_idle_ms = 0, t27_active_ms = 0;
    bool operator==(const ContentionScale&) const = default;
};

/// The window of initial ranging, by what is heard: nobody knows how many stations are about to enter.
class RangingWindow {
public:
    void heard(bool readable) {
        ++heard_;
        unreadable_ += readable ? 0 : 1;
    }
    /// No burst was found in an opportunity. Power well above what an empty one has are bursts that nobody can tell
    /// apart.
    void silent(float rssi_dbm);
    /// Of the time since the last call; how many doublings the configured window takes from now on.
    uint8_t doublings();

private:
    uint32_t heard_ = 0, unreadable_ = 0;
    uint8_t doublings_ = 0;
    float empty_dbm_ = 1000;
};

/// For so many registered stations.
/// `profile`: in force, which is not the configuration's after a live change.
ContentionScale contention_scale(const BaseStationConfig& config, const BaseStationProfile& profile,
                                 const FrameLayout& layout, uint32_t stations);
inline ContentionScale contention_scale(const BaseStationConfig& config, const FrameLayout& layout, uint32_t stations) {
    return contention_scale(config, config.profile, layout, stations);
}

}  // namespace wimax::mac
