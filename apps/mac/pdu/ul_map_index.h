// SPDX-License-Identifier: GPL-3.0-or-later
// A UL-MAP with its grants by station: each of many receivers of the same map finds its own without reading all.
#pragma once

#include "mac/pdu/cid.h"
#include "mac/pdu/cid_index.h"
#include "mac/pdu/management_messages.h"

#include <optional>
#include <utility>

namespace wimax::mac {

class IndexedUlMap {
public:
    IndexedUlMap() = default;
    explicit IndexedUlMap(UlMap map) : map_(std::move(map)) { index(); }

    const UlMap& map() const { return map_; }
    /// Calls `use(element)` for each element but the grants of other stations, in the order of the map; 0: for all.
    template <class Use> void for_station(uint16_t basic_cid, const Use& use) const {
        if (basic_cid == 0) {
            for (const auto& ie : map_.ies) use(ie);
            return;
        }
        size_t own = grants_.next(basic_cid, 0);
        const auto own_until = [&](size_t place) {
            for (; own < place; own = grants_.next(basic_cid, own + 1)) use(map_.ies[own]);
        };
        for (const size_t place : others_) {
            own_until(place);
            use(map_.ies[place]);
        }
        own_until(map_.ies.size());
    }
    /// Start of the first grant of any station; nullopt: there is none.
    std::optional<uint16_t> first_grant_symbols() const { return first_grant_symbols_; }

private:
    friend Result<void> decode(Octets message, IndexedUlMap& map);
    void index();

    UlMap map_;
    CidIndex grants_;               ///< the other elements are there with the broadcast CID
    std::vector<uint16_t> others_;  ///< their places in the map
    std::optional<uint16_t> first_grant_symbols_;
};

/// Does not allocate for a map no longer than earlier ones.
Result<void> decode(Octets message, IndexedUlMap& map);

}  // namespace wimax::mac
