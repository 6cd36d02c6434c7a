/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which station a downlink packet is for, by its destination address, without a look at every station. The
 * configuration's addresses come first. Stations without any of their own take what nobody claims; among several of
 * them it is the one that last sent from that address.
 */
#pragma once

#include "mac/station_config.h"

#include <array>
#include <unordered_map>

namespace wimax::mac {

/// Source addresses seen in uplink packets. Of fixed size: where a set of addresses is full, the oldest goes of the
/// station that has the most in it, so that one that sends from ever new addresses displaces its own.
class LearntAddresses {
public:
    static constexpr size_t kSets = 256, kWays = 16;

    void learn(IpAddress address, uint16_t station);
    std::optional<uint16_t> find(IpAddress address) const;
    void forget(uint16_t station);
    void clear() { entries_.fill({}); }

private:
    struct Entry {
        IpAddress address;
        uint32_t learnt = 0;   ///< order of events
        uint16_t station = 0;  ///< 0: vacant (no basic CID)
    };
    static size_t set_of(IpAddress address) {
        const uint64_t both = address.high ^ address.low;
        return (static_cast<uint32_t>(both ^ both >> 32) * 0x9E3779B1U >> 24) % kSets * kWays;
    }

    std::array<Entry, kSets * kWays> entries_{};
    uint32_t events_ = 0;
};

/// Stations are named by their basic CIDs.
class DestinationMap {
public:
    void clear();
    void claim(uint16_t station, AddressMask where);
    /// It takes what nobody claims.
    void open(uint16_t station);
    bool is_open(uint16_t station) const;
    const std::vector<uint16_t>& open_stations() const { return open_; }

    /// Calls `visit(station)` for each station whose configuration claims the address; some may come twice.
    template <class Visit>
    void claimants(IpAddress address, Visit&& visit) const {
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
