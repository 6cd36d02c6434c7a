// SPDX-License-Identifier: GPL-3.0-or-later
// The stations of a base station as the air interface sees them while it plans an uplink subframe: contention,
// invitations to range, claims and grants. The base station implements it; the air interface divides and places.
#pragma once

#include "mac/duplex/duplex.h"
#include "mac/sample_time.h"
#include "mac/scheduler/claims.h"

#include <gnuradio/wimax/phy/base/frame_number.h>

#include <optional>
#include <span>
#include <vector>

namespace wimax::mac {

class UplinkUsers {
public:
    struct Summary {
        size_t stations = 0;
        uint32_t registered = 0;
        bool idle = true;         ///< none has an open request
        bool knows_codes = true;  ///< each registered one knows focused contention
    };
    /// A station that has to range.
    struct Invitation {
        uint16_t basic_cid = 0;
        bool last = false;   ///< at the end of the subframe
        bool early = false;  ///< its burst may arrive before the region
    };
    /// What limits the places of a station's grants.
    struct Terms {
        bool last = false;  ///< at the end of the subframe
        StationTurn turn;
    };
    struct Claims {
        std::vector<UplinkClaim>& stations;
        std::span<const FlowClaim> flows;
    };
    struct Grant {
        uint16_t basic_cid = 0;
        gr::wimax::phy::FrameNumber frame;
        size_t octets = 0;
        uint32_t units = 0;
    };

    /// Call once per frame, first.
    virtual Summary count() = 0;
    /// Polling group whose stations may use the request region; broadcast: all stations.
    virtual uint16_t polled_group() = 0;
    /// The station to invite next; nullopt: none.
    virtual std::optional<Invitation> next_invitation() = 0;
    virtual void invited(uint16_t basic_cid) = 0;
    /// Sets T27 from now on.
    virtual void poll_after(uint32_t idle_ms, uint32_t active_ms) = 0;
    /// Claims for this frame. Valid until the next call.
    virtual Claims claims() = 0;
    virtual Terms terms(uint16_t basic_cid) = 0;
    virtual void granted(const Grant& grant) = 0;

protected:
    ~UplinkUsers() = default;
};

}  // namespace wimax::mac
