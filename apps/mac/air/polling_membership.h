// SPDX-License-Identifier: GPL-3.0-or-later
// Multicast polling groups of a subscriber station: it may use their request regions like broadcast ones.
#pragma once

#include "mac/pdu/cid.h"
#include "mac/pdu/management_messages.h"

#include <algorithm>
#include <array>

namespace wimax::mac {

class PollingMembership {
public:
    /// False: no such group, no more room, or not a plain group: its allocations would be misread.
    bool change(const McaReq& request) {
        const uint16_t cid = request.multicast_cid.value_or(0);
        const uint8_t assignment = request.assignment.value_or(kLeave + kJoin + 1);
        if (!cid::is_multicast_polling(cid) || assignment > kJoin || !request.plain()) return false;
        const bool member = std::ranges::find(cids_, cid) != cids_.end();
        if (member == (assignment == kJoin)) return true;
        const auto place = std::ranges::find(cids_, member ? cid : uint16_t{0});
        if (place == cids_.end()) return false;
        *place = member ? 0 : cid;
        return true;
    }
    bool may_ask(uint16_t cid) const {
        return cid == cid::kBroadcast || (cid != 0 && std::ranges::find(cids_, cid) != cids_.end());
    }

private:
    static constexpr uint8_t kLeave = 0, kJoin = 1;

    std::array<uint16_t, 4> cids_{};  ///< 0: free. The size is the default of 11.7
};

}  // namespace wimax::mac
