/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "common/faults.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace wimax {

/// One status a second: a line for people on standard output, a JSON object for programs in a file.
class StatusWriter {
public:
    explicit StatusWriter(bool console) : console_(console) {}
    ~StatusWriter();
    StatusWriter(const StatusWriter&) = delete;
    StatusWriter& operator=(const StatusWriter&) = delete;
    /// "-": standard output, else a file that is appended to.
    Outcome open(const std::string& json_path);
    /// True once per second of wall time.
    bool due();
    bool wants_json() const { return json_ >= 0; }
    void write(std::string_view line, std::string_view json);

private:
    bool console_;
    int json_ = -1;
    int64_t next_ns_ = 0;
};

}  // namespace wimax
