/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which channel a subscriber station listens to (clause 6.3.9.1): the one it was told, then the others of its list in
 * their order, round and round, until one lets it in. A channel that was lost is listened to first, for T20.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::mac {

class ChannelSearch {
public:
    /// `others` may have `first_hz` among them.
    ChannelSearch(uint64_t first_hz, const std::vector<uint64_t>& others);

    uint64_t frequency_hz() const { return channels_[at_]; }
    bool only_one() const { return channels_.size() == 1; }
    /// This channel has nothing for the station. False: there is no other.
    bool leave();
    /// A base station sends it there. False: it is there, or no radio has that frequency.
    bool go_to(uint64_t frequency_hz);
    /// Whether the PHY can be asked for it.
    static bool possible(uint64_t frequency_hz);
    /// The PHY refuses this channel: as leave(), and a channel that a base station named is forgotten.
    bool refused();
    /// True once after each change.
    bool changed();
    uint64_t changes() const { return changes_; }

private:
    void move_to(size_t index);

    static constexpr size_t kMostTold = 16;  ///< channels that base stations named, beside the list
    std::vector<uint64_t> channels_;
    size_t at_ = 0, listed_, most_;  ///< the first `listed_` are the configured ones
    bool changed_ = false;
    uint64_t changes_ = 0;
};

}  // namespace wimax::mac
