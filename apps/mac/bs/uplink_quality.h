// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates granted bursts of a station: corrections of power, timing and frequency, its rate, whether it has to range
// again, and whether the place in the subframe is the cause of losses.
#pragma once

#include "mac/air/uplink_reception.h"
#include "mac/bs/fast_power_commands.h"
#include "mac/bs/narrow_grants.h"
#include "mac/bs/ranging_service.h"

namespace wimax::mac {

class UplinkQuality {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        RangingService& ranging;
        UplinkReception& reception;
        const NarrowGrants& narrow;
        FastPowerCommands& fast_power;
        const LinkAdaptationConfig& adaptation;
    };
    explicit UplinkQuality(const Dependencies& dependencies);

    /// A grant without a burst.
    void missed(Subscriber& station, const sap::RxBurst& burst);
    /// `delivered`: the burst is certainly the station's, decoded and readable to its end or with a PDU whose CRC is
    /// right; a burst that merely passed the decoder may be another station's. `whole`: nothing of it is lost.
    void heard(Subscriber& station, const sap::RxBurst& burst, bool delivered, bool whole);

private:
    void correct(Subscriber& station, bool delivered, phy::FrameNumber frame);
    void judge_place(Subscriber& station, const sap::RxBurst& burst, bool whole);

    const FrameClock& clock_;
    RangingService& ranging_;
    UplinkReception& reception_;
    const NarrowGrants& narrow_;
    FastPowerCommands& fast_power_;
    const LinkAdaptationConfig& adaptation_;
};

}  // namespace wimax::mac
