// SPDX-License-Identifier: GPL-3.0-or-later
// Two groups of half-duplex stations in FDD: while one transmits, the other receives, so that both carriers are used.
// The groups have the same load, as far as whole stations and their promises allow. A station changes its group between
// two uplink frames, which costs nothing: what it hears depends on its grants alone.
#pragma once

#include "mac/bs/reservations.h"

#include <vector>

namespace wimax::mac {

class HalfDuplexGroups {
public:
    /// All outlive the object.
    struct Dependencies {
        StationTable& stations;
        const MulticastConnections& multicast;
        const Reservations& reservations;
        const BaseStationAir& air;
        const FrameClock& clock;
    };
    explicit HalfDuplexGroups(const Dependencies& dependencies) : to_(dependencies), division_(dependencies.air) {}

    void restart() {
        next_ = next_promises_ = INT64_MIN;
        listens_ = spare_ = 0;
    }
    /// Before the uplink is planned: moves stations for promises, one now and then for equal loads, and has both groups
    /// listen to multicast bursts.
    void begin_frame();

private:
    void keep_promises();
    void share_load();
    void listen();
    struct Units {
        uint32_t all = 0, owed = 0;
    };
    Units units_for_both(const MulticastConnection& connection);
    void measure(Subscriber& station);
    void balance();

    static constexpr int64_t kIntervalMs = 500, kPromisesMs = 100;
    static constexpr uint32_t kRounding = 2;   ///< units of both directions do not begin together
    static constexpr double kTolerance = 0.1;  ///< of the whole load: a difference that is not worth a move

    const Dependencies to_;
    Samples next_ = INT64_MIN, next_promises_ = INT64_MIN;
    HalfDuplexDivision division_;
    uint32_t listens_ = 0;              ///< units for multicast bursts in the frame that was planned last
    uint32_t spare_ = 0;                ///< of the later group's uplink, not promised to its stations
    std::vector<Subscriber*> members_;  ///< while they are looked at
    std::vector<uint16_t> listeners_;   ///< CIDs of stations that are to listen
};

}  // namespace wimax::mac
