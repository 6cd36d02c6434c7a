// SPDX-License-Identifier: GPL-3.0-or-later
// What plans, builds and reads the frames of a base station.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/bs/downlink_builder.h"
#include "mac/bs/half_duplex_groups.h"
#include "mac/bs/station_rest.h"
#include "mac/bs/station_services.h"
#include "mac/bs/uplink_reader.h"
#include "mac/bs/uplink_stations.h"

namespace wimax::mac {

struct FrameParts {
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationServices& to;
        BaseStationAir& air;
        LoadedPolicies& policies;
        ManagementQueue& broadcast_replies;
        BurstStore& bursts;
        const UplinkReader::Sink& on_sdu;
    };
    /// `config` may change in its provisioning, profile and target level.
    FrameParts(const BaseStationConfig& config, const Dependencies& dependencies);

    Schedulers schedulers;
    UplinkDemand demand;
    StationRest rest;
    HalfDuplexGroups half_duplex;
    PollingGroups polling;
    UplinkStations users;
    EnteringStations entering;
    std::unique_ptr<AirFrames> air;
    DownlinkBuilder downlink;
    ManagementReceiver management;
    FastPowerCommands fast_power;
    UplinkQuality quality;
    UplinkReader receiver;
};

}  // namespace wimax::mac
