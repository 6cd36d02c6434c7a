// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/contention_scale.h"

#include "mac/air/ofdm256/opportunities.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace wimax::mac {
namespace {

constexpr uint32_t kStationsAnOpportunity = 32;  // per frame
constexpr uint32_t kRegionShare = 8;             // the region takes at most that part of the uplink
constexpr uint32_t kStationsToContend = 4;       // one of them asks at a time in a busy cell
constexpr uint8_t kWindowDoublings = 4;          // from the first window to the last, at least
// Polls of silent stations take a twentieth of the uplink, but often enough that no station's T4 expires.
constexpr double kPollShare = 0.05;
constexpr uint32_t kLongestT27Ms = 2500;

}  // namespace

void RangingWindow::silent(float rssi_dbm) {
    constexpr float kBurstDb = 6, kForgetDb = 0.02F;
    empty_dbm_ = std::min(empty_dbm_ + kForgetDb, rssi_dbm);
    if (rssi_dbm > empty_dbm_ + kBurstDb) heard(false);
}

/// Bursts that could not be read were mostly collisions.
uint8_t RangingWindow::doublings() {
    constexpr uint32_t kTelling = 4;
    constexpr uint8_t kMostDoublings = 8;
    if (unreadable_ >= kTelling && 2 * unreadable_ > heard_)
        doublings_ = std::min<uint8_t>(static_cast<uint8_t>(doublings_ + 1), kMostDoublings);
    else if (8 * unreadable_ <= heard_ && doublings_ > 0) --doublings_;
    heard_ = unreadable_ = 0;
    return doublings_;
}

ContentionScale contention_scale(const BaseStationConfig& config, const BaseStationProfile& profile,
                                 const FrameLayout& layout, uint32_t stations) {
    ContentionScale scale{profile.request_symbols, profile.request_backoff_start, profile.request_backoff_end,
                          config.t27_idle_ms, config.t27_active_ms};
    if (!profile.scale) return scale;
    if (scale.request_symbols > 0) {
        const uint32_t most = layout.uplink.symbols / kRegionShare;
        const uint32_t wanted = kRequestOpportunitySymbols * (stations / kStationsAnOpportunity);
        scale.request_symbols = std::max(scale.request_symbols, std::min(wanted, most - most % 2));
    }
    const uint32_t opportunities =
        std::max(1U, scale.request_symbols > 0 ? scale.request_symbols / kRequestOpportunitySymbols
                                               : profile.focused_opportunities);
    const uint32_t contenders = stations / (kStationsToContend * opportunities);
    const auto start = static_cast<uint8_t>(std::bit_width(contenders));
    scale.backoff_start = std::max(scale.backoff_start, std::min(start, kMostScaledExponent));
    if (scale.backoff_start > profile.request_backoff_start)
        scale.backoff_end =
            std::max(scale.backoff_end, std::min<uint8_t>(scale.backoff_start + kWindowDoublings, kMostScaledExponent));
    const double polls_a_frame = std::max(1.0, kPollShare * layout.uplink.symbols / kPollSymbols);
    const auto t27 = static_cast<uint32_t>(
        std::min<double>(kLongestT27Ms, std::ceil(stations / polls_a_frame * layout.frame_seconds() * 1000)));
    scale.t27_idle_ms = std::max(scale.t27_idle_ms, t27);
    scale.t27_active_ms = std::max(scale.t27_active_ms, std::min(t27, scale.t27_idle_ms));
    return scale;
}

}  // namespace wimax::mac
