// SPDX-License-Identifier: GPL-3.0-or-later
// What one uplink flow is due in each frame: unsolicited grants, its part of reserved rates, polls (clause 6.3.5).
#pragma once

#include "mac/clock.h"
#include "mac/station_config.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace wimax::mac {

class UplinkDues {
public:
    /// A part of a grant: for what was due to the flow, and the part of that which was unsolicited.
    struct Payment {
        size_t octets = 0, unasked = 0;
    };

    void begin_frame() {
        due_octets_ = unasked_due_octets_ = 0;
        poll_due_ = false;
    }
    /// Adds a frame's share of the grant interval. Returns the octets of PDUs for the packets that are owed now.
    /// Pre: is_granted_unasked().
    size_t elapse(const ServiceFlowConfig& flow, double frame_s, Samples now);
    /// An ertPS flow that has not used its grants for a while.
    bool silent() const { return unused_ >= kSilentGrants; }
    void due(size_t unasked_octets, size_t reserved_octets) {
        unasked_due_octets_ = unasked_octets;
        due_octets_ = unasked_octets + reserved_octets;
    }
    /// Its part of the station's reserved rates.
    void add(size_t octets) { due_octets_ += octets; }
    /// A grant has that many octets left. It pays what is due, which is then due no more.
    Payment pay(const ServiceFlowConfig& flow, size_t left);

    /// True if a poll is due in this frame.
    bool check_poll(Samples now) { return poll_due_ = now >= next_poll_; }
    bool poll_due() const { return poll_due_; }
    void polled(Samples next) { next_poll_ = next; }
    Samples next_poll() const { return next_poll_; }

    /// A PDU of the flow was received.
    void used() { unused_ = 0; }
    /// The slip indicator was set: more grants until then.
    void slipped(Samples until) { slipped_until_ = until; }
    /// The flow is not active: it is owed nothing.
    void stop() { owed_octets_ = intervals_ = 0; }

    /// Of packets that no grant has carried yet.
    double owed_octets() const { return owed_octets_; }

private:
    /// Grants in a row without a packet of an ertPS flow. It is then silent, and gets room for a request only.
    static constexpr uint32_t kSilentGrants = 8;

    size_t owed_pdus(const ServiceFlowConfig& flow) const;
    double left_after(const ServiceFlowConfig& flow, size_t paid) const;

    double intervals_ = 0;               ///< elapsed part of the grant interval
    Samples slipped_until_ = INT64_MIN;  ///< until then its queue counts as slipped
    double packet_octets_ = 0;           ///< due in one interval
    double owed_octets_ = 0;
    size_t due_octets_ = 0;          ///< in the frame being planned
    size_t unasked_due_octets_ = 0;  ///< the unsolicited part
    uint32_t unused_ = 0;            ///< unsolicited grants since its last packet
    bool poll_due_ = false;
    Samples next_poll_ = INT64_MIN;
};

}  // namespace wimax::mac
