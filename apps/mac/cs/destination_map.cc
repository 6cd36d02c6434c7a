// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/cs/destination_map.h"

#include <algorithm>

namespace wimax::mac {

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
