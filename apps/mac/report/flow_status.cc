/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/report/flow_status.h"

#include <cstdio>

namespace wimax::mac {

const char* to_string(SchedulingType type) {
    switch (type) {
        case SchedulingType::best_effort: return "BE";
        case SchedulingType::nrtps: return "nrtPS";
        case SchedulingType::rtps: return "rtPS";
        case SchedulingType::ertps: return "ertPS";
        case SchedulingType::ugs: return "UGS";
    }
    return "?";
}

std::string to_text(const MacAddress& mac) {
    char out[18];
    std::snprintf(out, sizeof out, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    return out;
}

TransmitterStatus status_of(const FlowTransmitter& transmitter) {
    return {transmitter.counters(), transmitter.queue_counters(), transmitter.backlog_octets(),
            transmitter.backlog_packets(), transmitter.dropped()};
}

}  // namespace wimax::mac
