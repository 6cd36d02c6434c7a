/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/status_writer.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace wimax {

Outcome StatusWriter::open(const std::string& json_path, const RotationLimits& limits) {
    json_to_stdout_ = json_path == "-";
    if (json_to_stdout_) return {};
    auto file = RotatingFile::open(json_path, limits, RotatingFile::Start::append);
    if (!file) return failure("status.json", file.error().str());
    json_ = std::move(*file);
    return {};
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
    const auto say = [](std::string_view text) {
        const std::string whole = std::string(text) + '\n';
        [[maybe_unused]] const auto n = ::write(STDOUT_FILENO, whole.data(), whole.size());
    };
    if (console_ && !line.empty()) say(line);
    if (json_to_stdout_ && !json.empty()) say(json);
    if (json_.is_open() && !json.empty()) lost_ += !json_.write(std::string(json) + '\n');
}

}  // namespace wimax
