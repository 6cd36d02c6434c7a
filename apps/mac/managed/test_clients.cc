// SPDX-License-Identifier: GPL-3.0-or-later
// Each client alone: what it sends, which responses it accepts, and its waits.
#include <gtest/gtest.h>

#include "mac/managed/test_network.h"

#include <set>

using namespace wimax::mac;
using namespace wimax::mac::test_managed;

namespace test_mac_managed_clients {

/// Keeps what a client sends.
struct Line {
    FrameClock clock{0, 1'000'000, {}};
    ManagedSubscriber config = TestNetwork::plain();
    struct Sent {
        UdpDatagram datagram;
        Buffer payload;
        Samples at;
    };
    std::vector<Sent> sent;
    SendDatagram send = [this](const UdpDatagram& d) {
        sent.push_back({d, Buffer(d.payload.begin(), d.payload.end()), clock.now});
        return true;
    };

    void pass(auto& client, double s) {
        for (const Samples end = clock.now + static_cast<Samples>(s * 1e6); clock.now < end;) {
            clock.now += 10'000;
            client.run_timers();
        }
    }
    std::vector<double> times_s() const {
        std::vector<double> out;
        for (const auto& s : sent) out.push_back(static_cast<double>(s.at) / 1e6);
        return out;
    }
};

// ---- DHCP ----

struct Dhcp : Line {
    DhcpClient client{config, kMac, {clock, send}};
    Buffer payload;

    DhcpMessage last() const { return *read_dhcp(sent.back().payload); }
    DhcpMessage reply(DhcpKind kind) const {
        DhcpMessage m;
        m.from_client = false;
        m.transaction = last().transaction;
        m.mac = kMac;
        m.kind = kind;
        m.your_address = kAddress;
        m.server = kServer;
        m.lease_s = 1000;
        return m;
    }
    bool give(const DhcpMessage& m, uint32_t to = kLimitedBroadcast) {
        write_dhcp(m, payload);
        return client.receive({kServer, to, kDhcpServerPort, kDhcpClientPort, payload});
    }
    void bind(uint32_t lease_s, uint32_t renew_s = 0, uint32_t rebind_s = 0) {
        client.start();
        ASSERT_TRUE(give(reply(DhcpKind::offer)));
        DhcpMessage ack = reply(DhcpKind::ack);
        ack.lease_s = lease_s;
        ack.renew_s = renew_s;
        ack.rebind_s = rebind_s;
        ASSERT_TRUE(give(ack));
        ASSERT_EQ(client.state(), DhcpState::bound);
    }
};

TEST(DhcpClientTest, DiscoversWithWaitsThatDouble) {
    Dhcp dhcp;
    dhcp.client.start();
    dhcp.pass(dhcp.client, 100);
    EXPECT_EQ(dhcp.times_s(), (std::vector<double>{0, 1, 3, 7, 15}));
    EXPECT_EQ(dhcp.client.state(), DhcpState::failed);
    EXPECT_STREQ(dhcp.client.why(), "no DHCP server responded");
    std::set<uint32_t> transactions;
    for (const auto& s : dhcp.sent) {
        const auto m = *read_dhcp(s.payload);
        EXPECT_EQ(s.datagram.source, 0U);
        EXPECT_EQ(s.datagram.destination, kLimitedBroadcast);
        EXPECT_EQ(s.datagram.source_port, 68);
        EXPECT_EQ(s.datagram.destination_port, 67);
        EXPECT_EQ(m.kind, DhcpKind::discover);
        EXPECT_TRUE(m.broadcast && m.from_client);
        EXPECT_EQ(m.mac, kMac);
        EXPECT_EQ(m.elapsed_s, s.at / 1'000'000);
        transactions.insert(m.transaction);
    }
    EXPECT_EQ(transactions.size(), 5U);
}

TEST(DhcpClientTest, RequestsTheFirstOffer) {
    Dhcp dhcp;
    dhcp.client.start();
    ASSERT_TRUE(dhcp.give(dhcp.reply(DhcpKind::offer)));
    auto second = dhcp.reply(DhcpKind::offer);
    second.server = kServer + 1;
    EXPECT_FALSE(dhcp.give(second));
    EXPECT_EQ(dhcp.last().kind, DhcpKind::request);
    EXPECT_EQ(dhcp.last().server, kServer);
    EXPECT_EQ(dhcp.last().requested_address, kAddress);
    EXPECT_EQ(dhcp.last().client_address, 0U);
    EXPECT_EQ(dhcp.last().transaction, read_dhcp(dhcp.sent[0].payload)->transaction);
    ASSERT_TRUE(dhcp.give(dhcp.reply(DhcpKind::ack)));
    EXPECT_EQ(dhcp.client.lease().address, kAddress);
}

TEST(DhcpClientTest, AcceptsOnlyWhatFits) {
    for (const DhcpKind kind : {DhcpKind::offer, DhcpKind::ack, DhcpKind::nak}) {
        Dhcp dhcp;
        dhcp.client.start();
        if (kind != DhcpKind::offer) {
            ASSERT_TRUE(dhcp.give(dhcp.reply(DhcpKind::offer)));
        }
        const auto refused = [&](const auto& spoil) {
            DhcpMessage m = dhcp.reply(kind);
            spoil(m);
            return !dhcp.give(m);
        };
        EXPECT_TRUE(refused([](auto& m) { ++m.transaction; }));
        EXPECT_TRUE(refused([](auto& m) { ++m.mac[5]; }));
        EXPECT_TRUE(refused([](auto& m) { m.from_client = true; }));
        EXPECT_TRUE(refused([](auto& m) { m.server = 0; }));
        EXPECT_TRUE(refused([](auto& m) { m.server = kLimitedBroadcast; }));
        EXPECT_TRUE(refused([](auto& m) { m.kind = DhcpKind::inform; }));
        if (kind != DhcpKind::offer) {
            EXPECT_TRUE(refused([](auto& m) { ++m.server; }));
        }
        if (kind != DhcpKind::nak) {
            EXPECT_TRUE(refused([](auto& m) { m.your_address = 0; }));
            EXPECT_TRUE(refused([](auto& m) { m.your_address = 0xE0000001; }));
        }
        if (kind == DhcpKind::ack) {
            EXPECT_TRUE(refused([](auto& m) { ++m.your_address; }));
        }
        write_dhcp(dhcp.reply(kind), dhcp.payload);
        EXPECT_FALSE(dhcp.client.receive({kServer, kLimitedBroadcast, 66, kDhcpClientPort, dhcp.payload}));
        EXPECT_FALSE(dhcp.client.receive({kServer, kServer + 9, kDhcpServerPort, kDhcpClientPort, dhcp.payload}));
        EXPECT_TRUE(dhcp.give(dhcp.reply(kind)));
    }
}

TEST(DhcpClientTest, RenewsAtHalfOfTheLeaseAndRebindsAtSevenEighths) {
    Dhcp dhcp;
    dhcp.bind(1600);
    dhcp.sent.clear();
    dhcp.pass(dhcp.client, 1599);
    EXPECT_EQ(dhcp.client.state(), DhcpState::rebinding);
    ASSERT_FALSE(dhcp.sent.empty());
    EXPECT_EQ(dhcp.times_s()[0], 800);
    for (const auto& s : dhcp.sent) {
        EXPECT_EQ(s.datagram.source, kAddress);
        EXPECT_EQ(s.datagram.destination, s.at < 1400'000'000 ? kServer : kLimitedBroadcast);
        EXPECT_EQ(read_dhcp(s.payload)->client_address, kAddress);
        EXPECT_EQ(read_dhcp(s.payload)->server, 0U);
    }
    EXPECT_EQ(dhcp.times_s(), (std::vector<double>{800, 1100, 1250, 1325, 1385, 1400, 1500, 1560}));
    auto other = dhcp.reply(DhcpKind::ack);
    other.server = kServer + 5;
    EXPECT_TRUE(dhcp.give(other)) << "any server may extend a lease";
    EXPECT_EQ(dhcp.client.state(), DhcpState::bound);
    EXPECT_EQ(dhcp.client.lease().server, kServer + 5);
}

TEST(DhcpClientTest, LosesALeaseThatNoServerRenews) {
    Dhcp dhcp;
    dhcp.bind(1600);
    dhcp.pass(dhcp.client, 1601);
    EXPECT_EQ(dhcp.client.state(), DhcpState::lost);
    EXPECT_FALSE(dhcp.client.has_lease());
    const size_t sent = dhcp.sent.size();
    dhcp.pass(dhcp.client, 1000);
    EXPECT_EQ(dhcp.sent.size(), sent);
}

TEST(DhcpClientTest, OddLeaseTimesDoNoHarm) {
    for (const uint32_t lease_s : {0U, 1U, 59U, 60U, UINT32_MAX - 1, UINT32_MAX}) {
        for (const uint32_t times : {0U, 1U, 1000U, UINT32_MAX}) {
            Dhcp dhcp;
            dhcp.bind(lease_s, times, times == 1 ? 2 : times);
            dhcp.sent.clear();
            dhcp.pass(dhcp.client, 29);
            EXPECT_TRUE(dhcp.sent.empty()) << lease_s << " " << times;
            dhcp.pass(dhcp.client, 32);
            EXPECT_EQ(dhcp.client.has_lease(), lease_s > 60) << lease_s << " " << times;
            EXPECT_LT(dhcp.sent.size(), 4U);
        }
    }
    Dhcp endless;
    endless.bind(UINT32_MAX);
    endless.clock.now += int64_t{1} << 56;
    endless.client.run_timers();
    EXPECT_EQ(endless.client.state(), DhcpState::bound);
}

TEST(DhcpClientTest, TimesOfTheServerAreUsed) {
    Dhcp dhcp;
    dhcp.bind(1000, 100, 900);
    dhcp.sent.clear();
    dhcp.pass(dhcp.client, 101);
    EXPECT_EQ(dhcp.times_s(), (std::vector<double>{100}));
}

// ---- time ----

struct Time : Line {
    TimeClient client{config, {clock, send}};
    bool give(uint32_t since_1900, uint32_t from = kServer, size_t octets = 4) {
        Buffer payload;
        BitWriter(payload).put(since_1900, 32);
        payload.resize(octets);
        return client.receive({from, kAddress, TimeClient::kServerPort, TimeClient::kClientPort, payload});
    }
};

TEST(TimeClientTest, ConvertsTheTimesOfRfc868) {
    // RFC 868: 2,208,988,800 corresponds to 00:00 1 Jan 1970 GMT, 2,629,584,000 to 00:00 1 May 1983 GMT.
    for (const auto& [given, time_s] : {std::pair<uint32_t, int64_t>{2'208'988'800, 0},
                                        {2'629'584'000, 420'595'200},
                                        {UINT32_MAX, 2'085'978'495},
                                        {0, 2'085'978'496},
                                        {2'208'988'799, 4'294'967'295}}) {
        Time time;
        time.client.start(kAddress, {kServer});
        EXPECT_FALSE(time.client.now_s());
        ASSERT_TRUE(time.give(given));
        EXPECT_EQ(time.client.now_s(), time_s);
        time.clock.now += 3'500'000;
        EXPECT_EQ(time.client.now_s(), time_s + 3);
    }
}

TEST(TimeClientTest, AsksServersInTurnAndAcceptsOnlyTheOneAsked) {
    Time time;
    time.client.start(kAddress, {kServer, kServer + 1});
    EXPECT_TRUE(time.sent[0].payload.empty());
    EXPECT_FALSE(time.give(1, kServer + 1));
    EXPECT_FALSE(time.give(1, kServer, 3));
    EXPECT_FALSE(time.give(1, kServer, 5));
    time.pass(time.client, 1.5);
    ASSERT_EQ(time.sent.size(), 2U);
    EXPECT_EQ(time.sent[1].datagram.destination, kServer + 1);
    EXPECT_FALSE(time.give(1));
    time.pass(time.client, 20);
    EXPECT_EQ(time.times_s(), (std::vector<double>{0, 1, 3}));
    EXPECT_EQ(time.client.state(), TimeClient::State::failed);
    EXPECT_FALSE(time.give(1));
}

// ---- TFTP ----

struct Tftp : Line {
    TftpClient client{config, {clock, send}};
    bool give(Buffer packet, uint16_t port = kTransferPort, uint32_t from = kServer) {
        return client.receive({from, kAddress, port, sent.back().datagram.source_port, packet});
    }
    static Buffer data(uint16_t block, size_t octets, uint8_t value = 7) {
        Buffer packet{0, 3, static_cast<uint8_t>(block >> 8), static_cast<uint8_t>(block)};
        packet.resize(4 + octets, value);
        return packet;
    }
    Tftp() { client.start(kAddress, kServer, "a"); }
};

TEST(TftpClientTest, SendsTheRequestOfRfc1350) {
    Tftp tftp;
    EXPECT_EQ(tftp.sent[0].payload, (Buffer{0, 1, 'a', 0, 'o', 'c', 't', 'e', 't', 0}));
    EXPECT_EQ(tftp.sent[0].datagram.destination_port, 69);
    ASSERT_TRUE(tftp.give(Tftp::data(1, 512)));
    EXPECT_EQ(tftp.sent[1].payload, (Buffer{0, 4, 0, 1}));
    EXPECT_EQ(tftp.sent[1].datagram.destination_port, kTransferPort);
    ASSERT_TRUE(tftp.give(Tftp::data(2, 0)));
    EXPECT_EQ(tftp.client.state(), TftpClient::State::complete);
    EXPECT_EQ(tftp.client.contents().size(), 512U);
}

TEST(TftpClientTest, IgnoresOtherServersPortsBlocksAndPackets) {
    Tftp tftp;
    EXPECT_FALSE(tftp.give(Tftp::data(1, 512), kTransferPort, kServer + 1));
    EXPECT_FALSE(tftp.give(Tftp::data(1, 513)));
    EXPECT_FALSE(tftp.give(Tftp::data(0, 512)));
    EXPECT_FALSE(tftp.give(Tftp::data(2, 512)));
    EXPECT_FALSE(tftp.give(Buffer{0, 3, 0}));
    EXPECT_FALSE(tftp.give(Buffer{0, 1, 'a', 0}));
    EXPECT_FALSE(tftp.give(Buffer{0, 6, 0, 0})) << "options were not asked for";
    ASSERT_TRUE(tftp.give(Tftp::data(1, 512)));
    EXPECT_FALSE(tftp.give(Tftp::data(2, 512), kTransferPort + 1)) << "the transfer has another port";
    EXPECT_FALSE(tftp.give(Buffer{0, 5, 0, 1, 0}, kTransferPort + 1));
    EXPECT_FALSE(tftp.give(Tftp::data(1, 512))) << "an old block";
    EXPECT_FALSE(tftp.give(Tftp::data(3, 512)));
    EXPECT_EQ(tftp.sent.size(), 2U);
    EXPECT_TRUE(tftp.give(Tftp::data(2, 1)));
}

TEST(TftpClientTest, RepeatsItsLastPacket) {
    Tftp tftp;
    tftp.pass(tftp.client, 2);
    ASSERT_TRUE(tftp.give(Tftp::data(1, 512)));
    tftp.pass(tftp.client, 5);
    EXPECT_EQ(tftp.times_s(), (std::vector<double>{0, 1, 2, 3, 5}));
    EXPECT_EQ(tftp.sent[1].payload, tftp.sent[0].payload);
    EXPECT_EQ(tftp.sent[4].payload, (Buffer{0, 4, 0, 1}));
    tftp.pass(tftp.client, 16 * 16);
    EXPECT_EQ(tftp.client.state(), TftpClient::State::pausing);
    EXPECT_EQ(tftp.client.why(), "the TFTP server did not respond");
    EXPECT_EQ(tftp.sent.size(), 2 + 16U);
}

TEST(TftpClientTest, TheLastAcknowledgementIsRepeatedForTheServer) {
    Tftp tftp;
    ASSERT_TRUE(tftp.give(Tftp::data(1, 10)));
    unsigned repeated = 0;
    for (int i = 0; i < 100; ++i) repeated += tftp.give(Tftp::data(1, 10));
    EXPECT_EQ(repeated, 15U) << "not without end";
    EXPECT_EQ(tftp.sent.size(), 2 + repeated);
    EXPECT_FALSE(tftp.give(Tftp::data(2, 10)));
    EXPECT_FALSE(tftp.give(Buffer{0, 5, 0, 1, 0}));
    EXPECT_EQ(tftp.client.contents().size(), 10U);
}

TEST(TftpClientTest, RefusesLongFilesAndSparesTheServer) {
    Tftp tftp;
    uint16_t block = 1;
    for (; block <= 32; ++block) ASSERT_TRUE(tftp.give(Tftp::data(block, 512)));
    EXPECT_EQ(tftp.client.state(), TftpClient::State::downloading);
    ASSERT_TRUE(tftp.give(Tftp::data(block, 1)));
    EXPECT_EQ(tftp.client.state(), TftpClient::State::pausing);
    EXPECT_EQ(tftp.sent.back().payload, (Buffer{0, 5, 0, 3, 0}));
    Tftp largest;
    for (block = 1; block <= 32; ++block) ASSERT_TRUE(largest.give(Tftp::data(block, 512)));
    ASSERT_TRUE(largest.give(Tftp::data(block, 0)));
    EXPECT_EQ(largest.client.contents().size(), 16'384U);
}

TEST(TftpClientTest, EachDownloadHasAnotherPort) {
    Tftp tftp;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(tftp.client.state(), TftpClient::State::downloading);
        ASSERT_TRUE(tftp.give(Buffer{0, 5, 0, 2, 'n', 'o'}));
        tftp.pass(tftp.client, 120.5);
    }
    EXPECT_EQ(tftp.client.state(), TftpClient::State::failed);
    EXPECT_EQ(tftp.client.failures(), 3U);
    EXPECT_EQ(tftp.client.why(), "the TFTP server reported error 2: no");
    EXPECT_EQ(tftp.times_s(), (std::vector<double>{0, 120, 240.5}));
    std::set<uint16_t> ports;
    for (const auto& s : tftp.sent) ports.insert(s.datagram.source_port);
    EXPECT_EQ(ports.size(), 3U);
}

}  // namespace test_mac_managed_clients
