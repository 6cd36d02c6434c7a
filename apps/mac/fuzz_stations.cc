// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary octets as received bursts, at a base station with a station registered and at that station: as they are, or
// as the body of a PDU on one of its connections, whose packets are cut, packed, suppressed, of one length,
// acknowledged, for a group of stations, or IP packets of a managed station.
#include "mac/pdu/crc.h"
#include "mac/pdu/header.h"
#include "mac/test_cells.h"

#include <cstdlib>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace {

/// Flows without CRC, which would reject most fuzzed PDUs; ARQ needs it.
BaseStationConfig cell_of_all_kinds() {
    auto config = Air::with_stations(1);
    config.start_silence_ms = 0;
    config.sdu_buffers = 64;
    uint16_t port = 1000;
    for (const auto direction : {FlowDirection::uplink, FlowDirection::downlink})
        for (const char* kind : {"plain", "suppressed", "fixed", "arq"}) {
            auto one = flow(direction, SchedulingType::best_effort, ++port);
            one.name = kind;
            one.crc = one.arq.enable = kind == std::string("arq");
            if (kind == std::string("fixed")) one.fixed_sdu_octets = 64;
            if (kind == std::string("suppressed")) {
                one.phs.push_back({1, {0x45, 0, 0, 0, 0, 0, 0x40}, {0xFE}, true, false});
                one.classifiers[0].phsi = 1;
            }
            config.stations[0].flows.push_back(one);
        }
    auto group = flow(FlowDirection::downlink, SchedulingType::best_effort, ++port);
    group.name = "group";
    group.crc = false;
    group.multicast = true;
    group.classifiers[0].destination = {{0xEF000000, 0xFF000000}};
    config.stations[0].flows.push_back(group);
    config.managed.policy = ManagedPolicy::required;
    config.managed.subnet = AddressMask(0x0AFD0001, 0xFFFF0000);
    config.managed.relay_address = 0x0AFD0002;
    config.managed.server_address = 0x0AFD0001;
    if (!validate(config).empty()) std::abort();
    return config;
}

/// Its servers are silent.
void manage(ManagedSubscriber& managed) {
    managed.offered = managed.arq = true;
    managed.needs_address = managed.needs_file = false;
    managed.address_tries = 1;
    managed.first_wait_ms = managed.longest_wait_ms = 10;
}

struct Target {
    Target() : air(cell_of_all_kinds()) {
        auto& station = air.add();
        station.config.sdu_buffers = 64;
        manage(station.config.managed);
        air.restart(station);
        const auto ready = [this] { return air.all_operational() && air.bs->operational(); };
        if (air.run_until(ready, 400) < 0) std::abort();
        const Json status = air.bs->status();
        const auto& one = status["stations"][0];
        for (const auto& flow : one["flows"]) {
            cids.push_back(flow["cid"]);
            with_crc.push_back(flow["name"] == "arq");
        }
        if (cids.size() != 9) std::abort();
        for (const auto& cid : {one["basic_cid"], one["managed"]["secondary_cid"]}) {
            cids.push_back(cid);
            with_crc.push_back(true);
        }
    }
    Air air;
    std::vector<uint16_t> cids;
    std::vector<bool> with_crc;
};

/// The first octet selects the connection; the second is the header's type.
Buffer as_pdu(const Target& target, Octets data, size_t room) {
    const size_t which = data[0] % target.cids.size();
    const bool crc = target.with_crc[which];
    const size_t overhead = kHeaderOctets + (crc ? kCrcOctets : 0);
    Octets body = data.subspan(2);
    if (room < overhead + body.size()) body = body.first(room - std::min(room, overhead));
    Buffer pdu;
    GenericHeader header;
    header.type = data[1] & 0x1F;
    header.ci = crc;
    header.len = static_cast<uint16_t>(overhead + body.size());
    header.cid = target.cids[which];
    header.encode(pdu);
    pdu.insert(pdu.end(), body.begin(), body.end());
    if (!crc) return pdu;
    const CrcOctets sum = crc32(pdu);
    pdu.insert(pdu.end(), sum.begin(), sum.end());
    return pdu;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Target* target = nullptr;
    static int runs = 0;
    if (!target || ++runs % 64 == 0) {
        delete target;
        target = new Target;
    }
    constexpr uint8_t kAsItIs = 0x80;  // of the first octet
    const Octets octets(data, size);
    // Each input replaces the bursts of two frames, both ways.
    target->air.tamper = [&](wimax::sap::RxBurst& burst) {
        const bool whole = octets.size() < 2 || (octets[0] & kAsItIs) != 0;
        const Buffer made =
            whole ? Buffer(octets.begin(), octets.end()) : as_pdu(*target, octets, burst.payload.size());
        std::copy_n(made.begin(), std::min(made.size(), burst.payload.size()), burst.payload.begin());
    };
    target->air.run(2);
    target->air.tamper = nullptr;
    target->air.run(1);
    if (target->air.overlaps != 0 || target->air.oversized != 0) std::abort();
    return 0;
}
