/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The downlink subframe of a base station while it is built. The base station decides what bursts carry; the air
 * interface decides how they are placed and announced, and how much they hold. Call begin(), start_bursts(), then
 * room() and place() for each burst in order, then finish().
 */
#pragma once

#include "mac/burst_profiles.h"
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
    /// `bursts`: with data, those in a zone last. They outlive finish(). Returns the octets of a map that precedes the
    /// broadcast messages; 0: none.
    virtual size_t begin(std::span<const Burst> bursts, Samples now) = 0;
    /// `octets`: of broadcast messages. Returns the units that the scheduler may divide.
    virtual double start_bursts(size_t octets) = 0;
    /// Most units of that burst, whose data are granted `units`; 0: it is left out.
    virtual uint32_t room(size_t burst, double units) const = 0;
    /// Places the burst with its payload, and returns its units.
    virtual uint32_t place(size_t burst, sap::TxBurst& tx) = 0;
    /// Writes the map and the broadcast messages into the broadcast burst. True: there is a map.
    virtual bool finish(Octets broadcast, sap::TxBurst& tx) = 0;

protected:
    ~DownlinkFrame() = default;
};

}  // namespace wimax::mac
