// SPDX-License-Identifier: GPL-3.0-or-later
// A TUN interface in a separate namespace. Needs the right to make both; without it the tests are skipped with a
// message.
#include "macd/netns.h"
#include "macd/test_daemon.h"
#include "macd/tun.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

namespace wimax::macd {
namespace {

struct TunTest : testing::Test {
    TunConfig config;
    void SetUp() override {
        config.name = "wmxtest0";
        config.netns = "wmxtest" + std::to_string(::getpid());
        config.address = "10.97.0.1/24";
        config.routes = {{"10.98.0.0/16", ""}, {"10.99.0.0/16", "10.97.0.2"}};
        if (::geteuid() != 0) GTEST_SKIP() << "not root: TUN interfaces and namespaces cannot be made; run as root";
        if (::access("/dev/net/tun", F_OK) != 0) GTEST_SKIP() << "/dev/net/tun is missing; type: sudo modprobe tun";
    }
    std::unique_ptr<Tun> open() const {
        auto opened = Tun::open(config);
        EXPECT_TRUE(opened) << opened.error().str();
        return std::move(opened).value();
    }
    bool namespace_exists() const { return ::access(("/run/netns/" + config.netns).c_str(), F_OK) == 0; }
    /// A thread that works inside the namespace.
    void inside(const std::function<void()>& work) const {
        std::thread([&] {
            ASSERT_TRUE(enter_netns(config.netns));
            work();
        }).join();
    }
    /// Output of `ip` in the namespace.
    std::string ip(const std::string& arguments) const { return output("ip -n " + config.netns + " " + arguments); }
    static std::string output(const std::string& command) {
        std::string said;
        FILE* pipe = ::popen(command.c_str(), "r");
        for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
        if (pipe) ::pclose(pipe);
        return said;
    }
    static std::span<const uint8_t> read_soon(Tun& tun) {
        for (int i = 0; i < 1000; ++i) {
            const auto packet = tun.read();
            if (!packet.empty()) return packet;
            ::poll(nullptr, 0, 1);
        }
        return {};
    }
};

sockaddr_in to(const char* address) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(5001);
    ::inet_pton(AF_INET, address, &a.sin_addr);
    return a;
}

TEST_F(TunTest, AnInterfaceThatCannotBeSetUpLeavesNoNamespace) {
    config.routes = {{"10.99.0.0/16", "192.0.2.1"}};  // no interface leads to this gateway
    const auto opened = Tun::open(config);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().str().find("10.99.0.0/16"), std::string::npos) << opened.error().str();
    EXPECT_FALSE(namespace_exists());
}

TEST_F(TunTest, CarriesFullSizedPacketsBothWaysAndCleansUp) {
    auto opened = open();
    Tun& tun = *opened;
    EXPECT_TRUE(namespace_exists());
    inside([&] {
        const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const sockaddr_in own = to("10.97.0.1");
        ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
        const std::vector<uint8_t> data(1500 - 28, 0xAB);
        // The connected subnet and both routes lead to the interface.
        for (const char* address : {"10.97.0.2", "10.98.3.4", "10.99.3.4"}) {
            const sockaddr_in peer = to(address);
            ASSERT_EQ(::sendto(fd, data.data(), data.size(), 0, reinterpret_cast<const sockaddr*>(&peer), sizeof peer),
                      static_cast<ssize_t>(data.size()));
            auto packet = read_soon(tun);
            ASSERT_EQ(packet.size(), 1500U) << address;
            // With its addresses swapped, the packet returns to the socket. Checksums do not depend on their order.
            std::vector<uint8_t> back(packet.begin(), packet.end());
            std::swap_ranges(back.begin() + 12, back.begin() + 16, back.begin() + 16);
            EXPECT_TRUE(tun.write(back));
            uint8_t buffer[2000];
            pollfd p{fd, POLLIN, 0};
            ASSERT_EQ(::poll(&p, 1, 5000), 1);
            EXPECT_EQ(::recv(fd, buffer, sizeof buffer, 0), static_cast<ssize_t>(data.size()));
        }
        ::close(fd);
    });
    EXPECT_EQ(tun.counters().packets_in, 3U);
    EXPECT_EQ(tun.counters().packets_out, 3U);
    EXPECT_EQ(tun.counters().bytes_in, 4500U);
    EXPECT_EQ(tun.counters().bytes_out, 4500U);
    opened.reset();
    EXPECT_FALSE(namespace_exists());
}

/// Settings in the kernel, as `ip` prints them.
TEST_F(TunTest, KernelHasEverySetting) {
    config.mtu = 1437;
    config.txqueuelen = 77;
    config.address = "10.97.0.1/20";
    config.peer = "10.96.9.9";
    config.routes = {
        {"10.98.255.7/17", ""}, {"10.99.0.0/16", "10.96.0.2"}, {"10.95.1.2", ""}, {"0.0.0.0/0", "10.96.0.3"}};
    auto opened = open();
    const std::string link = ip("link show dev wmxtest0");
    for (const char* text : {"mtu 1437", "qlen 77", "POINTOPOINT", ",UP"})
        EXPECT_NE(link.find(text), std::string::npos) << text << " in\n" << link;
    EXPECT_NE(ip("address show dev wmxtest0").find("inet 10.97.0.1 peer 10.96.9.9/20 "), std::string::npos)
        << ip("address show dev wmxtest0");
    EXPECT_NE(ip("address show dev lo").find("inet 127.0.0.1/8"), std::string::npos) << "loopback is not up";
    EXPECT_EQ(ip("route show proto boot"),
              "default via 10.96.0.3 dev wmxtest0 \n"
              "10.95.1.2 dev wmxtest0 scope link \n"
              "10.98.128.0/17 dev wmxtest0 scope link \n"
              "10.99.0.0/16 via 10.96.0.2 dev wmxtest0 \n");
}

TEST_F(TunTest, WhatTheKernelRefusesIsNamed) {
    config.routes = {{"10.99.0.0/16", "10.200.0.1"}};
    const auto tun = Tun::open(config);
    ASSERT_FALSE(tun);
    EXPECT_EQ(tun.error().str(), "interface wmxtest0, route to 10.99.0.0/16: Network is unreachable");
}

/// Raw packets of any version reach the interface; read() returns only IPv4.
TEST_F(TunTest, OtherThanIpv4IsDroppedAndCounted) {
    auto opened = open();
    Tun& tun = *opened;
    inside([&] {
        const int fd = ::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_ll out{};
        out.sll_family = AF_PACKET;
        out.sll_ifindex = static_cast<int>(::if_nametoindex("wmxtest0"));
        for (const uint8_t first : {0x60, 0x55, 0x00, 0x45}) {
            const uint8_t packet[40] = {first};
            out.sll_protocol = htons(first == 0x60 ? ETH_P_IPV6 : ETH_P_IP);
            ASSERT_EQ(::sendto(fd, packet, sizeof packet, 0, reinterpret_cast<const sockaddr*>(&out), sizeof out), 40);
        }
        ::close(fd);
    });
    const auto packet = read_soon(tun);
    ASSERT_EQ(packet.size(), 40U);
    EXPECT_EQ(packet[0], 0x45);
    EXPECT_EQ(tun.counters().not_ipv4, 3U);
    EXPECT_EQ(tun.counters().packets_in, 1U);
    EXPECT_EQ(tun.counters().bytes_in, 40U);
    EXPECT_FALSE(tun.write(std::vector<uint8_t>{0x00})) << "no IP packet";
    EXPECT_EQ(tun.counters().write_errors, 1U);
    EXPECT_EQ(tun.counters().packets_out, 0U);
}

/// With an IPv6 address the interface has IPv6, and the kernel answers for it.
TEST_F(TunTest, Ipv6GoesBothWays) {
    config.ipv6_address = "fd97::1/64";
    auto opened = open();
    Tun& tun = *opened;
    inside([&] {
        const int fd = ::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        sockaddr_in6 peer{};
        peer.sin6_family = AF_INET6;
        peer.sin6_port = htons(9);
        ASSERT_EQ(::inet_pton(AF_INET6, "fd97::2", &peer.sin6_addr), 1);
        const uint8_t data[72] = {};
        ASSERT_EQ(::sendto(fd, data, sizeof data, 0, reinterpret_cast<const sockaddr*>(&peer), sizeof peer), 72);
        ::close(fd);
    });
    std::vector<uint8_t> sent;
    for (int i = 0; i < 20 && sent.empty(); ++i) {  // the kernel also sends multicast listener reports
        const auto packet = read_soon(tun);
        if (packet.size() == 40 + 8 + 72) sent.assign(packet.begin(), packet.end());
    }
    ASSERT_EQ(sent.size(), 120U);
    EXPECT_EQ(sent[0] >> 4, 6);
    EXPECT_EQ(tun.counters().not_ipv4, 0U);
    std::swap_ranges(sent.begin() + 8, sent.begin() + 24, sent.begin() + 24);  // back to its sender
    EXPECT_TRUE(tun.write(sent));
}

/// A TAP interface: whole frames, with their tags.
TEST_F(TunTest, FramesOfEthernetGoBothWays) {
    config.kind = mac::UserLink::ethernet;
    auto opened = open();
    Tun& tun = *opened;
    std::vector<uint8_t> frame(100, 0x55);
    const uint8_t head[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, 0x20, 0x07, 0x88, 0xB5};
    std::copy(std::begin(head), std::end(head), frame.begin());
    inside([&] {
        const int fd = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
        sockaddr_ll out{};
        out.sll_family = AF_PACKET;
        out.sll_ifindex = static_cast<int>(::if_nametoindex("wmxtest0"));
        ASSERT_EQ(::sendto(fd, frame.data(), frame.size(), 0, reinterpret_cast<const sockaddr*>(&out), sizeof out),
                  100);
        ::close(fd);
    });
    const auto read = read_soon(tun);
    EXPECT_EQ(std::vector<uint8_t>(read.begin(), read.end()), frame);
    EXPECT_EQ(tun.counters().not_ipv4, 0U);
    EXPECT_TRUE(tun.write(frame));
}

/// One tick takes all packets that the kernel has queued since the last; there is no second, smaller limit.
TEST_F(TunTest, ATickTakesAllThatTheQueueHolds) {
    config.txqueuelen = 3000;
    auto opened = open();
    inside([&] {
        const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const sockaddr_in peer = to("10.97.0.2");
        const uint8_t data[72] = {};
        for (int i = 0; i < 2500; ++i)
            ASSERT_EQ(::sendto(fd, data, sizeof data, 0, reinterpret_cast<const sockaddr*>(&peer), sizeof peer), 72);
        ::close(fd);
    });
    MacdConfig whole;
    whole.tun = config;
    test::Bench bench(whole, false, "", std::move(opened));
    bench.handle({sap::ConfigConfirm{}, test::tick(1)});
    EXPECT_EQ(bench.status()["sdus"]["in"], 2500);
    EXPECT_EQ(
        bench.status()["tun"],
        (nlohmann::json{
            {"name", "wmxtest0"}, {"packets_in", 2500}, {"packets_out", 0}, {"not_ipv4", 0}, {"write_errors", 0}}));
}

/// A namespace with running programs is not removed, and does not prevent the end.
TEST_F(TunTest, NamespaceInUseStays) {
    auto opened = open();
    int entered[2], done[2];
    ASSERT_EQ(::pipe(entered), 0);
    ASSERT_EQ(::pipe(done), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        char c = enter_netns(config.netns) ? '1' : '0';
        ::close(done[1]);
        if (::write(entered[1], &c, 1) == 1) [[maybe_unused]]
            const auto n = ::read(done[0], &c, 1);
        ::_exit(0);
    }
    char c = '0';
    ASSERT_EQ(::read(entered[0], &c, 1), 1);
    ASSERT_EQ(c, '1');
    opened.reset();
    EXPECT_TRUE(namespace_exists());
    EXPECT_FALSE(remove_netns(config.netns));
    for (const int fd : {entered[0], entered[1], done[0], done[1]}) ::close(fd);  // ends it
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(remove_netns(config.netns));
    EXPECT_FALSE(namespace_exists());
}

/// Path MTU discovery of the kernel: a packet with DF that no SDU can carry is refused, the next one fits.
TEST_F(TunTest, SendersLearnTheLargestPacket) {
    auto opened = open();
    ip("link set wmxtest0 mtu 9000");
    MacdConfig mac;
    mac.tun = config;
    test::Bench bench(mac, false, "", std::move(opened));
    uint32_t frame = 0;
    const auto ping = [&](const std::string& options) {  // simulated time continues meanwhile, 10 ms per iteration
        std::string said;
        std::atomic<bool> done{false};
        std::thread user([&] {
            said = output("ip netns exec " + config.netns + " ping -c 1 -W 1 " + options + " 10.97.0.9");
            done = true;
        });
        for (; !done; ::poll(nullptr, 0, 1)) bench.handle({test::tick(++frame)});
        user.join();
        return said;
    };
    const auto sdus = [&](const char* line) {
        return std::count(bench.trace.lines.begin(), bench.trace.lines.end(), line);
    };
    const std::string said = ping("-M do -s 3000");
    EXPECT_NE(said.find("From 10.97.0.9 icmp_seq=1 Frag needed and DF set (mtu = 2040)"), std::string::npos) << said;
    EXPECT_EQ(bench.status()["sdus"]["frag_needed"], 1);
    ping("-M do -s 2012");
    EXPECT_EQ(sdus("sdu 2040"), 1);
    ping("-M want -s 3000");  // in fragments made by the kernel, which knows the MTU now
    EXPECT_EQ(sdus("sdu 2036"), 1);
    EXPECT_EQ(sdus("sdu 1012"), 1);
    EXPECT_EQ(bench.status()["sdus"]["too_long"], 1);
}

/// A flood of such packets gets ten ICMP errors per second of samples.
TEST_F(TunTest, AnswersToTooLongPacketsAreLimited) {
    auto opened = open();
    ip("link set wmxtest0 mtu 9000");
    MacdConfig mac;
    mac.tun = config;
    test::Bench bench(mac, false, "", std::move(opened));
    const auto flood = [&](uint32_t frame) {
        inside([&] {
            const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            const int probe = IP_PMTUDISC_PROBE;  // DF, independent of the path MTU that the kernel has learnt
            ::setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &probe, sizeof probe);
            const std::vector<char> payload(3000);
            const auto address = to("10.97.0.9");
            for (int i = 0; i < 25; ++i)
                ::sendto(fd, payload.data(), payload.size(), 0, reinterpret_cast<const sockaddr*>(&address),
                         sizeof address);
            ::close(fd);
        });
        bench.handle({test::tick(frame)});
    };
    flood(1);
    EXPECT_EQ(bench.status()["sdus"]["frag_needed"], 10);
    EXPECT_EQ(bench.status()["sdus"]["too_long"], 25);
    flood(100);  // 10 ms a frame
    EXPECT_EQ(bench.status()["sdus"]["frag_needed"], 10);
    flood(101);
    EXPECT_EQ(bench.status()["sdus"]["frag_needed"], 20);
    EXPECT_EQ(bench.status()["sdus"]["too_long"], 75);
}

TEST_F(TunTest, SuccessorOfAKilledProcessTakesOver) {
    const pid_t child = ::fork();
    if (child == 0) {
        auto tun = Tun::open(config);
        if (!tun) ::_exit(1);
        ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the first process could not open the interface";
    EXPECT_TRUE(namespace_exists());
    auto tun = Tun::open(config);
    ASSERT_TRUE(tun) << tun.error().str();
    auto second = Tun::open(config);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().str().find("in use"), std::string::npos) << second.error().str();
    tun->reset();
    EXPECT_FALSE(namespace_exists());
}

TEST_F(TunTest, NamespaceOfOthersStays) {
    ASSERT_EQ(std::system(("ip netns add " + config.netns).c_str()), 0);
    {
        auto tun = Tun::open(config);
        EXPECT_TRUE(tun) << tun.error().str();
    }
    EXPECT_TRUE(namespace_exists());
    ASSERT_EQ(std::system(("ip netns delete " + config.netns).c_str()), 0);
}

TEST(TunRights, MissingRightIsNamedWithTheCommand) {
    int out[2];
    ASSERT_EQ(::pipe(out), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
        TunConfig config;
        config.name = "wmxtest1";
        const auto tun = Tun::open(config);
        const std::string text = tun ? "opened" : tun.error().str();
        ::_exit(::write(out[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    ::close(out[1]);
    char text[8192];
    const ssize_t n = ::read(out[0], text, sizeof text);
    ::close(out[0]);
    ::waitpid(child, nullptr, 0);
    ASSERT_GT(n, 0);
    const std::string said(text, static_cast<size_t>(n));
    if (said.find("modprobe") != std::string::npos) return;  // no TUN at all on this machine: also named
    EXPECT_NE(said.find("CAP_NET_ADMIN"), std::string::npos) << said;
    EXPECT_NE(said.find("sudo"), std::string::npos) << said;
}

}  // namespace
}  // namespace wimax::macd
