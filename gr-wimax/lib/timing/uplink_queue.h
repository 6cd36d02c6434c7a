// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts that a base station expects in future samples, in the order of their completion. Times are samples.
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
    bool codes = false;  ///< a focused contention opportunity; only the start of the allocation is used
    phy::UplinkAllocation allocation;
    uint64_t serial = 0;  ///< assigned by the queue, from 1
};

class UplinkQueue {
public:
    static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

    explicit UplinkQueue(size_t most) : most_(most) { all_.reserve(most); }

    /// Inserts after those that are complete with the same sample. False: there are too many.
    bool add(const AwaitedUplink& item) {
        if (all_.size() == most_) return false;
        const auto at = std::upper_bound(all_.begin(), all_.end(), item.complete,
                                         [](int64_t end, const AwaitedUplink& x) { return end < x.complete; });
        all_.insert(at, item)->serial = ++last_serial_;
        return true;
    }
    /// Completion of the first entry; kNever: there is none.
    int64_t complete_at() const { return all_.empty() ? kNever : all_.front().complete; }
    /// Removes and returns the first entry.
    AwaitedUplink take() {
        const AwaitedUplink item = all_.front();
        all_.erase(all_.begin());
        return item;
    }
    /// The first sample that any entry needs; kNever: none.
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
