/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/cs/destination_map.h"

#include <algorithm>

namespace wimax::mac {

void LearntAddresses::learn(IpAddress address, uint16_t station) {
    const auto first = entries_.begin() + static_cast<ptrdiff_t>(set_of(address)), end = first + kWays;
    auto place = std::find_if(first, end, [=](const Entry& e) { return e.station != 0 && e.address == address; });
    if (place == end) place = std::find_if(first, end, [](const Entry& e) { return e.station == 0; });
    if (place == end) {
        const auto held_by = [=](const Entry& entry) {
            return std::count_if(first, end, [&](const Entry& e) { return e.station == entry.station; });
        };
        place = std::max_element(first, end, [&](const Entry& a, const Entry& b) {
            const auto held_a = held_by(a), held_b = held_by(b);
            return held_a != held_b ? held_a < held_b : events_ - a.learnt < events_ - b.learnt;
        });
    }
    *place = {address, ++events_, station};
}

std::optional<uint16_t> LearntAddresses::find(IpAddress address) const {
    const auto first = entries_.begin() + static_cast<ptrdiff_t>(set_of(address)), end = first + kWays;
    const auto found = std::find_if(first, end, [=](const Entry& e) { return e.station != 0 && e.address == address; });
    return found == end ? std::nullopt : std::optional(found->station);
}

void LearntAddresses::forget(uint16_t station) {
    for (auto& entry : entries_)
        if (entry.station == station) entry = {};
}

void DestinationMap::clear() {
    claims_.clear();
    open_.clear();
}

void DestinationMap::claim(uint16_t station, AddressMask where) {
    auto table = std::find_if(claims_.begin(), claims_.end(), [&](const auto& t) { return t.first == where.mask; });
    if (table == claims_.end()) table = claims_.insert(claims_.end(), {where.mask, {}});
    table->second.emplace(where.address & where.mask, station);
}

void DestinationMap::open(uint16_t station) {
    const auto place = std::lower_bound(open_.begin(), open_.end(), station);
    if (place == open_.end() || *place != station) open_.insert(place, station);
}

bool DestinationMap::is_open(uint16_t station) const { return std::binary_search(open_.begin(), open_.end(), station); }

}  // namespace wimax::mac
