// SPDX-License-Identifier: GPL-3.0-or-later
// Cells for tests of requests and grants: stations without unsolicited grants, with the flows of the test.
#pragma once

#include "mac/test_air.h"

#include <gtest/gtest.h>

namespace wimax::mac::test {

inline constexpr uint16_t kVoicePort = 7000, kPolledPort = 7001, kBulkPort = 7002;

inline ServiceFlowConfig flow(FlowDirection direction, SchedulingType type, uint16_t port = 0, uint32_t rate_bps = 0) {
    ServiceFlowConfig f;
    f.direction = direction;
    f.scheduling = type;
    f.max_sustained_rate_bps = rate_bps;
    f.contention_requests = type == SchedulingType::best_effort || type == SchedulingType::nrtps;
    if (port != 0) {
        ClassifierConfig rule;
        rule.priority = 10;
        rule.protocols = {17};
        rule.destination_ports = {{port, port}};
        f.classifiers = {rule};
    }
    return f;
}

/// Stations without unsolicited grants and without polls.
inline BaseStationConfig bare(size_t stations, uint8_t rate, MapRelevance relevance = MapRelevance::automatic) {
    auto config = Air::with_stations(stations);
    config.ul_rate_id = rate;
    config.map_relevance = relevance;
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    config.t27_idle_ms = config.t27_active_ms = 2500;
    return config;
}

inline void set_flows(BaseStationConfig& config, std::vector<ServiceFlowConfig> uplink) {
    for (auto& station : config.stations) {
        station.flows = uplink;
        station.flows.push_back(flow(FlowDirection::downlink, SchedulingType::best_effort));
    }
}

inline void enter(Air& air) {
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(6)), 0)
        << air.bs_status().dump(1);
    air.run(30);  // grants that still answer the entry
}

inline bool send(Air& air, size_t station, size_t octets, uint16_t port = 5000, uint32_t number = 0) {
    return air.terminals[station]->mac->push_sdu(ip_packet(station_address(station), kServer, octets, port, number));
}

/// Frames until `packets` more have arrived; -1: not within the limit.
inline int frames_until(Air& air, uint64_t packets, int limit) {
    const auto wanted = air.ul_packets + packets;
    return air.run_until([&] { return air.ul_packets >= wanted; }, limit);
}

inline size_t backlog(const Air::Terminal& station) { return station.status()["ul"]["backlog_bytes"]; }

inline size_t grants_of(const Air& air, uint16_t cid) {
    size_t grants = 0;
    for (const auto& a : air.last_expect().allocations) grants += a.kind == sap::BurstKind::data && a.cid == cid;
    return grants;
}

inline void expect_clean(const Air& air) {
    EXPECT_EQ(air.stray_bursts, 0U);
    EXPECT_EQ(air.overlaps, 0U);
    EXPECT_EQ(air.oversized, 0U);
    EXPECT_EQ(air.too_late_maps, 0U);
    EXPECT_EQ(air.too_strong, 0U);
}

/// The base station's view of the only uplink flow of the station that entered first.
inline Json uplink_flow(const Air& air) {
    const Json status = air.bs_status();
    for (const auto& f : status["stations"][0]["flows"])
        if (f["direction"] == "uplink") return f;
    return {};
}

}  // namespace wimax::mac::test
