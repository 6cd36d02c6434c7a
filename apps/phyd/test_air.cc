/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both ends of the PHY as the MACs see them: two wimax-phyd over the virtual radio, scripted MACs in this process.
 * Every downlink and uplink payload must come back, in lock-step, with no frame late.
 */
#include <gnuradio/wimax/phy/base/numerology.h>
#include "common/child_process.h"
#include "common/scratch.h"
#include "sap/transport.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <tuple>

namespace wimax {
namespace {

namespace phy = gr::wimax::phy;
using namespace nlohmann::literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr uint64_t kBsid = 0x20E9FA102243;
constexpr uint32_t kFirstFrame = 0xFFFFF0;  // wraps during the test
constexpr uint16_t kUplinkCid = 77;
constexpr auto kWatchdog = std::chrono::seconds(30);  // without a word from either PHY: only a hang takes that long

std::vector<uint8_t> payload_of(uint32_t frame, uint32_t burst, size_t size) {
    std::minstd_rand random(frame * 16 + burst + 1);
    std::vector<uint8_t> p(size);
    for (auto& b : p) b = static_cast<uint8_t>(random() >> 8);
    return p;
}

/// Scripted MAC: knows the frame layout, not the PHY. Downlink: broadcast at rate 1, data at `rate`; uplink one burst.
struct AirTest : testing::Test {
    std::filesystem::path dir;
    std::unique_ptr<ChildProcess> channel, bs_phy, ss_phy;
    std::unique_ptr<sap::Port> bs, ss;
    uint8_t rate = 6;
    int64_t bandwidth_hz = 5'000'000;
    uint8_t frame_duration_code = 4;  ///< 10 ms
    uint32_t slots = 72;              ///< a symbol, CP 1/8
    int broadcast_symbols = 4, data_symbols = 60, uplink_symbols = 60;
    int uplink_symbol = 100;
    bool maps_next_frame = false;  ///< each frame's maps describe the uplink of the next one
    int32_t advance = 0;

    std::map<uint32_t, int> got;       ///< bit 0: broadcast, 1: data, 2: uplink
    std::map<uint32_t, int> answered;  ///< how many ticks the subscriber's MAC had of a frame
    int bs_ticks = 0, wrong = 0, lates = 0;
    float worst_cinr = 100, last_uplink_timing = 0, last_uplink_cfo = 0;
    int64_t ss_start = 0;
    std::optional<uint32_t> ss_offset;  ///< BS frame number minus the SS PHY's own count
    bool lock_step = false;
    std::string tx_enable = "true";
    std::vector<std::string> ss_options;  ///< of the subscriber's PHY besides
    float power_dbm = 30;                 ///< of the subscriber
    std::function<void(const sap::FrameTick&)> at_ss_tick;
    std::function<void(const sap::RxBurst&)> at_uplink;
    std::function<void(sap::TxFrame&)> spoil_bs, spoil_ss;  ///< what a MAC out of its mind makes of its answer
    std::function<void(sap::RxExpect&)> more_expected;
    std::vector<sap::RxBurst> other_bursts;  ///< of other CIDs than the uplink burst's
    std::vector<sap::RxContention> opportunities;
    std::vector<std::string> invalid;  ///< what the PHYs said to that
    steady_clock::time_point heard = steady_clock::now();

    void SetUp() override {
        dir = Scratch::path(testing::UnitTest::GetInstance()->current_test_info()->name());
        ASSERT_TRUE(std::filesystem::create_directory(dir));
        setenv("UHD_MODULE_PATH", WIMAX_UHD_MODULE_DIR, 1);
        setenv("UHD_LOG_CONSOLE_LEVEL", "warning", 1);
    }
    void TearDown() override {
        bs_phy.reset();
        ss_phy.reset();
        channel.reset();
        if (HasFailure())
            for (const char* log : {"channel.log", "bs.log", "bs.json", "ss.log", "ss.json"}) {
                std::ifstream in(dir / log);
                std::cerr << "---- " << log << "\n" << in.rdbuf();
            }
    }

    std::string link() const { return (dir / "channel.sock").string(); }
    std::string sap_of(const char* name) const { return "ipc://" + (dir / name).string() + ".sap"; }

    void start_channel() {
        channel = std::make_unique<ChildProcess>(
            dir / "channel.log", std::vector<std::string>{WIMAX_CHANNELD, "--config", (dir / "channel.yml").string(),
                                                          "--status.json", (dir / "channel.json").string()});
    }
    /// One of the channel's lines, each of a second: when, and in how many chunks the base station's radio has sent.
    struct Sent {
        double time_s = 0;
        uint64_t chunks = 0;
    };
    std::vector<Sent> sent_by_bs() const {
        std::vector<Sent> found;
        std::ifstream in(dir / "channel.json");
        for (std::string line; std::getline(in, line);) {
            const auto j = nlohmann::json::parse(line, nullptr, false);
            if (j.is_object() && j["radios"].contains("bs"))
                found.push_back({j["time_s"], j["radios"]["bs"]["active_tx_chunks"]});
        }
        return found;
    }
    std::unique_ptr<ChildProcess> start_phy(const char* name) {
        std::vector<std::string> arguments{WIMAX_PHYD,
                                           "--role",
                                           name,
                                           "--device",
                                           std::string("type=vrf,name=") + name + ",addr=" + link(),
                                           "--sap",
                                           sap_of(name),
                                           "--status.json",
                                           (dir / (std::string(name) + ".json")).string(),
                                           "--radio.tx_enable",
                                           tx_enable,
                                           "--set",
                                           "radio.allowed_bands=[{low_hz: 3.4e9, high_hz: 3.6e9}]",
                                           "--radio.max_power_dbm",
                                           "36"};
        if (name == std::string("ss")) arguments.insert(arguments.end(), ss_options.begin(), ss_options.end());
        return std::make_unique<ChildProcess>(dir / (std::string(name) + ".log"), arguments);
    }
    /// Of the subscriber's PHY, as it says once a second.
    nlohmann::json last_status() const {
        nlohmann::json last;
        std::ifstream in(dir / "ss.json");
        for (std::string line; std::getline(in, line);)
            if (auto j = nlohmann::json::parse(line, nullptr, false); j.is_object()) last = std::move(j);
        return last;
    }
    std::unique_ptr<sap::Port> start_mac(const char* name, sap::Role role) {
        auto port = sap::open_mac_port(sap_of(name));
        EXPECT_TRUE(port) << port.error().str();
        sap::ConfigRequest r;
        r.mac_session = std::random_device{}();
        r.role = role;
        r.bandwidth_hz = bandwidth_hz;
        r.frame_duration_code = frame_duration_code;
        r.frequency_hz = 3'500'000'000;
        r.tx_gain_db = 60;
        r.rx_gain_db = 20;
        r.bsid = kBsid;
        r.first_frame_number = sap::FrameNumber(kFirstFrame);
        (*port)->send(r);
        return std::move(*port);
    }

    sap::TxBurst tx_burst(int symbol, uint8_t rate_id, uint8_t iuc, uint8_t preamble, int symbols, uint32_t frame,
                          uint32_t number) {
        sap::TxBurst b;
        b.start_slot = sap::Slot::of_symbol(symbol, slots);
        b.format.rate_id = rate_id;
        b.format.iuc = iuc;
        b.format.preamble = static_cast<phy::Preamble>(preamble);
        b.format.data_symbols = static_cast<uint16_t>(symbols);
        b.format.frame_lsb = frame & 0xF;
        b.payload = payload_of(frame, number, static_cast<size_t>(phy::burst_capacity_bytes(rate_id, symbols)));
        return b;
    }

    void on_bs(const sap::Message& m) {
        if (const auto* confirm = std::get_if<sap::ConfigConfirm>(&m)) {
            ASSERT_TRUE(confirm->faults.empty()) << confirm->faults[0];
            lock_step = confirm->lock_step;
        } else if (const auto* tick = std::get_if<sap::FrameTick>(&m)) {
            ++bs_ticks;
            EXPECT_EQ(tick->frame_number, number_of(bs_ticks - 1));
            const uint32_t n = tick->frame_number.value();
            sap::RxExpect expect;
            expect.frame_number = sap::FrameNumber(n);
            sap::RxAllocation a;
            a.start_slot = sap::Slot::of_symbol(uplink_symbol, slots);
            a.format.rate_id = rate;
            a.format.iuc = 7;
            a.format.preamble = phy::Preamble::short_;
            a.format.data_symbols = static_cast<uint16_t>(uplink_symbols);
            a.format.frame_lsb = n & 0xF;
            a.cid = kUplinkCid;
            expect.allocations.push_back(a);
            if (more_expected) more_expected(expect);
            bs->send(expect);
            sap::TxFrame tx;
            tx.frame_number = sap::FrameNumber(n);
            tx.dcd_count = 5;
            tx.bursts.push_back(tx_burst(3, 1, 0, 0, broadcast_symbols, n, 0));
            tx.bursts.push_back(
                tx_burst(3 + broadcast_symbols, rate, static_cast<uint8_t>(rate + 1), 0, data_symbols, n, 1));
            if (spoil_bs) spoil_bs(tx);
            bs->send(tx);
        } else if (const auto* burst = std::get_if<sap::RxBurst>(&m)) {
            if (burst->cid != kUplinkCid) return other_bursts.push_back(*burst);
            if (!burst->detected) return;
            last_uplink_timing = burst->timing_offset_samples;
            last_uplink_cfo = burst->frequency_offset_hz;
            if (at_uplink) at_uplink(*burst);
            worst_cinr = std::min(worst_cinr, burst->cinr_db);
            check(burst->frame_number.value(), 2, burst->payload, 4);
        } else if (const auto* opportunity = std::get_if<sap::RxContention>(&m)) {
            opportunities.push_back(*opportunity);
        } else if (const auto* error = std::get_if<sap::ErrorIndication>(&m)) {
            on_error(*error);
        }
    }

    void on_ss(const sap::Message& m) {
        if (const auto* burst = std::get_if<sap::RxBurst>(&m)) {
            if (burst->index == 1) {
                EXPECT_EQ(burst->prefix.bsid_lsb, kBsid & 0xF);
                EXPECT_EQ(burst->prefix.change_count_lsb, 5);
                ss_offset = frame_of(burst->payload) - burst->frame_number.value();
                sap::RxExpect expect;
                expect.frame_number = sap::FrameNumber(burst->frame_number);
                expect.first_uplink_slot = sap::Slot::of_symbol(uplink_symbol, slots);
                if (maps_next_frame) expect.next_uplink_slot = expect.first_uplink_slot;
                ss->send(expect);
            }
            if (burst->index <= 2)
                check((burst->frame_number + *ss_offset).value(), burst->index - 1, burst->payload, burst->index);
        } else if (const auto* tick = std::get_if<sap::FrameTick>(&m)) {
            if (at_ss_tick) at_ss_tick(*tick);
            sap::TxFrame tx;
            tx.frame_number = sap::FrameNumber(tick->frame_number);
            if (tick->synchronised && ss_offset) {
                tx.power_dbm = power_dbm;
                tx.timing_advance_samples = advance;
                const uint32_t n = (tick->frame_number + *ss_offset).value();
                ++answered[n];
                tx.bursts.push_back(tx_burst(uplink_symbol, rate, 7, 1, uplink_symbols, n, 2));
            }
            if (spoil_ss) spoil_ss(tx);
            ss->send(tx);
        } else if (const auto* error = std::get_if<sap::ErrorIndication>(&m)) {
            on_error(*error);
        }
    }

    void on_error(const sap::ErrorIndication& error) {
        if (error.kind == sap::ErrorKind::invalid)
            invalid.push_back(error.detail);
        else
            ++lates;
    }

    /// The frame whose broadcast burst this is (the SS PHY knows only four bits of it).
    uint32_t frame_of(const std::vector<uint8_t>& payload) {
        for (int i = bs_ticks - 1; i >= 0; --i) {
            const uint32_t n = number_of(i);
            if (payload == payload_of(n, 0, payload.size())) return n;
        }
        return 0;
    }
    void check(uint32_t frame, uint32_t number, const std::vector<uint8_t>& payload, int bit) {
        if (payload == payload_of(frame, number, payload.size()))
            got[frame] |= bit;
        else
            ++wrong;
    }

    static uint32_t number_of(int tick) { return sap::FrameNumber(kFirstFrame + int64_t{tick}).value(); }
    /// Until `frames` more were ticked and whatever the last of them carry has come: several sockets lead here, and
    /// which of them is ahead is up to the host. Time runs on meanwhile; what has not come some frames later is lost.
    void run(int frames) {
        until(bs_ticks + frames,
              [&](int target) { return got[number_of(target - 1)] == 7 || bs_ticks >= target + 20; });
    }
    /// Until both ends hear each other, however late the host starts either, and some frames more.
    void settle() {
        until(0, [&](int) { return std::any_of(got.begin(), got.end(), [](const auto& g) { return g.second == 7; }); });
        if (!HasFatalFailure()) run(40);
    }
    void until(int target, const std::function<bool(int)>& done) {
        heard = steady_clock::now();
        while (bs_ticks < target || !done(target)) {
            ASSERT_LT(steady_clock::now(), heard + kWatchdog)
                << "stalled: " << bs_ticks << " BS ticks, " << got.size() << " frames";
            pump();
        }
    }
    /// Every payload of the coming frames comes, after one tick at the subscriber.
    void expect_complete(int frames) {
        const int first = bs_ticks;
        run(frames);
        if (HasFatalFailure()) return;
        for (int i = first; i < first + frames; ++i) {
            EXPECT_EQ(got[number_of(i)], 7) << "tick " << i;
            EXPECT_EQ(answered[number_of(i)], 1) << "tick " << i;
        }
    }
    void pump() {
        const auto take = [this](std::optional<sap::Message> m, auto handle) {
            if (!m) return false;
            heard = steady_clock::now();
            (this->*handle)(*m);
            return true;
        };
        take(bs->poll(milliseconds(1)), &AirTest::on_bs);
        while (take(ss->poll(milliseconds(0)), &AirTest::on_ss)) continue;
        while (take(bs->poll(milliseconds(0)), &AirTest::on_bs)) continue;
    }
    void start_all(const std::string& links, const std::string& time = "mode: commit, pace: free") {
        std::ofstream(dir / "channel.yml") << "listen: [\"" << link() << "\"]\ncontrol: {endpoint: \"\"}\n"
                                           << "time: {" << time << ", wait_for: [bs, ss]}\n"
                                           << links;
        start_channel();
        bs_phy = start_phy("bs");
        ss_phy = start_phy("ss");
        bs = start_mac("bs", sap::Role::base_station);
        ss = start_mac("ss", sap::Role::subscriber_station);
    }
};

TEST_F(AirTest, EveryBurstOfEveryFrameInLockStep) {
    advance = 2 * (7 + 16);  // there and back; a path with a clock offset has 16 samples of its own
    start_all(R"(
links:
  - {from: bs, to: ss, snr_db: 30, delay_samples: 7}
radios:
  - {name: ss, carrier_ppm: 1, clock_ppm: 2}
)");
    settle();  // a radio's time runs by itself until its receiver's first commit: answers may be late until then
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

/// The MAC asks for dBm, and no burst differs, whether the gain changes before it or not.
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
        worst = std::max(worst, std::abs(double(burst.rssi_dbm) - (double(power_dbm) - 50)));
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

/// A base station 35 dB too strong for the gain that was asked for, then one that is too weak: the gain follows, and
/// what is told of the level is right in every frame.
TEST_F(AirTest, TheSubscribersGainFollowsTheLevel) {
    for (const auto& [path_loss_db, lowest_db, highest_db] : {std::tuple(45, 0, 0), std::tuple(92, 32, 36)}) {
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
        const auto gain_db = [&] {
            const auto status = last_status();
            return status.is_null() ? 20.0 : status.value("/radio/rx_gain_now_db"_json_pointer, 20.0);
        };
        // The status is written once a second of the wall's, however many frames go by meanwhile.
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (gain_db() == 20 && std::chrono::steady_clock::now() < patience) run(20);
        EXPECT_GE(gain_db(), lowest_db);
        EXPECT_LE(gain_db(), highest_db);
        EXPECT_EQ(last_status()["radio"]["rx_gain_db"], 20.0);
        EXPECT_EQ(last_status()["sync_losses"], 0);
    }
}

/// Of all threads of a process, highest first.
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

/// The virtual radio's own thread, then UHD's, GNU Radio's and the program's, then the receiver; of time that waits
/// none.
TEST_F(AirTest, ThreadsGoFirstWhereTimeRunsByItself) {
    for (const bool waits : {true, false}) {
        start_all("links: [{from: bs, to: ss, snr_db: 30}]\n", waits ? "mode: commit, pace: free" : "mode: rt");
        until(bs_ticks + 5, [](int) { return true; });
        const auto found = priorities(bs_phy->pid());
        if (waits) {
            EXPECT_TRUE(found.empty());
        } else if (found.empty()) {  // whoever runs this has no right to give
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

/// Whatever the MACs ask for, and time goes on.
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

/// Ticks go on, and what the radio is given is nothing at all.
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

/// What the MAC does not schedule yet passes all the same: a burst on a quarter of the carriers, and codes that share
/// an opportunity, from the subscriber's MAC to the base station's.
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
        EXPECT_EQ(o.codes[0].channel, o.start_slot == early ? 5 : 40);
        EXPECT_EQ(o.codes[0].code, o.start_slot == early ? 3 : 6);
        EXPECT_GT(o.codes[0].snr_db, 25);
        ++with_codes;
    }
    EXPECT_GE(bursts, 48U);  // the reports of the last frames may be under way
    EXPECT_GE(with_codes, 2 * 48U);
    EXPECT_GE(silent, 48U);
}

/// 1.75 MHz, 2.5 ms: 17 symbols a frame, whose uplink begins 0.3 ms after the last symbol of maps. With the channel's
/// chunks of 0.5 ms the subscriber has to be asked for it before it has heard the frame that it belongs to.
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
    // The first frames' uplinks no map has described: this MAC sends all the same, and is late.
    settle();
    const int late_at_first = lates;
    expect_complete(400);
    EXPECT_EQ(lates, late_at_first);
    EXPECT_EQ(wrong, 0);
}

/// Answers that no radio could send, or that are none at all: each costs its own frame, and time goes on for everybody.
struct SpoiltAnswers : AirTest {
    void SetUp() override {
        AirTest::SetUp();
        start_all("links: [{from: bs, to: ss, snr_db: 30}]\n");
        settle();
    }
    /// Both MACs answer `frames` frames so; returns how often the PHYs complained.
    size_t spoil(int frames, std::function<void(sap::TxFrame&)> how) {
        invalid.clear();
        spoil_bs = spoil_ss = std::move(how);
        const int target = bs_ticks + frames;
        until(target, [](int) { return true; });
        spoil_bs = spoil_ss = nullptr;
        return invalid.size();
    }
    void expect_recovery() {
        run(30);
        ASSERT_FALSE(HasFatalFailure());
        const int late_before = lates;
        expect_complete(30);
        EXPECT_EQ(lates, late_before);
    }
    bool said(const std::string& what) const {
        return std::any_of(invalid.begin(), invalid.end(),
                           [&](const auto& text) { return text.find(what) != std::string::npos; });
    }
};

TEST_F(SpoiltAnswers, BurstsLongerThanTheFrame) {
    for (const size_t bursts : {1, 40}) {
        const size_t complaints = spoil(5, [&](sap::TxFrame& tx) {
            if (tx.bursts.empty()) return;
            tx.bursts.assign(bursts, tx.bursts.back());
            for (auto& b : tx.bursts) {
                b.start_slot = sap::Slot(7272);
                b.format.rate_id = 0;
                b.format.data_symbols = 2000;
                b.payload.assign(5, 1);
            }
        });
        EXPECT_GE(complaints, 5U);
        EXPECT_TRUE(said("bursts[0].end slot"));
        expect_recovery();
    }
}

TEST_F(SpoiltAnswers, BurstsFarAheadOfTheFrame) {
    spoil(40, [](sap::TxFrame& tx) { tx.timing_advance_samples = -1'000'000; });
    EXPECT_TRUE(said("timing_advance_samples"));
    expect_recovery();
}

TEST_F(SpoiltAnswers, FieldsOutOfRange) {
    EXPECT_GE(spoil(5, [](sap::TxFrame& tx) { tx.power_dbm = std::numeric_limits<float>::infinity(); }), 5U);
    EXPECT_TRUE(said("power_dbm"));
    expect_recovery();
    EXPECT_GE(spoil(5,
                    [](sap::TxFrame& tx) {
                        for (auto& b : tx.bursts) b.payload.push_back(0);
                    }),
              5U);
    EXPECT_TRUE(said("payload bytes"));
    expect_recovery();
}

TEST_F(SpoiltAnswers, FramesThatNobodyAskedFor) {
    EXPECT_GE(spoil(5, [](sap::TxFrame& tx) { tx.frame_number = tx.frame_number + 0x800000; }), 5U);
    expect_recovery();
}

}  // namespace
}  // namespace wimax
