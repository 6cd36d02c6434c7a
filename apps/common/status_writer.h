// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/faults.h"
#include "common/rotating_file.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace wimax {

/// The line with its warnings (TOO WEAK, LOST, NOT SENT ...) in red, as a terminal shows them.
std::string with_colours(std::string_view line);

/// One status per second: a text line on standard output, a JSON object in a file.
class StatusWriter {
public:
    explicit StatusWriter(bool console);
    StatusWriter(const StatusWriter&) = delete;
    StatusWriter& operator=(const StatusWriter&) = delete;
    /// "-": standard output, else a file that is appended to.
    Outcome open(const std::string& json_path, const RotationLimits& limits = {});
    /// True once per second of wall time.
    bool due();
    bool wants_json() const { return json_to_stdout_ || json_.is_open(); }
    uint64_t lost() const { return lost_; }  ///< lines of JSON that could not be written
    void write(std::string_view line, std::string_view json);

private:
    const bool console_, colours_;
    bool json_to_stdout_ = false;
    RotatingFile json_;
    int64_t next_ns_ = 0;
    uint64_t lost_ = 0;
};

}  // namespace wimax
