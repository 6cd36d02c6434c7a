/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The channel that a subscriber station listens to (clause 6.3.9.1): the configured one, then the others of its list in
 * order, cyclically, until one admits it. A lost channel is listened to first, for T20.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wimax::mac {

class ChannelSearch {
public:
    /// `others` may contain `first_hz`.
    ChannelSearch(uint64_t first_hz, const std::vector<uint64_t>& others);

    uint64_t frequency_hz() const { return channels_[at_]; }
    bool only_one() const { return channels_.size() == 1; }
    /// Leaves a channel that does not serve the station. False: there is no other.
    bool leave();
    /// Moves to the channel that a base station names. False: it is the present one, or no radio has that frequency.
    bool go_to(uint64_t frequency_hz);
    /// Whether the PHY can be configured for it.
    static bool possible(uint64_t frequency_hz);
    /// The PHY refuses this channel: like leave(), and a channel that a base station named is forgotten.
    bool refused();
    /// True once after each change.
    bool changed();
    uint64_t changes() const { return changes_; }

private:
    void move_to(size_t index);

    static constexpr size_t kMostTold = 16;  ///< channels named by base stations, in addition to the list
    std::vector<uint64_t> channels_;
    size_t at_ = 0, listed_, most_;  ///< the first `listed_` are the configured ones
    bool changed_ = false;
    uint64_t changes_ = 0;
};

}  // namespace wimax::mac
