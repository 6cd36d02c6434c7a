// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/test_two_ends.h"

#include <sched.h>
#include <signal.h>

#include <tuple>

namespace wimax {
namespace {

using namespace nlohmann::literals;

TEST_F(AirTest, EveryBurstOfEveryFrameInLockStep) {
    advance = 2 * (7 + 16);  // there and back; a path with a clock offset adds 16 samples
    start_all(R"(
links:
  - {from: bs, to: ss, snr_db: 30, delay_samples: 7}
radios:
  - {name: ss, carrier_ppm: 1, clock_ppm: 2}
)");
    settle();  // the radio's clock runs freely until its receiver's first commit: responses may be late until then
    const int late_at_first = lates;
    expect_complete(200);
    EXPECT_TRUE(lock_step);
    EXPECT_EQ(lates, late_at_first);
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(worst_cinr, 20);
    EXPECT_LT(std::abs(last_uplink_timing), 2);
    EXPECT_LT(std::abs(last_uplink_cfo), 100);  // the subscriber's oscillator is 3.5 kHz off: it has to pre-correct
    EXPECT_EQ(bs_phy->end(SIGTERM), 0);
    EXPECT_EQ(ss_phy->end(SIGINT), 0);
}

/// The MAC requests a power in dBm, and no burst deviates, whether the gain changes before it or not.
TEST_F(AirTest, PowerIsExactOverFiftyDecibels) {
    start_all("links: [{from: bs, to: ss, both: true, path_loss_db: 50}]\n");
    settle();
    double worst = 0;
    int looked_at = 0;
    uint32_t changed = number_of(bs_ticks);
    at_uplink = [&](const sap::RxBurst& burst) {
        const uint32_t passed = burst.frame_number.since(sap::FrameNumber(changed));
        if (passed < 4 || passed > 1000) return;  // of a power before
        ++looked_at;
        worst = std::max(worst, std::abs(double(burst.measured.rssi_dbm) - (double(power_dbm) - 50)));
    };
    for (const float dbm : {30.0F, 12.0F, -20.0F, 0.0F, 30.0F, -20.0F}) {
        power_dbm = dbm;
        changed = number_of(bs_ticks);
        run(32);
    }
    EXPECT_GT(looked_at, 120);
    EXPECT_LT(worst, 0.3);  // of bursts in noise
    EXPECT_EQ(wrong, 0);
}

/// A base station 35 dB too strong for the configured gain, then one that is too weak: the gain follows, and the
/// reported level is right in every frame. The weak one has -32 dBFS at the configured gain; any gain that brings it
/// between GainControl's limits may stay, and the one found depends on what was received before its first frame.
TEST_F(AirTest, TheSubscribersGainFollowsTheLevel) {
    for (const auto& [path_loss_db, lowest_db, highest_db] : {std::tuple(45, 0, 0), std::tuple(92, 26, 40)}) {
        SCOPED_TRACE(path_loss_db);
        TearDown();
        got.clear();
        answered.clear();
        ss_offset.reset();
        bs_ticks = 0;
        rate = 0;
        ss_options = {"--radio.rx_agc", "true"};
        std::filesystem::remove(dir / "ss.json");
        float low = 1000, high = -1000;
        at_ss_tick = [&](const sap::FrameTick& tick) {
            if (!tick.synchronised) return;
            low = std::min(low, tick.rssi_dbm);
            high = std::max(high, tick.rssi_dbm);
        };
        start_all("links: [{from: bs, to: ss, both: true, path_loss_db: " + std::to_string(path_loss_db) + "}]\n");
        settle();
        expect_complete(100);
        EXPECT_NEAR(low, 30 - path_loss_db, 0.5);
        EXPECT_NEAR(high, 30 - path_loss_db, 0.5);
        // The status is written once per second of the wall clock, whatever the number of frames. An earlier one has a
        // gain that has not settled.
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        nlohmann::json status;
        const auto has_settled = [&] {
            status = last_status();
            return !status.is_null() && status["frames"] >= 100;
        };
        while (!has_settled() && std::chrono::steady_clock::now() < patience) run(20);
        ASSERT_TRUE(has_settled());
        EXPECT_GE(status["radio"]["rx_gain_now_db"], lowest_db);
        EXPECT_LE(status["radio"]["rx_gain_now_db"], highest_db);
        EXPECT_EQ(status["radio"]["rx_gain_db"], 20.0);
        EXPECT_EQ(status["sync_losses"], 0);
    }
}

/// Priorities of all threads of a process, highest first.
std::vector<int> priorities(pid_t process) {
    std::vector<int> found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
        sched_param parameters{};
        const auto thread = static_cast<pid_t>(std::stol(task.path().filename().string()));
        if (::sched_getscheduler(thread) == SCHED_FIFO && ::sched_getparam(thread, &parameters) == 0)
            found.push_back(parameters.sched_priority);
    }
    std::sort(found.rbegin(), found.rend());
    return found;
}

/// The virtual radio's thread has the highest priority, then UHD's, GNU Radio's and the program's, then the receiver.
/// In lock-step no thread has one.
TEST_F(AirTest, ThreadsGoFirstWhereTimeRunsByItself) {
    for (const bool waits : {true, false}) {
        start_all("links: [{from: bs, to: ss, snr_db: 30}]\n", waits ? "mode: commit, pace: free" : "mode: rt");
        until(bs_ticks + 5, [](int) { return true; });
        const auto found = priorities(bs_phy->pid());
        if (waits) {
            EXPECT_TRUE(found.empty());
        } else if (found.empty()) {  // this user has no right to real-time priority
            std::ifstream log(dir / "bs.log");
            const std::string said(std::istreambuf_iterator<char>(log), {});
            EXPECT_NE(said.find("no right to real-time priority 20"), std::string::npos) << said;
        } else {
            ASSERT_GT(found.size(), 6U);
            EXPECT_EQ(found.front(), 40);
            EXPECT_EQ(std::count(found.begin(), found.end(), 40), 1);
            EXPECT_EQ(std::count(found.begin(), found.end(), 20), static_cast<std::ptrdiff_t>(found.size()) - 2);
            EXPECT_EQ(found.back(), 19);
        }
        TearDown();
        bs_ticks = 0;
    }
}

/// Nothing is sent whatever the MACs request, and time continues.
TEST_F(AirTest, NothingLeavesATransmitterThatIsOff) {
    tx_enable = "false";
    start_all("links: [{from: bs, to: ss, snr_db: 60}]\n");
    until(100, [](int) { return true; });
    EXPECT_TRUE(lock_step);
    EXPECT_TRUE(got.empty());
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(other_bursts.empty());
    EXPECT_EQ(bs_phy->end(SIGTERM), 0);
    std::ifstream log(dir / "bs.log");
    const std::string said(std::istreambuf_iterator<char>(log), {});
    EXPECT_NE(said.find("nothing is transmitted: radio.tx_enable is false"), std::string::npos) << said;
    EXPECT_NE(said.find("before transmission the channel held -101.4 dBm"), std::string::npos) << said;  // its noise
    EXPECT_NE(said.find("no other cell"), std::string::npos) << said;
}

/// Ticks continue, and the radio gets no samples.
TEST_F(AirTest, NothingLeavesAPhyWithoutItsMac) {
    start_all("links: [{from: bs, to: ss, snr_db: 60}]\n");
    settle();
    bs.reset();
    const size_t before = sent_by_bs().size();
    const auto limit = steady_clock::now() + kWatchdog;
    std::vector<Sent> sent;
    while ((sent = sent_by_bs()).size() < before + 4) {  // the first of these seconds may have had the MAC in it
        ASSERT_LT(steady_clock::now(), limit);
        if (const auto m = ss->poll(milliseconds(10))) on_ss(*m);
    }
    const Sent &last = sent.back(), &first = sent[before + 1];
    EXPECT_GT(first.chunks, 40U);
    EXPECT_EQ(last.chunks, first.chunks);
    EXPECT_GT(last.time_s, first.time_s + 1);
}

/// A burst on a quarter of the carriers, and codes that share an opportunity, reach the base station's MAC from the
/// subscriber's.
TEST_F(AirTest, SubchannelsAndFocusedContention) {
    constexpr uint16_t kCid = 78;
    constexpr uint8_t kQuarter = 4, kRate = 1;
    constexpr int kSymbols = 10, kBurst = 172;
    const sap::Slot early(162 * slots), late(184 * slots), empty(168 * slots);
    const auto data = [](uint32_t frame) { return payload_of(frame, 3, 20); };
    more_expected = [&](sap::RxExpect& expect) {
        expect.contention_slots = {early, late, empty};
        sap::RxAllocation a = expect.allocations[0];
        a.start_slot = sap::Slot::of_symbol(kBurst, slots);
        a.format.rate_id = kRate;
        a.format.subchannel_index = kQuarter;
        a.format.data_symbols = kSymbols;
        a.cid = kCid;
        expect.allocations.push_back(a);
    };
    spoil_ss = [&](sap::TxFrame& tx) {
        if (tx.bursts.empty()) return;
        const uint32_t n = (tx.frame_number + *ss_offset).value();
        auto burst = tx_burst(kBurst, kRate, 7, 1, kSymbols, n, 3);
        burst.format.subchannel_index = kQuarter;
        burst.payload = data(n);
        tx.bursts.push_back(burst);
        tx.codes = {{early, 5, 3, 6}, {late, 40, 6, 6}};
    };
    start_all("links: [{from: bs, to: ss, snr_db: 30}]\n");
    settle();
    other_bursts.clear();
    opportunities.clear();
    expect_complete(50);
    EXPECT_EQ(wrong, 0);
    size_t bursts = 0, with_codes = 0, silent = 0;
    for (const auto& b : other_bursts) {
        ASSERT_EQ(b.cid, kCid);
        ASSERT_TRUE(b.detected && b.fec_ok);
        const auto sent = data(b.frame_number.value());
        ASSERT_GE(b.payload.size(), sent.size());
        ASSERT_TRUE(std::equal(sent.begin(), sent.end(), b.payload.begin()));
        ++bursts;
    }
    for (const auto& o : opportunities) {
        if (o.start_slot == empty) {
            EXPECT_TRUE(o.codes.empty());
            ++silent;
            continue;
        }
        ASSERT_EQ(o.codes.size(), 1U);
        EXPECT_TRUE(o.start_slot == early || o.start_slot == late);
        EXPECT_EQ(o.codes[0].what.channel, o.start_slot == early ? 5 : 40);
        EXPECT_EQ(o.codes[0].what.code, o.start_slot == early ? 3 : 6);
        EXPECT_GT(o.codes[0].snr_db, 25);
        ++with_codes;
    }
    EXPECT_GE(bursts, 48U);  // the reports of the last frames may be under way
    EXPECT_GE(with_codes, 2 * 48U);
    EXPECT_GE(silent, 48U);
}

/// 1.75 MHz, 2.5 ms: 17 symbols per frame, whose uplink begins 0.3 ms after the last symbol of maps. With the channel's
/// chunks of 0.5 ms, the subscriber's MAC must get the tick before the frame of this uplink is received.
TEST_F(AirTest, ShortFramesOfANarrowChannelWithMapsOfTheFrameBefore) {
    bandwidth_hz = 1'750'000;
    frame_duration_code = 0;
    rate = 3;
    broadcast_symbols = 4;
    data_symbols = 1;
    uplink_symbol = 9;
    uplink_symbols = 6;
    maps_next_frame = true;
    advance = 2 * 20;
    start_all(R"(
sample_rate_hz: 2000000
links:
  - {from: bs, to: ss, snr_db: 30, delay_samples: 20}
)");
    // No map has described the first frames' uplinks: this MAC sends nevertheless, and is late.
    settle();
    const int late_at_first = lates;
    expect_complete(400);
    EXPECT_EQ(lates, late_at_first);
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace wimax
