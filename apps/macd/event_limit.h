// SPDX-License-Identifier: GPL-3.0-or-later
// A limit for packets that others can cause at will: a few in a second, the rest is counted.
#pragma once

#include "mac/sample_time.h"

#include <cstdint>

namespace wimax::macd {

class EventLimit {
public:
    explicit EventLimit(uint32_t a_second) : a_second_(a_second) {}

    /// True if an event may be sent now.
    bool allow(mac::Samples now, int64_t sample_rate_hz) {
        if (now - second_began_ >= sample_rate_hz || now < second_began_) {
            second_began_ = now;
            sent_ = 0;
        }
        if (sent_ >= a_second_) return false;
        ++sent_;
        return true;
    }

private:
    mac::Samples second_began_ = INT64_MIN / 2;
    uint32_t a_second_, sent_ = 0;
};

}  // namespace wimax::macd
