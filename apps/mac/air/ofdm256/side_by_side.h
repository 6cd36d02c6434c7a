// SPDX-License-Identifier: GPL-3.0-or-later
// Grants on some subchannels share symbols: in each frame those that wait longest go side by side. For the scheduler
// one of them represents all, with the time that the neediest takes. So a group counts as one station, and each gets at
// least what it would get alone.
#pragma once

#include "mac/air/ofdm256/frame_layout.h"
#include "mac/scheduler/claims.h"

#include <functional>
#include <vector>

namespace wimax::mac {

class SideBySide {
public:
    struct Member {
        uint16_t cid = 0;  ///< basic CID
        ProfileId profile{};
        uint8_t subchannel = phy::kFullSubchannel;
        bool active = false;
        double weight = 1;
        ServiceHistory* history = nullptr;
        uint32_t needed_symbols = 0;  ///< of data, for all that it claims
        uint32_t data_symbols = 0;    ///< result
        // While the grants are made
        uint32_t left_symbols = 0;
        size_t octets = 0;
    };

    /// Symbols of the subframe that a station's bursts may occupy.
    using WindowOf = std::function<SymbolSpan(uint16_t basic_cid)>;

    /// Removes claims on some subchannels from the list, except the one that represents this frame's group. Claims that
    /// do not fit into the group wait; so do those without a symbol in common with all others of the group.
    void gather(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, const WindowOf& window_of);
    void gather(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows) {
        gather(claims, flows, [](uint16_t) { return SymbolSpan(); });
    }
    /// Symbols that all of this frame's group may occupy.
    SymbolSpan within() const { return within_; }
    /// True if this claim represents the group.
    bool leads(uint16_t cid) const { return !members_.empty() && members_.front().cid == cid; }
    /// Divides the leader's grant: each member gets its claim, or all symbols if it had traffic recently.
    /// `unasked_symbols`: to one that claims nothing.
    std::vector<Member>& share(uint32_t data_symbols, uint32_t unasked_symbols);
    /// Map elements in addition to the leader's.
    uint32_t more_elements() const { return members_.empty() ? 0 : static_cast<uint32_t>(members_.size() - 1); }

private:
    void lead(UplinkClaim& claim) const;

    struct Wanted {
        UplinkClaim claim;  ///< as it came
        Samples deadline = kNoDeadline;
        size_t owed_octets = 0, needed_octets = 0, unasked_octets = 0;  ///< the last: of those needed
        uint32_t owed_symbols = 0, needed_symbols = 0;
    };
    std::vector<Wanted> waiting_, chosen_;
    std::vector<Member> members_;  ///< the leader first
    SymbolSpan within_;
};

}  // namespace wimax::mac
