// SPDX-License-Identifier: GPL-3.0-or-later
// A file of whole records that does not fill a disk: when the next record does not fit, FILE becomes FILE.1,
// FILE.1 becomes FILE.2 and so on, the oldest is deleted, and a new FILE begins. Nothing is buffered: a record is one
// write().
#pragma once

#include "common/safe_files.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wimax {

/// `max_bytes` 0: never rotated. `files`: number of files kept, FILE included.
struct RotationLimits {
    uint64_t max_bytes = 10'000'000;
    int files = 3;
};

class RotatingFile {
public:
    enum class Start { append, fresh };  ///< `fresh`: the content of FILE is deleted

    /// Opens as OutputFile does. `header`: beginning of each file. A device is written without rotation. Fault: {path,
    /// reason}.
    static tl::expected<RotatingFile, Fault> open(const std::string& path, const RotationLimits& limits, Start start,
                                                  std::string header = {});
    bool is_open() const { return file_.fd() >= 0; }

    /// One record, or several that stay together; a file has one at least. False: it was not written, and the file
    /// still ends with a whole record (errno has the reason, such as a full disk). The next write tries again.
    bool write(std::string_view record);
    bool write(std::span<const uint8_t> record);

    uint64_t size() const { return size_; }
    uint64_t rotations() const { return rotations_; }  ///< since open()
    /// Octets that still fit into the current file.
    uint64_t room() const;
    /// Header of the files after this one.
    void set_header(std::string header) { header_ = std::move(header); }

private:
    bool rotate();
    bool put(std::string_view octets);
    bool begin();

    OutputFile file_;
    std::string header_;
    RotationLimits limits_;
    bool sized_ = false;  ///< a regular file
    uint64_t size_ = 0, rotations_ = 0;
};

}  // namespace wimax
