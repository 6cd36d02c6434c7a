// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/status_writer.h"
#include "common/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace wimax {
namespace {

constexpr std::array<std::string_view, 6> kWarnings{"TOO WEAK",        "LOST",         "NOT SENT",
                                                    "TRANSMITTER OFF", "ANOTHER CELL", "STALLED"};
constexpr std::string_view kRed = "\033[1;31m", kPlain = "\033[0m";

}  // namespace

std::string with_colours(std::string_view line) {
    std::string text(line);
    for (const auto warning : kWarnings)
        for (size_t at = text.find(warning); at != std::string::npos; at = text.find(warning, at)) {
            text.insert(at + warning.size(), kPlain).insert(at, kRed);
            at += kRed.size() + warning.size() + kPlain.size();
        }
    return text;
}

StatusWriter::StatusWriter(bool console) : console_(console), colours_(command_line::shows_colours(STDOUT_FILENO)) {}

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
    if (console_ && !line.empty()) say(colours_ ? with_colours(line) : line);
    if (json_to_stdout_ && !json.empty()) say(json);
    if (json_.is_open() && !json.empty()) lost_ += !json_.write(std::string(json) + '\n');
}

}  // namespace wimax
