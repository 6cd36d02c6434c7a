// SPDX-License-Identifier: GPL-3.0-or-later
// A limit for log lines that peers can cause: some at once, then one per second.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace wimax::channeld {

class LineLimit {
public:
    using Clock = std::chrono::steady_clock;
    /// `at_once`: number of lines that pass together after a silence.
    explicit LineLimit(double at_once) : at_once_(at_once), left_(at_once) {}

    /// The line, with the number of suppressed lines before it; nothing if it is suppressed too.
    std::optional<std::string> pass(std::string line, Clock::time_point now) {
        left_ = std::min(at_once_, left_ + std::chrono::duration<double>(now - last_).count());
        last_ = now;
        if (left_ < 1) {
            ++left_out_;
            return std::nullopt;
        }
        left_ -= 1;
        if (left_out_ > 0) line += " (" + std::to_string(left_out_) + " more of this kind before)";
        left_out_ = 0;
        return line;
    }

private:
    const double at_once_;
    double left_;
    Clock::time_point last_{};
    uint64_t left_out_ = 0;
};

}  // namespace wimax::channeld
