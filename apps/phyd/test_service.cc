/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The service between a MAC and the air, both played by the test: which answer reaches the air, what the MAC is told,
 * what is counted.
 */
#include "phyd/service.h"
#include "phyd/signal.h"

#include "common/scratch.h"
#include "sap/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <fstream>
#include <future>
#include <utility>

namespace wimax::phyd {
namespace {

using std::chrono::milliseconds;

/// The MAC's end: what it says is queued, what it is told is kept.
class FakePort final : public sap::Port {
public:
    using Port::send;
    bool send(const sap::MessageRef& message) override {
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

    /// All of one kind that the MAC was told.
    template <typename T>
    std::vector<T> all() const {
        std::vector<T> found;
        for (const auto& m : told)
            if (const auto* t = std::get_if<T>(&m)) found.push_back(*t);
        return found;
    }

    std::deque<sap::Message> says;
    std::vector<sap::Message> told;
    bool alive = true;
    sap::PortCounters counts;
};

/// What the service did to the air, in its order.
struct AirLog {
    std::vector<gr::wimax::TransmitFrame> frames;
    std::vector<gr::wimax::Expectation> expectations;
    std::vector<gr::wimax::Control> controls;
    int tried = 0, opened = 0, started = 0;
    std::shared_ptr<gr::wimax::SignalTap> signal;
    int listened = 0;
    std::optional<Heard> heard;
    Air::Status status;
    Air::Gains gains{50, 20};
    std::optional<std::string> lost;
    std::string fault;
};

class FakeAir final : public Air {
public:
    FakeAir(AirLog& log, const sap::ConfigRequest& request) : log_(log), request_(request) { ++log_.opened; }
    void start() override { ++log_.started; }
    void post(gr::wimax::TransmitFrame frame) override { log_.frames.push_back(std::move(frame)); }
    void post(gr::wimax::Expectation expectation) override { log_.expectations.push_back(std::move(expectation)); }
    void post(const gr::wimax::Control& control) override { log_.controls.push_back(control); }
    bool serves(const sap::ConfigRequest& r) const override { return r.frequency_hz == request_.frequency_hz; }
    const Radio& radio() const override { return radio_; }
    Status status() const override { return log_.status; }
    std::optional<std::string> lost() const override { return log_.lost; }
    Gains gains() const override { return log_.gains; }
    void set_gains(const Gains& gains) override {
        if (gains.rx_db > 76) throw std::runtime_error("rx gain: too much");
        radio_.tx_reference_dbm += gains.tx_db - log_.gains.tx_db;
        radio_.rx_reference_dbm -= gains.rx_db - log_.gains.rx_db;
        log_.gains = gains;
    }
    gr::wimax::SignalTap* signal() override { return log_.signal.get(); }
    void listen() override { ++log_.listened; }
    std::optional<Heard> heard() const override { return log_.heard; }

private:
    AirLog& log_;
    const sap::ConfigRequest request_;
    Radio radio_{30, -40, 5'760'000, true, "a radio"};
};

struct ServiceTest : testing::Test {
    PhydConfig config;
    FakePort port;
    AirLog air;
    Outbox* outbox = nullptr;
    std::future<void> gate;                ///< the next radio is opened when this comes
    std::atomic<bool> unavailable{false};  ///< there is no device
    std::unique_ptr<Service> service;

    ServiceTest() {
        config.tx_enable = TransmitSwitch::on;
        config.radio.limits.allowed_bands = {{3.4e9, 3.6e9}};
        config.radio.limits.max_power_dbm = 36;
    }
    void open(sap::Role role) {
        config.role = role;
        service = std::make_unique<Service>(config, port, [this](const auto&, const auto& request, auto& out) {
            outbox = &out;
            if (gate.valid()) std::exchange(gate, {}).wait();
            ++air.tried;
            if (unavailable) throw gr::wimax::DeviceUnavailable("nobody at /tmp/air");
            if (!air.fault.empty()) throw std::invalid_argument(air.fault);
            return std::make_unique<FakeAir>(air, request);
        });
    }
    sap::ConfigRequest request() const {
        sap::ConfigRequest r;
        r.mac_session = 11;
        r.role = config.role;
        r.bandwidth_hz = 5'000'000;
        r.frequency_hz = 3'500'000'000;
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
        t.sample_rate_hz = 5'760'000;
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

TEST_F(ServiceTest, AnAnswerWithinItsFrameGoesOut) {
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        port.told.clear();
        air = {};
        attach(role);
        report(tick(100));
        const auto ticks = port.all<sap::FrameTick>();
        ASSERT_EQ(ticks.size(), 1U);
        EXPECT_EQ(ticks[0].frame_number, 100U);
        say(answer(100, 216, 197));
        ASSERT_EQ(air.frames.size(), 1U);
        EXPECT_EQ(air.frames[0].bursts.size(), 1U);
        EXPECT_EQ(air.frames[0].bursts[0].payload.size(), 5U);
        EXPECT_EQ(air.frames[0].frame_start_sample, 5'760'000);
        EXPECT_TRUE(port.all<sap::ErrorIndication>().empty());
        EXPECT_EQ(status()["errors"], 0);
    }
}

TEST_F(ServiceTest, WhatIsHeardIsLookedAtWhileSomebodyAsks) {
    air.signal = std::make_shared<gr::wimax::SignalTap>(5'760'000);
    open(sap::Role::base_station);
    EXPECT_EQ(service->signal(), nlohmann::json({{"radio_open", false}}));
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_FALSE(air.signal->watched());
    EXPECT_EQ(service->status()["signal_watched"], false);
    const auto first = service->signal();
    EXPECT_TRUE(air.signal->watched());
    EXPECT_EQ(service->status()["signal_watched"], true);
    EXPECT_EQ(first["bursts"], nlohmann::json::array());
    EXPECT_EQ(first["sample_rate_hz"], 5'760'000);
    air.signal->on_samples(std::vector<gr::wimax::phy::Complex>(5'760'000 / 5, {0.1F, 0}));
    const auto spectrum = service->signal()["spectrum_dbm"];
    ASSERT_EQ(spectrum.size(), 256U);
    EXPECT_EQ(spectrum[128], -61.8);  // -20 dBFS at -40 dBm, two thirds of it in the middle of a Hann window
    EXPECT_TRUE(until([this] { return !air.signal->watched(); }));
}

TEST(SignalPicture, ChannelByCarrier) {
    std::vector<gr::wimax::phy::Complex> response;
    for (int k = -100; k <= 100; ++k)  // 4 samples late, half the amplitude on one side
        response.push_back(
            k == 0 ? 0 : std::polar(k < 0 ? 0.1F : 0.05F, -2 * 3.14159265F * 4 * static_cast<float>(k) / 256));
    const auto channel = channel_picture(response, -40);
    EXPECT_EQ(channel["power_dbm"][0], -60);
    EXPECT_EQ(channel["power_dbm"][200], -66);
    EXPECT_TRUE(channel["power_dbm"][100].is_null());
    EXPECT_EQ(channel["delay_samples"], 4);
    EXPECT_EQ(channel["phase_rad"][0], channel["phase_rad"][200]);
}

/// The socket's message is the first copy, the burst decoded from it the second; where the MAC wrote it the socket
/// reads it, and where it was decoded the modulator does.
TEST_F(ServiceTest, APayloadIsCopiedTwiceBetweenMacAndModulator) {
    attach(sap::Role::base_station);
    report(tick(100));
    auto written = answer(100, 216, 197);
    written.bursts[0].payload.assign(2000, 0x5A);
    sap::Codec mac, phy;
    mac.encode(sap::MessageRef(&written), 0, 11, 13);
    ASSERT_EQ(mac.payloads().size(), 1U);
    EXPECT_EQ(mac.payloads()[0].data(), written.bursts[0].payload.data());
    const std::vector<uint8_t> in_the_socket(mac.payloads()[0].begin(), mac.payloads()[0].end());
    auto envelope = phy.decode(std::vector<sap::Part>{mac.header(), in_the_socket});
    ASSERT_TRUE(envelope) << envelope.error().str();
    const uint8_t* decoded = std::get<sap::TxFrame>(*envelope->message).bursts[0].payload.data();
    say(std::move(*envelope->message));
    ASSERT_EQ(air.frames.size(), 1U);
    EXPECT_EQ(air.frames[0].bursts[0].payload.data(), decoded);
    const auto message = gr::wimax::to_any(std::move(air.frames[0]));
    const auto read = gr::wimax::received<gr::wimax::TransmitFrame>(message, gr::wimax::parse_transmit_frame);
    ASSERT_TRUE(read);
    EXPECT_EQ((*read)->bursts[0].payload.data(), decoded);
    EXPECT_EQ((*read)->bursts[0].payload, written.bursts[0].payload);
}

TEST_F(ServiceTest, ABurstBeyondItsFrameMakesTheAnswerEmpty) {
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        port.told.clear();
        air = {};
        attach(role);
        report(tick(100));
        say(answer(100, 7272, 2000));
        ASSERT_EQ(air.frames.size(), 1U);  // answered all the same
        EXPECT_TRUE(air.frames[0].bursts.empty());
        EXPECT_EQ(air.frames[0].frame_number, 100U);
        const auto errors = port.all<sap::ErrorIndication>();
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_EQ(errors[0].kind, sap::ErrorKind::invalid);
        EXPECT_EQ(errors[0].frame_number, 100U);
        EXPECT_EQ(errors[0].detail, "TxFrame.bursts[0].end slot: value 151272: allowed at most 14400 (the frame)");
        EXPECT_EQ(status()["errors"], 1);
    }
}

TEST_F(ServiceTest, AnAnswerToNoTickAnswersTheLast) {
    attach(sap::Role::base_station);
    say(answer(100, 216, 1));
    EXPECT_TRUE(air.frames.empty());
    for (uint32_t n = 100; n < 109; ++n) report(tick(n));
    say(answer(101, 216, 1));  // eight frames late still is one
    say(answer(100, 216, 1));
    say(answer(109, 216, 1));
    ASSERT_EQ(air.frames.size(), 3U);
    EXPECT_EQ(air.frames[0].frame_number, 101U);
    EXPECT_EQ(air.frames[0].bursts.size(), 1U);
    for (size_t i : {1, 2}) {
        EXPECT_EQ(air.frames[i].frame_number, 108U);
        EXPECT_TRUE(air.frames[i].bursts.empty());
    }
    const auto errors = port.all<sap::ErrorIndication>();
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[1].frame_number, 100U);
    EXPECT_EQ(errors[2].frame_number, 109U);
}

TEST_F(ServiceTest, WithoutSynchronisationNothingIsSent) {
    attach(sap::Role::subscriber_station);
    auto t = tick(0);
    t.synchronised = false;
    report(t);
    say(answer(0, 0, 1));
    ASSERT_EQ(air.frames.size(), 1U);
    EXPECT_TRUE(air.frames[0].bursts.empty());
    // Synchronised by one preamble: the frame may be the longest, 20 ms.
    t = tick(1);
    t.frame_samples = 0;
    report(t);
    say(answer(1, 0, 400));
    say(answer(1, 0, 401));
    ASSERT_EQ(air.frames.size(), 3U);
    EXPECT_EQ(air.frames[1].bursts.size(), 1U);
    EXPECT_TRUE(air.frames[2].bursts.empty());
}

TEST_F(ServiceTest, ExpectationsKeepToTheirFrame) {
    attach(sap::Role::subscriber_station);
    sap::RxExpect expect;
    expect.frame_number = sap::FrameNumber(20);
    say(expect);
    EXPECT_TRUE(air.expectations.empty());  // there is no frame yet
    report(broadcast(20));
    expect.allocations.resize(1);
    expect.allocations[0].start_slot = sap::Slot(216);
    expect.allocations[0].format.data_symbols = 197;
    expect.first_uplink_slot = sap::Slot(7200);
    say(expect);
    ASSERT_EQ(air.expectations.size(), 1U);
    EXPECT_EQ(air.expectations[0].bursts.size(), 1U);
    EXPECT_EQ(air.expectations[0].first_uplink_slot, 7200U);
    expect.allocations[0].format.data_symbols = 198;
    say(expect);  // beyond it: nothing is expected
    expect.allocations[0].format.data_symbols = 1;
    expect.frame_number = sap::FrameNumber(21);
    say(expect);  // a frame to come: an empty one for that at hand
    expect.frame_number = sap::FrameNumber(13);
    say(expect);  // seven frames late: as it is, the receiver ignores it
    ASSERT_EQ(air.expectations.size(), 4U);
    for (size_t i : {1, 2}) {
        EXPECT_EQ(air.expectations[i].frame_number, 20U);
        EXPECT_TRUE(air.expectations[i].bursts.empty());
        EXPECT_EQ(air.expectations[i].first_uplink_slot, 0U);
    }
    EXPECT_EQ(air.expectations[3].frame_number, 13U);
    EXPECT_EQ(port.all<sap::ErrorIndication>().size(), 3U);
}

TEST_F(ServiceTest, CountsWhatHappens) {
    attach(sap::Role::base_station);
    port.counts = {1, 2, 3, 4, 5, 6};
    air.status.radio = {};
    report(gr::wimax::ErrorReport{"late", sap::FrameNumber(7), 300, ""});
    report(gr::wimax::ErrorReport{"late", sap::FrameNumber(8), 900, ""});
    report(gr::wimax::ErrorReport{"late", sap::FrameNumber(9), 500, ""});
    report(gr::wimax::ErrorReport{"overflow", sap::FrameNumber(9), 100'000, ""});
    report(tick(42));
    const auto j = status();
    EXPECT_EQ(j["late"], 3);
    EXPECT_EQ(j["worst_late_us"], 900);
    EXPECT_EQ(j["errors"], 1);
    EXPECT_EQ(j["frame"], 42);
    EXPECT_EQ(j["mac_sessions"], 1);
    EXPECT_EQ(j["mac_losses"], 0);
    EXPECT_EQ(j["mac_attached"], true);
    EXPECT_EQ(j["lock_step"], true);
    EXPECT_EQ(j["sample_rate_hz"], 5'760'000);
    EXPECT_EQ(j["sap"], (nlohmann::json{
                            {"sent", 1}, {"received", 2}, {"unsent", 3}, {"stale", 4}, {"malformed", 5}, {"lost", 6}}));
    const auto errors = port.all<sap::ErrorIndication>();
    ASSERT_EQ(errors.size(), 4U);
    EXPECT_EQ(errors[1].microseconds, 900);
    EXPECT_EQ(errors[1].frame_number, 8U);
    EXPECT_EQ(errors[3].kind, sap::ErrorKind::overflow);
}

TEST_F(ServiceTest, StatusOfTheAir) {
    attach(sap::Role::subscriber_station);
    auto& s = air.status;
    s.frames = 1, s.bursts = 2, s.undetected = 3, s.fec_failures = 4, s.sync_losses = 5, s.synchronised = false;
    s.rssi_dbfs = -20, s.cinr_db = 25, s.frequency_offset_hz = 300, s.clock_offset_ppm = 2.5F, s.position = 99;
    s.tx = {6, 7, 8, 9};
    s.radio.pieces = 10, s.radio.late = 11, s.radio.underflows = 12, s.radio.overflows = 13;
    s.radio.lost_samples = 14, s.radio.least_slack_samples = 15, s.radio.refused = {16, 17, 18, 19};
    s.radio.sequence_errors = 20, s.radio.clipped_samples = 21;
    const auto j = status();
    const nlohmann::json expected = {
        {"frames", 1},
        {"bursts", 2},
        {"undetected_bursts", 3},
        {"fec_failures", 4},
        {"sync_losses", 5},
        {"synchronised", false},
        {"rssi_dbm", -60.0},
        {"cinr_db", 25.0},
        {"frequency_offset_hz", 300.0},
        {"clock_offset_ppm", 2.5},
        {"position_sample", 99},
        {"tx_frames", 6},
        {"tx_empty", 7},
        {"radio",
         {{"pieces", 10},
          {"late", 11},
          {"underflows", 12},
          {"overflows", 13},
          {"sequence_errors", 20},
          {"clipped_samples", 21},
          {"tx_gain_db", 50.0},
          {"rx_gain_db", 20.0},
          {"lost_samples", 14},
          {"refused", {{"switched_off", 16}, {"too_long", 17}, {"too_often", 18}, {"too_strong", 19}}},
          {"least_slack_samples", 15}}}};
    for (const auto& [key, value] : expected.items()) EXPECT_EQ(j[key], value) << key;
}

TEST_F(ServiceTest, TicksAndBurstsOfAnotherTimeAreNotForThisMac) {
    attach(sap::Role::base_station);
    auto foreign = tick(99);
    foreign.attached = false;
    report(foreign);
    auto burst = broadcast(99);
    burst.attached = false;
    report(burst);
    EXPECT_TRUE(port.told.empty());
    say(answer(99, 216, 1));  // and cannot be answered
    EXPECT_TRUE(air.frames.empty());
    report(tick(100));
    report(broadcast(100));
    EXPECT_EQ(port.all<sap::FrameTick>().size(), 1U);
    EXPECT_EQ(port.all<sap::RxBurst>().size(), 1U);
}

/// What was heard for nobody, or for the MAC before: the air is asked on, whoever is there.
TEST_F(ServiceTest, ContentionBeforeAMacIsAttachedIsForNobody) {
    attach(sap::Role::base_station);
    gr::wimax::ContentionReport heard;
    heard.frame_number = sap::FrameNumber(100);
    heard.start_slot = sap::Slot(72);
    heard.codes.resize(2);
    heard.codes[1].what = {5, 3};
    report(heard);  // of a time when no MAC was there to be told
    EXPECT_TRUE(port.told.empty());
    heard.attached = true;
    report(heard);
    const auto told = port.all<sap::RxContention>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].frame_number, 100U);
    EXPECT_EQ(told[0].start_slot, 72U);
    ASSERT_EQ(told[0].codes.size(), 2U);
    EXPECT_EQ(told[0].codes[1].channel, 5);
    EXPECT_EQ(told[0].codes[1].code, 3);
    // Its MAC goes while a report is on its way, and the next one is not there yet.
    port.alive = false;
    step();
    port.told.clear();
    report(heard);
    report(broadcast(101));
    report(gr::wimax::ErrorReport{"late", sap::FrameNumber(101), 300, ""});
    EXPECT_TRUE(port.told.empty());
    EXPECT_EQ(status()["late"], 1);
}

TEST_F(ServiceTest, ALostMacIsCountedAndThePhyGoesOn) {
    attach(sap::Role::base_station);
    report(tick(100));
    air.controls.clear();
    port.alive = false;
    step();
    EXPECT_EQ(status()["mac_losses"], 1);
    EXPECT_EQ(status()["mac_attached"], false);
    ASSERT_EQ(air.controls.size(), 1U);
    EXPECT_EQ(air.controls[0].attached, false);
    port.told.clear();
    report(tick(101));
    say(answer(101, 216, 1));
    EXPECT_TRUE(port.told.empty());
    EXPECT_TRUE(air.frames.empty());
    step();
    EXPECT_EQ(status()["mac_losses"], 1);

    // The next one takes the same radio, and its first frame number; ticks of before are not for it.
    port.alive = true;
    auto again = request();
    again.mac_session = 12;
    again.first_frame_number = sap::FrameNumber(500);
    say(again);
    EXPECT_EQ(air.opened, 1);
    EXPECT_EQ(status()["mac_sessions"], 2);
    ASSERT_EQ(port.all<sap::ConfigConfirm>().size(), 1U);
    EXPECT_EQ(port.all<sap::ConfigConfirm>()[0].mac_session, 12U);
    ASSERT_EQ(air.controls.size(), 3U);
    EXPECT_EQ(air.controls[1].attached, false);
    EXPECT_EQ(air.controls[2].attached, true);
    EXPECT_EQ(air.controls[2].first_frame_number, 500U);
    say(answer(100, 216, 1));
    EXPECT_TRUE(air.frames.empty());
}

TEST_F(ServiceTest, ConfirmTellsLevelsRateAndTime) {
    open(sap::Role::base_station);
    say(request());
    ASSERT_TRUE(opened());
    const auto confirm = port.all<sap::ConfigConfirm>().at(0);
    EXPECT_EQ(confirm.mac_session, 11U);
    EXPECT_EQ(confirm.sample_rate_hz, 5'760'000U);
    EXPECT_EQ(confirm.tx_reference_dbm, 30);
    EXPECT_EQ(confirm.rx_reference_dbm, -40);
    EXPECT_TRUE(confirm.lock_step);
    EXPECT_EQ(confirm.version, config::version());
    EXPECT_EQ(air.started, 1);
    auto elsewhere = request();
    elsewhere.frequency_hz += 1'000'000;
    say(elsewhere);
    ASSERT_TRUE(opened());
    EXPECT_EQ(air.opened, 2);
}

TEST_F(ServiceTest, WrongRequestsAreRefusedWithAllFaults) {
    open(sap::Role::base_station);
    auto wrong = request();
    wrong.role = sap::Role::subscriber_station;
    wrong.bandwidth_hz = 1'000'000;
    say(wrong);
    wrong = request();
    wrong.frame_duration_code = 7;
    say(wrong);
    wrong = request();
    wrong.bandwidth_hz = 28'000'000;
    wrong.frame_duration_code = 6;  // 32 MS/s, symbols of 288
    say(wrong);
    const auto confirms = port.all<sap::ConfigConfirm>();
    ASSERT_EQ(confirms.size(), 3U);
    EXPECT_EQ(confirms[0].faults, (std::vector<std::string>{"role: this PHY is a bs",
                                                            "bandwidth_hz: value 1000000: allowed 1250000..28000000"}));
    EXPECT_EQ(confirms[1].faults, std::vector<std::string>{"frame_duration_code: value 7: allowed 0..6"});
    EXPECT_EQ(confirms[2].faults,
              std::vector<std::string>{"frame_duration_code: value 2222 symbols a frame: allowed at most 2047"});
    EXPECT_EQ(air.opened, 0);
    air.fault = "tx gain: 99 dB, the device allows 0 .. 60";
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_EQ(port.all<sap::ConfigConfirm>().at(3).faults, std::vector<std::string>{air.fault});
}

TEST_F(ServiceTest, APrefixThatIsNoneIsTheBaseStationsFaultOnly) {
    open(sap::Role::base_station);
    auto wrong = request();
    wrong.cp_denominator = 7;
    say(wrong);
    EXPECT_EQ(port.all<sap::ConfigConfirm>().at(0).faults,
              std::vector<std::string>{"cp_denominator: value 7: allowed 4, 8, 16, 32"});
    open(sap::Role::subscriber_station);  // finds out by itself
    wrong.role = sap::Role::subscriber_station;
    say(wrong);
    ASSERT_TRUE(opened());
    EXPECT_TRUE(port.all<sap::ConfigConfirm>().at(1).faults.empty());
}

TEST_F(ServiceTest, TheFramePrefixHasFourBitsOfTheBsid) {
    open(sap::Role::base_station);
    auto r = request();
    r.bsid = 0x123457B;
    say(r);
    ASSERT_TRUE(opened());
    report(tick(100));
    say(answer(100, 216, 1));
    ASSERT_EQ(air.frames.size(), 1U);
    EXPECT_EQ(air.frames[0].bsid_lsb, 0xB);
}

/// Synchronised by one preamble: a frame may be 20 ms long.
TEST_F(ServiceTest, AFrameOfUnknownLengthIsTheLongest) {
    attach(sap::Role::subscriber_station);
    auto first = tick(100);
    first.frame_samples = 0;
    report(first);
    constexpr uint32_t kSlots = 115'200 / 4, kSymbol = 72;
    say(answer(100, kSlots - kSymbol, 1));
    EXPECT_TRUE(port.all<sap::ErrorIndication>().empty());
    EXPECT_EQ(air.frames.at(0).bursts.size(), 1U);
    say(answer(100, kSlots - kSymbol + 1, 1));
    EXPECT_EQ(port.all<sap::ErrorIndication>().size(), 1U);
}

/// Its MAC changes its mind while the radio is being opened.
TEST_F(ServiceTest, ARadioOfAnotherConfigurationIsOpenedAnew) {
    std::promise<void> there;
    gate = there.get_future();
    open(sap::Role::base_station);
    say(request());
    auto elsewhere = request();
    elsewhere.mac_session = 12;
    elsewhere.frequency_hz += 1'000'000;
    say(elsewhere);
    EXPECT_EQ(service->status_line(), "opening the radio  no MAC");
    there.set_value();
    ASSERT_TRUE(opened());
    step();
    ASSERT_TRUE(opened());
    EXPECT_EQ(air.opened, 2);
    EXPECT_EQ(air.started, 1);
    const auto confirms = port.all<sap::ConfigConfirm>();
    ASSERT_EQ(confirms.size(), 1U);
    EXPECT_EQ(confirms[0].mac_session, 12U);
}

/// A device that is not there yet is tried again, and the MAC is told nothing until then.
TEST_F(ServiceTest, ADeviceThatIsNotThereIsTriedAgain) {
    unavailable = true;
    open(sap::Role::base_station);
    EXPECT_EQ(service->status_line(), "waiting for a MAC  no MAC");
    say(request());
    ASSERT_TRUE(opened());
    EXPECT_TRUE(port.told.empty());
    EXPECT_EQ(service->status_line(), "opening the radio  no MAC");
    EXPECT_EQ(status()["radio_open"], false);
    unavailable = false;
    ASSERT_TRUE(until([this] { return !port.told.empty(); }));  // a second later
    EXPECT_EQ(air.opened, 1);
    EXPECT_TRUE(port.all<sap::ConfigConfirm>().at(0).faults.empty());
}

/// A MAC asks every 200 ms until it is answered. That is no reason to try more often than each second, or to say more.
TEST_F(ServiceTest, AMacThatAsksAgainDoesNotHurryADevice) {
    unavailable = true;
    open(sap::Role::base_station);
    for (int i = 0; i < 20; ++i) {
        say(request());
        ASSERT_TRUE(opened());
    }
    EXPECT_LT(air.tried, 5);  // 20 without the wait
    auto another = request();
    another.mac_session = 12;
    unavailable = false;
    say(another);
    ASSERT_TRUE(opened());
    step();
    EXPECT_EQ(port.all<sap::ConfigConfirm>().size(), 1U);
}

TEST_F(ServiceTest, LineOfTheStatus) {
    attach(sap::Role::base_station);
    auto& s = air.status;
    s.frames = 11, s.bursts = 22, s.fec_failures = 33, s.synchronised = true;
    s.rssi_dbfs = -20.26F, s.cinr_db = 25.75F, s.frequency_offset_hz = 301.6F;
    report(gr::wimax::ErrorReport{"late", sap::FrameNumber(7), 300, ""});
    report(tick(42));
    s.radio.late = 3, s.radio.underflows = 2;
    EXPECT_EQ(service->status_line(),
              "phy bs frame 42  transmitting  bursts 22, undecoded 33  RSSI -60.3 dBm  CINR 25.8 dB  CFO -  late 6 "
              "(software 1, radio 5)  U 2 (+2)  L 3 (+3)  MAC");
    s.radio.overflows = 7, s.radio.underflows = 6, s.radio.sequence_errors = 1, s.radio.clipped_samples = 1200;
    EXPECT_THAT(service->status_line(),
                testing::HasSubstr("radio 9)  U 6 (+4)  O 7 (+7)  L 3 (+0)  S 1 (+1)  clipped 1200 (+1200)  MAC"));
    port.alive = false;
    step();
    EXPECT_TRUE(service->status_line().ends_with("no MAC")) << service->status_line();
}

TEST_F(ServiceTest, ATransmitterThatIsOffIsSaidEverywhere) {
    config.tx_enable = TransmitSwitch::off;
    attach(sap::Role::base_station);
    EXPECT_EQ(
        service->status_line(),
        "phy bs frame 0  ticking  bursts 0, undecoded 0  RSSI -  CINR -  CFO -  late 0 (software 0, radio 0)  MAC  "
        "TRANSMITTER OFF (radio.tx_enable)");
    EXPECT_EQ(status()["transmitter"],
              (nlohmann::json{{"enabled", false}, {"allowed_bands", "3400 .. 3600 MHz"}, {"max_power_dbm", 36.0}}));
}

TEST_F(ServiceTest, WhatIsNotSentIsOnTheLine) {
    attach(sap::Role::subscriber_station);
    air.status.radio.refused = {0, 2, 0, 3};
    EXPECT_TRUE(service->status_line().ends_with(
        "MAC  NOT SENT: 2 too long (radio.longest_burst_ms), 3 too strong (radio.max_power_dbm)"))
        << service->status_line();
    EXPECT_EQ(status()["transmitter"]["enabled"], true);
}

/// The MAC is told before the radio is opened.
TEST_F(ServiceTest, AChannelOutsideOfTheAllowedBandsIsRefused) {
    for (const auto role : {sap::Role::base_station, sap::Role::subscriber_station}) {
        open(role);
        auto outside = request();
        outside.frequency_hz = 3'598'000'000;  // its upper edge is outside
        say(outside);
        EXPECT_FALSE(service->opening());
        EXPECT_EQ(air.tried, 0);
        EXPECT_EQ(
            port.all<sap::ConfigConfirm>().back().faults,
            std::vector<std::string>{"radio.allowed_bands: value 3400 .. 3600 MHz: allowed bands that hold the whole "
                                     "channel at 3598000000 Hz, 3595.5 .. 3600.5 MHz"});
    }
    config.tx_enable = TransmitSwitch::off;  // it may listen anywhere
    open(sap::Role::subscriber_station);
    auto outside = request();
    outside.frequency_hz = 3'598'000'000;
    say(outside);
    ASSERT_TRUE(opened());
    EXPECT_EQ(air.tried, 1);
}

TEST_F(ServiceTest, ABaseStationListensBeforeItTransmits) {
    attach(sap::Role::base_station);
    EXPECT_EQ(air.listened, 1);
    EXPECT_FALSE(status().contains("heard_before"));
    air.heard = Heard{-60, -50, HeardCell{0x20E9FA000012, true, -25, 20, 0}};
    testing::internal::CaptureStderr();
    step();
    step();
    const std::string said = testing::internal::GetCapturedStderr();
    const std::string words =
        "before transmission the channel held -100.0 dBm, at most -90.0 dBm; ANOTHER CELL: BSID 20E9FA000012, -65.0 "
        "dBm, "
        "CINR 20.0 dB, 0 Hz off";
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(said.find(words), said.rfind(words));  // once
    EXPECT_EQ(status()["heard_before"], (nlohmann::json{{"mean_dbm", -100.0},
                                                        {"highest_dbm", -90.0},
                                                        {"another_cell", true},
                                                        {"bsid", "20E9FA000012"},
                                                        {"rssi_dbm", -65.0},
                                                        {"cinr_db", 20.0}}));
    auto another = request();
    another.mac_session = 12;
    say(another);
    EXPECT_EQ(air.opened, 1);
    EXPECT_EQ(air.listened, 2);  // the next MAC, too
}

TEST(PhydConfigTest, PointsOfTheCalibrationFileAreTheRadios) {
    const std::filesystem::path file = Scratch::path("calibration.yml");
    std::ofstream(file) << "- {direction: rx, frequency_hz: 3.5e9, gain_db: 30, full_scale_dbm: -41.25}\n";
    PhydConfig c;
    config::Schema schema("wimax-phyd");
    declare(schema, c);
    const auto load = [&] {
        return schema.load("role: bs\nradio: {calibration_file: " + file.string() + "}\n", "a.yml");
    };
    EXPECT_TRUE(load().empty());
    ASSERT_EQ(c.radio.calibration.size(), 1u);
    EXPECT_EQ(c.radio.calibration[0].full_scale_dbm, -41.25);
    std::ofstream(file) << "- {direction: rx, frequency_hz: 3.5e9, gain_db: 30}\n";
    EXPECT_EQ(load().lines(),
              std::vector<std::string>{file.string() +
                                       ":1: points[0].full_scale_dbm: value (missing): allowed numbers -200..100"});
    std::filesystem::remove(file);
    EXPECT_EQ(load().lines(), std::vector<std::string>{"a.yml:2: radio.calibration_file: value " + file.string() +
                                                       ": allowed a readable YAML list"});
}

TEST(PhydConfigTest, TransmitsWhereItWasSaid) {
    const auto enabled = [](TransmitSwitch tx_enable, const char* device) {
        PhydConfig c;
        c.tx_enable = tx_enable;
        c.radio.device_args = device;
        return transmit_limits(c).enable;
    };
    EXPECT_FALSE(transmit_limits(PhydConfig{}).enable);
    EXPECT_FALSE(enabled(TransmitSwitch::off, "type=vrf"));
    EXPECT_TRUE(enabled(TransmitSwitch::virtual_only, "type=vrf,name=bs"));
    EXPECT_FALSE(enabled(TransmitSwitch::virtual_only, "type=b200"));
    EXPECT_FALSE(enabled(TransmitSwitch::virtual_only, ""));
    EXPECT_TRUE(enabled(TransmitSwitch::on, "type=b200"));
}

TEST(PhydConfigTest, FaultsOfTheLimitsComeAllAtOnceWithTheirLines) {
    PhydConfig c;
    config::Schema schema("wimax-phyd");
    declare(schema, c);
    const auto faults = schema.load(
        "role: bs\nradio:\n  device: type=b200\n  tx_enable: true\n  allowed_bands:\n    - {low_hz: 3e9, high_hz: "
        "2e9}\n",
        "bench.yml");
    EXPECT_EQ(faults.lines(), (std::vector<std::string>{
                                  "bench.yml:3: radio.max_power_dbm: value null: allowed with tx_enable: -100..60",
                                  "bench.yml:6: radio.allowed_bands[0]: value 3000 .. 2000 MHz: allowed low_hz below "
                                  "high_hz, neither below 0"}));
}

/// As when its cable is pulled: opened anew, and the MAC begins anew with it.
TEST_F(ServiceTest, ARadioThatIsLostIsOpenedAnew) {
    attach(sap::Role::base_station);
    report(tick(1));
    const size_t told = port.all<sap::ConfigConfirm>().size();
    air.lost = "unplugged";
    unavailable = true;
    step();
    EXPECT_EQ(status()["radio_open"], false);
    EXPECT_EQ(status()["radio_losses"], 1);
    EXPECT_EQ(status()["mac_attached"], false);
    ASSERT_TRUE(opened());
    air.lost.reset();
    unavailable = false;
    ASSERT_TRUE(until([&] { return port.all<sap::ConfigConfirm>().size() > told; }));
    EXPECT_EQ(air.opened, 2);
    EXPECT_EQ(status()["radio_losses"], 1);
    EXPECT_EQ(status()["mac_attached"], true);
}

TEST_F(ServiceTest, GainsChangeAtTheOpenRadio) {
    open(sap::Role::base_station);
    EXPECT_THAT(service->set_gain(true, 40).str(), testing::HasSubstr("only while the radio is open"));
    EXPECT_EQ(service->gain(true), nullptr);
    attach(sap::Role::base_station);
    EXPECT_EQ(service->gain(false), 20.0);
    EXPECT_TRUE(service->set_gain(false, 26).empty());
    EXPECT_EQ(air.gains.rx_db, 26);
    EXPECT_EQ(air.gains.tx_db, 50);
    EXPECT_EQ(service->gain(false), 26.0);
    air.status.rssi_dbfs = -10;
    EXPECT_EQ(status()["rssi_dbm"], -56.0);  // full scale is 6 dB lower now
    EXPECT_THAT(service->set_gain(false, 80).str(), testing::HasSubstr("rx gain: too much"));
    EXPECT_THAT(service->set_gain(true, "much").str(), testing::HasSubstr("a number of dB"));
    EXPECT_EQ(service->gain(false), 26.0);
    // A MAC that wants others does not have the radio opened anew.
    auto other = request();
    other.mac_session = 12;
    other.tx_gain_db = 44;
    other.rx_gain_db = 33;
    say(other);
    EXPECT_EQ(air.opened, 1);
    EXPECT_EQ(air.gains.tx_db, 44);
    EXPECT_EQ(port.all<sap::ConfigConfirm>().back().tx_reference_dbm, 24);
}

TEST_F(ServiceTest, LineOfASubscriberStation) {
    attach(sap::Role::subscriber_station);
    air.status.synchronised = false;
    EXPECT_EQ(
        service->status_line(),
        "phy ss frame 0  searching  bursts 0, undecoded 0  RSSI -  CINR -  CFO -  late 0 (software 0, radio 0)  MAC");
    air.status.synchronised = true;
    air.status.frequency_offset_hz = 301.6F;
    EXPECT_NE(service->status_line().find("synchronised  bursts 0, undecoded 0  RSSI -  CINR -  CFO 301.6 Hz"),
              std::string::npos);
}

}  // namespace
}  // namespace wimax::phyd
