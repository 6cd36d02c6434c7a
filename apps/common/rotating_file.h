/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of whole records that does not fill a disk: when the next record has no place in it, FILE becomes FILE.1,
 * FILE.1 becomes FILE.2 and so on, the oldest is deleted, and a new FILE begins. Nothing is buffered: a record is one
 * write().
 */
#pragma once

#include "common/safe_files.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wimax {

/// `max_bytes` 0: never rotated. `files`: that stay, FILE included.
struct RotationLimits {
    uint64_t max_bytes = 10'000'000;
    int files = 3;
};

class RotatingFile {
public:
    enum class Start { append, fresh };  ///< `fresh`: what is in FILE is deleted

    /// As OutputFile opens it. `header`: what each file begins with. A device is written to as it is. Fault: {path,
    /// why}.
    static tl::expected<RotatingFile, Fault> open(const std::string& path, const RotationLimits& limits, Start start,
                                                  std::string header = {});
    bool is_open() const { return file_.fd() >= 0; }

    /// One record, or several that stay together; a file holds one at least. False: it is not in the file, which still
    /// ends with a whole record (errno says why, such as a full disk). The next write tries again.
    bool write(std::string_view record);
    bool write(std::span<const uint8_t> record);

    uint64_t size() const { return size_; }
    uint64_t rotations() const { return rotations_; }  ///< since open()
    /// Octets that the present file still takes.
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
