// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration of wimax-macd, and the schema that reads it. The keys are documented where they are declared (and in
// the file that --write-reference prints).
#pragma once

#include "common/daemon.h"
#include "common/realtime.h"
#include "mac/station_config.h"
#include "macd/managed_options.h"
#include "macd/privacy_options.h"
#include "macd/provisioning.h"
#include "macd/traffic.h"
#include "macd/tun.h"

#include <string>
#include <vector>

namespace wimax::macd {

/// The channel is copied into `bs` and `ss` when everything is read.
struct MacdConfig : mac::AirConfig {
    sap::Role role = sap::Role::base_station;
    bool loads_policies = true;  ///< false: a reload, which keeps the policies that run
    std::string sap_endpoint = "ipc://{run}/bs.sap";
    std::string sap_record, sap_replay;
    std::string pcap_file;
    std::string events_file;
    RotationLimits sap_rotation{100'000'000, 2}, pcap_rotation{100'000'000, 2}, events_rotation;
    uint32_t answer_delay_ms = 0;
    TunConfig tun;
    RealtimeOptions realtime;
    DaemonOptions daemon;
    std::vector<TrafficStreamConfig> traffic;
    mac::BaseStationConfig bs;
    mac::SubscriberConfig ss;
    Provisioning provisioning;  ///< of role bs
    PrivacyOptions privacy;     ///< of both roles
    ManagedOptions managed;     ///< of both roles
};

/// The configuration must outlive the schema and stay where it is.
void declare(config::Schema& schema, MacdConfig& config);
/// Values derived from a valid configuration.
config::Derived derived(const MacdConfig& config);

}  // namespace wimax::macd
