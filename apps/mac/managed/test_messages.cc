// SPDX-License-Identifier: GPL-3.0-or-later
// IP, UDP and DHCP octets: known packets, round trips, and malformed input.
#include <gtest/gtest.h>

#include "mac/internet_checksum.h"
#include "mac/managed/dhcp_message.h"
#include "mac/managed/udp_datagram.h"

#include <random>

using namespace wimax::mac;

namespace test_mac_managed_messages {

constexpr uint32_t kStation = 0x0A020007, kServer = 0x0A020001;

Buffer random_octets(std::mt19937& random, size_t octets) {
    Buffer out(octets);
    for (auto& octet : out) octet = static_cast<uint8_t>(random());
    return out;
}

/// From 192.168.0.2 to 192.168.0.1; the checksum of its header is computed by hand, that of UDP is absent.
const Buffer kByHand{0x45, 0x00, 0x00, 0x20, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb9, 0x79, 0xc0, 0xa8, 0x00, 0x02,
                     0xc0, 0xa8, 0x00, 0x01, 0x04, 0x00, 0x00, 0x35, 0x00, 0x0c, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04};

TEST(UdpDatagramTest, WritesTheHeaderOfRfc791AndRfc768) {
    Buffer packet;
    write_udp({0xC0A80002, 0xC0A80001, 1024, 53, Octets(kByHand).subspan(28)}, packet);
    ASSERT_EQ(packet.size(), kByHand.size());
    Buffer without_checksum = packet;
    without_checksum[26] = without_checksum[27] = 0;
    EXPECT_EQ(without_checksum, kByHand);
    // Words of pseudo header, UDP header and payload: c0a8+0002+c0a8+0001+0011+000c+0400+0035+000c+0102+0304 = 189b7.
    EXPECT_EQ(packet[26] << 8 | packet[27], 0xFFFF - (0x89b7 + 1));
    EXPECT_EQ(read_udp(kByHand)->destination_port, 53) << "the checksum of UDP may be absent";
}

TEST(UdpDatagramTest, ReadsWhatItWrites) {
    std::mt19937 random(1);
    Buffer packet;
    for (size_t octets = 0; octets <= 1472; octets += octets < 40 ? 1 : 97) {
        const Buffer payload = random_octets(random, octets);
        write_udp({kStation, kServer, 68, 67, payload}, packet);
        const auto read = read_udp(packet);
        ASSERT_TRUE(read) << octets;
        EXPECT_EQ(read->source, kStation);
        EXPECT_EQ(read->destination, kServer);
        EXPECT_EQ(read->source_port, 68);
        EXPECT_EQ(read->destination_port, 67);
        EXPECT_TRUE(std::ranges::equal(read->payload, payload));
        EXPECT_EQ(ip_ends(packet)->destination, kServer);
    }
}

TEST(UdpDatagramTest, RefusesEachWrongBitAndEachOtherLength) {
    Buffer packet;
    const Buffer payload{1, 2, 3};
    write_udp({kStation, kServer, 68, 67, payload}, packet);
    for (size_t bit = 0; bit < 8 * packet.size(); ++bit) {
        Buffer wrong = packet;
        wrong[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        EXPECT_FALSE(read_udp(wrong)) << bit;
    }
    for (size_t octets = 0; octets < packet.size(); ++octets) EXPECT_FALSE(read_udp(Octets(packet).first(octets)));
    packet.push_back(0);
    EXPECT_FALSE(read_udp(packet));
    EXPECT_FALSE(ip_ends(packet));
}

/// With a correct header checksum.
Buffer changed(Buffer packet, size_t at, uint8_t value) {
    packet[at] = value;
    packet[10] = packet[11] = 0;
    const uint16_t sum = internet_checksum(Octets(packet).first(20));
    packet[10] = static_cast<uint8_t>(sum >> 8);
    packet[11] = static_cast<uint8_t>(sum);
    return packet;
}

TEST(UdpDatagramTest, RefusesFragmentsOtherProtocolsAndLengths) {
    EXPECT_TRUE(read_udp(changed(kByHand, 1, 0x10)));
    EXPECT_FALSE(read_udp(changed(kByHand, 6, 0x20))) << "more fragments";
    EXPECT_FALSE(read_udp(changed(kByHand, 7, 1))) << "offset";
    EXPECT_FALSE(read_udp(changed(kByHand, 9, 6))) << "TCP";
    EXPECT_TRUE(ip_ends(changed(kByHand, 9, 6)));
    EXPECT_FALSE(read_udp(changed(kByHand, 0, 0x46))) << "options";
    EXPECT_FALSE(read_udp(changed(kByHand, 25, 11))) << "length of UDP";
    EXPECT_FALSE(ip_ends(changed(kByHand, 0, 0x65)));
}

TEST(UdpDatagramTest, AddressesAreTextsOfFourNumbers) {
    EXPECT_EQ(address_text(kStation), "10.2.0.7");
    EXPECT_EQ(address_from_text("10.2.0.7"), kStation);
    for (const char* wrong : {"", "10.2.0", "10.2.0.256", "tftp.example", "10.2.0.7 ", "0x0a.2.0.7"})
        EXPECT_FALSE(address_from_text(wrong)) << wrong;
    for (const uint32_t wrong : {0U, 0x7F000001U, 0xE0000001U, 0xF0000001U, kLimitedBroadcast, 0x00FFFFFFU})
        EXPECT_FALSE(is_host_address(wrong)) << wrong;
    EXPECT_TRUE(is_host_address(kStation));
}

// ---- DHCP ----

constexpr MacAddress kMac{2, 0, 0, 0, 0, 7};

DhcpMessage acknowledgement() {
    DhcpMessage m;
    m.from_client = false;
    m.transaction = 0x12345678;
    m.mac = kMac;
    m.kind = DhcpKind::ack;
    m.your_address = kStation;
    m.server = kServer;
    m.next_server = kServer;
    m.subnet_mask = 0xFFFFFF00;
    m.router = kServer;
    m.time_servers = {kServer, kServer + 1};
    m.lease_s = 3600;
    m.renew_s = 1800;
    m.rebind_s = 3150;
    m.server_name = "tftp";
    m.file = "ss/7.cfg";
    return m;
}

void expect_equal(const DhcpMessage& a, const DhcpMessage& b) {
    EXPECT_EQ(a.from_client, b.from_client);
    EXPECT_EQ(a.hops, b.hops);
    EXPECT_EQ(a.transaction, b.transaction);
    EXPECT_EQ(a.elapsed_s, b.elapsed_s);
    EXPECT_EQ(a.broadcast, b.broadcast);
    EXPECT_EQ(a.client_address, b.client_address);
    EXPECT_EQ(a.your_address, b.your_address);
    EXPECT_EQ(a.next_server, b.next_server);
    EXPECT_EQ(a.relay, b.relay);
    EXPECT_EQ(a.mac, b.mac);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.server, b.server);
    EXPECT_EQ(a.requested_address, b.requested_address);
    EXPECT_EQ(a.subnet_mask, b.subnet_mask);
    EXPECT_EQ(a.router, b.router);
    EXPECT_EQ(a.time_servers, b.time_servers);
    EXPECT_EQ(a.lease_s, b.lease_s);
    EXPECT_EQ(a.renew_s, b.renew_s);
    EXPECT_EQ(a.rebind_s, b.rebind_s);
    EXPECT_EQ(a.server_name, b.server_name);
    EXPECT_EQ(a.file, b.file);
}

TEST(DhcpMessageTest, DiscoverHasTheFormOfRfc2131) {
    DhcpMessage m;
    m.transaction = 0x3903F326;
    m.broadcast = true;
    m.mac = kMac;
    Buffer payload;
    write_dhcp(m, payload);
    ASSERT_EQ(payload.size(), 300U) << "RFC 1542: the least size of BOOTP";
    const Buffer head{1, 1, 6, 0, 0x39, 0x03, 0xF3, 0x26, 0, 0, 0x80, 0};
    EXPECT_TRUE(std::ranges::equal(Octets(payload).first(12), head));
    EXPECT_TRUE(std::ranges::equal(Octets(payload).subspan(28, 6), kMac));
    const Buffer options{99, 130, 83, 99, 53, 1, 1, 55, 9, 1, 3, 4, 51, 54, 58, 59, 66, 67, 60, 10};
    EXPECT_TRUE(std::ranges::equal(Octets(payload).subspan(236, options.size()), options));
    EXPECT_EQ(std::string(payload.begin() + 256, payload.begin() + 266), "IEEE802.16");
    EXPECT_EQ(payload[266], 255);
    expect_equal(*read_dhcp(payload), m);
}

TEST(DhcpMessageTest, ReadsWhatItWrites) {
    std::mt19937 random(2);
    Buffer payload;
    for (int i = 0; i < 300; ++i) {
        DhcpMessage m = acknowledgement();
        m.from_client = random() % 2;
        m.kind = static_cast<DhcpKind>(1 + random() % 8);
        m.hops = static_cast<uint8_t>(random() % 17);
        m.transaction = static_cast<uint32_t>(random());
        m.elapsed_s = static_cast<uint16_t>(random());
        m.broadcast = random() % 2;
        for (uint32_t* field : {&m.client_address, &m.relay, &m.requested_address, &m.lease_s, &m.router})
            *field = random() % 2 ? static_cast<uint32_t>(random()) : 0;
        m.time_servers.resize(random() % 9, 0x01020304);
        m.file = std::string(random() % 256, 'f');
        m.server_name = std::string(random() % 256, 's');
        write_dhcp(m, payload);
        const auto read = read_dhcp(payload);
        ASSERT_TRUE(read);
        expect_equal(*read, m);
    }
}

/// A message with these options, and texts in sname and file.
Buffer with_options(const Buffer& options, const Buffer& name = {'n', 0}, const Buffer& file = {'f', 0, 'x'}) {
    Buffer payload;
    write_dhcp(acknowledgement(), payload);
    payload.resize(240);
    std::ranges::copy(name, payload.begin() + 44);
    std::ranges::copy(file, payload.begin() + 108);
    payload.insert(payload.end(), options.begin(), options.end());
    return payload;
}

TEST(DhcpMessageTest, OptionsMayBeInTheFieldsOfNames) {
    EXPECT_EQ(read_dhcp(with_options({53, 1, 5, 255}))->file, "f");
    EXPECT_EQ(read_dhcp(with_options({53, 1, 5, 255}))->server_name, "n");
    const auto both = read_dhcp(with_options({52, 1, 3, 255}, {67, 2, 'a', 'b', 255}, {0, 0, 53, 1, 5, 255}));
    ASSERT_TRUE(both);
    EXPECT_EQ(both->kind, DhcpKind::ack);
    EXPECT_EQ(both->file, "ab");
    EXPECT_EQ(both->server_name, "");
    EXPECT_FALSE(read_dhcp(with_options({52, 1, 1, 255}, {53, 1, 5, 255}))) << "the kind is in sname, which has none";
    EXPECT_EQ(read_dhcp(with_options({53, 1, 5, 67, 3, 'a', 0, 'b', 255}))->file, "a");
}

TEST(DhcpMessageTest, UnknownOptionsAndRepeatsAreSkipped) {
    const auto read =
        read_dhcp(with_options({82, 4, 1, 2, 9, 9, 0, 0, 53, 1, 5, 53, 1, 2, 3, 8, 10, 2, 0, 1, 10, 2, 0, 2, 255, 7}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, DhcpKind::ack);
    EXPECT_EQ(read->router, kServer);
}

TEST(DhcpMessageTest, RefusesLengthsThatDoNotFit) {
    for (const Buffer& wrong : std::vector<Buffer>{{},
                                                   {255},
                                                   {53, 1, 0, 255},
                                                   {53, 1, 9, 255},
                                                   {53, 2, 5, 5, 255},
                                                   {53, 0, 255},
                                                   {53, 1},
                                                   {53},
                                                   {53, 1, 5, 51, 3, 0, 0, 1, 255},
                                                   {53, 1, 5, 4, 0, 255},
                                                   {53, 1, 5, 4, 6, 1, 2, 3, 4, 5, 6, 255},
                                                   {53, 1, 5, 52, 1, 4, 255},
                                                   {53, 1, 5, 43, 200, 1, 2, 255}})
        EXPECT_FALSE(read_dhcp(with_options(wrong))) << wrong.size();
    Buffer whole;
    write_dhcp(acknowledgement(), whole);
    for (size_t octets = 0; octets < 243; ++octets) EXPECT_FALSE(read_dhcp(Octets(whole).first(octets))) << octets;
    for (const size_t at : {0, 1, 2, 236, 239}) {
        Buffer wrong = whole;
        wrong[at] ^= 0x40;
        EXPECT_FALSE(read_dhcp(wrong)) << at;
    }
}

TEST(DhcpMessageTest, DamagedMessagesAreReadOrRefused) {
    std::mt19937 random(3);
    Buffer whole;
    write_dhcp(acknowledgement(), whole);
    for (int i = 0; i < 20'000; ++i) {
        Buffer damaged = whole;
        for (unsigned k = 0; k < 1 + random() % 4; ++k)
            damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
        damaged.resize(random() % 4 ? damaged.size() : random() % damaged.size());
        if (const auto read = read_dhcp(damaged)) {
            EXPECT_LE(read->time_servers.size(), 8U);
            EXPECT_LE(read->file.size() + read->server_name.size(), 510U);
        }
    }
}

TEST(DhcpMessageTest, ARelayPassesRequestsOfClientsOnly) {
    DhcpMessage m;
    m.mac = kMac;
    Buffer payload;
    write_dhcp(m, payload);
    ASSERT_TRUE(relay_request(payload, kServer));
    EXPECT_EQ(read_dhcp(payload)->relay, kServer);
    EXPECT_EQ(read_dhcp(payload)->hops, 1);
    EXPECT_FALSE(relay_request(payload, kServer + 1)) << "another relay";
    m.hops = 16;
    write_dhcp(m, payload);
    const Buffer before = payload;
    EXPECT_FALSE(relay_request(payload, kServer));
    EXPECT_EQ(payload, before);
    write_dhcp(acknowledgement(), payload);
    EXPECT_FALSE(relay_request(payload, kServer));
    payload = {1, 1, 6};
    EXPECT_FALSE(relay_request(payload, kServer));
}

}  // namespace test_mac_managed_messages
