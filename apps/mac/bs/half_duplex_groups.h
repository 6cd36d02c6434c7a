// SPDX-License-Identifier: GPL-3.0-or-later
// Two groups of half-duplex stations in FDD: while one transmits, the other receives, so that both carriers are used.
// The groups have the same load, as far as whole stations allow. A station changes its group between two uplink frames,
// which costs nothing: what it hears depends on its grants alone.
#pragma once

#include "mac/bs/station_table.h"

#include <vector>

namespace wimax::mac {

class HalfDuplexGroups {
public:
    /// All outlive the object.
    HalfDuplexGroups(StationTable& stations, const FrameClock& clock) : stations_(stations), clock_(clock) {}

    void restart() { next_ = INT64_MIN; }
    /// Before the uplink is planned: moves a station now and then.
    void begin_frame();

private:
    void measure(Subscriber& station);
    void balance();

    static constexpr int64_t kIntervalMs = 500;
    static constexpr double kTolerance = 0.1;  ///< of the whole load: a difference that is not worth a move

    StationTable& stations_;
    const FrameClock& clock_;
    Samples next_ = INT64_MIN;
    std::vector<Subscriber*> members_;
};

}  // namespace wimax::mac
