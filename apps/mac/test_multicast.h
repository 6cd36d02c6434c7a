// SPDX-License-Identifier: GPL-3.0-or-later
// A cell whose stations share downlink flows: what each of them receives, and what the base station reports.
#pragma once

#include "mac/flow/flow_command.h"
#include "mac/station_command.h"
#include "mac/test_rate_watch.h"

#include <algorithm>
#include <numeric>

namespace wimax::mac::test {

inline constexpr uint32_t kGroup = 0xEF010203;  // 239.1.2.3
inline constexpr float kAt0Db = 120;            // path loss at which the test's PHY has a CINR of 0 dB

inline ServiceFlowConfig multicast_flow(const std::string& name, AddressMask destination = {kGroup, 0xFF000000}) {
    ServiceFlowConfig flow;
    flow.name = name;
    flow.multicast = true;
    ClassifierConfig rule;
    rule.destination = {destination};
    flow.classifiers = {rule};
    return flow;
}

/// Stations with separate best effort flows and `shared`, at the downlink rates given.
inline BaseStationConfig config_of(const std::vector<uint8_t>& rates, const std::vector<ServiceFlowConfig>& shared) {
    auto config = Air::with_stations(rates.size());
    for (size_t i = 0; i < rates.size(); ++i) {
        config.stations[i].dl_rate_id = rates[i];
        config.stations[i].flows = {flow(FlowDirection::downlink, SchedulingType::best_effort),
                                    flow(FlowDirection::uplink, SchedulingType::best_effort)};
        for (const auto& one : shared) config.stations[i].flows.push_back(one);
    }
    config.codel_target_frames = 0;  // losses occur on air
    return config;
}

inline std::vector<uint32_t> numbers(uint32_t from, uint32_t to) {
    std::vector<uint32_t> all(to - from);
    std::iota(all.begin(), all.end(), from);
    return all;
}

struct Group : Air {
    explicit Group(const BaseStationConfig& config, size_t present = SIZE_MAX) : Air(config) {
        keep_numbers = true;
        for (size_t i = 0; i < std::min(present, config.stations.size()); ++i) add();
        enter(*this);
    }
    bool push(uint32_t number, size_t octets = 500, uint32_t to = kGroup) {
        return bs->push_sdu(ip_packet(kServer, to, octets, 5000, number));
    }
    /// One in each frame.
    void send(uint32_t from, uint32_t to, size_t octets = 500) {
        for (uint32_t n = from; n < to; ++n) {
            push(n, octets);
            step();
        }
    }
    Json connection(size_t index = 0) const { return bs_status()["multicast"][index]; }
    Json at_bs(size_t i) const {
        const Json status = bs_status();
        for (const auto& s : status["stations"])
            if (s["basic_cid"] == terminals[i]->status()["basic_cid"]) return s;
        return {};
    }
    /// Its part of the connection.
    Json member(size_t i, const std::string& name = "news") const {
        const Json station = at_bs(i);
        if (station.contains("flows"))
            for (const auto& f : station["flows"])
                if (f["name"] == name) return f;
        return {};
    }
    uint64_t data_symbols() const { return bs_status()["symbols"]["dl"]["data"]; }
    const std::vector<uint32_t>& heard(size_t i) const { return terminals[i]->dl_numbers; }
    Outcome tell(const FlowCommand& command) {
        auto outcome = bs->change_flow(command);
        run(20);
        return outcome;
    }
    Outcome remove(size_t i) {
        FlowCommand command;
        command.kind = DsxKind::remove;
        command.sfid = member(i)["sfid"];
        return tell(command);
    }
    Outcome join(size_t i, const ServiceFlowConfig& flow) {
        FlowCommand command;
        command.station = mac_of(i);
        command.flow = flow;
        return tell(command);
    }
};

}  // namespace wimax::mac::test
