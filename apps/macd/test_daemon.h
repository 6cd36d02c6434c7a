// SPDX-License-Identifier: GPL-3.0-or-later
// Test bench of the daemon: between a port and a station that write what happens into one list.
#pragma once

#include "macd/mac_daemon.h"
#include "macd/test_station.h"

#include <gtest/gtest.h>

#include <deque>

namespace wimax::macd::test {

using Strings = std::vector<std::string>;

struct Trace {
    Strings lines;
    std::deque<sap::Message> incoming;
    StopSignal* stop = nullptr;
    sap::PortCounters port;
    bool peer_alive = true, operational = true;
    nlohmann::json station_status{{"x", 1}};
};

struct FakePort final : sap::Port {
    explicit FakePort(Trace& t) : trace(t) {}
    using Port::send;
    bool send(const sap::MessageRef& m) override {
        static constexpr const char* kNames[] = {"config", "confirm", "profiles", "tick",
                                                 "tx",     "expect",  "burst",    "error"};
        std::string line = std::string("send ") + kNames[m.index()];
        if (const auto* tx = std::get_if<const sap::TxFrame*>(&m))
            line += " " + std::to_string((*tx)->frame_number.value());
        if (const auto* rx = std::get_if<const sap::RxExpect*>(&m))
            line += " " + std::to_string((*rx)->frame_number.value());
        trace.lines.push_back(line);
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
    bool peer_alive() override { return trace.peer_alive; }
    uint64_t mac_session() const override { return 0x1A; }
    uint64_t phy_session() const override { return 0x2B; }
    const sap::PortCounters& counters() const override { return trace.port; }
    Trace& trace;
};

/// Sends two bursts per frame, of rates 1 and 5; requests another channel if it receives nothing; delivers the payload
/// of received bursts; refuses packets of 99 octets.
struct FakeStation final : IdleStation {
    FakeStation(Trace& t, bool is_bs) : trace(t), bs(is_bs) {}
    sap::ConfigRequest phy_config() const override { return {}; }
    void on_phy_start(const sap::ConfigConfirm&) override { trace.lines.push_back("start"); }
    void on_phy_refusal() override {
        trace.lines.push_back("refused");
        searching = !bs;
    }
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override {
        searching = !tick.synchronised;
        trace.lines.push_back("on_tick");
        EXPECT_TRUE(expect.allocations.empty()) << "left over from the frame before";
        tx.frame_number = expect.frame_number = tick.frame_number;
        tx.bursts.assign(2, {});
        tx.bursts[0].format.rate_id = 1;
        tx.bursts[1].format.rate_id = 5;
        expect.allocations.resize(2);
    }
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override {
        trace.lines.push_back("on_burst");
        EXPECT_TRUE(expect.allocations.empty()) << "left over from the frame before";
        expect.frame_number = burst.frame_number;
        if (!burst.payload.empty()) on_sdu(burst.payload);
        changed = true;
        return !bs;
    }
    void on_contention(const sap::RxContention&) override { trace.lines.push_back("on_contention"); }
    void on_error(const sap::ErrorIndication&) override { trace.lines.push_back("on_error"); }
    bool phy_config_changed(sap::ConfigRequest&) override { return std::exchange(searching, false); }
    bool profiles_changed(sap::ProfilesRequest&) override { return std::exchange(changed, false) && !bs; }
    wimax::Faults change_profile(const mac::BaseStationProfile& profile) override {
        profiles.push_back(profile.reservation_timeout);
        return wimax::Faults();
    }
    std::vector<int> profiles;  ///< reservation timeouts of those that were set
    bool push_sdu(mac::Octets packet) override {
        trace.lines.push_back("sdu " + std::to_string(packet.size()));
        return packet.size() != 99;
    }
    nlohmann::json status() const override { return trace.station_status; }
    bool operational() const override { return trace.operational; }
    Trace& trace;
    bool bs, changed = false, searching = false;
};

struct Bench {
    MacdConfig config;
    StopSignal stop{30};
    ControlServer control;
    StatusWriter writer;
    config::Schema schema;
    DaemonParts parts{schema, stop, writer, control};
    Trace trace;
    Daemon daemon;

    explicit Bench(const MacdConfig& c, bool console = false, const std::string& stats = "",
                   std::unique_ptr<Tun> tun = nullptr)
        : config(c),
          writer(console),
          daemon(config, station(trace, config.role == sap::Role::base_station), std::make_unique<FakePort>(trace),
                 std::move(tun), parts) {
        trace.stop = &stop;
        EXPECT_TRUE(stats.empty() || writer.open(stats));
    }
    /// With the roles of both kinds.
    static ServedStation station(Trace& trace, bool is_bs) {
        auto fake = std::make_unique<FakeStation>(trace, is_bs);
        mac::PhyChanges* changes = fake.get();
        ServedStation served(std::unique_ptr<mac::BaseStationMac>(std::move(fake)));
        served.changes = changes;
        return served;
    }
    void handle(std::initializer_list<sap::Message> messages) {
        for (sap::Message message : messages) daemon.handle(message);
    }
    nlohmann::json status() { return nlohmann::json::parse(control.answer(R"({"get":"status"})"))["status"]; }
    /// Standard output of write_status(); the writer must exist already.
    std::string console_line() {
        testing::internal::CaptureStdout();
        daemon.write_status();
        return testing::internal::GetCapturedStdout();
    }
};

/// 1000 samples/s, frames of 10 samples.
inline sap::FrameTick tick(uint32_t n) {
    sap::FrameTick t;
    t.frame_number = sap::FrameNumber(n);
    t.sample_rate_hz = 1000;
    t.frame_start_sample = int64_t{n} * 10;
    return t;
}

}  // namespace wimax::macd::test
