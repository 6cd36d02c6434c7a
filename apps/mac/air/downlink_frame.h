// SPDX-License-Identifier: GPL-3.0-or-later
// The downlink subframe of a base station while it is built. The base station decides what bursts carry; the air
// interface decides how they are placed and announced, and how much they hold. Call begin(), then room() and place()
// for each burst in order, then finish().
#pragma once

#include "mac/burst_profiles.h"
#include "mac/pdu/pdu.h"
#include "mac/sample_time.h"
#include "mac/station.h"

#include <span>

namespace wimax::mac {

class DownlinkFrame {
public:
    /// A burst in addition to the broadcast burst.
    struct Burst {
        ProfileId profile{};
        bool zone = false;  ///< sent by two antennas
    };

    /// The PHY's number of antennas; zones() follows from it.
    virtual void use_antennas(int antennas) = 0;
    virtual bool zones() const = 0;
    /// `bursts`: with data, those in a zone last. They outlive finish(). Composes the broadcast burst, and returns the
    /// units that the scheduler may divide. The frame's uplink has been planned.
    virtual double begin(std::span<const Burst> bursts, Samples now) = 0;
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
