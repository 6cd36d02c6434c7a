/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What became of the packets of one flow.
 */
#pragma once

#include "sim/histogram.h"
#include "sim/packet.h"

#include <algorithm>

namespace wimax::sim {

/// Delays in microseconds: to 10 us, beyond 200 ms to one millisecond.
inline Histogram delays_us() { return {10, 200'000, 1000}; }

/// Only packets sent in the measurement count; for the goodput, what arrives in it.
class FlowRecord {
public:
    /// Samples.
    struct Window {
        Samples from = INT64_MAX / 2, to = INT64_MAX;
        bool contains(Samples at) const { return at >= from && at < to; }
    };

    void sent(Samples at, const Window& window) { sent_ += window.contains(at); }
    /// False: a second copy.
    bool received(const PacketTag& tag, size_t octets, Samples at, const Window& window, double samples_per_us) {
        if (tag.number >= seen_.size()) seen_.resize(tag.number + 1 + tag.number / 2);
        if (seen_[tag.number]) {
            ++duplicates_;
            return false;
        }
        seen_[tag.number] = true;
        const bool in_order = tag.number >= next_;
        next_ = std::max(next_, tag.number + 1);
        if (window.contains(at)) octets_ += octets;
        if (!window.contains(tag.sent)) return true;
        ++received_;
        reordered_ += !in_order;
        delay_.add(static_cast<double>(at - tag.sent) / samples_per_us);
        return true;
    }

    uint64_t sent() const { return sent_; }
    uint64_t received() const { return received_; }
    uint64_t lost() const { return sent_ - std::min(sent_, received_); }
    uint64_t reordered() const { return reordered_; }
    uint64_t duplicates() const { return duplicates_; }
    uint64_t octets() const { return octets_; }
    /// Number behind the highest received.
    uint32_t next() const { return next_; }
    const Histogram& delay() const { return delay_; }
    uint64_t refused = 0;  ///< by the MAC, at once

private:
    uint64_t sent_ = 0, received_ = 0, reordered_ = 0, duplicates_ = 0, octets_ = 0;
    uint32_t next_ = 0;
    std::vector<bool> seen_;
    Histogram delay_ = delays_us();
};

}  // namespace wimax::sim
