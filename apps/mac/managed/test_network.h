// SPDX-License-Identifier: GPL-3.0-or-later
// A station's set-up and the servers of its network, with packets that may be lost, and a clock that only tests
// advance.
#pragma once

#include "mac/managed/managed_setup.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace wimax::mac::test_managed {

inline constexpr MacAddress kMac{2, 0, 0, 0, 0, 7};
inline constexpr uint32_t kAddress = 0x0A020007, kServer = 0x0A020001;
inline constexpr uint16_t kTransferPort = 2000;
inline const Buffer kKey{1, 2, 3, 4};

/// Servers at one address. Tests change what they give, or replace one of them.
class TestNetwork {
public:
    using Server = std::function<void(const UdpDatagram&)>;

    explicit TestNetwork(ManagedSubscriber config = plain())
        : config_(std::move(config)),
          event_(clock_, [this](const Event& e) { lines.push_back(e.layer + ": " + e.text); }),
          setup_(config_, kMac, {clock_, event_, [this](Octets packet) { return take(packet); }}) {
        clock_.sample_rate_hz = 1'000'000;
        acknowledgement.from_client = false;
        acknowledgement.kind = DhcpKind::ack;
        acknowledgement.mac = kMac;
        acknowledgement.your_address = kAddress;
        acknowledgement.server = acknowledgement.next_server = kServer;
        acknowledgement.lease_s = 3600;
        acknowledgement.time_servers = {kServer};
        acknowledgement.file = "ss.cfg";
        ConfigurationFile file;
        file.flows.resize(2);
        contents = *write_configuration_file(file, kKey);
    }

    static ManagedSubscriber plain() {
        ManagedSubscriber config;
        config.offered = true;
        config.needs_time = true;
        config.file_key = kKey;
        return config;
    }

    ManagedSetup& setup() { return setup_; }
    FrameClock& clock() { return clock_; }
    void start() { setup_.start(); }

    /// Frames of 5 ms until the set-up has ended. Returns the time that it took.
    double run(double most_s) {
        const Samples begin = clock_.now, end = begin + static_cast<Samples>(most_s * 1e6);
        while (setup_.running() && clock_.now < end) frame();
        return static_cast<double>(clock_.now - begin) / 1e6;
    }
    void pass(double s) {
        for (const Samples end = clock_.now + static_cast<Samples>(s * 1e6); clock_.now < end;) frame();
    }
    void frame() {
        clock_.now += 5000;
        event_.begin_frame();
        std::vector<Buffer> arrived;
        arrived.swap(to_station_);
        for (const auto& packet : arrived) setup_.receive(packet);
        setup_.run_timers();
    }
    void send(const UdpDatagram& datagram) {
        Buffer packet;
        write_udp(datagram, packet);
        to_station_.push_back(std::move(packet));
    }
    void answer(const UdpDatagram& to, uint16_t port, Octets payload) {
        send({kServer, to.source, port, to.source_port, payload});
    }

    /// RFC 2131, for one client.
    void dhcp(const UdpDatagram& datagram) {
        const auto request = read_dhcp(datagram.payload);
        ++dhcp_requests;
        DhcpMessage reply = acknowledgement;
        reply.transaction = request->transaction;
        if (request->kind == DhcpKind::discover) reply.kind = DhcpKind::offer;
        send_dhcp(reply, request->client_address != 0 ? request->client_address : kLimitedBroadcast);
    }
    void send_dhcp(const DhcpMessage& message, uint32_t destination = kLimitedBroadcast) {
        Buffer payload;
        write_dhcp(message, payload);
        send({kServer, destination, kDhcpServerPort, kDhcpClientPort, payload});
    }
    void time(const UdpDatagram& datagram) {
        Buffer octets;
        BitWriter(octets).put(time_since_1900, 32);
        answer(datagram, TimeClient::kServerPort, octets);
    }
    void tftp(const UdpDatagram& datagram) {
        BitReader in(datagram.payload);
        const uint16_t kind = in.get16(), acknowledged = in.get16();
        if (kind == 1) {
            requested.assign(datagram.payload.begin() + 2, datagram.payload.end());
            send_block(datagram, 1);
        } else if (kind == 4 && acknowledged * size_t{512} <= contents.size()) {
            send_block(datagram, acknowledged + 1U);
        }
    }
    void send_block(const UdpDatagram& to, unsigned block, uint16_t port = kTransferPort) {
        const size_t at = (block - 1) * size_t{512};
        Buffer packet;
        BitWriter out(packet);
        out.put(3, 16);
        out.put(block, 16);
        for (size_t i = at; i < std::min(at + 512, contents.size()); ++i) packet.push_back(contents[i]);
        answer(to, port, packet);
    }
    void send_error(const UdpDatagram& to, uint16_t code, const std::string& text) {
        Buffer packet{0, 5, 0, static_cast<uint8_t>(code)};
        packet.insert(packet.end(), text.begin(), text.end());
        packet.push_back(0);
        answer(to, kTransferPort, packet);
    }

    bool has_line(const std::string& part) const {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.find(part) != std::string::npos; });
    }
    std::string all_lines() const {
        std::string all;
        for (const auto& line : lines) all += line + "\n";
        return all;
    }

    DhcpMessage acknowledgement;
    Buffer contents;
    uint32_t time_since_1900 = 2'208'988'800U + 1'700'000'000U;
    Server dhcp_server = [this](const auto&d) { dhcp(d); }, time_server = [this](const auto&d) { time(d); },
           tftp_server = [this](const auto&d) { tftp(d); };
    std::function<bool()> lost = [] { return false; };  ///< of each packet of the station
    bool room = true;
    unsigned dhcp_requests = 0, sent = 0;
    std::string requested;  ///< name and mode of the last read request
    std::vector<std::string> lines;

private:
    bool take(Octets packet) {
        ++sent;
        if (!room) return false;
        if (lost()) return true;
        const auto datagram = read_udp(packet);
        if (!datagram) return false;
        switch (datagram->destination_port) {
            case kDhcpServerPort: dhcp_server(*datagram); break;
            case TimeClient::kServerPort: time_server(*datagram); break;
            default: tftp_server(*datagram);
        }
        return true;
    }

    ManagedSubscriber config_;
    FrameClock clock_;
    EventSink event_;
    std::vector<Buffer> to_station_;
    ManagedSetup setup_;
};

}  // namespace wimax::mac::test_managed
