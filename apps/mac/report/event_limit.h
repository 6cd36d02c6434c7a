/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A limit for log lines, or answers, that others can cause at will: a few of each kind in a second, the rest is counted
 * and told with the next line of that kind.
 */
#pragma once

#include "mac/clock.h"
#include "mac/report/events.h"

#include <cstdint>
#include <string>

namespace wimax::mac {

class EventLimit {
public:
    static constexpr uint32_t kLinesPerSecond = 3;

    explicit EventLimit(uint32_t a_second = kLinesPerSecond) : a_second_(a_second) {}

    /// Whether a line of this kind may go out now; if so, `note` says how many did not.
    bool allow(Samples now, int64_t sample_rate_hz, std::string& note) {
        note.clear();
        if (now - second_began_ >= sample_rate_hz || now < second_began_) {
            second_began_ = now;
            lines_ = 0;
        }
        if (lines_ >= a_second_) {
            ++left_out_;
            return false;
        }
        ++lines_;
        if (left_out_ > 0) note = " (" + std::to_string(left_out_) + " more of this kind before)";
        left_out_ = 0;
        return true;
    }

private:
    Samples second_began_ = INT64_MIN / 2;
    uint32_t a_second_;
    uint32_t lines_ = 0;
    uint64_t left_out_ = 0;
};

/// A line of network entry that anybody on the air can cause.
inline void limited_event(const EventSink& event, EventLimit& kind, const FrameClock& clock, const std::string& text) {
    std::string note;
    if (kind.allow(clock.now, clock.sample_rate_hz, note)) event("entry", text + note);
}

}  // namespace wimax::mac
