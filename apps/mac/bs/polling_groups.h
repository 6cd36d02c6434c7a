// SPDX-License-Identifier: GPL-3.0-or-later
// Multicast polling groups: registered stations are asked to join one (MCA-REQ, repeated by T15). Groups use the
// request region in turn, so that fewer stations contend at the same time. While a station is in no group, one of the
// turns is open to all.
#pragma once

#include "mac/clock.h"
#include "mac/pdu/management_messages.h"

#include <array>

namespace wimax::mac {

struct Subscriber;

/// One station's place in a group.
struct PollingSeat {
    uint16_t cid = 0;  ///< of the group; 0: none yet
    bool joined = false;
    uint8_t tries = 0;
    uint16_t tid = 0;
    Timer t15;
};

class PollingGroups {
public:
    /// `group_stations`: most stations per group; 0: no groups. `clock` outlives the object.
    PollingGroups(uint32_t group_stations, Samples frame_samples, const FrameClock& clock)
        : group_stations_(group_stations), frame_samples_(frame_samples), clock_(clock) {}

    /// No station exists any more.
    void restart() {
        turn_ = 0;
        next_tid_ = kFirstTid;
    }
    /// Call once per frame: begin(), then count() for each station. Asks stations without a group.
    void begin();
    void count(Subscriber& station);
    void answered(Subscriber& station, const McaRsp& response) const;
    /// CID of the stations that may use this frame's request region.
    uint16_t next();

private:
    static constexpr size_t kMostGroups = 64;
    static constexpr uint16_t kFirstTid = 0x4000;

    void ask(Subscriber& station);

    const uint32_t group_stations_;
    const Samples frame_samples_;
    const FrameClock& clock_;
    std::array<uint16_t, kMostGroups> members_{}, seats_{};  ///< joined; joined or asked
    uint32_t outside_ = 0;
    size_t turn_ = 0;
    uint16_t next_tid_ = kFirstTid;
};

}  // namespace wimax::mac
