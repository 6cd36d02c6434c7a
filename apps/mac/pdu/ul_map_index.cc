// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/pdu/ul_map_index.h"

#include <algorithm>

namespace wimax::mac {

void IndexedUlMap::index() {
    grants_.clear();
    others_.clear();
    first_grant_symbols_.reset();
    for (const auto& ie : map_.ies) {
        const bool grant = ie.uiuc >= uiuc::kFirstProfile && ie.uiuc <= uiuc::kLastProfile;
        if (!grant) others_.push_back(static_cast<uint16_t>(grants_.size()));
        grants_.add(grant ? ie.cid : cid::kBroadcast);
        if (grant) first_grant_symbols_ = std::min(first_grant_symbols_.value_or(UINT16_MAX), ie.start_symbols);
    }
}

Result<void> decode(Octets message, IndexedUlMap& map) {
    auto result = decode(message, map.map_);
    if (result) map.index();
    return result;
}

}  // namespace wimax::mac
