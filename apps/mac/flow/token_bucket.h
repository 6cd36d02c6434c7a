// SPDX-License-Identifier: GPL-3.0-or-later
// Limits SDU octets to a rate (maximum sustained traffic rate, 11.13.6): in no interval more than the rate times its
// length plus the bucket's depth (maximum traffic burst, 11.13.7). The bucket fills with time and is never overdrawn.
// Octets of an SDU not delivered yet keep their place in the bucket: else a half-sent SDU would arrive in addition to a
// bucket that has filled again.
#pragma once

#include "mac/sample_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wimax::mac {

class TokenBucket {
public:
    TokenBucket() = default;
    /// Rate 0: no limit.
    TokenBucket(uint32_t rate_bps, size_t depth_octets, int64_t sample_rate_hz)
        : octets_per_sample_(rate_bps / 8.0 / static_cast<double>(std::max<int64_t>(1, sample_rate_hz))),
          depth_(static_cast<double>(depth_octets)),
          level_(depth_),
          limited_(rate_bps != 0) {}

    bool limited() const { return limited_; }
    /// Sets another rate and depth; the contents stay, up to the new depth.
    void change(uint32_t rate_bps, size_t depth_octets, int64_t sample_rate_hz) {
        TokenBucket changed(rate_bps, depth_octets, sample_rate_hz);
        if (limited_) {
            changed.held_ = std::min(changed.depth_, held_);
            changed.level_ = std::min(changed.depth_ - changed.held_, level_);
            changed.last_ = last_;
            changed.started_ = started_;
        }
        *this = changed;
    }
    void update(Samples now) {
        if (!limited_) return;
        level_ = level_at(now);
        last_ = started_ ? std::max(last_, now) : now;
        started_ = true;
    }
    /// Octets that may be sent now.
    size_t available() const { return limited_ ? static_cast<size_t>(level_) : SIZE_MAX; }
    size_t available_at(Samples now) const { return limited_ ? static_cast<size_t>(level_at(now)) : SIZE_MAX; }
    /// Takes up to the available octets.
    void take(size_t octets) {
        if (limited_) level_ = std::max(0.0, level_ - static_cast<double>(octets));
    }
    /// Takes octets of an SDU that is to be sent, until settle() or refund(). Pre: `octets` are available().
    void hold(size_t octets) {
        if (!limited_) return;
        level_ -= static_cast<double>(octets);
        held_ += static_cast<double>(octets);
    }
    /// The octets are delivered.
    void settle(size_t octets) {
        if (limited_) held_ = std::max(0.0, held_ - static_cast<double>(octets));
    }
    /// The octets will never be delivered.
    void refund(size_t octets) {
        if (!limited_) return;
        settle(octets);
        level_ = std::min(depth_ - held_, level_ + static_cast<double>(octets));
    }

private:
    double level_at(Samples now) const {
        if (!started_ || now <= last_) return level_;
        return std::min(depth_ - held_, level_ + static_cast<double>(now - last_) * octets_per_sample_);
    }

    double octets_per_sample_ = 0, depth_ = 0, level_ = 0, held_ = 0;
    Samples last_ = 0;
    bool started_ = false, limited_ = false;
};

}  // namespace wimax::mac
