// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/channel_search.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {

ChannelSearch::ChannelSearch(const sap::Carriers& first, const std::vector<uint64_t>& others)
    : first_(first), channels_{first.downlink_hz}, listed_(1), most_(others.size() + 1 + kMostTold) {
    for (const uint64_t hz : others)
        if (std::find(channels_.begin(), channels_.end(), hz) == channels_.end()) channels_.push_back(hz);
    listed_ = channels_.size();
    channels_.reserve(most_);
}

bool ChannelSearch::leave() {
    if (only_one()) return false;
    move_to((at_ + 1) % channels_.size());
    return true;
}

bool ChannelSearch::possible(uint64_t downlink_hz) const { return sap::are_frequencies(first_.moved_to(downlink_hz)); }

bool ChannelSearch::refused() {
    if (at_ < listed_) return leave();
    channels_.erase(channels_.begin() + static_cast<std::ptrdiff_t>(at_));
    move_to(at_ % channels_.size());
    return true;
}

bool ChannelSearch::go_to(uint64_t downlink_hz) {
    if (downlink_hz == channels_[at_] || !possible(downlink_hz)) return false;
    const auto known = std::find(channels_.begin(), channels_.end(), downlink_hz);
    const auto index = static_cast<size_t>(known - channels_.begin());
    if (known == channels_.end()) {
        if (channels_.size() == most_) channels_.pop_back();
        channels_.push_back(downlink_hz);
    }
    move_to(std::min(index, channels_.size() - 1));
    return true;
}

bool ChannelSearch::changed() { return std::exchange(changed_, false); }

void ChannelSearch::move_to(size_t index) {
    at_ = index;
    changed_ = true;
    ++changes_;
}

}  // namespace wimax::mac
