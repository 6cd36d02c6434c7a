// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/event_journal.h"

#include "common/printable.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <map>

namespace wimax::macd {
namespace {

std::string in_words(EventJournal::WallTime wall) {
    using std::chrono::milliseconds;
    const auto ms = std::chrono::duration_cast<milliseconds>(wall.time_since_epoch()).count();
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

}  // namespace

EventJournal::~EventJournal() { flush(); }

Outcome EventJournal::open(const std::string& path, const RotationLimits& limits) {
    auto file = RotatingFile::open(path, limits, RotatingFile::Start::append);
    if (!file) return failure("events.file", file.error().str());
    file_ = std::move(*file);
    opened_ = true;
    return {};
}

void EventJournal::make_room() {
    if (kept_.size() <= kKept) return;
    std::map<uint64_t, size_t> counts;
    size_t most = 0;
    for (const auto& one : kept_) most = std::max(most, ++counts[one.source]);
    kept_.erase(std::ranges::find_if(kept_, [&](const Kept& one) { return counts[one.source] == most; }));
}

void EventJournal::note(WallTime wall, double simulated_s, uint32_t frame, const mac::Event& event) {
    kept_.push_back({event.source.id,
                     {{"number", ++count_},
                      {"wall", in_words(wall)},
                      {"simulated_s", simulated_s},
                      {"frame", frame},
                      {"layer", event.layer},
                      {"text", printable_line(event.text)}}});
    const auto& noted = kept_.back().event;
    const std::string line = opened_ ? noted.dump() + '\n' : std::string();
    make_room();
    if (!opened_) return;
    if (pending_.size() >= kMostPendingOctets) {
        ++lost_;
        return;
    }
    pending_ += line;
}

void EventJournal::flush() {
    if (!file_.write(pending_)) lost_ += static_cast<uint64_t>(std::ranges::count(pending_, '\n'));
    pending_.clear();
}

nlohmann::json EventJournal::last() const {
    auto events = nlohmann::json::array();
    for (const auto& one : kept_) events.push_back(one.event);
    return {{"lost", lost_}, {"events", std::move(events)}};
}

}  // namespace wimax::macd
