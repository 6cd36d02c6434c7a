// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/report/flow_status.h"

#include "mac/report/flow_results.h"

#include <cinttypes>
#include <cstdio>
#include <iterator>

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

const char* meaning_of(uint8_t code) {
    constexpr const char* kMeanings[] = {"done",
                                         "rejected",
                                         "unrecognized configuration setting",
                                         "rejected for the time being",
                                         "not allowed",
                                         "not the owner",
                                         "no such service flow",
                                         "service flow exists",
                                         "required parameter not present",
                                         "header suppression",
                                         "unknown transaction",
                                         "authentication failure",
                                         "given up",
                                         "too many service flows"};
    if (code == kNoAnswer) return "no answer";
    return code < std::size(kMeanings) ? kMeanings[code] : "rejected";
}

std::string to_text(const MacAddress& mac) {
    char out[18];
    std::snprintf(out, sizeof out, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    return out;
}

std::string bsid_text(uint64_t bsid) {
    char out[17];
    std::snprintf(out, sizeof out, "%012" PRIX64, bsid);
    return out;
}

TransmitterStatus status_of(const FlowTransmitter& transmitter) {
    return {transmitter.counters(), transmitter.queue_counters(), transmitter.backlog_octets(),
            transmitter.backlog_packets(), transmitter.dropped()};
}

std::optional<ArqStatus> arq_status_of(const FlowTransmitter* transmitter, const Reassembler* reassembler) {
    ArqStatus s;
    if (transmitter && transmitter->arq()) {
        s.sender = transmitter->arq()->machine.counters();
        s.blocks_in_flight = transmitter->arq()->machine.blocks_in_flight();
        s.resets = transmitter->arq()->resets();
    }
    if (reassembler && reassembler->arq()) {
        s.receiver = reassembler->arq()->machine.counters();
        s.resets = reassembler->arq()->resets();
    }
    if (!s.sender && !s.receiver) return std::nullopt;
    return s;
}

}  // namespace wimax::mac
