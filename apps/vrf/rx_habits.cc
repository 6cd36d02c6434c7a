// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/rx_habits.h"

#include <algorithm>

namespace wimax::vrf {

void RxRestart::stop(int64_t tick, size_t samples, bool until_read) {
    stopped_ = true;
    read_ = false;
    until_read_ = until_read;
    resumes_at_ = tick + std::max(int64_t(samples), samples_);
}

bool RxRestart::skip(int64_t& position, int64_t end) {
    if (!stopped_) return false;
    if (until_read_ && !read_) resumes_at_ = std::max(resumes_at_, end + samples_);
    position = std::min(std::max(position, resumes_at_), end);
    if (position == end && resumes_at_ >= end) return true;
    stopped_ = false;
    ++count_;
    return false;
}

void RxDelays::draw(Clock::time_point now) {
    std::uniform_real_distribution<double> share;
    const auto late = std::chrono::duration_cast<Clock::duration>(share(random_) * jitter_);
    readable_ = std::max({readable_, now + late, held_until_});
    if (held_until_ < now) held_until_ = {};
}

}  // namespace wimax::vrf
