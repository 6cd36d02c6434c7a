// SPDX-License-Identifier: GPL-3.0-or-later
// The channel that a subscriber station listens to (clause 6.3.9.1): the configured one, then the others of its list in
// order, cyclically, until one admits it. A lost channel is listened to first, for T20.
#pragma once

#include "sap/carriers.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::mac {

class ChannelSearch {
public:
    /// `others`: downlinks of channels with the same duplex spacing; they may contain the first.
    ChannelSearch(const sap::Carriers& first, const std::vector<uint64_t>& others);

    sap::Carriers carriers() const { return first_.moved_to(channels_[at_]); }
    bool only_one() const { return channels_.size() == 1; }
    /// Leaves a channel that does not serve the station. False: there is no other.
    bool leave();
    /// Moves to the channel that a base station names. False: it is the present one, or no radio has that frequency.
    bool go_to(uint64_t downlink_hz);
    /// Whether the PHY can be configured for it.
    bool possible(uint64_t downlink_hz) const;
    /// The PHY refuses this channel: like leave(), and a channel that a base station named is forgotten.
    bool refused();
    /// True once after each change.
    bool changed();
    uint64_t changes() const { return changes_; }

private:
    void move_to(size_t index);

    static constexpr size_t kMostTold = 16;  ///< channels named by base stations, in addition to the list
    const sap::Carriers first_;
    std::vector<uint64_t> channels_;  ///< downlinks
    size_t at_ = 0, listed_, most_;   ///< the first `listed_` are the configured ones
    bool changed_ = false;
    uint64_t changes_ = 0;
};

}  // namespace wimax::mac
