// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/sample_ring.h"

#include <algorithm>

namespace wimax::phyd {

bool SampleRing::want(int64_t event, size_t after) {
    const std::lock_guard guard(asking_);
    if (!idle() || ring_.empty()) return false;
    event_ = event;
    after_ = std::min(after, ring_.size());
    state_.store(State::wanted, std::memory_order_release);
    return true;
}

void SampleRing::take(int64_t first, std::span<const Complex> samples) {
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::held || ring_.empty()) return;
    if (first != end_) filled_ = 0;
    end_ = first;
    if (state != State::wanted) return put(samples);
    const int64_t last = event_ + static_cast<int64_t>(after_);
    put(samples.first(std::min(samples.size(), static_cast<size_t>(std::max<int64_t>(last - first, 0)))));
    if (end_ >= last) state_.store(State::held, std::memory_order_release);
}

void SampleRing::put(std::span<const Complex> samples) {
    end_ += static_cast<int64_t>(samples.size());
    if (samples.size() > ring_.size()) samples = samples.last(ring_.size());
    const size_t whole = std::min(samples.size(), ring_.size() - at_);
    std::copy_n(samples.begin(), whole, ring_.begin() + static_cast<std::ptrdiff_t>(at_));
    std::copy(samples.begin() + static_cast<std::ptrdiff_t>(whole), samples.end(), ring_.begin());
    at_ = (at_ + samples.size()) % ring_.size();
    filled_ = std::min(ring_.size(), filled_ + samples.size());
}

SampleRing::Stretch SampleRing::stretch() const {
    const std::span all(ring_);
    const size_t begin = (at_ + ring_.size() - filled_) % ring_.size();
    const size_t whole = std::min(filled_, ring_.size() - begin);
    return {end_ - static_cast<int64_t>(filled_), event_, {all.subspan(begin, whole), all.first(filled_ - whole)}};
}

}  // namespace wimax::phyd
