// SPDX-License-Identifier: GPL-3.0-or-later
// How far long work is, on standard error: a line that is overwritten on a terminal, a line now and then elsewhere.
// Short work is not spoken of.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace wimax::cli {

class Progress {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;

    /// On standard error.
    explicit Progress(std::string program);
    /// Elsewhere, for tests.
    Progress(std::string program, std::ostream& out, bool terminal, Now now);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `share` of the work that is done, 0..1, negative where that is not known; `what` is at hand. As often as one
    /// likes.
    void show(double share, const std::string& what);
    /// Before anything else is written to the terminal.
    void clear();

private:
    std::string program_;
    std::ostream& out_;
    bool terminal_, shown_ = false;
    Now now_;
    Clock::time_point begin_, due_;
};

/// "45 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace wimax::cli
