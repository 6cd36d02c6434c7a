/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits SDU octets to a rate (maximum sustained traffic rate, 11.13.6): in no interval more than the rate times its
 * length and the bucket's depth (maximum traffic burst, 11.13.7). The bucket fills with time and is never overdrawn.
 */
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
    void update(Samples now) {
        if (!limited_) return;
        if (started_)
            level_ =
                std::min(depth_, level_ + static_cast<double>(std::max<Samples>(0, now - last_)) * octets_per_sample_);
        last_ = now;
        started_ = true;
    }
    /// Octets that may be sent now.
    size_t available() const { return limited_ ? static_cast<size_t>(level_) : SIZE_MAX; }
    /// As much of it as there is.
    void take(size_t octets) {
        if (limited_) level_ = std::max(0.0, level_ - static_cast<double>(octets));
    }

private:
    double octets_per_sample_ = 0, depth_ = 0, level_ = 0;
    Samples last_ = 0;
    bool started_ = false, limited_ = false;
};

}  // namespace wimax::mac
