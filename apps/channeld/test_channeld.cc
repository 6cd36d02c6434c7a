// SPDX-License-Identifier: GPL-3.0-or-later
// Radios and channel together in one process: a base station that sends a burst per frame, subscriber stations that
// respond a fixed time after its reception. Free-running commit mode unless stated.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "channeld/test_channel.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

constexpr size_t kFrame = 28'800;  // 5 ms
constexpr size_t kBurst = 1'000;
constexpr int64_t kStart = 57'600;  // first frame
constexpr int64_t kResponse = 8'000;

std::vector<Sample> burst_of(float phase) {
    std::vector<Sample> burst(kBurst);
    for (size_t i = 0; i < kBurst; ++i) burst[i] = std::polar(1.0F, phase * float(i));
    return burst;
}

/// Ticks at which bursts begin in a stream: power rises above half the burst's after silence.
class EdgeDetector {
public:
    explicit EdgeDetector(float level) : level_(level) {}
    void feed(int64_t tick, std::span<const Sample> samples, std::vector<int64_t>& edges) {
        for (size_t i = 0; i < samples.size(); ++i) {
            const bool on = std::norm(samples[i]) > level_;
            if (on && silent_ > 100) edges.push_back(tick + int64_t(i));
            silent_ = on ? 0 : silent_ + 1;
        }
    }

private:
    float level_;
    int silent_ = 1000;
};

/// Half of the received power of a 0 dBFS burst at 30 dB SNR.
float half_power(const vrf::Radio& radio) {
    const double noise_dbm = -174 + 10 * std::log10(radio.rate_hz()) + 5;
    return float(0.5 * std::pow(10, (noise_dbm + 29 - radio.rx_reference_dbm()) / 10));
}

struct Log {
    std::vector<int64_t> edges;
    int64_t last = 0;
    bool starved = false, gap = false;
};

/// Reads up to tick `end`; false if nothing arrived.
bool read_until(vrf::Radio& radio, EdgeDetector& detector, int64_t end, Log& log, std::vector<Sample>& buffer) {
    while (log.last < end) {
        vrf::RxMeta meta;
        const size_t n = radio.receive(buffer, meta, std::chrono::duration<double>(kTimeoutS), true);
        if (n == 0) return !(log.starved = true);
        log.gap = log.gap || (log.last > kStart && meta.tick != log.last);
        detector.feed(meta.tick, {buffer.data(), n}, log.edges);
        log.last = meta.tick + int64_t(n);
    }
    return true;
}

void run_base_station(vrf::Radio& radio, int frames, Log& log) {
    const auto burst = burst_of(0.1F);
    std::vector<Sample> buffer(8192);
    EdgeDetector detector(half_power(radio));
    radio.commit(kStart, 0);
    radio.command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = kStart});
    for (int n = 0; n < frames; ++n) {
        const int64_t at = kStart + n * int64_t(kFrame);
        radio.send(burst, {.tick = at, .start_of_burst = true, .end_of_burst = true}, std::chrono::seconds(60));
        radio.commit(at + int64_t(kFrame), uint64_t(n) + 1);
        if (!read_until(radio, detector, at + int64_t(kFrame), log, buffer)) break;
    }
}

/// Responds to every burst; `work` is called per packet and simulates a slow machine.
void run_subscriber(vrf::Radio& radio, int frames, Log& log, const std::function<void()>& work) {
    const auto burst = burst_of(-0.2F);
    std::vector<Sample> buffer(8192);
    EdgeDetector detector(half_power(radio));
    radio.commit(kStart + kResponse, 0);
    radio.command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = kStart});
    log.last = kStart;
    size_t answered = 0;
    const int64_t end = kStart + frames * int64_t(kFrame);
    while (log.last < end && read_until(radio, detector, log.last + 1, log, buffer)) {
        work();
        for (; answered < log.edges.size(); ++answered) {
            const vrf::TxMeta meta{
                .tick = log.edges[answered] + kResponse, .start_of_burst = true, .end_of_burst = true};
            radio.send(burst, meta, std::chrono::seconds(60));
        }
        radio.commit(log.last + kResponse - int64_t(radio.chunk_samples()), answered);
    }
}

void spin() {
    volatile double x = 1;
    for (int i = 0; i < 60'000; ++i) x = x * 1.0000001;
}

struct Outcome {
    Log bs, ss;
    nlohmann::json status;
};

Outcome run_pair(
    ChannelConfig config, int frames, const std::function<void()>& work = [] {}) {
    Outcome outcome;
    Channel channel(config);
    auto bs = open_radio(config.listen[0], "bs"), ss = open_radio(config.listen[0], "ss1");
    if (!bs || !ss) return outcome;
    std::thread subscriber([&] { run_subscriber(*ss, frames, outcome.ss, work); });
    run_base_station(*bs, frames, outcome.bs);
    subscriber.join();
    outcome.status = channel.join();
    return outcome;
}

void expect_exact(const Outcome& outcome, int frames, int64_t delay) {
    ASSERT_EQ(outcome.ss.edges.size(), size_t(frames));
    ASSERT_GE(outcome.bs.edges.size(), size_t(frames) - 1);
    for (size_t n = 0; n < outcome.ss.edges.size(); ++n)
        EXPECT_EQ(outcome.ss.edges[n], kStart + int64_t(n * kFrame) + delay);
    for (size_t n = 0; n < outcome.bs.edges.size(); ++n)
        EXPECT_EQ(outcome.bs.edges[n], kStart + int64_t(n * kFrame) + kResponse + 2 * delay);
    for (const char* name : {"bs", "ss1"}) {
        EXPECT_EQ(outcome.status["radios"][name]["late"], 0) << name;
        EXPECT_EQ(outcome.status["radios"][name]["overflow"], 0) << name;
    }
}

TEST(Channel, BurstsLandOnTheExactSample) {
    auto config = test_config(address_for("shm"), {"bs", "ss1"});
    config.links[0].delay_samples = 37;
    expect_exact(run_pair(config, 40), 40, 37);
}

TEST(Channel, ZeroMqCarriesTheSame) {
    const auto config = test_config(address_for("ipc"), {"bs", "ss1"});
    expect_exact(run_pair(config, 20), 20, 0);
}

TEST(Channel, SlowRadioChangesNoSample) {
    const auto run = [](const std::string& scheme, const std::function<void()>& work) {
        auto config = test_config(address_for(scheme), {"bs", "ss1"});
        config.links[0].channel = "sui2";
        config.links[0].cfo_hz = 700;
        return run_pair(config, 20, work).status;
    };
    // Time ends at the base station's last commit, so both runs are equally long.
    const auto quick = run("shm", [] {}), slow = run("shm", spin);
    ASSERT_TRUE(quick.contains("radios") && slow.contains("radios"));
    for (const char* name : {"bs", "ss1"}) {
        EXPECT_EQ(quick["radios"][name]["hash"], slow["radios"][name]["hash"]) << name;
        EXPECT_EQ(quick["radios"][name]["chunks"], slow["radios"][name]["chunks"]) << name;
    }
}

TEST(Channel, ClocksOfDifferentSpeedStayInLockStep) {
    auto config = test_config(address_for("shm"), {"bs", "ss1"});
    RadioOverride fast;
    fast.name = "ss*";
    fast.clock_ppm = 80;
    fast.carrier_ppm = 1;
    config.radios = {fast};
    constexpr int kFrames = 60;
    const auto outcome = run_pair(config, kFrames);
    ASSERT_GE(outcome.ss.edges.size(), size_t(kFrames) - 1);
    // The fast clock counts 80e-6 more, and an interpolating path is 16 samples late.
    for (const size_t n : {size_t(0), outcome.ss.edges.size() - 1}) {
        const double sent = double(kStart) + double(n * kFrame);
        EXPECT_NEAR(double(outcome.ss.edges[n]), sent * (1 + 80e-6) + 16, 4) << n;
    }
    ASSERT_GE(outcome.bs.edges.size(), size_t(kFrames) - 1);
    const size_t last = size_t(kFrames) - 2;
    EXPECT_NEAR(double(outcome.bs.edges[last]), (double(outcome.ss.edges[last]) + double(kResponse)) / (1 + 80e-6) + 16,
                4);
    for (const char* name : {"bs", "ss1"}) EXPECT_EQ(outcome.status["radios"][name]["late"], 0) << name;
}

TEST(Channel, RadiosOnOtherFrequenciesAreNotHeard) {
    const auto config = test_config(address_for("shm"), {"bs", "ss1"});
    Channel channel(config);
    auto bs = open_radio(config.listen[0], "bs"), ss = open_radio(config.listen[0], "ss1");
    ASSERT_TRUE(bs && ss);
    ss->tune([](vrf::Tuning& t) { t.rx_frequency_hz += 5e6; });
    Log log, own;
    std::thread listener([&] {
        std::vector<Sample> buffer(8192);
        EdgeDetector detector(half_power(*ss));
        ss->commit(kStart + 3 * int64_t(kFrame), 0);
        ss->command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = kStart});
        read_until(*ss, detector, kStart + 3 * int64_t(kFrame), log, buffer);
    });
    run_base_station(*bs, 3, own);
    listener.join();
    EXPECT_FALSE(log.starved);
    EXPECT_TRUE(log.edges.empty());
}

TEST(Channel, TimeRunsOnWithoutAKilledRadioAndTakesItBack) {
    const auto config = test_config(address_for("shm"), {"bs", "ss1"});
    Channel channel(config);
    auto bs = open_radio(config.listen[0], "bs");
    Log bs_log, first, second;
    std::thread subscriber([&] {
        auto ss = open_radio(config.listen[0], "ss1");
        run_subscriber(*ss, 10, first, [] {});
        ss.reset();
        ss = open_radio(config.listen[0], "ss1");
        second.last = kStart;
        ss->command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = {}});
        std::vector<Sample> buffer(8192);
        EdgeDetector detector(half_power(*ss));
        read_until(*ss, detector, ss->now() + 3 * int64_t(kFrame), second, buffer);
    });
    run_base_station(*bs, 600, bs_log);  // far longer than the other needs to return
    bs->commit(INT64_MAX, 0);
    subscriber.join();
    const auto status = channel.join();
    EXPECT_FALSE(bs_log.starved);
    EXPECT_FALSE(bs_log.gap);
    EXPECT_EQ(first.edges.size(), 10U);
    EXPECT_FALSE(second.starved);
    EXPECT_EQ(status["radios"]["ss1"]["died"], status["radios"]["ss1"]["attached"].get<bool>() ? 1 : 2);
}

TEST(Channel, RadioTimeGoesOnAcrossARestart) {
    for (const char* scheme : {"shm", "ipc"}) {
        const auto config = test_config(address_for(scheme), {"bs"});
        auto channel = std::make_unique<Channel>(config);
        auto bs = open_radio(config.listen[0], "bs");
        ASSERT_TRUE(bs);
        Log log;
        std::vector<Sample> buffer(8192);
        EdgeDetector detector(1e9F);
        bs->command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = 0});
        EXPECT_TRUE(read_until(*bs, detector, kStart, log, buffer));
        channel.reset();
        const auto before = bs->now();
        channel = std::make_unique<Channel>(config);
        EXPECT_TRUE(read_until(*bs, detector, 4 * kStart, log, buffer));
        EXPECT_FALSE(log.gap) << scheme;
        EXPECT_GE(bs->now(), before) << scheme;
        EXPECT_EQ(bs->counters().overflow, 0U) << scheme;
    }
}

TEST(Channel, ALiveRadioThatNeverCommitsIsGivenUpAndTakenBack) {
    auto config = test_config(address_for("shm"), {"bs", "ss1"});
    config.give_up_s = 1;  // far longer than a loaded host delays a thread
    Channel channel(config);
    auto bs = open_radio(config.listen[0], "bs"), ss = open_radio(config.listen[0], "ss1");
    ASSERT_TRUE(bs && ss);
    constexpr int64_t kPromised = kStart + 2 * int64_t(kFrame), kEnd = kStart + 40 * int64_t(kFrame);
    ss->commit(kPromised, 0);
    ss->command({.mode = vrf::RxCommand::Mode::start, .samples = 0, .tick = kStart});
    Log bs_log, ss_log;
    run_base_station(*bs, 40, bs_log);
    ASSERT_FALSE(bs_log.starved) << "time stood still at " << bs_log.last;
    EXPECT_FALSE(bs_log.gap);
    EXPECT_GE(bs_log.last, kEnd);
    EXPECT_LE(ss->now(), kPromised);

    // It continues: the promised samples arrive, then those of the present.
    bs->commit(kEnd + 400 * int64_t(kFrame), 40);
    ss->commit(kEnd + 400 * int64_t(kFrame), 0);
    std::vector<Sample> buffer(8192);
    EdgeDetector detector(half_power(*ss));
    EXPECT_FALSE(read_until(*ss, detector, kEnd + 2 * int64_t(kFrame), ss_log, buffer));  // an overflow reports the gap
    EXPECT_TRUE(read_until(*ss, detector, kEnd + 2 * int64_t(kFrame), ss_log, buffer));
    EXPECT_EQ(ss->counters().overflow, 1U);
    EXPECT_EQ(ss_log.edges, (std::vector<int64_t>{kStart, kStart + int64_t(kFrame)}));
    const auto status = channel.join();
    EXPECT_EQ(status["radios"]["ss1"]["given_up"], 1);
    EXPECT_EQ(status["radios"]["ss1"]["silent"], false);
    EXPECT_EQ(status["radios"]["ss1"]["died"], 0);
    EXPECT_EQ(ss->counters().late, 0U);
    // bs no longer reads, so it may have been given up in turn; test_channel_scheduler checks exact counts.
}

TEST(Channel, LiveChangesAreChecked) {
    LinkConfig link = ChannelConfig::default_link();
    EXPECT_TRUE(change_link(link, {{"snr_db", 12}, {"channel", "sui3"}}).empty());
    EXPECT_EQ(link.snr_db, 12);
    EXPECT_TRUE(change_link(link, {{"path_loss_db", 100}}).empty());
    EXPECT_FALSE(link.snr_db);
    const auto faults = change_link(link, {{"snr_db", 500}, {"channel", "sui9"}, {"colour", 1}}).str();
    for (const char* key : {"snr_db", "channel", "colour"}) EXPECT_NE(faults.find(key), std::string::npos) << faults;
    EXPECT_EQ(link.path_loss_db, 100);
}

}  // namespace
