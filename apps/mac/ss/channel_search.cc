/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/ss/channel_search.h"

#include "sap/messages.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {

ChannelSearch::ChannelSearch(uint64_t first_hz, const std::vector<uint64_t>& others)
    : channels_{first_hz}, listed_(1), most_(others.size() + 1 + kMostTold) {
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

bool ChannelSearch::possible(uint64_t frequency_hz) {
    return frequency_hz >= sap::kMinFrequencyHz && frequency_hz <= sap::kMaxFrequencyHz;
}

bool ChannelSearch::refused() {
    if (at_ < listed_) return leave();
    channels_.erase(channels_.begin() + static_cast<std::ptrdiff_t>(at_));
    move_to(at_ % channels_.size());
    return true;
}

bool ChannelSearch::go_to(uint64_t frequency_hz) {
    if (frequency_hz == this->frequency_hz() || !possible(frequency_hz)) return false;
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
