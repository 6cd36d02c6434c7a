// SPDX-License-Identifier: GPL-3.0-or-later
// The stations whose flow rules contain an address, found without a search of every station. Stations whose flows name
// no destination take all other packets.
#pragma once

#include "mac/station_config.h"

#include <optional>
#include <unordered_map>

namespace wimax::mac {

/// Stations are named by their basic CIDs.
class DestinationMap {
public:
    void clear();
    void claim(uint16_t station, AddressMask where);
    /// The station takes packets that no station claims.
    void open(uint16_t station);
    bool is_open(uint16_t station) const;
    const std::vector<uint16_t>& open_stations() const { return open_; }

    /// Calls `visit(station)` for each station whose configuration claims the address; some may be visited twice.
    template <class Visit> void claimants(IpAddress address, Visit&& visit) const {
        for (const auto& [mask, stations] : claims_) {
            const auto [from, to] = stations.equal_range(address & mask);
            for (auto it = from; it != to; ++it) visit(it->second);
        }
    }

private:
    struct Hash {
        size_t operator()(IpAddress a) const {
            return (a.high * 0x9E3779B97F4A7C15ULL ^ a.low) * 0xC2B2AE3D27D4EB4FULL;
        }
    };
    std::vector<std::pair<IpAddress, std::unordered_multimap<IpAddress, uint16_t, Hash>>> claims_;  ///< by mask
    std::vector<uint16_t> open_;                                                                    ///< ascending
};

}  // namespace wimax::mac
