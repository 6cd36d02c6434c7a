/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/report/status.h"

#include <cstdio>

namespace wimax::mac {

const char* to_string(SchedulingType type) {
    switch (type) {
        case SchedulingType::best_effort: return "BE";
        case SchedulingType::nrtps: return "nrtPS";
        case SchedulingType::rtps: return "rtPS";
        case SchedulingType::ugs: return "UGS";
    }
    return "?";
}

std::string to_text(const MacAddress& mac) {
    char out[18];
    std::snprintf(out, sizeof out, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    return out;
}

void add_transmitter(nlohmann::json& out, const FlowTransmitter& transmitter) {
    const auto& counters = transmitter.counters();
    const auto& queue = transmitter.queue_counters();
    out["sdus"] = counters.sdus;
    out["bytes"] = counters.sdu_octets;
    out["pdus"] = counters.pdus;
    out["fragments"] = counters.fragments;
    out["packed"] = counters.packed;
    out["backlog_bytes"] = transmitter.backlog_octets();
    out["backlog_packets"] = transmitter.backlog_packets();
    out["dropped"] = transmitter.dropped();
    out["dropped_full"] = queue.dropped_full;
    out["dropped_codel"] = queue.dropped_codel;
    out["dropped_pool"] = queue.dropped_pool;
    out["dropped_no_room"] = counters.dropped_no_room;
    out["dropped_contention"] = counters.dropped_contention;
    out["refused"] = queue.refused;
}

}  // namespace wimax::mac
