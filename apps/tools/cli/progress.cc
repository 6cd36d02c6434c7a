// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/cli/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <iostream>

namespace wimax::cli {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;

constexpr auto kFirstOnTerminal = milliseconds(700), kNextOnTerminal = milliseconds(200);
constexpr auto kFirstElsewhere = seconds(10), kNextElsewhere = seconds(30);
/// With less done, the remaining time is unknown.
constexpr double kLeastShare = 0.005;
constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

std::string duration_text(double seconds) {
    const auto whole = static_cast<int64_t>(std::llround(seconds));
    char text[32];
    if (whole < 60) std::snprintf(text, sizeof text, "%lld s", static_cast<long long>(whole));
    else if (whole < 3600)
        std::snprintf(text, sizeof text, "%lld min %02lld s", static_cast<long long>(whole / 60),
                      static_cast<long long>(whole % 60));
    else
        std::snprintf(text, sizeof text, "%lld h %02lld min", static_cast<long long>(whole / 3600),
                      static_cast<long long>(whole / 60 % 60));
    return text;
}

Progress::Progress(std::string program)
    : Progress(std::move(program), std::cerr, ::isatty(STDERR_FILENO) != 0, Clock::now) {}

Progress::Progress(std::string program, std::ostream& out, bool terminal, Now now)
    : program_(std::move(program)), out_(out), terminal_(terminal), now_(std::move(now)) {
    begin_ = now_();
    due_ = begin_ + (terminal_ ? Clock::duration(kFirstOnTerminal) : Clock::duration(kFirstElsewhere));
}

void Progress::show(double share, const std::string& what) {
    const auto now = now_();
    if (now < due_) return;
    due_ = now + (terminal_ ? Clock::duration(kNextOnTerminal) : Clock::duration(kNextElsewhere));
    const double spent = std::chrono::duration<double>(now - begin_).count();
    std::string line = program_ + ": ";
    if (share >= 0) line += std::to_string(static_cast<int>(share * 100)) + " %, ";
    line += what + ", " + duration_text(spent);
    if (share > kLeastShare) line += ", about " + duration_text(spent * (1 - share) / share) + " left";
    out_ << (terminal_ ? kEraseLine : "") << line << (terminal_ ? "" : "\n") << std::flush;
    shown_ = terminal_;
}

void Progress::clear() {
    if (shown_) out_ << kEraseLine << std::flush;
    shown_ = false;
}

}  // namespace wimax::cli
