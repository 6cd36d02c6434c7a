// SPDX-License-Identifier: GPL-3.0-or-later
// A scheduler whose radios the test simulates, chunk by chunk, on a wall clock that the test advances.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "channeld/channel_control.h"
#include "channeld/scheduler.h"

namespace wimax::channeld {

using vrf::Sample;
using Clock = Scheduler::Clock;

constexpr uint32_t kChunk = 2880;

/// Parameters shared by the channel and a radio.
struct Wire {
    vrf::Hello hello;
    vrf::Welcome welcome;
    struct Tx {
        vrf::TxHeader header;
        std::vector<Sample> samples = std::vector<Sample>(vrf::kMaxTxChannels * kChunk);
    };
    std::deque<Tx> sent;
    vrf::RxHeader rx_header;
    std::vector<Sample> rx = std::vector<Sample>(kChunk), received;
    bool alive = true, reads = true;
    int wakes = 0;
};

class Port final : public vrf::RadioPort {
public:
    explicit Port(Wire& wire) : wire_(wire) {}
    const vrf::Hello& hello() const override { return wire_.hello; }
    bool answer(const vrf::Welcome& welcome) override {
        wire_.welcome = welcome;
        return true;
    }
    bool alive() override { return wire_.alive; }
    vrf::TxChunk front() override {
        if (wire_.sent.empty()) return {};
        return {&wire_.sent.front().header, wire_.sent.front().samples.data()};
    }
    void pop() override { wire_.sent.pop_front(); }
    vrf::RxChunk rx_chunk() override {
        return wire_.reads ? vrf::RxChunk{&wire_.rx_header, wire_.rx.data()} : vrf::RxChunk{};
    }
    void wake() override { ++wire_.wakes; }
    void push() override { wire_.received.insert(wire_.received.end(), wire_.rx.begin(), wire_.rx.end()); }

private:
    Wire& wire_;
};

class SchedulerTest : public testing::Test {
protected:
    SchedulerTest() { config.pace = Pace::free; }
    void start() {
        scheduler = std::make_unique<Scheduler>(config, [this] { return wall; });
        admit(bs, "bs");
        admit(ss, "ss1");
    }
    void admit(Wire& wire, const char* name) {
        vrf::copy_text(wire.hello.name, name);
        scheduler->admit(std::make_unique<Port>(wire));
        ASSERT_TRUE(wire.welcome.accepted) << wire.welcome.refusal;
    }
    /// The next chunk of one radio: samples of this amplitude, 0: silence.
    void transmit(Wire& wire, int64_t index, float amplitude) {
        auto& tx = wire.sent.emplace_back();
        tx.header.index = index;
        tx.header.sending = amplitude != 0;
        tx.header.streaming = 1;
        tx.header.tx_frequency_hz = tx.header.rx_frequency_hz = 3.5e9;
        tx.header.tx_gain_db.fill(tx_gain_db);
        tx.header.rx_gain_db = rx_gain_db;
        std::fill(tx.samples.begin(), tx.samples.end(), Sample(amplitude, 0));
    }
    /// The given number of chunks of both radios, in which the base station sends.
    void run(int chunks, float amplitude) {
        for (int i = 0; i < chunks; ++i, next += kChunk) {
            transmit(bs, next, amplitude);
            transmit(ss, next, 0);
            serve(2);
        }
    }
    /// For both radios.
    void transmit_silence(int chunks) {
        for (int i = 0; i < chunks; ++i, next += kChunk) transmit(bs, next, 0), transmit(ss, next, 0);
    }
    void pass_ms(double ms) {
        wall += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms));
    }
    double ms_to_wake() const { return std::chrono::duration<double, std::milli>(scheduler->wake_at() - wall).count(); }
    /// Serves all chunks that may be served now; returns their number.
    int serve_all() {
        int served = 0;
        for (scheduler->collect(); scheduler->serve(); scheduler->collect()) ++served;
        return served;
    }
    /// Serves exactly `count` chunks.
    void serve(int chunks) {
        scheduler->collect();
        int served = 0;
        while (served < chunks && scheduler->serve()) ++served;
        ASSERT_EQ(served, chunks);
        EXPECT_FALSE(scheduler->serve());
    }
    /// Mean received power at the antenna in samples [first, end) of a radio.
    double dbm(const Wire& wire, size_t first, size_t end) const {
        double sum = 0;
        for (size_t i = first; i < end; ++i) sum += double(std::norm(wire.received[i]));
        return 10 * std::log10(sum / double(end - first)) + config.defaults.rx_full_scale_dbm - rx_gain_db;
    }
    double dbm(const Wire& wire) const { return dbm(wire, 0, wire.received.size()); }
    const ChannelStation& station(const std::string& name) const {
        return **std::find_if(scheduler->stations().begin(), scheduler->stations().end(),
                              [&](const auto& s) { return s->name == name; });
    }
    nlohmann::json status() const { return StatusReport(config, *scheduler).json(); }

    static constexpr double kToleranceDb = 0.1;
    static constexpr double kNoiseDbm = -174 + 67.604 + 5;  // 5.76 MHz, 5 dB
    ChannelConfig config;
    Wire bs, ss;
    std::unique_ptr<Scheduler> scheduler;
    Clock::time_point wall{std::chrono::hours(5)};
    int64_t next = 0;
    float tx_gain_db = 60, rx_gain_db = 40;
};

}  // namespace wimax::channeld
