// SPDX-License-Identifier: GPL-3.0-or-later
// The stations of a base station and what serves them: ranging and entry, links, service flows, privacy, commands.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/bs/entry_service.h"
#include "mac/bs/management_network.h"
#include "mac/bs/station_commands.h"
#include "mac/flow/queue_management.h"
#include "mac/policy/loaded_policies.h"

namespace wimax::mac {

struct StationServices {
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        BaseStationAir& air;
        LoadedPolicies& policies;
        ManagementQueue& broadcast_replies;
        SduPool& pool;
        const ManagementNetwork::Sink& on_management;  ///< packets for the management network
    };
    /// `config` may change in its provisioning, profile and target level.
    StationServices(const BaseStationConfig& config, const Dependencies& dependencies);

    QueueManagement queues;
    FlowClassifier classifier;
    MulticastConnections multicast;  ///< outlives the stations, whose flows belong to it
    StationTable stations;
    SourceAddresses sources;
    DownlinkRouter router;
    LinkService links;
    Reservations reservations;
    AdmissionControl control;
    Admission admission;
    RangingService ranging;
    ServiceFlowManager flows;
    NarrowGrants narrow;
    PrivacyService privacy;
    ManagedStations managed;
    EntryService entry;
    ManagementNetwork network;
    StationCommands commands;
};

}  // namespace wimax::mac
