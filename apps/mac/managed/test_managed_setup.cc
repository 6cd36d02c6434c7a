// SPDX-License-Identifier: GPL-3.0-or-later
// Set-up of a managed station with servers that work, and with servers that are silent, late, wrong or hostile: it
// ends in bounded time, with a reason.
#include <gtest/gtest.h>

#include "mac/managed/test_network.h"

using namespace wimax::mac;
using namespace wimax::mac::test_managed;

namespace test_mac_managed_setup {

const auto kSilent = [](const UdpDatagram&) {};

TEST(ManagedSetupTest, GetsAddressTimeAndFile) {
    TestNetwork network;
    EXPECT_EQ(network.setup().step(), ManagedStep::idle);
    network.start();
    EXPECT_EQ(network.setup().step(), ManagedStep::address);
    EXPECT_LT(network.run(10), 0.1);
    EXPECT_EQ(network.setup().step(), ManagedStep::done) << network.setup().why();
    EXPECT_EQ(network.setup().flows().size(), 2U);
    EXPECT_EQ(network.requested, std::string("ss.cfg\0octet\0", 13));
    EXPECT_EQ(network.lines, (std::vector<std::string>{"managed: address 10.2.0.7 from 10.2.0.1",
                                                       "managed: time 1700000000 s since 1970 from 10.2.0.1",
                                                       "managed: configuration file ss.cfg: 2 service flows"}));
    network.pass(60);
    const auto figures = network.setup().figures();
    EXPECT_EQ(figures.step, ManagedStep::done);
    EXPECT_EQ(figures.address, kAddress);
    EXPECT_EQ(figures.time_s, 1'700'000'060);
    EXPECT_EQ(figures.file, "ss.cfg");
    EXPECT_EQ(figures.sent, 5U);
    EXPECT_EQ(figures.received, 4U);
    EXPECT_EQ(figures.ignored, 0U);
}

TEST(ManagedSetupTest, LeavingTheNetworkForgetsAll) {
    TestNetwork network;
    network.start();
    network.run(10);
    network.setup().forget();
    EXPECT_EQ(network.setup().step(), ManagedStep::idle);
    EXPECT_TRUE(network.setup().flows().empty());
    EXPECT_EQ(network.setup().figures().address, 0U);
    EXPECT_FALSE(network.setup().figures().time_s);
    const unsigned sent = network.sent;
    network.pass(5000);
    EXPECT_EQ(network.sent, sent);
    network.start();
    network.run(10);
    EXPECT_EQ(network.setup().step(), ManagedStep::done);
}

struct Silent {
    const char* what;
    void (*spoil)(TestNetwork&);
    double most_s;
    const char* why;
};

/// Each server that a station needs, and cannot use.
TEST(ManagedSetupTest, EndsInBoundedTimeWithAReason) {
    const Silent kCases[] = {
        {"no DHCP", [](TestNetwork& n) { n.dhcp_server = kSilent; }, 32, "no address: no DHCP server responded"},
        {"no room", [](TestNetwork& n) { n.room = false; }, 32, "no address: no DHCP server responded"},
        {"offers only",
         [](TestNetwork& n) {
             n.dhcp_server = [&n](const UdpDatagram& d) {
                 if (read_dhcp(d.payload)->kind == DhcpKind::discover) n.dhcp(d);
             };
         },
         60, "did not acknowledge"},
        {"refusals",
         [](TestNetwork& n) {
             n.dhcp_server = [&n](const UdpDatagram& d) {
                 n.acknowledgement.kind = DhcpKind::nak;
                 n.dhcp(d);
             };
         },
         60, "refused the address"},
        {"no time server", [](TestNetwork& n) { n.acknowledgement.time_servers.clear(); }, 1,
         "no time: the DHCP server has given no time server"},
        {"silent time server", [](TestNetwork& n) { n.time_server = kSilent; }, 8, "no time: no time server responded"},
        {"no file name", [](TestNetwork& n) { n.acknowledgement.file.clear(); }, 1,
         "no configuration file: the DHCP server has given no file name"},
        {"no TFTP server", [](TestNetwork& n) { n.acknowledgement.next_server = 0; }, 1,
         "no configuration file: the DHCP server has given no TFTP server"},
        {"silent TFTP server", [](TestNetwork& n) { n.tftp_server = kSilent; }, 3 * 16 * 16 + 300,
         "no configuration file: the TFTP server did not respond"},
        {"errors",
         [](TestNetwork& n) {
             n.tftp_server = [&n](const UdpDatagram& d) { n.send_error(d, 1, "File not found\x1b[2J"); };
         },
         250, "error 1: File not found\\x1b[2J"},
        {"wrong file", [](TestNetwork& n) { n.contents.back() ^= 1; }, 250, "the file was refused: malformed"},
        {"wrong signature", [](TestNetwork& n) { n.contents[n.contents.size() - 12] ^= 1; }, 250, "wrong signature"},
        {"long file", [](TestNetwork& n) { n.contents.resize(16'385); }, 250, "longer than 16384 bytes"},
    };
    for (const auto& c : kCases) {
        TestNetwork network;
        c.spoil(network);
        network.start();
        EXPECT_LT(network.run(5000), c.most_s) << c.what;
        EXPECT_EQ(network.setup().step(), ManagedStep::failed) << c.what;
        EXPECT_NE(network.setup().why().find(c.why), std::string::npos) << c.what << ": " << network.setup().why();
        EXPECT_TRUE(network.has_line(network.setup().why())) << c.what;
        EXPECT_LT(network.sent, 200U) << c.what;
        for (const auto& line : network.lines) EXPECT_EQ(line.find('\x1b'), std::string::npos);
        const unsigned sent = network.sent;
        network.pass(100);
        EXPECT_EQ(network.sent, sent) << c.what << ": a failed station is silent";
    }
}

TEST(ManagedSetupTest, StepsThatAreNotNeededMayFail) {
    auto config = TestNetwork::plain();
    config.needs_address = config.needs_time = config.needs_file = false;
    config.file_pause_ms = 10;
    for (int broken = 0; broken < 8; ++broken) {
        TestNetwork network(config);
        if (broken & 1) network.dhcp_server = kSilent;
        if (broken & 2) network.time_server = kSilent;
        if (broken & 4) network.tftp_server = kSilent;
        network.start();
        network.run(5000);
        EXPECT_EQ(network.setup().step(), ManagedStep::done) << broken;
        EXPECT_EQ(network.has_line("no address: "), (broken & 1) != 0) << broken;
        EXPECT_EQ(network.has_line("no time: "), (broken & 3) != 0) << broken;
        EXPECT_EQ(network.has_line("no configuration file: "), (broken & 5) != 0) << broken;
        EXPECT_EQ(network.setup().flows().size(), broken & 5 ? 0U : 2U) << broken;
    }
}

TEST(ManagedSetupTest, LostPacketsDelayIt) {
    std::mt19937 random(5);
    unsigned done = 0;
    for (int i = 0; i < 100; ++i) {
        TestNetwork network;
        network.contents = *write_configuration_file({}, kKey);
        network.contents.resize(8'000);
        network.lost = [&] { return random() % 4 == 0; };
        network.start();
        network.run(5000);
        done += network.setup().step() == ManagedStep::done;
        EXPECT_FALSE(network.setup().running());
    }
    EXPECT_GT(done, 90U);
}

/// A file that it cannot verify is not loaded.
TEST(ManagedSetupTest, WithoutAKeyThereIsNoDownload) {
    ManagedSubscriber config = TestNetwork::plain();
    config.file_key.clear();
    for (const bool needed : {false, true}) {
        config.needs_file = needed;
        TestNetwork network(config);
        network.start();
        EXPECT_LT(network.run(600), 5);
        EXPECT_EQ(network.setup().step(), needed ? ManagedStep::failed : ManagedStep::done);
        EXPECT_TRUE(network.requested.empty());
    }
}

TEST(ManagedSetupTest, TheFileIsDownloadedAgainAfterAPause) {
    TestNetwork network;
    unsigned requests = 0;
    network.tftp_server = [&](const UdpDatagram& d) {
        requests += d.destination_port == TftpClient::kServerPort;
        if (requests < 3) network.send_error(d, 0, "busy");
        else network.tftp(d);
    };
    network.start();
    const double took_s = network.run(5000);
    EXPECT_EQ(network.setup().step(), ManagedStep::done);
    EXPECT_GT(took_s, 240.0);
    EXPECT_LT(took_s, 241.0);
    EXPECT_TRUE(network.has_line("configuration file ss.cfg: the TFTP server reported error 0: busy"));
}

TEST(ManagedSetupTest, FilesOutOfDateAreCounted) {
    TestNetwork network;
    ConfigurationFile file;
    file.not_after_s = 1'600'000'000;
    network.contents = *write_configuration_file(file, kKey);
    network.start();
    network.run(5000);
    EXPECT_EQ(network.setup().why(), "no configuration file: the file was refused: no longer valid");
    EXPECT_EQ(network.setup().figures().refused_files, 3U);
    EXPECT_TRUE(network.setup().figures().file.empty());
}

TEST(ManagedSetupTest, TheServersNameMayBeAnAddress) {
    TestNetwork network;
    network.acknowledgement.next_server = 0;
    network.acknowledgement.server_name = "10.2.0.1";
    network.start();
    network.run(10);
    EXPECT_EQ(network.setup().step(), ManagedStep::done);
}

TEST(ManagedSetupTest, NamesInLinesArePrintableAndShort) {
    TestNetwork network;
    network.acknowledgement.file = "\x1b]0;x\n" + std::string(240, 'a');
    network.start();
    network.run(10);
    EXPECT_EQ(network.setup().step(), ManagedStep::done);
    for (const auto& line : network.lines) {
        EXPECT_LT(line.size(), 200U);
        EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; })) << line;
    }
    EXPECT_EQ(network.setup().figures().file, network.acknowledgement.file);
}

TEST(ManagedSetupTest, KeepsItsLease) {
    TestNetwork network;
    network.start();
    network.run(10);
    const unsigned before = network.dhcp_requests;
    network.pass(10 * 3600);
    EXPECT_EQ(network.dhcp_requests - before, 20U) << "at half of each hour";
    EXPECT_EQ(network.setup().figures().lost_leases, 0U);
    EXPECT_EQ(network.setup().figures().address, kAddress);
}

TEST(ManagedSetupTest, ALostLeaseIsReportedAndAnotherOneIsTaken) {
    TestNetwork network;
    network.start();
    network.run(10);
    network.dhcp_server = kSilent;
    network.pass(3599);
    EXPECT_EQ(network.setup().figures().address, kAddress);
    network.pass(2);
    EXPECT_EQ(network.setup().figures().lost_leases, 1U);
    EXPECT_EQ(network.setup().figures().address, 0U);
    EXPECT_EQ(network.setup().step(), ManagedStep::done);
    EXPECT_TRUE(network.has_line("address lost: the lease has ended")) << network.all_lines();
    network.pass(600);
    EXPECT_TRUE(network.has_line("no address: no DHCP server responded")) << network.all_lines();
    EXPECT_EQ(network.setup().step(), ManagedStep::done);
    network.dhcp_server = [&](const auto& d) { network.dhcp(d); };
    network.acknowledgement.your_address = kAddress + 1;
    network.pass(60);
    EXPECT_EQ(network.setup().figures().address, kAddress + 1);
    EXPECT_TRUE(network.has_line("address 10.2.0.8 from 10.2.0.1"));
}

TEST(ManagedSetupTest, ARefusedRenewalEndsTheLease) {
    TestNetwork network;
    network.start();
    network.run(10);
    network.acknowledgement.kind = DhcpKind::nak;
    network.pass(1801);
    EXPECT_EQ(network.setup().figures().lost_leases, 1U);
    EXPECT_TRUE(network.has_line("address lost: the DHCP server refused to renew the lease"));
    network.acknowledgement.kind = DhcpKind::ack;
    network.pass(60);
    EXPECT_EQ(network.setup().figures().address, kAddress);
}

/// The lease ends while the station waits for a file.
TEST(ManagedSetupTest, ALeaseLostDuringSetUpEndsIt) {
    for (const bool needed : {true, false}) {
        auto config = TestNetwork::plain();
        config.needs_address = needed;
        config.needs_file = needed;
        TestNetwork network(config);
        network.acknowledgement.lease_s = 1;
        network.tftp_server = kSilent;
        network.dhcp_server = [&](const UdpDatagram& d) {
            if (network.setup().step() == ManagedStep::address) network.dhcp(d);
        };
        network.start();
        EXPECT_NEAR(network.run(5000), 60, 1);
        EXPECT_EQ(network.setup().step(), needed ? ManagedStep::failed : ManagedStep::done);
        EXPECT_EQ(network.setup().figures().lost_leases, 1U);
        network.pass(1000);
        EXPECT_EQ(network.setup().figures().lost_leases, 1U);
    }
}

/// Packets that are not awaited change nothing and are counted.
TEST(ManagedSetupTest, OtherPacketsAreIgnored) {
    TestNetwork network;
    network.setup().receive(Buffer{1, 2, 3});
    network.start();
    network.run(10);
    const auto before = network.setup().figures();
    const Buffer octets(4, 0);
    for (const uint16_t port : {uint16_t{68}, TimeClient::kClientPort, TftpClient::kFirstPort, uint16_t{1}})
        for (const uint32_t to : {kAddress, kAddress + 1, kLimitedBroadcast, 0U})
            network.send({kServer, to, 37, port, octets});
    network.setup().receive(Buffer(20, 0x45));
    network.frame();
    const auto after = network.setup().figures();
    EXPECT_EQ(before.ignored, 1U);
    EXPECT_EQ(after.ignored, 18U);
    EXPECT_EQ(after.received, before.received + 17);
    EXPECT_EQ(after.address, kAddress);
    EXPECT_EQ(after.time_s, before.time_s);
}

/// Servers that send each kind of packet at any time, with random fields.
TEST(ManagedSetupTest, HostileServersEndNothingButTheSetUp) {
    std::mt19937 random(6);
    for (int i = 0; i < 300; ++i) {
        auto config = TestNetwork::plain();
        config.file_pause_ms = 1000;
        config.file_request_tries = 4;
        TestNetwork network(config);
        const auto spoil = [&](const UdpDatagram& d, const auto& serve) {
            for (unsigned k = random() % 3; k > 0; --k) serve(d);
            if (random() % 2) network.acknowledgement.lease_s = static_cast<uint32_t>(random());
            if (random() % 8 == 0) network.acknowledgement.your_address = static_cast<uint32_t>(random());
            if (random() % 8 == 0) network.acknowledgement.kind = static_cast<DhcpKind>(1 + random() % 8);
            if (random() % 4 == 0) network.send_block(d, static_cast<unsigned>(1 + random() % 40));
            if (random() % 8 == 0) network.send_error(d, 3, std::string(random() % 900, '\x80'));
            if (random() % 4 == 0) network.contents.resize(random() % 20'000);
        };
        network.dhcp_server = [&](const auto& d) { spoil(d, [&](const auto& x) { network.dhcp(x); }); };
        network.time_server = [&](const auto& d) { spoil(d, [&](const auto& x) { network.time(x); }); };
        network.tftp_server = [&](const auto& d) { spoil(d, [&](const auto& x) { network.tftp(x); }); };
        network.start();
        EXPECT_LT(network.run(20'000), 5000.0);
        EXPECT_FALSE(network.setup().running());
        EXPECT_LT(network.sent, 1000U);
    }
}

}  // namespace test_mac_managed_setup
