/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/ss/channel_search.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {

ChannelSearch::ChannelSearch(uint64_t first_hz, const std::vector<uint64_t>& others)
    : channels_{first_hz}, most_(others.size() + 1 + kMostTold) {
    for (const uint64_t hz : others)
        if (std::find(channels_.begin(), channels_.end(), hz) == channels_.end()) channels_.push_back(hz);
    channels_.reserve(most_);
}

bool ChannelSearch::leave() {
    if (only_one()) return false;
    move_to((at_ + 1) % channels_.size());
    return true;
}

bool ChannelSearch::go_to(uint64_t frequency_hz) {
    if (frequency_hz == this->frequency_hz()) return false;
    const auto known = std::find(channels_.begin(), channels_.end(), frequency_hz);
    const auto index = static_cast<size_t>(known - channels_.begin());
    if (known == channels_.end()) {
        if (channels_.size() == most_) channels_.pop_back();
        channels_.push_back(frequency_hz);
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
