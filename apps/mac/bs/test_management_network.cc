// SPDX-License-Identifier: GPL-3.0-or-later
// Managed stations at the base station, without an air: which stations are managed, addresses that a DHCP server gives,
// and which packets pass between stations and network.
#include "mac/bs/station_rest.h"
#include "mac/bs/test_base_parts.h"
#include "mac/capabilities.h"
#include "mac/internet_checksum.h"
#include "mac/managed/dhcp_message.h"
#include "mac/managed/udp_datagram.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_management_network {

constexpr uint32_t kHost = 0x0AFD0001, kRelay = 0x0AFD0002, kServer = 0x0AFD0009, kFirst = 0x0AFD0107,
                   kSecond = 0x0AFD0108, kOutside = 0x08080808;

BaseStationConfig managed_config(ManagedPolicy policy = ManagedPolicy::allowed) {
    BaseStationConfig config;
    config.managed.policy = policy;
    config.managed.subnet = AddressMask(kHost, 0xFFFF0000);
    config.managed.relay_address = kRelay;
    config.managed.server_address = kServer;
    return config;
}

struct ManagedParts : BaseParts {
    explicit ManagedParts(ManagedPolicy policy = ManagedPolicy::allowed) : BaseParts(managed_config(policy)) {
        on_management = [this](Octets packet) { sent.emplace_back(packet.begin(), packet.end()); };
    }
    static RegReq offer() {
        RegReq request;
        request.managed = capability::kManaged;
        request.ip_version = capability::kIpv4;
        return request;
    }
    Subscriber& capable(uint8_t number) {
        range(number);
        Subscriber& station = *stations.find(address(number), false);
        entry.on_capabilities(station, {});
        station.management.clear();
        return station;
    }
    RegRsp registered(Subscriber& station, const RegReq& request = offer()) {
        entry.on_registration(station, request);
        return reply<RegRsp>(station.management);
    }
    Subscriber& managed_station(uint8_t number) {
        Subscriber& station = capable(number);
        registered(station);
        EXPECT_TRUE(station.managed.connection);
        return station;
    }
    static Buffer packet(uint32_t source, uint32_t destination, uint16_t port = 500) {
        Buffer out;
        write_udp({source, destination, 400, port, {}}, out);
        return out;
    }
    static Buffer dhcp_packet(const DhcpMessage& message, uint32_t source, uint32_t destination) {
        Buffer payload, out;
        write_dhcp(message, payload);
        write_udp(
            {source, destination, message.from_client ? kDhcpClientPort : kDhcpServerPort, kDhcpServerPort, payload},
            out);
        return out;
    }
    /// What a client broadcasts.
    static DhcpMessage discover(uint8_t number) {
        DhcpMessage message;
        message.mac = address(number);
        return message;
    }
    /// What the server answers to the relay.
    static DhcpMessage acknowledge(uint8_t number, uint32_t given, uint32_t lease_s = 3600) {
        DhcpMessage message;
        message.from_client = false;
        message.kind = DhcpKind::ack;
        message.relay = kRelay;
        message.mac = address(number);
        message.your_address = given;
        message.lease_s = lease_s;
        return message;
    }
    bool gives(uint8_t number, uint32_t given, uint32_t lease_s = 3600) {
        return network.from_network(dhcp_packet(acknowledge(number, given, lease_s), kServer, kRelay));
    }
    /// What the server answers to a client that has its address.
    static Buffer renewal(uint8_t number, uint32_t given, uint32_t lease_s = 3600, uint32_t source = kServer) {
        Buffer payload, out;
        write_dhcp(acknowledge(number, given, lease_s), payload);
        write_udp({source, given, kDhcpServerPort, kDhcpClientPort, payload}, out);
        return out;
    }
    /// What a client sends to its server.
    static Buffer unicast(DhcpMessage message, uint32_t source) { return dhcp_packet(message, source, kServer); }
    /// Whether a station's packet passes. Those that do not are counted.
    bool passes(Subscriber& station, const Buffer& packet) {
        const auto before = network.counters().dropped;
        sent.clear();
        network.from_station(station, packet);
        EXPECT_EQ(network.counters().dropped, before + (sent.empty() ? 1 : 0));
        return !sent.empty();
    }
    std::vector<Buffer> sent;
};

TEST(ManagedStations, OnlyIfBothEndsWantIt) {
    for (const auto policy : {ManagedPolicy::off, ManagedPolicy::allowed, ManagedPolicy::required})
        for (const auto& [managed, ip_version, offers] :
             {std::tuple{Opt<uint8_t>(capability::kManaged), Opt<uint8_t>(capability::kIpv4), true},
              {Opt<uint8_t>(capability::kManaged), Opt<uint8_t>(), true},
              {Opt<uint8_t>(capability::kManaged), Opt<uint8_t>(uint8_t{2}), false},
              {Opt<uint8_t>(uint8_t{0}), Opt<uint8_t>(), false},
              {Opt<uint8_t>(), Opt<uint8_t>(), false}}) {
            ManagedParts base(policy);
            Subscriber& station = base.capable(1);
            RegReq request;
            request.managed = managed;
            request.ip_version = ip_version;
            if (policy == ManagedPolicy::required && !offers) {
                base.entry.on_registration(station, request);
                EXPECT_STREQ(station.entry.leaving(), "it is unmanaged");
                EXPECT_FALSE(station.registered());
                continue;
            }
            const RegRsp answer = base.registered(station, request);
            const bool expected = offers && policy != ManagedPolicy::off;
            EXPECT_EQ(answer.managed, expected ? capability::kManaged : 0);
            EXPECT_EQ(answer.secondary_cid.has_value(), expected);
            EXPECT_EQ(station.managed.connection != nullptr, expected);
            EXPECT_EQ(answer.uplink_cids, max_uplink_cids(expected));
        }
}

/// The CID and its terms stay if a response was lost.
TEST(ManagedStations, ARepeatedRequestGetsTheSameConnection) {
    ManagedParts base;
    Subscriber& station = base.capable(1);
    RegReq request = ManagedParts::offer();
    request.arq = capability::kArq;
    ArqConfig offered;
    offered.enable = true;
    offered.retry_timeout_ms = 60;
    offered.window_blocks = 100;
    put_arq(offered, request.secondary_arq.emplace());
    const RegRsp first = base.registered(station, request);
    const auto* connection = station.managed.connection.get();
    const RegRsp second = base.registered(station, request);
    EXPECT_EQ(station.managed.connection.get(), connection);
    EXPECT_EQ(second.secondary_cid, first.secondary_cid);
    ASSERT_TRUE(first.secondary_arq && second.secondary_arq);
    EXPECT_EQ(arq_of(*first.secondary_arq).window_blocks, 100);
    EXPECT_EQ(*second.secondary_arq, *first.secondary_arq);
    EXPECT_TRUE(connection->transmitter->arq());
}

TEST(ManagedStations, ArqNeedsBothItsParametersAndTheCapability) {
    for (const bool parameters : {false, true})
        for (const uint8_t announced : {uint8_t{0}, capability::kArq, uint8_t{capability::kArq << 1}}) {
            const bool capable = announced == capability::kArq;
            ManagedParts base;
            Subscriber& station = base.capable(1);
            RegReq request = ManagedParts::offer();
            request.arq = announced;
            ArqConfig offered;
            offered.enable = true;
            if (parameters) put_arq(offered, request.secondary_arq.emplace());
            const RegRsp answer = base.registered(station, request);
            EXPECT_EQ(answer.secondary_arq.has_value(), parameters && capable);
            EXPECT_EQ(station.managed.connection->transmitter->arq() != nullptr, parameters && capable);
        }
}

TEST(ManagedStations, AFileIsAwaitedForALimitedTime) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    base.pass(base.config.managed.t13_ms - 1);
    EXPECT_EQ(station.entry.overdue(base.clock.now), nullptr);
    base.pass(2);
    EXPECT_STREQ(station.entry.overdue(base.clock.now), "no TFTP-CPLT (T13)");
}

TEST(ManagedStations, FlowsWaitForTheFile) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    EXPECT_TRUE(BaseParts::asked(station).empty()) << "no service flows yet";
    base.entry.on_file_complete(station);
    EXPECT_EQ(base.reply<TftpRsp>(station.management).response, 0);
    EXPECT_EQ(BaseParts::asked(station).size(), 2u);
    EXPECT_TRUE(station.managed.complete);
    base.pass(base.config.managed.t13_ms + 1);
    EXPECT_EQ(station.entry.overdue(base.clock.now), nullptr);
    station.management.clear();
    base.entry.on_file_complete(station);
    EXPECT_EQ(base.reply<TftpRsp>(station.management).response, 0) << "the first response was lost";
    EXPECT_EQ(BaseParts::asked(station).size(), 2u);
    EXPECT_EQ(station.flows.size(), 2u) << "once";
}

/// Until its file is complete, nothing gives the station service flows.
TEST(ManagedStations, NoFlowsBeforeTheFile) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    EXPECT_FALSE(station.may_have_flows());
    ServiceFlowConfig flow;
    flow.name = "more";
    EXPECT_FALSE(base.flows.add(station, flow, FlowState::active, 1));
    DsaReq asked;
    asked.tid = 1;
    asked.uplink.emplace();
    Buffer message;
    encode(asked, message);
    base.management.receive(station, message);
    EXPECT_EQ(station.counters.malformed, 1u);
    EXPECT_TRUE(station.flows.empty());
    base.entry.on_file_complete(station);
    EXPECT_TRUE(station.may_have_flows());
    EXPECT_EQ(station.flows.size(), 2u);
    EXPECT_TRUE(base.flows.add(station, flow, FlowState::active, 1));
}

/// A station that operates does not become another kind of station.
TEST(ManagedStations, ALateOfferChangesNothing) {
    ManagedParts base;
    Subscriber& station = base.operational(1);
    const size_t flows = station.flows.size();
    const RegRsp answer = base.registered(station);
    EXPECT_EQ(answer.managed, 0);
    EXPECT_FALSE(station.managed.connection);
    base.entry.on_file_complete(station);
    EXPECT_EQ(station.flows.size(), flows);
    EXPECT_EQ(station.counters.malformed, 1u);
}

/// Servers may be silent for minutes: grants are for others then.
TEST(ManagedStations, AStationThatWaitsForAServerGetsNoEntryGrants) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    const auto granted = [&] {
        station.health.heard(base.clock.now);
        base.demand.collect(base.stations);
        EXPECT_EQ(base.demand.claims().size(), 1u);
        return base.demand.claims().front().guaranteed_octets > 0;
    };
    EXPECT_TRUE(granted());
    base.pass(600);
    EXPECT_FALSE(granted());
    base.network.from_station(station, {});
    EXPECT_TRUE(granted());
}

/// One station's packets do not displace messages of others, and stations take turns.
TEST(ManagedStations, PacketsInBurstOneComeAfterMessages) {
    ManagedParts base;
    std::vector<Subscriber*> all;
    for (const uint8_t i : {1, 2, 3}) all.push_back(&base.managed_station(i));
    std::vector<size_t> served(all.size());
    for (int frame = 0; frame < 60; ++frame) {
        for (Subscriber* station : all) {
            station->managed.connection->transmitter->tick(base.clock.now);
            while (station->managed.connection->transmitter->backlog_packets() < 8)
                station->managed.connection->push(Buffer(400, 1), base.clock.now);
        }
        base.clock.frame = base.clock.frame + 1;
        base.pass(10);
        all.back()->management.push(all.back()->primary_cid, TftpRsp());
        Buffer octets;
        PduWriter writer(octets, 900);
        base.entering.add_messages(writer);
        EXPECT_LE(octets.size(), 850u);
        PduReader reader(octets);
        const auto first = reader.next();
        ASSERT_TRUE(first);
        EXPECT_EQ(first->cid(), all.back()->primary_cid);
        while (const auto pdu = reader.next())
            for (size_t i = 0; i < all.size(); ++i)
                served[i] += pdu->cid() == all[i]->managed.connection->cid ? pdu->octets.size() : 0;
    }
    for (const size_t octets : served) EXPECT_GT(octets, 5000u);
}

TEST(ManagedStations, AFileOfAnUnmanagedStationIsMalformed) {
    ManagedParts base;
    Subscriber& station = base.capable(1);
    base.entry.on_file_complete(station);
    EXPECT_TRUE(station.management.empty()) << "it is not registered";
    base.registered(station, {});
    station.management.clear();
    base.entry.on_file_complete(station);
    EXPECT_TRUE(station.management.empty());
    EXPECT_EQ(station.counters.malformed, 2u);
}

// ---- packets ----

TEST(ManagementNetwork, DhcpOfAStationIsRelayedToTheServer) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    ASSERT_TRUE(base.passes(station, ManagedParts::dhcp_packet(ManagedParts::discover(1), 0, kLimitedBroadcast)));
    const auto relayed = read_udp(base.sent[0]);
    ASSERT_TRUE(relayed);
    EXPECT_EQ(relayed->source, kRelay);
    EXPECT_EQ(relayed->destination, kServer);
    EXPECT_EQ(relayed->destination_port, kDhcpServerPort);
    const auto message = read_dhcp(relayed->payload);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->relay, kRelay);
    EXPECT_EQ(message->hops, 1);
    EXPECT_EQ(base.network.counters().relayed, 1u);
}

TEST(ManagementNetwork, OnlyDhcpOfTheStationItselfIsRelayed) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    EXPECT_FALSE(base.passes(station, ManagedParts::dhcp_packet(ManagedParts::discover(2), 0, kLimitedBroadcast)));
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(0, kLimitedBroadcast, kDhcpServerPort)));
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(0, kLimitedBroadcast)));
    EXPECT_FALSE(base.passes(station, {}));
    EXPECT_FALSE(
        base.passes(station, ManagedParts::dhcp_packet(ManagedParts::acknowledge(1, kFirst), 0, kLimitedBroadcast)));
}

TEST(ManagementNetwork, AStationSendsFromTheAddressThatTheServerHasGiven) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(0, kHost))) << "it has no address";
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kFirst, kHost)));
    ASSERT_TRUE(base.gives(1, kFirst));
    EXPECT_TRUE(base.passes(station, ManagedParts::packet(kFirst, kHost)));
    EXPECT_TRUE(base.passes(station, ManagedParts::packet(kFirst, kOutside)));
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kSecond, kHost)));
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kHost, kServer)));
    ASSERT_TRUE(base.gives(1, kSecond));
    EXPECT_TRUE(base.passes(station, ManagedParts::packet(kSecond, kHost)));
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kFirst, kHost))) << "it has another address now";
}

/// A station that has an address could manage the leases of others.
TEST(ManagementNetwork, DhcpInTheNameOfOthersDoesNotPass) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    base.managed_station(2);
    ASSERT_TRUE(base.gives(1, kFirst) && base.gives(2, kSecond));
    DhcpMessage right = ManagedParts::discover(1);
    right.kind = DhcpKind::request;
    right.client_address = kFirst;
    EXPECT_TRUE(base.passes(station, ManagedParts::unicast(right, kFirst)));
    right.client_address = 0;
    right.client_identifier = {1, 2, 0, 0, 0, 0, 1};
    EXPECT_TRUE(base.passes(station, ManagedParts::unicast(right, kFirst)));
    EXPECT_TRUE(base.passes(station, ManagedParts::dhcp_packet(right, 0, kLimitedBroadcast)));
    const auto wrong = [&](auto change) {
        DhcpMessage message = right;
        change(message);
        const bool broadcast = message.relay == 0 && message.client_address == 0 &&
                               base.passes(station, ManagedParts::dhcp_packet(message, 0, kLimitedBroadcast));
        return !base.passes(station, ManagedParts::unicast(message, kFirst)) && !broadcast;
    };
    EXPECT_TRUE(wrong([](DhcpMessage& m) { m.mac = BaseParts::address(2); }));
    EXPECT_TRUE(wrong([](DhcpMessage& m) { m.relay = kRelay; }));
    EXPECT_TRUE(wrong([](DhcpMessage& m) { m.client_address = kSecond; }));
    EXPECT_TRUE(wrong([](DhcpMessage& m) { m.client_identifier = {1, 2, 0, 0, 0, 0, 2}; }));
    EXPECT_TRUE(wrong([](DhcpMessage& m) { m.client_identifier = {0, 'x'}; }));
    EXPECT_TRUE(wrong([](DhcpMessage& m) { m.from_client = false; }));
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kFirst, kServer, kDhcpServerPort))) << "no DHCP";
}

/// What a guard does not see does not pass it.
TEST(ManagementNetwork, FragmentsAndOptionsDoNotPass) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    ASSERT_TRUE(base.gives(1, kFirst));
    const auto with_header = [](Buffer packet, size_t at, uint8_t octet) {
        packet[at] = octet;
        packet[10] = packet[11] = 0;
        const uint16_t sum = internet_checksum(Octets(packet).first(20));
        packet[10] = static_cast<uint8_t>(sum >> 8);
        packet[11] = static_cast<uint8_t>(sum);
        return packet;
    };
    const Buffer up = ManagedParts::packet(kFirst, kHost), down = ManagedParts::packet(kServer, kFirst);
    EXPECT_TRUE(base.passes(station, with_header(up, 9, 1))) << "ICMP";
    EXPECT_TRUE(base.network.from_network(with_header(down, 9, 1)));
    for (Buffer broken : {up, down}) {
        broken.back() ^= 1;
        EXPECT_FALSE(base.passes(station, broken)) << "checksum of UDP";
        EXPECT_FALSE(base.network.from_network(broken));
    }
    for (const auto& [at, octet] : {std::pair{6, 0x20}, {7, 1}, {0, 0x46}}) {
        const auto header = static_cast<size_t>(at);
        EXPECT_FALSE(base.passes(station, with_header(up, header, static_cast<uint8_t>(octet)))) << at;
        EXPECT_FALSE(base.network.from_network(with_header(down, header, static_cast<uint8_t>(octet)))) << at;
    }
}

TEST(ManagementNetwork, AnAddressEndsWithItsLease) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    base.managed_station(2);
    ASSERT_TRUE(base.gives(1, kFirst, 100));
    base.pass(99'999);
    EXPECT_TRUE(base.passes(station, ManagedParts::packet(kFirst, kHost)));
    EXPECT_TRUE(base.network.from_network(ManagedParts::renewal(1, kFirst, 50))) << "50 s count as 60";
    base.pass(59'999);
    EXPECT_TRUE(base.passes(station, ManagedParts::packet(kFirst, kHost)));
    EXPECT_FALSE(base.gives(2, kFirst));
    base.pass(2);
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kFirst, kHost)));
    EXPECT_FALSE(base.network.from_network(ManagedParts::packet(kServer, kFirst)));
    EXPECT_TRUE(base.gives(2, kFirst));
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kFirst, kHost))) << "it is another station's now";
    ASSERT_TRUE(base.gives(1, kSecond, kInfiniteLeaseS));
    base.pass(int64_t{400} * 24 * 3'600'000);
    EXPECT_TRUE(base.passes(station, ManagedParts::packet(kSecond, kHost)));
}

TEST(ManagementNetwork, AnAddressEndsWithReleaseDeclineAndRefusal) {
    for (const auto kind : {DhcpKind::release, DhcpKind::decline, DhcpKind::nak}) {
        ManagedParts base;
        Subscriber& station = base.managed_station(1);
        base.managed_station(2);
        ASSERT_TRUE(base.gives(1, kFirst));
        DhcpMessage message = kind == DhcpKind::nak ? ManagedParts::acknowledge(1, 0) : ManagedParts::discover(1);
        message.kind = kind;
        if (kind == DhcpKind::nak)
            EXPECT_TRUE(base.network.from_network(ManagedParts::dhcp_packet(message, kServer, kRelay)));
        else EXPECT_TRUE(base.passes(station, ManagedParts::unicast(message, kFirst)));
        EXPECT_FALSE(base.passes(station, ManagedParts::packet(kFirst, kHost)));
        EXPECT_TRUE(base.gives(2, kFirst));
    }
}

/// Renewals are by unicast.
TEST(ManagementNetwork, OnlyTheServerRespondsToAClient) {
    ManagedParts base;
    base.managed_station(1);
    ASSERT_TRUE(base.gives(1, kFirst));
    const auto arrives = [&](uint32_t source, uint8_t number) {
        return base.network.from_network(ManagedParts::renewal(number, kFirst, 3600, source));
    };
    EXPECT_TRUE(arrives(kServer, 1));
    EXPECT_FALSE(arrives(kOutside, 1));
    EXPECT_FALSE(arrives(kServer, 2));
    Buffer rubbish;
    write_udp({kServer, kFirst, kDhcpServerPort, kDhcpClientPort, {}}, rubbish);
    EXPECT_FALSE(base.network.from_network(rubbish));
}

TEST(ManagementNetwork, WhatAFullQueueDropsIsCounted) {
    ManagedParts base;
    base.managed_station(1);
    ASSERT_TRUE(base.gives(1, kFirst));
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(base.network.from_network(ManagedParts::packet(kServer, kFirst)));
    EXPECT_EQ(base.network.counters().dropped, 101u - 32) << "with the DHCPACK";
}

TEST(ManagementNetwork, StationsDoNotReachEachOther) {
    ManagedParts base;
    Subscriber& first = base.managed_station(1);
    base.managed_station(2);
    ASSERT_TRUE(base.gives(1, kFirst) && base.gives(2, kSecond));
    EXPECT_FALSE(base.passes(first, ManagedParts::packet(kFirst, kSecond)));
    EXPECT_FALSE(base.passes(first, ManagedParts::packet(kFirst, kFirst)));
}

TEST(ManagementNetwork, AnAddressIsGivenToOneStationAndIsOfTheSubnet) {
    ManagedParts base;
    Subscriber& first = base.managed_station(1);
    Subscriber& second = base.managed_station(2);
    EXPECT_NE(first.event_source().id, second.event_source().id) << "each has its own lines";
    for (const uint32_t wrong : {kHost, kRelay, kServer, kOutside}) EXPECT_FALSE(base.gives(1, wrong));
    EXPECT_GE(base.lines_with("which is not for a station"), 3u) << "lines are limited";
    EXPECT_EQ(first.managed.address, 0u);
    ASSERT_TRUE(base.gives(1, kFirst));
    EXPECT_TRUE(base.gives(1, kFirst)) << "renewed";
    EXPECT_FALSE(base.gives(2, kFirst));
    EXPECT_EQ(base.lines_with("which another station has"), 1u);
    EXPECT_EQ(second.managed.address, 0u);
    ASSERT_TRUE(base.gives(1, kSecond));
    EXPECT_TRUE(base.gives(2, kFirst)) << "its former owner has another one";
}

TEST(ManagementNetwork, OnlyTheServersResponsesCount) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    const auto refused = [&](DhcpMessage message, uint32_t source = kServer, uint32_t destination = kRelay) {
        const auto before = base.network.counters().dropped;
        const bool taken = base.network.from_network(ManagedParts::dhcp_packet(message, source, destination));
        return !taken && base.network.counters().dropped == before + 1 && station.managed.address == 0;
    };
    const DhcpMessage right = ManagedParts::acknowledge(1, kFirst);
    EXPECT_TRUE(refused(right, kOutside));
    EXPECT_TRUE(refused(right, kServer, kFirst)) << "to an address that no station has";
    EXPECT_TRUE(refused(ManagedParts::acknowledge(3, kFirst))) << "no such station";
    DhcpMessage wrong = right;
    wrong.relay = kHost;
    EXPECT_TRUE(refused(wrong));
    wrong = right;
    wrong.from_client = true;
    EXPECT_TRUE(refused(wrong));
    EXPECT_FALSE(refused(right));
    EXPECT_EQ(station.managed.address, kFirst);
}

TEST(ManagementNetwork, AnOfferGivesNoAddress) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    DhcpMessage offer = ManagedParts::acknowledge(1, kFirst);
    offer.kind = DhcpKind::offer;
    EXPECT_TRUE(base.network.from_network(ManagedParts::dhcp_packet(offer, kServer, kRelay)));
    EXPECT_EQ(station.managed.address, 0u);
    EXPECT_FALSE(base.passes(station, ManagedParts::packet(kFirst, kHost)));
}

/// A client that has no address yet may be able to hear the broadcast address only.
TEST(ManagementNetwork, ResponsesAreSentToTheAddressThatTheClientCanHear) {
    for (const bool broadcast : {false, true}) {
        ManagedParts base;
        Subscriber& station = base.managed_station(1);
        DhcpMessage message = ManagedParts::acknowledge(1, kFirst);
        message.broadcast = broadcast;
        ASSERT_TRUE(base.network.from_network(ManagedParts::dhcp_packet(message, kServer, kRelay)));
        Buffer burst;
        PduWriter writer(burst, 2000);
        station.managed.connection->transmitter->fill(writer, 2000, base.clock.now);
        PduReader reader(burst);
        const auto pdu = reader.next();
        ASSERT_TRUE(pdu);
        EXPECT_EQ(pdu->cid(), station.managed.connection->cid);
        const auto subheaders = parse_subheaders(*pdu);
        ASSERT_TRUE(subheaders);
        const auto heard = read_udp(subheaders->rest);
        ASSERT_TRUE(heard);
        EXPECT_EQ(heard->source, kRelay);
        EXPECT_EQ(heard->destination, broadcast ? kLimitedBroadcast : kFirst);
        EXPECT_EQ(heard->destination_port, kDhcpClientPort);
    }
}

TEST(ManagementNetwork, PacketsAreForwardedByAddress) {
    ManagedParts base;
    Subscriber& first = base.managed_station(1);
    Subscriber& second = base.managed_station(2);
    ASSERT_TRUE(base.gives(1, kFirst) && base.gives(2, kSecond));
    const auto backlog = [](const Subscriber& s) { return s.managed.connection->transmitter->backlog_packets(); };
    const size_t before = backlog(second);
    EXPECT_TRUE(base.network.from_network(ManagedParts::packet(kServer, kSecond)));
    EXPECT_EQ(backlog(second), before + 1);
    EXPECT_EQ(backlog(first), 1u) << "its DHCPACK";
    EXPECT_FALSE(base.network.from_network(ManagedParts::packet(kServer, kHost)));
    EXPECT_FALSE(base.network.from_network({}));
}

/// A station that is visited rarely gets a packet in the next frame nevertheless.
TEST(ManagementNetwork, AStationWithAPacketDoesNotRest) {
    ManagedParts base;
    Subscriber& station = base.managed_station(1);
    base.entry.on_file_complete(station);
    for (const uint16_t tid : BaseParts::asked(station)) base.respond(station, tid);
    ASSERT_TRUE(base.gives(1, kFirst));
    Buffer burst;
    PduWriter writer(burst, 2000);
    station.managed.connection->transmitter->fill(writer, 2000, base.clock.now);
    station.management.clear();
    for (int i = 0; i < 10; ++i) {
        base.pass(1000);
        base.flows.run_timers(station);
    }
    station.health.heard(base.clock.now);
    station.link.report_at = INT64_MAX;
    StationRest rest({0, base.layout.frame_seconds()}, {base.clock, base.stations, base.links, base.demand});
    const auto rests = [&] {
        base.demand.collect(base.stations);
        rest.end_frame();
        base.stations.wake_due(base.clock.now, 0);
        return base.stations.resting() > 0;
    };
    EXPECT_TRUE(rests());
    ASSERT_TRUE(base.network.from_network(ManagedParts::packet(kServer, kFirst)));
    base.stations.wake_due(base.clock.now, 0);
    EXPECT_FALSE(rests());
}

/// Another station may get the address of one that has left.
TEST(ManagementNetwork, AStationThatHasLeftHasNoAddress) {
    ManagedParts base;
    Subscriber& first = base.managed_station(1);
    base.managed_station(2);
    ASSERT_TRUE(base.gives(1, kFirst));
    base.stations.erase(first.basic_cid);
    EXPECT_FALSE(base.network.from_network(ManagedParts::packet(kServer, kFirst)));
    EXPECT_TRUE(base.gives(2, kFirst));
}

// ---- the connection in bursts ----

/// A station and its end of the connection, with ARQ.
struct ConnectedParts : ManagedParts {
    ConnectedParts() : station(capable(1)) {
        RegReq request = offer();
        request.arq = capability::kArq;
        ArqConfig offered;
        offered.enable = true;
        offered.retry_timeout_ms = 60;
        put_arq(offered, request.secondary_arq.emplace());
        const RegRsp answer = registered(station, request);
        ArqConfig agreed = arq_of(answer.secondary_arq.value_or(ArqFields()));
        agreed.retry_timeout_ms = 60;
        end = std::make_unique<SecondaryConnection>(SecondaryConnection::Terms{*answer.secondary_cid, agreed},
                                                    clock.sample_rate_hz);
        gives(1, kFirst);
        station.health.heard(clock.now);
    }
    FlowTransmitter& transmitter() { return *station.managed.connection->transmitter; }
    /// The station's end gets what the base station has for it; its feedback is due then.
    void down() {
        Buffer burst;
        PduWriter writer(burst, 2000);
        transmitter().fill(writer, 2000, clock.now);
        PduReader reader(burst);
        while (const auto pdu = reader.next())
            if (const auto subheaders = parse_subheaders(*pdu)) end->reassembler->receive(*pdu, *subheaders, {});
    }
    void up(const std::function<void(PduWriter&)>& fill, bool fec_ok = true) {
        sap::RxBurst burst;
        burst.cid = station.basic_cid;
        burst.frame_number = clock.frame;
        burst.detected = true;
        burst.fec_ok = fec_ok;
        burst.measured.cinr_db = 40;
        Buffer octets;
        PduWriter writer(octets, 1000);
        fill(writer);
        burst.payload = octets;
        receiver.receive(burst);
    }
    Subscriber& station;
    std::unique_ptr<SecondaryConnection> end;
    ArqFeedbackPayload payload;
};

TEST(SecondaryConnectionAtTheBase, PacketsOfBurstsReachTheNetwork) {
    for (const bool fec_ok : {true, false}) {  // each PDU has a CRC
        ConnectedParts p;
        const auto packet = ManagedParts::packet(kFirst, kHost);
        p.end->push(packet, p.clock.now);
        p.up([&](PduWriter& writer) { p.end->transmitter->fill(writer, writer.room(), p.clock.now); }, fec_ok);
        ASSERT_EQ(p.sent.size(), 1u);
        EXPECT_EQ(p.sent[0], packet);
        EXPECT_EQ(p.station.counters.malformed, 0u);
    }
}

/// As a message, or attached to data, which our stations do not do.
TEST(SecondaryConnectionAtTheBase, FeedbackIsTakenInBothForms) {
    for (const bool attached : {false, true}) {
        ConnectedParts p;
        p.down();
        ASSERT_EQ(p.transmitter().backlog_packets(), 1u) << "the DHCPACK is not acknowledged";
        p.end->push(ManagedParts::packet(kFirst, kHost), p.clock.now);
        p.up([&](PduWriter& writer) {
            collect_feedback(p.payload, as_flows(p.end));
            if (!attached) p.payload.send_alone(writer, p.station.basic_cid);
            p.end->transmitter->fill(writer, writer.room(), p.clock.now, 0, &p.payload);
        });
        EXPECT_EQ(p.transmitter().backlog_packets(), 0u) << attached;
        EXPECT_EQ(p.station.counters.malformed, 0u);
        EXPECT_EQ(p.sent.size(), 1u);
    }
}

TEST(SecondaryConnectionAtTheBase, AnUnansweredResetEndsTheStation) {
    ConnectedParts p;
    for (int i = 0; i < 700 && !p.station.entry.leaving(); ++i) {
        p.down();
        p.pass(10);
        p.receiver.run_timers();
    }
    ASSERT_TRUE(p.station.entry.leaving());
    EXPECT_STREQ(p.station.entry.leaving(), "it did not answer ARQ-Reset");
}

}  // namespace test_management_network
