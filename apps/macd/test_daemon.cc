/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <macd/daemon.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

namespace wimax::macd {
namespace {

/// Both neighbours of the daemon write what happens into one list.
struct Trace {
    std::vector<std::string> lines;
    std::deque<sap::Message> incoming;
    StopSignal* stop = nullptr;
};

struct FakePort final : sap::Port {
    explicit FakePort(Trace& t) : trace(t) {}
    using Port::send;
    bool send(const sap::MessageRef& m) override {
        static constexpr const char* kNames[] = {"config", "confirm", "profiles", "tick",
                                                 "tx",     "expect",  "burst",    "error"};
        trace.lines.push_back(std::string("send ") + kNames[m.index()]);
        return true;
    }
    std::optional<sap::Message> poll(std::chrono::milliseconds, std::span<const int>) override {
        if (trace.incoming.empty()) {
            trace.stop->raise();
            return std::nullopt;
        }
        auto m = trace.incoming.front();
        trace.incoming.pop_front();
        return m;
    }
    bool peer_alive() override { return true; }
    uint64_t mac_session() const override { return 1; }
    uint64_t phy_session() const override { return 2; }
    const sap::PortCounters& counters() const override { return count; }
    Trace& trace;
    sap::PortCounters count;
};

struct FakeStation final : mac::Station {
    FakeStation(Trace& t, bool is_bs) : trace(t), bs(is_bs) {}
    sap::ConfigRequest phy_config() const override { return {}; }
    void on_phy_start(const sap::ConfigConfirm&) override { trace.lines.push_back("start"); }
    void on_tick(const sap::FrameTick&, sap::TxFrame& tx, sap::RxExpect& expect) override {
        trace.lines.push_back("on_tick");
        EXPECT_TRUE(tx.bursts.empty() && expect.allocations.empty()) << "left over from the frame before";
        tx.bursts.resize(2);
        expect.allocations.resize(2);
    }
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect&) override {
        trace.lines.push_back("on_burst");
        on_sdu(burst.payload);
        changed = true;
        return !bs;
    }
    void on_error(const sap::ErrorIndication&) override { trace.lines.push_back("on_error"); }
    bool profiles_changed(sap::ProfilesRequest&) override { return std::exchange(changed, false) && !bs; }
    bool push_sdu(mac::Octets packet) override {
        trace.lines.push_back("sdu " + std::to_string(packet.size()));
        return true;
    }
    std::string status_json() const override { return R"({"x":1})"; }
    bool operational() const override { return true; }
    Trace& trace;
    bool bs, changed = false;
};

struct Result {
    int status;
    std::vector<std::string> lines;
    nlohmann::json json;
};

Result run(MacdConfig config, std::deque<sap::Message> incoming) {
    StopSignal stop(30);
    ControlServer control("");
    log::StatusWriter writer(false, "");
    Trace trace{{}, std::move(incoming), &stop};
    Daemon daemon(config, std::make_unique<FakeStation>(trace, config.role == sap::Role::base_station),
                  std::make_unique<FakePort>(trace), nullptr, stop, control, writer);
    const int status = daemon.run();
    return {status, trace.lines, nlohmann::json::parse(control.answer(R"({"get":"status"})"))["status"]};
}

sap::FrameTick tick(uint32_t n) {
    sap::FrameTick t;
    t.frame_number = n;
    t.sample_rate_hz = 1000;
    t.frame_start_sample = n * 10;
    return t;
}

using Strings = std::vector<std::string>;

TEST(Daemon, BaseStationFrame) {
    MacdConfig config;
    config.traffic = {{.start_s = 0.01, .period_s = 0.005, .count = 2, .size_bytes = 100}};
    sap::RxBurst burst;
    burst.detected = true;
    burst.payload = {1, 2, 3};
    sap::ErrorIndication late;
    const auto result = run(config, {sap::ConfigConfirm{}, tick(1), burst, late, tick(2), tick(5)});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.lines,
              (Strings{"send config", "start", "sdu 100", "on_tick", "send expect", "send tx", "on_burst", "on_error",
                       "sdu 100", "on_tick", "send expect", "send tx", "on_tick", "send expect", "send tx"}));
    EXPECT_EQ(result.json["frames"], 3);
    EXPECT_EQ(result.json["missed_frames"], 2);
    EXPECT_EQ(result.json["errors"]["late"], 1);
    EXPECT_EQ(result.json["bursts"]["bad"], 1);
    EXPECT_EQ(result.json["traffic"]["received"], 1);
    EXPECT_EQ(result.json["station"]["x"], 1);
    EXPECT_EQ(result.json["simulated_s"], 0.05);
}

TEST(Daemon, SubscriberStationFrame) {
    MacdConfig config;
    config.role = sap::Role::subscriber_station;
    sap::RxBurst burst;
    burst.detected = burst.fec_ok = true;
    sap::FrameTick searching = tick(9);
    searching.synchronised = false;
    const auto result = run(config, {sap::ConfigConfirm{}, searching, burst, tick(1)});
    EXPECT_EQ(result.lines, (Strings{"send config", "start", "on_tick", "send tx", "on_burst", "send expect",
                                     "send profiles", "on_tick", "send tx"}));
    EXPECT_EQ(result.json["frames"], 1);
    EXPECT_EQ(result.json["missed_frames"], 0);
    EXPECT_EQ(result.json["role"], "ss");
}

/// An interface whose MTU was raised from outside gives packets that no SDU holds: counted by name, not lost silently.
TEST(Daemon, PacketsLongerThanAnSduAreCounted) {
    MacdConfig config;
    config.traffic = {{.start_s = 0.01, .period_s = 0.001, .count = 2, .size_bytes = 2040},
                      {.start_s = 0.01, .period_s = 0.001, .count = 3, .size_bytes = 2041}};
    const auto result = run(config, {sap::ConfigConfirm{}, tick(5)});
    EXPECT_EQ(std::count(result.lines.begin(), result.lines.end(), "sdu 2040"), 2);
    EXPECT_EQ(std::count(result.lines.begin(), result.lines.end(), "sdu 2041"), 0);
    EXPECT_EQ(result.json["sdus"]["in"], 5);
    EXPECT_EQ(result.json["sdus"]["too_long"], 3);
}

/// Another MAC has taken the PHY: this one waits, and goes on when it has it back.
TEST(Daemon, SupersededItWaits) {
    sap::ConfigConfirm taken;
    taken.superseded = true;
    taken.faults = {"mac_session: a newer MAC has taken this PHY"};
    const auto result = run(MacdConfig{}, {sap::ConfigConfirm{}, tick(1), taken, sap::ConfigConfirm{}, tick(7)});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.lines, (Strings{"send config", "start", "on_tick", "send expect", "send tx", "start", "on_tick",
                                     "send expect", "send tx"}));
    EXPECT_EQ(result.json["superseded"], 1);
    EXPECT_EQ(result.json["phy_starts"], 2);
    EXPECT_EQ(result.json["missed_frames"], 0);
}

TEST(Daemon, RefusalEndsIt) {
    sap::ConfigConfirm refusal;
    refusal.faults = {"bandwidth_hz: 1, allowed 2"};
    const auto result = run(MacdConfig{}, {refusal, tick(1)});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.lines, Strings{"send config"});
}

}  // namespace
}  // namespace wimax::macd
