/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a base station looks for in samples that are still to come, in the order in which they will have come. Times are
 * samples.
 */
#pragma once

#include <gnuradio/wimax/phy/base/burst_requests.h>
#include <gnuradio/wimax/phy/base/frame_number.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace gr::wimax {

struct AwaitedUplink {
    phy::FrameNumber frame;
    phy::Slot start_slot;
    phy::BurstKind kind = phy::BurstKind::data;
    uint16_t cid = 0;
    int64_t first = 0, complete = 0;  ///< samples needed: [first, complete)
    bool attached = false;
    bool codes = false;  ///< a focused contention opportunity, of which the allocation has but the start
    phy::UplinkAllocation allocation;
    uint64_t serial = 0;  ///< given by the queue, from 1
};

class UplinkQueue {
public:
    static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

    explicit UplinkQueue(size_t most) : most_(most) { all_.reserve(most); }

    /// Behind those that are complete with the same sample. False: there are too many.
    bool add(const AwaitedUplink& item) {
        if (all_.size() == most_) return false;
        const auto at = std::upper_bound(all_.begin(), all_.end(), item.complete,
                                         [](int64_t end, const AwaitedUplink& x) { return end < x.complete; });
        all_.insert(at, item)->serial = ++last_serial_;
        return true;
    }
    /// When the first of them is complete; kNever: there is none.
    int64_t complete_at() const { return all_.empty() ? kNever : all_.front().complete; }
    /// Takes the first one out.
    AwaitedUplink take() {
        const AwaitedUplink item = all_.front();
        all_.erase(all_.begin());
        return item;
    }
    /// The first sample that any of them needs; kNever: none.
    int64_t needed_from() const {
        int64_t from = kNever;
        for (const auto& item : all_) from = std::min(from, item.first);
        return from;
    }
    const std::vector<AwaitedUplink>& all() const { return all_; }
    void clear() { all_.clear(); }

private:
    const size_t most_;
    std::vector<AwaitedUplink> all_;
    uint64_t last_serial_ = 0;
};

}  // namespace gr::wimax
