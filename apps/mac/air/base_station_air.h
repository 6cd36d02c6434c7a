// SPDX-License-Identifier: GPL-3.0-or-later
// What a base station needs of its air interface. BaseStationAir is the cell on it: timing, units, descriptors.
// AirFrames plans and composes the cell's frames; it is made when the components exist that know the stations.
#pragma once

#include "mac/air/air_figures.h"
#include "mac/air/descriptors.h"
#include "mac/air/downlink_frame.h"
#include "mac/air/uplink_reception.h"
#include "mac/air/uplink_users.h"
#include "mac/clock.h"
#include "mac/pdu/management_messages.h"
#include "mac/resource_grid.h"
#include "mac/scheduler/schedulers.h"

#include <memory>
#include <span>

namespace wimax::mac {

/// The frames of a base station: in each, plan_uplink(), then the bursts by downlink(), then expect().
class AirFrames {
public:
    virtual ~AirFrames() = default;

    /// A PHY has started: nothing is planned, and nothing is known of the uplink.
    virtual void restart() = 0;
    /// Time has jumped: stored plans are void.
    virtual void forget() = 0;
    /// Plans the uplink that this frame's map describes.
    virtual void plan_uplink() = 0;
    virtual DownlinkFrame& downlink() = 0;
    /// Sets what the PHY shall receive in the present frame.
    virtual void expect(sap::RxExpect& expect) const = 0;
    virtual UplinkReception& reception() = 0;
    virtual void heard(const sap::RxContention& contention) = 0;
    /// Uses contention windows that were changed live.
    virtual void use_windows(const BaseStationProfile& profile) = 0;
    /// `registered`: number of stations.
    virtual void report(AirCellFigures& figures, uint32_t registered) const = 0;
};

/// What has its place in a frame besides the units of promises.
struct FrameLoad {
    uint32_t registered = 0;                ///< stations
    uint32_t downlink_profiles = 1;         ///< in use, each with a burst
    double grants = 0, grants_bounded = 0;  ///< promised grants: in the mean, and at most in one frame
};
/// Units for promises: in the mean, and in the frame that has everything at once.
struct FrameRoom {
    double downlink = 0, downlink_bounded = 0, uplink = 0, uplink_bounded = 0;
    double map_octets = 0, map_room = 0;  ///< octets of the UL-MAP in that frame, and its limit
};

/// Units for promises to the half-duplex stations of one group in FDD. Bursts for both groups take units of the
/// downlink of both and of the uplink of the later one.
struct GroupRoom {
    double downlink = 0, downlink_bounded = 0, uplink = 0, uplink_bounded = 0;
    double for_both = 0;  ///< of bursts for both groups
};

/// What a station can do, by its SBC-REQ.
struct StationMeans {
    bool narrow = false;  ///< sends on a part of the band
    bool codes = false;   ///< requests by code
    bool zones = false;   ///< receives bursts that two antennas send
};

class BaseStationAir {
public:
    /// All outlive the frames.
    struct Users {
        const FrameClock& clock;
        UplinkUsers& uplink;
        DownlinkUsers& downlink;
        Schedulers& schedulers;
    };

    virtual ~BaseStationAir() = default;

    virtual const FrameTiming& timing() const = 0;
    virtual const ResourceGrid& grid() const = 0;
    virtual Descriptors& descriptors() = 0;
    virtual StationMeans means(const SbcReq& request) const = 0;
    /// Sets the parts of the response that depend on the air interface.
    virtual void answer(const SbcReq& request, SbcRsp& response) const = 0;
    /// Null: bursts have no training.
    virtual std::unique_ptr<GrantTraining> make_training() const = 0;
    virtual FrameRoom room(const FrameLoad& load) const = 0;
    /// Of the station's group, if all of its stations are like this one.
    virtual GroupRoom group_room(const FrameLoad& load, const StationTurn& station) const = 0;
    /// Sets what the air interface needs of the PHY: its kind, bandwidth and frame.
    virtual void configure(sap::ConfigRequest& request) const = 0;
    virtual std::unique_ptr<AirFrames> make_frames(const Users& users) = 0;
    /// Passes the PDUs of sent and received bursts to a tap.
    virtual void tap_sent(PduTap& tap, const FrameClock& clock, std::span<const sap::TxBurst> bursts) const = 0;
    virtual void tap_received(PduTap& tap, const FrameClock& clock, const sap::RxBurst& burst) const = 0;
};

}  // namespace wimax::mac
