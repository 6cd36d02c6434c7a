// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/cs/address_owners.h"

#include <algorithm>
#include <bit>

namespace wimax::mac {

AddressOwners::AddressOwners(uint16_t last_owner)
    : entries_((last_owner + size_t{1}) * kPerOwner), buckets_(std::bit_ceil(entries_.size()), kNone) {}

size_t AddressOwners::bucket_of(IpAddress address) const {
    uint64_t mix = (address.high * 0x9E3779B97F4A7C15ULL ^ address.low) * 0xC2B2AE3D27D4EB4FULL;
    mix ^= mix >> 32;
    return mix & (buckets_.size() - 1);
}

uint32_t AddressOwners::entry_of(IpAddress address) const {
    uint32_t at = buckets_[bucket_of(address)];
    while (at != kNone && !(entries_[at].address == address)) at = entries_[at].next;
    return at;
}

std::optional<uint16_t> AddressOwners::find(IpAddress address) const {
    const uint32_t at = entry_of(address);
    return at == kNone ? std::nullopt : std::optional(owner_of(at));
}

void AddressOwners::vacate(uint32_t entry) {
    uint32_t* link = &buckets_[bucket_of(entries_[entry].address)];
    while (*link != entry) link = &entries_[*link].next;
    *link = entries_[entry].next;
    entries_[entry] = {};
}

/// A vacant entry of the owner; without one, the entry that it used least recently is vacated.
uint32_t AddressOwners::place_of(uint16_t owner) {
    const auto first = entries_.begin() + static_cast<ptrdiff_t>(owner * kPerOwner);
    const auto place =
        std::min_element(first, first + kPerOwner, [](const Entry& a, const Entry& b) { return a.heard < b.heard; });
    const auto at = static_cast<uint32_t>(place - entries_.begin());
    if (place->used()) vacate(at);
    return at;
}

bool AddressOwners::claim(IpAddress address, uint16_t owner, Samples now, Samples silence) {
    const uint32_t known = entry_of(address);
    if (known != kNone) {
        if (owner_of(known) == owner) {
            entries_[known].heard = now;
            return true;
        }
        if (now - entries_[known].heard < silence) return false;
        vacate(known);
    }
    const uint32_t at = place_of(owner);
    uint32_t& head = buckets_[bucket_of(address)];
    entries_[at] = {address, now, head};
    head = at;
    return true;
}

void AddressOwners::forget(uint16_t owner) {
    const auto first = static_cast<uint32_t>(owner * kPerOwner);
    for (uint32_t at = first; at < first + kPerOwner; ++at)
        if (entries_[at].used()) vacate(at);
}

void AddressOwners::clear() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    std::fill(buckets_.begin(), buckets_.end(), kNone);
}

}  // namespace wimax::mac
