/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What plans, builds and reads the frames of a base station.
 */
#pragma once

#include "mac/air/ofdm256/downlink_plan.h"
#include "mac/air/ofdm256/uplink_planner.h"
#include "mac/bs/downlink_builder.h"
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
        Broadcasts& broadcasts;
        ManagementQueue& broadcast_replies;
        BurstStore& bursts;
        SymbolAccount& dl_symbols;
        const UplinkReader::Sink& on_sdu;
        const ResourceGrid& grid;
    };
    /// `config` may change in its provisioning, profile and target level.
    FrameParts(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies);

    UplinkPlaces places;
    UplinkDemand demand;
    StationRest rest;
    UplinkPlan plan;
    FocusedContentionService focused;
    PollingGroups polling;
    UplinkStations users;
    UplinkPlanner planner;
    BroadcastBurst broadcast;
    DownlinkPlan frame;
    DownlinkBuilder downlink;
    ManagementReceiver management;
    UplinkQuality quality;
    UplinkReader receiver;
};

}  // namespace wimax::mac
