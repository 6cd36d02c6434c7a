// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of the PHY as the MACs see them: two wimax-phyd over the virtual radio, scripted MACs in this process.
// Every downlink and uplink payload must come back, in lock-step, with no frame late.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "common/child_process.h"
#include "common/scratch.h"
#include "sap/transport.h"

namespace wimax {

namespace phy = gr::wimax::phy;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

inline constexpr uint64_t kBsid = 0x20E9FA102243;
inline constexpr uint32_t kFirstFrame = 0xFFFFF0;  // wraps during the test
inline constexpr uint16_t kUplinkCid = 77;
inline constexpr auto kWatchdog = std::chrono::seconds(30);  // without a message: only a hang takes that long

inline std::vector<uint8_t> payload_of(uint32_t frame, uint32_t burst, size_t size) {
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

    std::map<uint32_t, int> got;         ///< bit 0: broadcast, 1: data, 2: uplink
    std::map<uint32_t, int64_t> starts;  ///< where the subscriber has found a frame
    std::map<uint32_t, int> answered;    ///< how many ticks the subscriber's MAC had of a frame
    int bs_ticks = 0, wrong = 0, lates = 0;
    float worst_cinr = 100, last_uplink_timing = 0, last_uplink_cfo = 0;
    int64_t ss_start = 0;
    std::optional<uint32_t> ss_offset;  ///< BS frame number minus the SS PHY's own count
    bool lock_step = false;
    std::string tx_enable = "true";
    std::vector<std::string> ss_options;  ///< of the subscriber's PHY besides
    std::string device_options;           ///< of both radios besides
    float power_dbm = 30;                 ///< of the subscriber
    std::function<void(const sap::FrameTick&)> at_ss_tick;
    std::function<void(const sap::RxBurst&)> at_uplink;
    std::function<void(sap::TxFrame&)> spoil_bs, spoil_ss;  ///< how a faulty MAC changes its response
    std::function<void(sap::RxExpect&)> more_expected;
    std::vector<sap::RxBurst> other_bursts;  ///< of other CIDs than the uplink burst's
    std::vector<sap::RxContention> opportunities;
    std::vector<std::string> invalid;  ///< errors that the PHYs reported then
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
                                           std::string("type=vrf,name=") + name + ",addr=" + link() + device_options,
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
    /// Last status of a PHY, which writes one per second.
    nlohmann::json last_status(const char* name = "ss") const {
        nlohmann::json last;
        std::ifstream in(dir / (std::string(name) + ".json"));
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
        r.carriers.downlink_hz = 3'500'000'000;
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
            last_uplink_timing = burst->measured.timing_offset_samples;
            last_uplink_cfo = burst->measured.frequency_offset_hz;
            if (at_uplink) at_uplink(*burst);
            worst_cinr = std::min(worst_cinr, burst->measured.cinr_db);
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
                starts[(burst->frame_number + *ss_offset).value()] = burst->frame_start_sample;
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
        if (error.kind == sap::ErrorKind::invalid) invalid.push_back(error.detail);
        else ++lates;
    }

    /// Number of the frame with this broadcast burst (the SS PHY knows only four bits of it).
    uint32_t frame_of(const std::vector<uint8_t>& payload) {
        for (int i = bs_ticks - 1; i >= 0; --i) {
            const uint32_t n = number_of(i);
            if (payload == payload_of(n, 0, payload.size())) return n;
        }
        return 0;
    }
    void check(uint32_t frame, uint32_t number, const std::vector<uint8_t>& payload, int bit) {
        if (payload == payload_of(frame, number, payload.size())) got[frame] |= bit;
        else ++wrong;
    }

    static uint32_t number_of(int tick) { return sap::FrameNumber(kFirstFrame + int64_t{tick}).value(); }
    /// Runs until `frames` more were ticked and the payloads of the last one were received. The order of several
    /// sockets depends on the host. Time continues meanwhile; payloads missing some frames later are lost.
    void run(int frames) {
        until(bs_ticks + frames,
              [&](int target) { return got[number_of(target - 1)] == 7 || bs_ticks >= target + 20; });
    }
    /// Runs until both ends receive each other, however late the host starts either, and some frames more.
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
    /// Every payload of the next frames is received, after one tick at the subscriber.
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
    /// Ends all programs and clears their results.
    void stop_all() {
        for (auto* program : {&bs_phy, &ss_phy, &channel}) {
            EXPECT_EQ((*program)->end(SIGTERM), 0);
            program->reset();
        }
        bs.reset();
        ss.reset();
        got.clear();
        starts.clear();
        answered.clear();
        ss_offset.reset();
        bs_ticks = 0;
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

}  // namespace wimax
