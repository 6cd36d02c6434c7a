/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/status_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace wimax {

Outcome StatusWriter::open(const std::string& json_path) {
    json_ = json_path == "-" ? ::dup(STDOUT_FILENO)
                             : ::open(json_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (json_ < 0) return failure("status.json", json_path + ": " + std::strerror(errno));
    return {};
}

StatusWriter::~StatusWriter() {
    if (json_ >= 0) ::close(json_);
}

bool StatusWriter::due() {
    constexpr int64_t kSecond = 1'000'000'000;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t now_ns = now.tv_sec * kSecond + now.tv_nsec;
    if (next_ns_ == 0) next_ns_ = now_ns + kSecond;
    if (now_ns < next_ns_) return false;
    next_ns_ = std::max(next_ns_ + kSecond, now_ns);  // a stall is not made up for with a burst of lines
    return true;
}

void StatusWriter::write(std::string_view line, std::string_view json) {
    // One write a line, so that lines of several programs in one file or terminal stay whole.
    const auto put = [](int fd, std::string_view text) {
        std::string whole(text);
        whole += '\n';
        [[maybe_unused]] const auto n = ::write(fd, whole.data(), whole.size());
    };
    if (console_ && !line.empty()) put(STDOUT_FILENO, line);
    if (json_ >= 0 && !json.empty()) put(json_, json);
}

}  // namespace wimax
