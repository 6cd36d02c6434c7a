// SPDX-License-Identifier: GPL-3.0-or-later
// What the base station reports of received uplink bursts to the air interface, which planned them.
#pragma once

#include "mac/burst_profiles.h"
#include "mac/station.h"

namespace wimax::mac {

class UplinkReception {
public:
    virtual ProfileId profile_of(const sap::RxBurst& burst) const = 0;
    /// True: the plan of the burst's frame is stored and has a grant for it.
    virtual bool planned(const sap::RxBurst& burst) const = 0;
    /// Outcome of a planned grant. `whole`: nothing of the burst was lost. `in_a_row`: frames without any intact burst
    /// of that station, including this one.
    virtual void judge(const sap::RxBurst& burst, bool whole, uint32_t in_a_row) = 0;
    /// A station has failed at every place: the conclusions from its bursts are void.
    virtual void mistaken() = 0;
    /// Samples before the burst's ranging region at which the PHY began to search.
    virtual uint32_t early_samples(const sap::RxBurst& burst) const = 0;
    /// A station ranges; `readable`: its burst could be read.
    virtual void ranging_heard(bool readable) = 0;
    /// A ranging opportunity in which no burst was found.
    virtual void ranging_silent(float rssi_dbm) = 0;

protected:
    ~UplinkReception() = default;
};

/// Whether the bursts of one station's grants carry known units among those with data, for a channel that changes
/// within a burst.
class GrantTraining {
public:
    virtual ~GrantTraining() = default;
    /// A burst in a grant; `whole`: nothing of it was lost.
    virtual void on_burst(float cinr_db, bool whole, gr::wimax::phy::FrameNumber frame) = 0;
    /// BurstShape::training of the next grant.
    virtual uint8_t field() const = 0;
};

}  // namespace wimax::mac
