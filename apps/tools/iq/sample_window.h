// SPDX-License-Identifier: GPL-3.0-or-later
// A stretch of a long recording: samples that are read as far as they are needed and dropped when they are not.
#pragma once

#include "tools/iq/decode.h"

#include <algorithm>

namespace wimax::iq {

class SampleWindow {
public:
    explicit SampleWindow(const SampleFeed& feed) : feed_(feed) {}

    int64_t begin() const { return begin_; }
    int64_t end() const { return begin_ + static_cast<int64_t>(samples_.size()); }
    bool ended() const { return ended_; }  ///< the recording ends with end()
    std::span<const Complex> view() const { return samples_; }
    /// The part of [from, to) that is there.
    std::span<const Complex> view(int64_t from, int64_t to) const {
        from = std::clamp(from, begin(), end());
        to = std::clamp(to, from, end());
        return view().subspan(static_cast<size_t>(from - begin_), static_cast<size_t>(to - from));
    }

    /// Up to sample `to`, or to the recording's end.
    void fill(int64_t to) {
        while (end() < to && !ended_) take();
    }
    /// Releases the samples before `from`, read or not.
    void pass(int64_t from) {
        while (end() < from && !ended_) {
            begin_ = end();
            samples_.clear();
            take();
        }
        const int64_t gone = std::clamp<int64_t>(from - begin_, 0, end() - begin_);
        samples_.erase(samples_.begin(), samples_.begin() + gone);
        begin_ += gone;
    }

private:
    void take() {
        const auto part = feed_();
        ended_ = part.empty();
        samples_.insert(samples_.end(), part.begin(), part.end());
    }

    const SampleFeed& feed_;
    std::vector<Complex> samples_;
    int64_t begin_ = 0;
    bool ended_ = false;
};

}  // namespace wimax::iq
