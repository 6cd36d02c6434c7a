// SPDX-License-Identifier: GPL-3.0-or-later
// Results of the packets of one flow.
#pragma once

#include "sim/histogram.h"
#include "sim/packet.h"

#include <algorithm>

namespace wimax::sim {

/// Delays in microseconds: to 10 us, beyond 2.5 ms to 0.8 %.
inline Histogram delays_us() { return Histogram(10); }

/// Packets sent within the measurement count: as delivered, if they arrive within it. A packet that arrives later was
/// on its way at the end, and is neither delivered nor lost.
class FlowRecord {
public:
    /// Samples.
    struct Window {
        Samples from = INT64_MAX / 2, to = INT64_MAX;
        bool contains(Samples at) const { return at >= from && at < to; }
    };

    /// `bound_ms`: later packets are counted; 0: none is late.
    explicit FlowRecord(double bound_ms = 0) : bound_us_(bound_ms > 0 ? 1000 * bound_ms : INFINITY) {}

    void sent(Samples at, const Window& window, bool taken) {
        if (!window.contains(at)) return;
        ++sent_;
        refused_ += !taken;
    }
    /// `news`: the content is new to the receiver.
    void received(const PacketTag& tag, size_t octets, Samples at, const Window& window, double samples_per_us,
                  bool news = true) {
        if (!is_new(tag.number)) {
            ++duplicates_;
            return;
        }
        const bool in_order = tag.number >= next_;
        next_ = std::max(next_, tag.number + 1);
        if (window.contains(at) && news) octets_ += octets;
        if (!window.contains(tag.sent)) return;
        if (at >= window.to) {
            ++afterwards_;
            return;
        }
        ++received_;
        reordered_ += !in_order;
        const double us = static_cast<double>(at - tag.sent) / samples_per_us;
        late_ += us > bound_us_;
        delay_.add(us);
    }
    /// At the end: counts up to `waiting` of the packets that have not arrived as queued, without refused ones. Returns
    /// their number.
    uint64_t settle(uint64_t waiting) { return queued_ = std::min(waiting, missing() - std::min(missing(), refused_)); }

    uint64_t sent() const { return sent_; }
    uint64_t received() const { return received_; }
    /// Packets neither delivered nor known to be on the way.
    uint64_t missing() const { return sent_ - std::min(sent_, received_ + afterwards_); }
    uint64_t lost() const { return missing() - queued_; }
    uint64_t refused() const { return refused_; }  ///< missing packets that the MAC refused at once
    uint64_t reordered() const { return reordered_; }
    uint64_t duplicates() const { return duplicates_; }
    uint64_t octets() const { return octets_; }
    double late_fraction() const {
        return received_ == 0 ? 0 : static_cast<double>(late_) / static_cast<double>(received_);
    }
    const Histogram& delay() const { return delay_; }

private:
    /// Least count of remembered packet numbers, more than all queues of a flow can contain. The limit bounds memory. A
    /// packet with an older number counts as a duplicate.
    static constexpr uint32_t kRemembered = 1 << 16;

    /// True: the first packet of that number.
    bool is_new(uint32_t number) {
        if (number < first_remembered_) return false;
        if (number - first_remembered_ >= 2 * kRemembered) forget_before(number - kRemembered);
        const uint32_t at = number - first_remembered_;
        if (at >= seen_.size()) seen_.resize(std::min(at + 1 + at / 2, 2 * kRemembered));
        if (seen_[at]) return false;
        seen_[at] = true;
        return true;
    }
    void forget_before(uint32_t number) {
        const auto count = std::min<size_t>(number - first_remembered_, seen_.size());
        seen_.erase(seen_.begin(), seen_.begin() + static_cast<std::ptrdiff_t>(count));
        first_remembered_ = number;
    }

    double bound_us_;
    uint64_t sent_ = 0, refused_ = 0, received_ = 0, afterwards_ = 0, queued_ = 0;
    uint64_t reordered_ = 0, duplicates_ = 0, late_ = 0, octets_ = 0;
    uint32_t next_ = 0, first_remembered_ = 0;
    std::vector<bool> seen_;  ///< from first_remembered_ on
    Histogram delay_ = delays_us();
};

}  // namespace wimax::sim
