// SPDX-License-Identifier: GPL-3.0-or-later
// Any packet and any configuration file: they are read or refused, and a station's set-up ends.
#include "mac/managed/managed_setup.h"

#include <algorithm>
#include <cstdlib>

using namespace wimax::mac;

namespace {

void require(bool right) {
    if (!right) abort();
}

void read_parts(Octets input) {
    (void)ip_ends(input);
    if (const auto datagram = read_udp(input)) require(datagram->payload.size() < input.size());
    Buffer payload(input.begin(), input.end());
    if (const auto message = read_dhcp(input)) {
        require(message->time_servers.size() <= 8);
        require(relay_request(payload, 1) == (message->from_client && message->hops < 16 && message->relay <= 1));
    } else {
        require(!relay_request(payload, 1));
    }
    const Buffer key{1};
    if (const auto file = read_configuration_file(input, key, {}, 0))
        require(file->flows.size() <= ConfigurationFile::kMostFlows);
}

/// Each piece of the input is the payload of a packet to the port from which the station has sent last.
void set_up(Octets input) {
    FrameClock clock{0, 1'000'000, {}};
    EventSink event(clock, [](const Event& line) { require(line.text.size() < 1000); });
    ManagedSubscriber config;
    config.file_key = {1};
    config.needs_time = true;
    UdpDatagram last{};
    Buffer request;
    ManagedSetup setup(config, {2, 0, 0, 0, 0, 7}, {clock, event, [&](Octets packet) {
                                                        const auto sent = read_udp(packet);
                                                        require(sent.has_value());
                                                        last = *sent;
                                                        request.assign(sent->payload.begin(), sent->payload.end());
                                                        return true;
                                                    }});
    setup.start();
    Buffer packet;
    while (input.size() >= 2) {
        const uint8_t head = input[0];
        const size_t octets = std::min<size_t>(size_t{input[1]} * 3, input.size() - 2);
        Buffer payload(input.begin() + 2, input.begin() + 2 + static_cast<std::ptrdiff_t>(octets));
        input = input.subspan(2 + octets);
        if (head & 1 && payload.size() >= 8 && request.size() >= 8)
            std::copy_n(request.begin() + 4, 4, payload.begin() + 4);
        write_udp({head & 2 ? last.destination : 0x0A020001, head & 4 ? last.source : kLimitedBroadcast,
                   head & 8 ? last.destination_port : uint16_t{2000}, last.source_port, payload},
                  packet);
        setup.receive(packet);
        clock.now += head & 16 ? 5'000 : 20'000'000;
        setup.run_timers();
    }
    for (int i = 0; i < 2'000 && setup.running(); ++i) {
        clock.now += 20'000'000;
        setup.run_timers();
    }
    require(!setup.running() && setup.step() != ManagedStep::idle);
    require(setup.step() != ManagedStep::failed || !setup.why().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    read_parts({data, size});
    set_up({data, size});
    return 0;
}
