// SPDX-License-Identifier: GPL-3.0-or-later
// Received samples that a host will not look at: the channel need not compute them.
#pragma once

#include <cstdint>
#include <mutex>

namespace wimax::vrf {

/// Ticks of the radio's time. Any thread.
class UnusedSamples {
public:
    /// [from, until), instead of a range given before.
    void set(int64_t from, int64_t until) {
        const std::lock_guard lock(mutex_);
        from_ = from;
        until_ = until;
    }
    void forget() { set(0, 0); }
    /// All of these samples are in the range.
    bool include(int64_t first, uint32_t count) const {
        const std::lock_guard lock(mutex_);
        return from_ <= first && first + int64_t(count) <= until_;
    }

private:
    mutable std::mutex mutex_;
    int64_t from_ = 0, until_ = 0;
};

}  // namespace wimax::vrf
