// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/transmit_history.h"

#include <algorithm>

namespace wimax::channel {

/// Four times the kept samples: moving them to the front costs a third of a copy per sample.
TransmitHistory::TransmitHistory(size_t keep) : keep_(keep), buffer_(4 * keep + 1) {}

void TransmitHistory::restart(int64_t first) {
    active_.clear();
    buffer_first_ = stored_ = end_ = first;
}

/// Makes room after the stored samples. After a silence longer than the memory it restarts at the front: no zeros are
/// written, and the same memory stays in the cache.
void TransmitHistory::make_room(int64_t first, size_t count) {
    if (first < end_ || first - stored_ > static_cast<int64_t>(keep_)) restart(first);
    const auto gap = static_cast<size_t>(first - stored_);
    auto used = static_cast<size_t>(stored_ - buffer_first_);
    if (used + gap + count > buffer_.size()) {
        const size_t kept = std::min(used, keep_);
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(used - kept),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(used), buffer_.begin());
        buffer_first_ += static_cast<int64_t>(used - kept);
        used = kept;
        if (used + gap + count > buffer_.size()) buffer_.resize(used + gap + count + keep_);
        while (!active_.empty() && active_.front().second <= buffer_first_) active_.pop_front();
    }
    std::fill_n(buffer_.begin() + static_cast<std::ptrdiff_t>(used), gap, Complex{});
    stored_ = first;
}

void TransmitHistory::append(int64_t first, std::span<const Complex> samples) {
    make_room(first, samples.size());
    std::copy(samples.begin(), samples.end(), buffer_.begin() + (stored_ - buffer_first_));
    stored_ = end_ = first + static_cast<int64_t>(samples.size());
    if (!active_.empty() && active_.back().second == first) {
        active_.back().second = end_;
    } else {
        active_.emplace_back(first, end_);
    }
}

void TransmitHistory::append_silence(int64_t first, size_t count) {
    if (first < end_) restart(first);
    end_ = first + static_cast<int64_t>(count);
}

TxWindow TransmitHistory::window(int64_t first, int64_t end) const {
    first = std::max(first, buffer_first_);
    end = std::min(end, end_);
    if (first >= end) return {};  // all of it forgotten, or not sent yet
    int64_t low = end, high = first;
    for (const auto& [from, to] : active_) {
        if (to <= first || from >= end) continue;
        low = std::min(low, std::max(from, first));
        high = std::max(high, std::min(to, end));
    }
    if (low >= high) return {};
    return {low, {buffer_.data() + (low - buffer_first_), static_cast<size_t>(high - low)}};
}

}  // namespace wimax::channel
