// SPDX-License-Identifier: GPL-3.0-or-later
// Follows a packet from the TUN interface to the radio, and a grant from the radio to the modulator, through one end's
// MAC and PHY in this process. The functions of the tables in docs/architecture.md must be entered in that order,
// within one frame, with that number of copies.
#include "walk_probes.h"

#include "common/child_process.h"
#include "common/scratch.h"
#include "mac/test_packets.h"
#include "macd/mac_daemon.h"
#include "macd/netns.h"
#include "phyd/air_interfaces.h"
#include "phyd/service.h"
#include "sap/transport.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIMAX_COUNT_COPIES
// Every copy in this process and its libraries, in place of the C library's functions.
extern "C" {
void* memmove(void* to, const void* from, size_t n) noexcept {
    wimax::test::WalkProbes::note_copy(from, n);
    void* const begin = to;
    if (to <= from || static_cast<const char*>(from) + n <= to) {
        asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    } else {
        to = static_cast<char*>(to) + n - 1;
        from = static_cast<const char*>(from) + n - 1;
        asm volatile("std\n\trep movsb\n\tcld" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    }
    return begin;
}
void* memcpy(void* to, const void* from, size_t n) noexcept { return memmove(to, from, n); }
}
#endif

namespace wimax::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(60);  // only a hang takes that long
constexpr uint16_t kPort = 7000;

/// Rows "| step | `file` | `function` | copies | ..." below a heading.
std::vector<WalkStep> walk(const std::string& title) {
    std::ifstream in(WIMAX_SOURCE_DIR "/docs/architecture.md");
    std::vector<WalkStep> steps;
    std::string line;
    while (std::getline(in, line) && line != "### " + title) continue;
    while (std::getline(in, line) && !line.starts_with("#")) {
        std::istringstream row(line);
        std::vector<std::string> cells;
        for (std::string cell; std::getline(row, cell, '|');) {
            std::erase_if(cell, [](char c) { return c == ' ' || c == '`'; });
            cells.push_back(cell);
        }
        if (cells.size() < 6 || cells[1].find_first_not_of("0123456789") != std::string::npos) continue;
        steps.push_back({cells[2], cells[3], cells[4].empty() ? 0 : std::stoi(cells[4])});
    }
    return steps;
}

mac::ServiceFlowConfig suppressed_downlink() {
    mac::ServiceFlowConfig flow;
    flow.direction = mac::FlowDirection::downlink;
    mac::ClassifierConfig rule;
    rule.priority = 10;
    rule.protocols = {17};
    rule.source = {{mac::test::kServer, 0xFFFFFFFF}};
    rule.destination = {{mac::test::station_address(0), 0xFFFFFFFF}};
    rule.source_ports = rule.destination_ports = {{kPort, kPort}};
    rule.phsi = 1;
    flow.classifiers = {rule};
    flow.phs.resize(1);
    flow.phs[0].phsi = 1;
    flow.phs[0].ipv4_udp = true;
    return flow;
}

/// A MAC as the daemon has it, driven by the test.
struct Mac {
    macd::MacdConfig config;
    StopSignal stop{30};
    ControlServer control;
    StatusWriter writer{false};
    config::Schema schema;
    DaemonParts parts{schema, stop, writer, control};
    sap::Port* port = nullptr;
    std::unique_ptr<macd::Daemon> daemon;
    size_t ticks = 0;

    void start(const std::string& endpoint, std::unique_ptr<macd::Tun> tun) {
        auto opened = sap::open_mac_port(endpoint);
        ASSERT_TRUE(opened) << opened.error().str();
        port = opened->get();
        const bool bs = config.role == sap::Role::base_station;
        auto station = bs ? macd::ServedStation(mac::make_base_station(config.bs))
                          : macd::ServedStation(mac::make_subscriber_station(config.ss));
        port->send(station->phy_config());
        daemon = std::make_unique<macd::Daemon>(config, std::move(station), std::move(*opened), std::move(tun), parts);
    }
    /// The next message, not handled yet.
    std::optional<sap::Message> poll(milliseconds timeout) { return port->poll(timeout); }
    void handle(sap::Message& message) {
        ticks += std::holds_alternative<sap::FrameTick>(message);
        daemon->handle(message);
    }
    bool operational() { return daemon->status()["operational"]; }
};

class Walk : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "not root: TUN interfaces and namespaces cannot be made; run as root";
        if (::access("/dev/net/tun", F_OK) != 0) GTEST_SKIP() << "/dev/net/tun is missing; type: sudo modprobe tun";
        dir_ = Scratch::path(testing::UnitTest::GetInstance()->current_test_info()->name());
        ASSERT_TRUE(std::filesystem::create_directory(dir_));
        bs_.config.role = sap::Role::base_station;
        ss_.config.role = sap::Role::subscriber_station;
        bs_.config.bs.tx_gain_db = ss_.config.ss.tx_gain_db = 60;
        bs_.config.bs.rx_gain_db = ss_.config.ss.rx_gain_db = 30;
        mac::StationConfig station;
        station.mac = ss_.config.ss.mac;
        station.dl_rate_id = station.ul_rate_id = 3;
        station.ip_addresses = {{mac::test::station_address(0), 0xFFFFFF00}};
        station.flows = {suppressed_downlink(), {}};
        station.flows[1].direction = mac::FlowDirection::uplink;
        bs_.config.bs.stations = {station};
        std::minstd_rand random(5);
        for (auto& octet : data_) octet = static_cast<uint8_t>(random() >> 8);
    }
    void TearDown() override {
        far_phy_.reset();
        channel_.reset();
        stop_ = true;
        if (thread_.joinable()) thread_.join();
        if (!HasFailure()) return;
        for (const char* log : {"channel.log", "far.log"})
            std::cerr << "---- " << log << "\n" << std::ifstream(dir_ / log).rdbuf();
    }

    std::string socket() const { return (dir_ / "channel.sock").string(); }
    std::string sap_of(const std::string& name) const { return "ipc://" + (dir_ / (name + ".sap")).string(); }
    /// The device's rate is not the channel's: the resamplers work.
    static std::string device(const std::string& name, const std::string& socket) {
        return "type=vrf,name=" + name + ",addr=" + socket;
    }

    /// The PHY of one end works in this process, that of the other end in its own.
    void start(Mac& near, Mac& far) {
        const auto name = [this](const Mac& mac) { return std::string(&mac == &bs_ ? "bs" : "ss"); };
        std::ofstream(dir_ / "channel.yml") << "listen: [\"" << socket() << "\"]\ncontrol: {endpoint: \"\"}\n"
                                            << "sample_rate_hz: 6250000\n"
                                            << "time: {mode: commit, pace: free, wait_for: [bs, ss]}\n"
                                            << "links: [{from: bs, to: ss, path_loss_db: 90}]\n";
        channel_ = std::make_unique<ChildProcess>(
            dir_ / "channel.log",
            std::vector<std::string>{WIMAX_CHANNELD, "--config", (dir_ / "channel.yml").string()});
        far_phy_ = std::make_unique<ChildProcess>(
            dir_ / "far.log",
            std::vector<std::string>{WIMAX_PHYD, "--role", name(far), "--device", device(name(far), socket()), "--sap",
                                     sap_of(name(far)), "--radio.device_rate_hz", "6250000", "--radio.tx_enable",
                                     "true", "--radio.max_power_dbm", "36", "--set",
                                     "radio.allowed_bands=[{low_hz: 3.4e9, high_hz: 3.6e9}]"});
        phy_.role = near.config.role;
        phy_.radio.device_args = device(name(near), socket());
        phy_.radio.device_rate_hz = 6'250'000;
        phy_.radio.limits.allowed_bands = {{3.4e9, 3.6e9}};
        phy_.radio.limits.max_power_dbm = 36;
        phy_.tx_enable = phyd::TransmitSwitch::on;
        auto opened = sap::open_phy_port(sap_of(name(near)));
        ASSERT_TRUE(opened) << opened.error().str();
        phy_port_ = std::move(*opened);
        thread_ = std::thread([this] {
            phyd::Service service(phy_, *phy_port_, &phyd::open_transceiver);
            while (!stop_ || service.opening()) service.step(milliseconds(20), {});
        });
        macd::TunConfig tun;
        tun.name = "wmxwalk0";
        tun.netns = netns_;
        tun.address = "10.0.0.1/24";
        tun.routes = {{"10.0.1.0/24", ""}};
        auto interface = macd::Tun::open(tun);
        ASSERT_TRUE(interface) << interface.error().str();
        bs_.start(sap_of("bs"), std::move(*interface));
        ss_.start(sap_of("ss"), nullptr);
    }
    /// Handles messages of both ends until the next one of `mac` for which the condition holds: that one is not
    /// handled.
    template <class Condition> std::optional<sap::Message> until(Mac& mac, const Condition& condition) {
        for (const auto limit = steady_clock::now() + kPatience; steady_clock::now() < limit;)
            for (Mac* one : {&bs_, &ss_}) {
                auto message = one->poll(milliseconds(1));
                if (!message) continue;
                if (one == &mac && condition(*message)) return message;
                one->handle(*message);
            }
        ADD_FAILURE() << bs_.daemon->status().dump(1) << ss_.daemon->status().dump(1);
        return std::nullopt;
    }
    std::optional<sap::Message> next_tick(Mac& mac) {
        return until(mac, [](const auto& message) { return std::holds_alternative<sap::FrameTick>(message); });
    }
    /// The station has entered, and is served for some frames.
    void enter() {
        size_t served = 0;
        auto last = until(ss_, [&](const auto& message) {
            if (!std::holds_alternative<sap::FrameTick>(message)) return false;
            served += bs_.operational() && ss_.operational();
            return served > 30;
        });
        ASSERT_TRUE(last);
        ss_.handle(*last);
    }
    /// A user's packet, in the interface's queue when this returns.
    void send_packet(std::span<const uint8_t> data) const {
        std::thread([this, data] {
            ASSERT_TRUE(macd::enter_netns(netns_));
            const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            sockaddr_in own{};
            own.sin_family = AF_INET;
            own.sin_port = htons(kPort);
            own.sin_addr.s_addr = htonl(mac::test::kServer);
            ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
            own.sin_addr.s_addr = htonl(mac::test::station_address(0));
            ASSERT_EQ(::sendto(fd, data.data(), data.size(), 0, reinterpret_cast<const sockaddr*>(&own), sizeof own),
                      static_cast<ssize_t>(data.size()));
            ::close(fd);
        }).join();
    }
    std::span<const uint8_t> mark() const { return std::span(data_).subspan(600, 16); }

    /// Waits for the last step while neither MAC gets a message.
    static void expect_complete(const std::vector<WalkStep>& steps, const WalkProbes& probes) {
        for (const auto limit = steady_clock::now() + std::chrono::seconds(5);
             probes.reached() < steps.size() && steady_clock::now() < limit;)
            std::this_thread::sleep_for(milliseconds(1));
        std::string missing;
        for (size_t i = probes.reached(); i < steps.size(); ++i)
            missing += "\n" + std::to_string(i + 1) + " " + steps[i].function + " (" + steps[i].file + ")";
        EXPECT_EQ(missing, "") << "these were not entered after the one before them";
    }
    static void expect_found(const std::vector<WalkStep>& steps, const WalkProbes& probes) {
        for (size_t i = 0; i < steps.size(); ++i)
            EXPECT_TRUE(probes.found(i)) << steps[i].function << ": no such function, or it is inlined";
    }

    std::filesystem::path dir_;
    const std::string netns_ = "wmxwalk" + std::to_string(::getpid());
    std::array<uint8_t, 1200> data_{};
    Mac bs_, ss_;
    phyd::PhydConfig phy_;
    std::unique_ptr<sap::Port> phy_port_;
    std::unique_ptr<ChildProcess> channel_, far_phy_;
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

TEST_F(Walk, OfABurstFromTunToAntenna) {
    const auto steps = walk("A burst from TUN to antenna");
    ASSERT_GT(steps.size(), 20U);
    WalkProbes probes(steps);
    ASSERT_NO_FATAL_FAILURE(expect_found(steps, probes));
    ASSERT_NO_FATAL_FAILURE(start(bs_, ss_));
    ASSERT_NO_FATAL_FAILURE(enter());
    const std::vector<uint8_t> other(data_.size(), 0x55);
    for (int i = 0; i < 5; ++i) {  // buffers that are used again get their size
        auto tick = next_tick(bs_);
        ASSERT_TRUE(tick);
        send_packet(other);
        bs_.handle(*tick);
    }
    auto tick = next_tick(bs_);
    ASSERT_TRUE(tick);
    send_packet(data_);
    probes.start(mark());
    bs_.handle(*tick);
    expect_complete(steps, probes);
#ifdef WIMAX_COUNT_COPIES
    for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(probes.copies(i), steps[i].copies) << steps[i].function;
#endif
}

TEST_F(Walk, OfAGrantFromMapToSample) {
    const auto steps = walk("A grant from map to sample");
    ASSERT_GT(steps.size(), 15U);
    WalkProbes probes(steps);
    ASSERT_NO_FATAL_FAILURE(expect_found(steps, probes));
    ASSERT_NO_FATAL_FAILURE(start(ss_, bs_));
    ASSERT_NO_FATAL_FAILURE(enter());
    auto tick = next_tick(ss_);
    ASSERT_TRUE(tick);
    ss_.handle(*tick);
    probes.start({});
    tick = next_tick(ss_);
    ASSERT_TRUE(tick);
    ss_.handle(*tick);
    expect_complete(steps, probes);
}

}  // namespace
}  // namespace wimax::test
