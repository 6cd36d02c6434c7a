// SPDX-License-Identifier: GPL-3.0-or-later
// The station that each learned address belongs to. The first station that sends from an address keeps it; another one
// gets it when the owner has left, or has not sent from it for a given time. Memory is fixed: each station has the same
// number of entries, and one that sends from more addresses replaces the entry that it used least recently.
#pragma once

#include "mac/ip_address.h"
#include "mac/sample_time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wimax::mac {

class AddressOwners {
public:
    static constexpr size_t kPerOwner = 64;

    /// Owners are numbers up to `last_owner`: basic CIDs, and 0 for all that is not a station.
    explicit AddressOwners(uint16_t last_owner);

    /// `owner` sends from the address at the time `now`. False: another owner sent from it less than `silence` ago;
    /// nothing changes. Does not allocate.
    bool claim(IpAddress address, uint16_t owner, Samples now, Samples silence);
    std::optional<uint16_t> find(IpAddress address) const;
    void forget(uint16_t owner);
    /// Removes the addresses for which `drop(address, owner)` is true.
    template <class Drop> void forget_if(Drop&& drop) {
        for (uint32_t at = 0; at < entries_.size(); ++at)
            if (entries_[at].used() && drop(entries_[at].address, owner_of(at))) vacate(at);
    }
    void clear();

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr Samples kVacant = INT64_MIN;
    struct Entry {
        IpAddress address;
        Samples heard = kVacant;
        uint32_t next = kNone;  ///< in the chain of its bucket
        bool used() const { return heard != kVacant; }
    };

    static uint16_t owner_of(uint32_t entry) { return static_cast<uint16_t>(entry / kPerOwner); }
    size_t bucket_of(IpAddress address) const;
    uint32_t entry_of(IpAddress address) const;
    uint32_t place_of(uint16_t owner);
    void vacate(uint32_t entry);

    std::vector<Entry> entries_;     ///< kPerOwner of each owner, one owner after the other
    std::vector<uint32_t> buckets_;  ///< first entry of each chain; a power of two of them
};

}  // namespace wimax::mac
