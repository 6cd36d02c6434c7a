// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/rotating_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace wimax {

tl::expected<RotatingFile, Fault> RotatingFile::open(const std::string& path, const RotationLimits& limits, Start start,
                                                     std::string header) {
    using Existing = OutputFile::Existing;
    auto opened = OutputFile::open(path, start == Start::fresh ? Existing::replace : Existing::append);
    if (!opened) return tl::unexpected(opened.error());
    RotatingFile file;
    file.file_ = std::move(*opened);
    file.limits_ = limits;
    file.header_ = std::move(header);
    (void)file.begin();  // else the first record tries again
    return file;
}

/// Writes the header into an empty file.
bool RotatingFile::begin() {
    const auto size = file_.size();
    sized_ = size.has_value();
    size_ = size.value_or(0);
    return size_ > 0 || header_.empty() || put(header_);
}

uint64_t RotatingFile::room() const {
    if (limits_.max_bytes == 0 || !sized_) return UINT64_MAX;
    return limits_.max_bytes - std::min(limits_.max_bytes, size_);
}

/// Writes all octets or none.
bool RotatingFile::put(std::string_view octets) {
    size_t done = 0;
    while (done < octets.size()) {
        const ssize_t n = ::write(file_.fd(), octets.data() + done, octets.size() - done);
        if (n > 0) {
            done += static_cast<size_t>(n);
        } else if (n == 0 || errno != EINTR) {
            const int why = errno;
            if (sized_ && done > 0 && ::ftruncate(file_.fd(), static_cast<off_t>(size_)) == 0)
                (void)::lseek(file_.fd(), static_cast<off_t>(size_), SEEK_SET);
            errno = why;
            return false;
        }
    }
    size_ += octets.size();
    return true;
}

bool RotatingFile::rotate() {
    if (!file_.rotate(std::max(limits_.files, 1) - 1)) return false;
    ++rotations_;
    return begin();
}

bool RotatingFile::write(std::string_view record) {
    if (record.empty() || !is_open()) return record.empty();
    if (size_ == 0 && !begin()) return false;
    if (room() < record.size() && size_ > header_.size() && !rotate()) return false;
    return put(record);
}

bool RotatingFile::write(std::span<const uint8_t> record) {
    return write(std::string_view(reinterpret_cast<const char*>(record.data()), record.size()));
}

}  // namespace wimax
