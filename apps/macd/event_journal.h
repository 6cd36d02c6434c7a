// SPDX-License-Identifier: GPL-3.0-or-later
// Events of a station (entries, losses, commands of the operator, faults), one JSON object each, with simulated and
// wall time: the last ones in memory for queries, all of them in a file.
#pragma once

#include "common/faults.h"
#include "common/rotating_file.h"
#include "mac/report/events.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace wimax::macd {

class EventJournal {
public:
    static constexpr size_t kKept = 200;
    static constexpr size_t kMostPendingOctets = 1 << 20;  ///< between two calls of flush(); more is counted and lost

    using WallTime = std::chrono::system_clock::time_point;

    EventJournal() = default;
    ~EventJournal();
    EventJournal(const EventJournal&) = delete;
    EventJournal& operator=(const EventJournal&) = delete;

    /// Opens a file to append to. The last events are kept with and without a file.
    Outcome open(const std::string& path, const RotationLimits& limits = {});
    /// `event` has its source. When the journal is full, the source with the most events loses its oldest.
    void note(WallTime wall, double simulated_s, uint32_t frame, const mac::Event& event);
    /// Writes the events since the last call. Call it between frames.
    void flush();
    /// {"lost": missing in the file, "events": [{"number", "wall", "simulated_s", "frame", "layer", "text"}, ...]},
    /// oldest first; numbers begin with 1.
    nlohmann::json last() const;

private:
    RotatingFile file_;
    bool opened_ = false;
    uint64_t count_ = 0, lost_ = 0;
    struct Kept {
        uint64_t source;
        nlohmann::json event;
    };
    void make_room();

    std::deque<Kept> kept_;
    std::string pending_;
};

}  // namespace wimax::macd
