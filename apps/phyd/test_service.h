// SPDX-License-Identifier: GPL-3.0-or-later
// The service with a MAC and an air that a test plays, for its tests.
#pragma once

#include "phyd/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace wimax::phyd::test {

using std::chrono::milliseconds;

/// The MAC's end: queues its messages, keeps those that it receives.
class FakePort final : public sap::Port {
public:
    using Port::send;
    bool send(const sap::MessageRef& message) override {
        if (on_send) on_send(message);
        std::visit([this](const auto* m) { told.emplace_back(*m); }, message);
        return true;
    }
    std::optional<sap::Message> poll(milliseconds, std::span<const int>) override {
        if (says.empty()) return std::nullopt;
        auto message = std::move(says.front());
        says.pop_front();
        return message;
    }
    bool peer_alive() override { return alive; }
    uint64_t mac_session() const override { return 11; }
    uint64_t phy_session() const override { return 13; }
    const sap::PortCounters& counters() const override { return counts; }

    /// All messages of one kind that the MAC received.
    template <typename T> std::vector<T> all() const {
        std::vector<T> found;
        for (const auto& m : told)
            if (const auto* t = std::get_if<T>(&m)) found.push_back(*t);
        return found;
    }

    std::function<void(const sap::MessageRef&)> on_send;
    std::deque<sap::Message> says;
    std::vector<sap::Message> told;
    bool alive = true;
    sap::PortCounters counts;
};

/// Calls of the service to the air, in order.
struct AirLog {
    std::vector<gr::wimax::TransmitFrame> frames;
    std::vector<gr::wimax::Expectation> expectations;
    std::vector<gr::wimax::Control> controls;
    int tried = 0, opened = 0, started = 0;
    std::shared_ptr<gr::wimax::SignalTap> signal;
    int listened = 0;
    std::optional<Heard> heard;
    Transceiver::Status status;
    Transceiver::Gains gains{50, 20};
    std::optional<std::string> lost;
    bool lock_step = true;
    gr::wimax::AnswerTimes answers;
    gr::wimax::TurnTimes turn_times;
    std::string fault;        ///< of opening, as a library throws it
    std::string refusal;      ///< of opening, as our own code returns it
    bool agc = false;         ///< the gain of the receiver follows its level
    std::string start_fault;  ///< "": it starts
};

inline constexpr int64_t kSampleRateHz = 5'760'000;

class FakeTransceiver final : public Transceiver {
public:
    FakeTransceiver(AirLog& log, const sap::ConfigRequest& request) : log_(log), request_(request) {
        ++log_.opened;
        radio_.lock_step = log_.lock_step;
        radio_.turn_times = log_.turn_times;
    }
    void start() override {
        ++log_.started;
        if (!log_.start_fault.empty()) throw std::runtime_error(log_.start_fault);
    }
    void post(gr::wimax::TransmitFrame frame) override { log_.frames.push_back(std::move(frame)); }
    void post(gr::wimax::Expectation expectation) override { log_.expectations.push_back(std::move(expectation)); }
    void post(const gr::wimax::Control& control) override { log_.controls.push_back(control); }
    bool serves(const sap::ConfigRequest& r) const override { return r.carriers == request_.carriers; }
    const Radio& radio() const override { return radio_; }
    Status status() const override { return log_.status; }
    gr::wimax::AnswerTimes answer_times() const override { return log_.answers; }
    std::optional<std::string> lost() const override { return log_.lost; }
    Gains gains() const override { return log_.gains; }
    Gains gains_now() const override { return {log_.gains.tx_db - 12.5, log_.gains.rx_db}; }
    Outcome set_gains(const Gains& gains) override {
        if (log_.agc && gains.rx_db != log_.gains.rx_db) return failure({}, "rx gain: follows what is received");
        if (gains.rx_db > 76) throw std::runtime_error("rx gain: too much");
        radio_.tx_reference_dbm += gains.tx_db - log_.gains.tx_db;
        radio_.rx_reference_dbm -= gains.rx_db - log_.gains.rx_db;
        log_.gains = gains;
        return {};
    }
    gr::wimax::SignalTap* signal() override { return log_.signal.get(); }
    void listen() override { ++log_.listened; }
    std::optional<Heard> heard() const override { return log_.heard; }

private:
    AirLog& log_;
    const sap::ConfigRequest request_;
    Radio radio_{30, -40, kSampleRateHz, true, "a radio"};
};

struct ServiceTest : testing::Test {
    PhydConfig config;
    FakePort port;
    AirLog air;
    Outbox* outbox = nullptr;
    std::future<void> gate;                ///< the next radio is opened when this is ready
    std::atomic<bool> unavailable{false};  ///< there is no device
    std::unique_ptr<Service> service;

    ServiceTest() {
        config.tx_enable = TransmitSwitch::on;
        config.radio.limits.allowed_bands = {{3.4e9, 3.6e9}};
        config.radio.limits.max_power_dbm = 36;
    }
    /// As FDD needs it.
    void transmit_without_pauses() {
        config.radio.limits.longest_burst_ms.reset();
        config.radio.limits.max_duty_cycle = 1;
    }
    void open(sap::Role role) {
        config.role = role;
        service = std::make_unique<Service>(
            config, port,
            [this](const auto&, const auto& request, auto& out) -> tl::expected<std::unique_ptr<Transceiver>, Fault> {
                outbox = &out;
                if (gate.valid()) std::exchange(gate, {}).wait();
                ++air.tried;
                if (unavailable) throw gr::wimax::DeviceUnavailable("nobody at /tmp/air");
                if (!air.fault.empty()) throw std::invalid_argument(air.fault);
                if (!air.refusal.empty()) return failure("bandwidth_hz", air.refusal);
                return std::make_unique<FakeTransceiver>(air, request);
            });
    }
    sap::ConfigRequest request() const {
        sap::ConfigRequest r;
        r.mac_session = 11;
        r.role = config.role;
        r.bandwidth_hz = 5'000'000;
        r.carriers.downlink_hz = 3'500'000'000;
        r.bsid = 0x1234567;
        r.first_frame_number = sap::FrameNumber(100);
        return r;
    }
    void step() { service->step(milliseconds(0), {}); }
    /// Steps until it is so. The limit only ends a test that has failed.
    bool until(const std::function<bool()>& condition) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > limit) return false;
            step();
        }
        return true;
    }
    bool opened() {
        return until([this] { return !service->opening(); });
    }
    void say(sap::Message message) {
        port.says.push_back(std::move(message));
        step();
    }
    void report(Report r) {
        outbox->push(std::move(r));
        step();
    }
    void attach(sap::Role role) {
        open(role);
        say(request());
        ASSERT_TRUE(opened());
        ASSERT_EQ(port.all<sap::ConfigConfirm>().size(), 1U);
        ASSERT_TRUE(port.all<sap::ConfigConfirm>()[0].faults.empty());
        port.told.clear();
    }
    gr::wimax::Tick tick(uint32_t number) const {
        gr::wimax::Tick t;
        t.frame_number = sap::FrameNumber(number);
        t.frame_start_sample = 57'600 * int64_t{number};
        t.deadline_sample = t.frame_start_sample - 5760;
        t.sample_rate_hz = kSampleRateHz;
        t.frame_samples = 57'600;
        t.attached = true;
        t.synchronised = true;
        return t;
    }
    static sap::TxFrame answer(uint32_t number, uint32_t slot, uint16_t symbols) {
        sap::TxFrame tx;
        tx.frame_number = sap::FrameNumber(number);
        tx.bursts.resize(1);
        tx.bursts[0].start_slot = sap::Slot(slot);
        tx.bursts[0].format.data_symbols = symbols;
        tx.bursts[0].payload = {1, 2, 3, 4, 5};
        return tx;
    }
    gr::wimax::BurstReport broadcast(uint32_t number) const {
        gr::wimax::BurstReport r;
        r.frame_number = sap::FrameNumber(number);
        r.attached = true;
        r.burst.index = 1;
        r.frame_samples = 57'600;
        r.prefix.bsid_lsb = 7;
        r.prefix.frame_lsb = number & 0xF;
        return r;
    }
    nlohmann::json status() { return service->status(); }
};

}  // namespace wimax::phyd::test
