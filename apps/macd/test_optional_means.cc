// SPDX-License-Identifier: GPL-3.0-or-later
// Both MACs over two wimax-phyd, the virtual radio and the channel: STC zones from two antennas, grants on some
// subchannels and codes of focused contention, from the maps of one MAC to the bursts of the other. The test selects
// the stations that use them; MACs and PHYs do the rest.
#include "common/child_process.h"
#include "common/scratch.h"
#include "mac/air/ofdm256/frame_layout.h"
#include "mac/pdu/map_ie.h"
#include "mac/station_config.h"
#include "mac/test_packets.h"
#include "sap/transport.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace wimax {
namespace {

using mac::test::ip_packet;
using mac::test::kServer;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kWatchdog = std::chrono::seconds(60);  // without a message from either PHY: only a hang takes that long
constexpr uint32_t kStation = mac::test::station_address(0);
constexpr uint8_t kQuarter = 4;  // subchannels of Table 213
constexpr uint32_t kFirstOfZone = 100;

/// A MAC at the port of its PHY, as the daemon has it.
struct End {
    std::unique_ptr<mac::Station> station;
    mac::CodeReceiver* codes = nullptr;  ///< of a base station
    mac::PhyChanges* changes = nullptr;  ///< of a subscriber station
    std::unique_ptr<sap::Port> port;
    sap::TxFrame tx;
    sap::RxExpect expect;
    std::map<uint32_t, sap::RxExpect> asked;  ///< by frame
    std::vector<sap::RxBurst> bursts;
    std::vector<sap::RxContention> contention;
    std::vector<sap::TxFrame> sent;
    size_t packets = 0, octets = 0, lates = 0, invalid = 0, ticks = 0;
    std::string said;

    bool poll(milliseconds timeout) {
        const auto message = port->poll(timeout);
        if (message) std::visit([this](const auto& m) { on(m); }, *message);
        return message.has_value();
    }

private:
    void on(const sap::ConfigConfirm& confirm) {
        ASSERT_TRUE(confirm.faults.empty()) << confirm.faults[0];
        station->on_phy_start(confirm);
    }
    void on(const sap::FrameTick& tick) {
        ++ticks;
        expect.allocations.clear();
        tx.frame_number = expect.frame_number = tick.frame_number;
        station->on_tick(tick, tx, expect);
        if (is_base_station()) {
            port->send(expect);
            asked[tick.frame_number.value()] = expect;
        }
        port->send(tx);
        if (!tx.bursts.empty() || !tx.codes.empty()) sent.push_back(tx);
        send_profiles();
    }
    void on(const sap::RxBurst& burst) {
        expect.allocations.clear();
        expect.frame_number = burst.frame_number;
        if (station->on_burst(burst, expect)) port->send(expect);
        bursts.push_back(burst);
        send_profiles();
    }
    void on(const sap::RxContention& heard) {
        if (codes) codes->on_contention(heard);
        contention.push_back(heard);
    }
    void on(const sap::ErrorIndication& error) {
        station->on_error(error);
        if (error.kind == sap::ErrorKind::invalid) ++invalid;
        else ++lates;
        said += error.detail + "\n";
    }
    template <typename Other> void on(const Other&) {}

    bool is_base_station() const { return station->phy_config().role == sap::Role::base_station; }
    void send_profiles() {
        sap::ProfilesRequest profiles;
        if (changes && changes->profiles_changed(profiles)) port->send(profiles);
    }
};

class OptionalMeans : public testing::Test {
protected:
    void SetUp() override {
        dir = Scratch::path(testing::UnitTest::GetInstance()->current_test_info()->name());
        ASSERT_TRUE(std::filesystem::create_directory(dir));
        setenv("UHD_MODULE_PATH", WIMAX_UHD_MODULE_DIR, 1);
        setenv("UHD_LOG_CONSOLE_LEVEL", "warning", 1);
        bs_config.tx_gain_db = 60;
        bs_config.rx_gain_db = ss_config.rx_gain_db = 30;
        ss_config.tx_gain_db = 60;
        mac::StationConfig station;
        station.mac = ss_config.mac;
        station.dl_rate_id = 3;
        station.ul_rate_id = 1;
        station.ip_addresses = {{kStation, 0xFFFFFF00}};
        bs_config.stations = {station};
        bs_config.profile.unasked_symbols = 0;
        bs_config.profile.grant_spare = false;
    }
    void TearDown() override {
        bs_phy.reset();
        ss_phy.reset();
        channel.reset();
        if (!HasFailure()) return;
        for (const char* log : {"channel.log", "bs.log", "ss.log"})
            std::cerr << "---- " << log << "\n" << std::ifstream(dir / log).rdbuf();
        std::cerr << bs.said << ss.said;
    }
    void start(const std::string& links) {
        const std::string socket = (dir / "channel.sock").string();
        std::ofstream(dir / "channel.yml") << "listen: [\"" << socket << "\"]\ncontrol: {endpoint: \"\"}\n"
                                           << "time: {mode: commit, pace: free, wait_for: [bs, ss]}\n"
                                           << links;
        const auto run = [&](const char* log, std::vector<std::string> command) {
            return std::make_unique<ChildProcess>(dir / log, std::move(command));
        };
        const auto phy = [&](const std::string& name, std::vector<std::string> more) {
            std::vector<std::string> command{WIMAX_PHYD,
                                             "--role",
                                             name,
                                             "--device",
                                             "type=vrf,name=" + name + ",addr=" + socket + more[0],
                                             "--sap",
                                             sap_of(name),
                                             "--radio.tx_enable",
                                             "true",
                                             "--radio.max_power_dbm",
                                             "36",
                                             "--set",
                                             "radio.allowed_bands=[{low_hz: 3.4e9, high_hz: 3.6e9}]"};
            command.insert(command.end(), more.begin() + 1, more.end());
            return run((name + ".log").c_str(), command);
        };
        channel = run("channel.log", {WIMAX_CHANNELD, "--config", (dir / "channel.yml").string()});
        bs_phy = phy("bs", {",tx_channels=2", "--radio.tx_channels", "2"});
        ss_phy = phy("ss", {""});
        auto base = mac::make_base_station(bs_config);
        auto subscriber = mac::make_subscriber_station(ss_config);
        bs.codes = base.get();
        ss.changes = subscriber.get();
        bs.station = std::move(base);
        ss.station = std::move(subscriber);
        attach(bs, "bs");
        attach(ss, "ss");
    }
    std::string sap_of(const std::string& name) const { return "ipc://" + (dir / (name + ".sap")).string(); }
    void attach(End& end, const char* name) {
        end.station->on_sdu = [&end](mac::Octets packet) {
            ++end.packets;
            end.octets += packet.size();
        };
        auto port = sap::open_mac_port(sap_of(name));
        ASSERT_TRUE(port) << port.error().str();
        end.port = std::move(*port);
        auto request = end.station->phy_config();
        request.mac_session = 0x1234;
        end.port->send(request);
    }
    /// The base station's current frame, as each end numbers it: the subscriber's PHY has its own count except for the
    /// low four bits. In lock-step neither end is eight frames later than the other.
    struct Mark {
        sap::FrameNumber bs, ss;
    };
    Mark mark() const {
        const auto lowest = ss.tx.frame_number + -7;
        return {bs.tx.frame_number, lowest.next_with(bs.tx.frame_number.lsb())};
    }
    /// Keeps messages sent between the two marks and received: without those on their way at either mark.
    void keep(const Mark& first, const Mark& last) {
        pass(20);
        const auto keep_of = [](End& end, sap::FrameNumber from, sap::FrameNumber to) {
            const auto outside = [=](const auto& item) {
                const uint32_t after = item.frame_number.since(from);
                return after == 0 || after > to.since(from);
            };
            std::erase_if(end.sent, outside), std::erase_if(end.bursts, outside),
                std::erase_if(end.contention, outside);
        };
        keep_of(bs, first.bs, last.bs);
        keep_of(ss, first.ss, last.ss);
    }
    /// Runs frames until the condition holds, at most `limit`.
    void until(const std::function<bool()>& done, size_t limit) {
        const size_t last = bs.ticks + limit;
        auto heard = steady_clock::now();
        while (!done()) {
            ASSERT_LT(bs.ticks, last) << bs.station->status().dump(1) << ss.station->status().dump(1);
            ASSERT_LT(steady_clock::now(), heard + kWatchdog) << "stalled after " << bs.ticks << " ticks";
            bool any = bs.poll(milliseconds(1));
            while (ss.poll(milliseconds(0))) any = true;
            if (any) heard = steady_clock::now();
        }
    }
    void pass(size_t frames) {
        const size_t last = bs.ticks + frames;
        until([&] { return bs.ticks >= last; }, 2 * frames);
    }
    void enter() {
        until([&] { return bs.station->operational() && ss.station->operational(); }, 1500);
        if (HasFatalFailure()) return;
        pass(30);  // grants that still belong to the network entry
    }

    std::filesystem::path dir;
    std::unique_ptr<ChildProcess> channel, bs_phy, ss_phy;
    mac::BaseStationConfig bs_config;
    mac::SubscriberConfig ss_config;
    End bs, ss;
};

TEST_F(OptionalMeans, ZonesSubchannelsAndCodesFromMacToMac) {
    constexpr size_t kPackets = 20;
    bs_config.stations[0].dl_stc = true;
    bs_config.stations[0].ul_subchannels = kQuarter;
    bs_config.profile.request_symbols = 0;
    bs_config.profile.focused_opportunities = 3;
    start("links: [{from: bs, to: ss, path_loss_db: 90, channel: sui3}]\n");
    ASSERT_NO_FATAL_FAILURE(enter());
    const auto first = mark();
    const auto asked_in_polls = [&] { return ss.station->status()["requests"]["aggregate"].get<uint64_t>(); };
    const uint64_t polled_before = asked_in_polls();
    ASSERT_NO_FATAL_FAILURE(pass(10));
    for (size_t i = 0; i < kPackets; ++i) {
        ASSERT_TRUE(bs.station->push_sdu(ip_packet(kServer, kStation, 500)));
        ASSERT_TRUE(ss.station->push_sdu(ip_packet(kStation, kServer, 100)));
        ASSERT_NO_FATAL_FAILURE(pass(20));  // one by one: each needs a request
    }
    ASSERT_NO_FATAL_FAILURE(until([&] { return ss.packets >= kPackets && bs.packets >= kPackets; }, 300));
    ASSERT_NO_FATAL_FAILURE(keep(first, mark()));
    EXPECT_EQ(ss.octets, 500 * kPackets);
    EXPECT_EQ(bs.octets, 100 * kPackets);

    // The zone: sent from both antennas, announced by the frame prefix, its bursts numbered from 101.
    size_t in_zone = 0, whole = 0;
    for (const auto& tx : bs.sent)
        in_zone += static_cast<size_t>(
            std::count_if(tx.bursts.begin(), tx.bursts.end(), [](auto& b) { return b.format.stc; }));
    for (const auto& burst : ss.bursts) whole += burst.index > kFirstOfZone && burst.detected && burst.fec_ok;
    EXPECT_GE(in_zone, kPackets);
    EXPECT_EQ(whole, in_zone);

    // Grants on four of sixteen subchannels.
    size_t granted = 0, heard = 0;
    for (const auto& tx : ss.sent)
        for (const auto& burst : tx.bursts) {
            if (burst.format.iuc == mac::uiuc::kFocusedContention) continue;
            EXPECT_EQ(burst.format.subchannel_index, kQuarter);
            ++granted;
        }
    for (const auto& burst : bs.bursts) {
        const auto& allocations = bs.asked[burst.frame_number.value()].allocations;
        if (burst.kind != sap::BurstKind::data || !burst.detected) continue;
        ASSERT_LT(burst.index, allocations.size());
        EXPECT_EQ(allocations[burst.index].format.subchannel_index, kQuarter);
        EXPECT_TRUE(burst.fec_ok);
        ++heard;
    }
    EXPECT_GE(heard, kPackets);
    EXPECT_EQ(heard, granted);

    // Each sent code was received, in order, with its place, channel and code.
    using Code = std::tuple<uint32_t, int, int>;
    std::vector<Code> codes_sent, codes_heard;
    for (const auto& tx : ss.sent)
        for (const auto& code : tx.codes)
            codes_sent.emplace_back(code.start_slot.value(), code.what.channel, code.what.code);
    for (const auto& opportunity : bs.contention)
        for (const auto& code : opportunity.codes)
            codes_heard.emplace_back(opportunity.start_slot.value(), code.what.channel, code.what.code);
    // A station that a poll reaches first sends its request there, without a code.
    const uint64_t in_polls = asked_in_polls() - polled_before;
    EXPECT_GE(codes_sent.size() + in_polls, kPackets);
    EXPECT_LE(in_polls, kPackets / 4);
    // The detector takes noise for a code once in ten thousand opportunities; here are about fifteen hundred.
    const size_t false_alarms = codes_heard.size() - std::min(codes_heard.size(), codes_sent.size());
    EXPECT_LE(false_alarms, 3U);
    auto next = codes_sent.begin();
    for (const auto& code : codes_heard) next += next != codes_sent.end() && *next == code ? 1 : 0;
    EXPECT_EQ(next, codes_sent.end()) << "code " << next - codes_sent.begin() << " of " << codes_sent.size();
    const auto requests = ss.station->status()["requests"];
    EXPECT_EQ(requests["codes_answered"], requests["codes"]);
    EXPECT_EQ(requests["contention_lost"], 0);
    for (const End* end : {&bs, &ss}) {
        EXPECT_EQ(end->lates, 0U);
        EXPECT_EQ(end->invalid, 0U) << end->said;
    }
}

/// With all its power on all subchannels this station has -0.7 dB at the base station, and BPSK 1/2 needs 1.9. It gets
/// a quarter of them and sends 6 dB stronger there, as the base station's PHY measures.
TEST_F(OptionalMeans, AStationAtTheEdgeSendsStrongerOnFewerSubchannels) {
    constexpr size_t kPackets = 10;
    constexpr float kMaxPowerDbm = -13, kQuarterDb = 6.02F;
    bs_config.stations[0].ul_rate_id = 0;
    bs_config.stations[0].dl_rate_id = 1;
    bs_config.subchannelization.enable = true;
    ss_config.max_power_dbm = kMaxPowerDbm;
    start("links: [{from: bs, to: ss, path_loss_db: 90}]\n");
    ASSERT_NO_FATAL_FAILURE(enter());
    ASSERT_NO_FATAL_FAILURE(pass(100));
    const auto first = mark();
    for (size_t i = 0; i < kPackets; ++i) {
        ASSERT_TRUE(ss.station->push_sdu(ip_packet(kStation, kServer, 60)));
        ASSERT_NO_FATAL_FAILURE(pass(20));
    }
    ASSERT_NO_FATAL_FAILURE(until([&] { return bs.packets >= kPackets; }, 300));
    ASSERT_NO_FATAL_FAILURE(keep(first, mark()));
    const auto station = bs.station->status()["stations"][0];
    EXPECT_EQ(station["link"]["ul_subchannels"], kQuarter);
    EXPECT_NEAR(station["cinr_db"].get<float>(), -0.7F + kQuarterDb, 1);
    EXPECT_NEAR(ss.station->status()["power_dbm"].get<float>(), kMaxPowerDbm + kQuarterDb, 0.3);
    size_t bursts = 0;
    for (const auto& burst : bs.bursts) {
        if (burst.kind != sap::BurstKind::data) continue;
        ++bursts;
        EXPECT_TRUE(burst.detected && burst.fec_ok);
    }
    EXPECT_GE(bursts, kPackets);
}

/// The same station asks by codes for requests on subchannels. Codes and requests are sent as strong as its grants, and
/// the PHY of the base station receives them.
TEST_F(OptionalMeans, AStationAtTheEdgeAsksByCodesOnSubchannels) {
    constexpr size_t kPackets = 20;
    constexpr float kMaxPowerDbm = -13, kQuarterDb = 6.02F;
    constexpr uint8_t kCodes = 3;
    bs_config.stations[0].ul_rate_id = 0;
    bs_config.stations[0].dl_rate_id = 1;
    bs_config.subchannelization.enable = true;
    bs_config.subchannelization.fewest = kQuarter;
    bs_config.profile.request_symbols = 0;
    bs_config.profile.focused_opportunities = 2;
    bs_config.profile.focused_subchannel_codes = kCodes;
    ss_config.max_power_dbm = kMaxPowerDbm;
    start("links: [{from: bs, to: ss, path_loss_db: 90}]\n");
    ASSERT_NO_FATAL_FAILURE(enter());
    ASSERT_NO_FATAL_FAILURE(pass(100));
    const auto first = mark();
    const auto requests = [&] { return ss.station->status()["requests"]; };
    const auto before = requests();
    for (size_t i = 0; i < kPackets; ++i) {
        ASSERT_TRUE(ss.station->push_sdu(ip_packet(kStation, kServer, 60)));
        ASSERT_NO_FATAL_FAILURE(pass(23));
    }
    ASSERT_NO_FATAL_FAILURE(until([&] { return bs.packets >= kPackets; }, 300));
    ASSERT_NO_FATAL_FAILURE(keep(first, mark()));
    const auto after = requests();
    const auto more = [&](const char* key) { return after[key].get<uint64_t>() - before[key].get<uint64_t>(); };
    EXPECT_GE(more("codes"), kPackets / 2);
    EXPECT_EQ(more("contention_lost"), 0U);
    EXPECT_EQ(more("contention"), more("codes_answered"));
    EXPECT_LE(more("codes") - more("codes_answered"), more("aggregate")) << "a poll or a grant came first";
    size_t sent = 0, heard = 0;
    for (const auto& tx : ss.sent) {
        for (const auto& code : tx.codes) {
            EXPECT_LT(code.what.code, kCodes);
            EXPECT_NEAR(tx.power_dbm, kMaxPowerDbm + kQuarterDb, 0.3);
        }
        for (const auto& burst : tx.bursts) {
            EXPECT_EQ(mac::subchannels_in(static_cast<uint8_t>(burst.format.subchannel_index)), kQuarter);
            if (burst.format.iuc != mac::uiuc::kFocusedContention) continue;
            EXPECT_EQ(burst.format.total_symbols(), 4);
            ++sent;
        }
    }
    for (const auto& burst : bs.bursts)
        heard += burst.kind == sap::BurstKind::contention && burst.detected && burst.fec_ok;
    EXPECT_GE(sent, kPackets / 2);
    EXPECT_EQ(heard, sent);
    for (const End* end : {&bs, &ss}) EXPECT_EQ(end->invalid, 0U) << end->said;
}

}  // namespace
}  // namespace wimax
