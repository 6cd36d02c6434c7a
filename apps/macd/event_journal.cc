/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macd/event_journal.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace wimax::macd {
namespace {

std::string in_words(EventJournal::WallTime wall) {
    using std::chrono::milliseconds;
    const auto ms = std::chrono::duration_cast<milliseconds>(wall.time_since_epoch()).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

}  // namespace

EventJournal::~EventJournal() {
    flush();
    if (file_ >= 0) ::close(file_);
}

Outcome EventJournal::open(const std::string& path) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0) return failure("events.file", path + ": " + std::strerror(errno));
    return {};
}

void EventJournal::note(WallTime wall, double simulated_s, uint32_t frame, const std::string& layer,
                        const std::string& text) {
    kept_.push_back({{"number", ++count_},
                     {"wall", in_words(wall)},
                     {"simulated_s", simulated_s},
                     {"frame", frame},
                     {"layer", layer},
                     {"text", text}});
    if (kept_.size() > kKept) kept_.pop_front();
    if (file_ < 0) return;
    if (pending_.size() >= kMostPendingOctets) {
        ++lost_;
        return;
    }
    // Names of stations come from the air, and need not be UTF-8.
    pending_ += kept_.back().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void EventJournal::flush() {
    for (size_t done = 0; file_ >= 0 && done < pending_.size();) {
        const auto n = ::write(file_, pending_.data() + done, pending_.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            ++lost_;
            break;
        }
        done += static_cast<size_t>(n);
    }
    pending_.clear();
}

nlohmann::json EventJournal::last() const { return {{"lost", lost_}, {"events", kept_}}; }

}  // namespace wimax::macd
