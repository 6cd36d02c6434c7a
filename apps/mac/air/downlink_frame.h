// SPDX-License-Identifier: GPL-3.0-or-later
// The downlink subframe of a base station while it is built. The base station decides what bursts carry; the air
// interface decides how they are placed and announced, and how much they hold. Call begin(), then room() and place()
// for each burst in order, then finish().
#pragma once

#include "mac/burst_profiles.h"
#include "mac/duplex/duplex.h"
#include "mac/pdu/pdu.h"
#include "mac/sample_time.h"
#include "mac/scheduler/claims.h"
#include "mac/station.h"

#include <optional>
#include <span>

namespace wimax::mac {

class DownlinkFrame {
public:
    /// A burst in addition to the broadcast burst.
    struct Burst {
        ProfileId profile{};
        bool zone = false;  ///< sent by two antennas
        FramePart part = FramePart::any;
        uint32_t bound = 0;  ///< of the part, as of DownlinkClaim
    };
    /// What a half-duplex station hears of the frame: units before `until` and from `from` on.
    struct Hearing {
        uint32_t until = 0, from = 0, units = 0;  ///< units: of the frame
        uint32_t maps = 0;                        ///< units at its begin that the broadcast burst may need
    };

    /// The PHY's number of antennas; zones() follows from it.
    virtual void use_antennas(int antennas) = 0;
    virtual bool zones() const = 0;
    /// nullopt: the station has no grant in this frame, and hears all of it.
    virtual std::optional<Hearing> hearing(uint16_t basic_cid, const StationTurn& turn) const = 0;
    /// `bursts`: with data, those in a zone last. They outlive finish(). Composes the broadcast burst, and returns the
    /// units that the scheduler may divide. The frame's uplink has been planned.
    virtual double begin(std::span<const Burst> bursts, Samples now) = 0;
    /// Units of a part of the frame, after begin().
    virtual double room_in(FramePart part, uint32_t bound) const = 0;
    /// Most units of that burst, whose data are granted `units`; 0: it is left out.
    virtual uint32_t room(size_t burst, double units) const = 0;
    /// Places the burst with its payload, and returns its units.
    virtual uint32_t place(size_t burst, sap::TxBurst& tx) = 0;
    /// Writes the broadcast burst. True: it has a map of the downlink.
    virtual bool finish(sap::TxBurst& tx) = 0;

protected:
    ~DownlinkFrame() = default;
};

/// The stations of a base station as the air interface sees them while it composes the broadcast burst.
class DownlinkUsers {
public:
    /// Appends messages to stations that are not operational, as far as they fit. Call it once per frame.
    virtual void add_messages(PduWriter& broadcast) = 0;

protected:
    ~DownlinkUsers() = default;
};

}  // namespace wimax::mac
