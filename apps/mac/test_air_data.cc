// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput in symbols, fairness, latency, service types and loss over the burst-moving PHY.
#include "mac/test_cells.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_data {

/// Keeps every chosen queue filled with 1500-byte packets, a few new ones in each frame.
struct Saturation {
    Air& air;
    bool down = false, up = false;
    size_t octets = 1500;
    int per_frame = 12;
    uint32_t number = 0;

    void frame() {
        for (size_t i = 0; i < air.terminals.size(); ++i)
            for (int k = 0; k < per_frame; ++k) {
                ++number;
                if (down) air.bs->push_sdu(ip_packet(kServer, station_address(i), octets, 5000, number));
                if (up) air.terminals[i]->mac->push_sdu(ip_packet(station_address(i), kServer, octets, 5000, number));
            }
    }
    void run(int frames) {
        for (int i = 0; i < frames; ++i) {
            frame();
            air.step();
        }
    }
};

double ip_symbols(uint64_t octets, int frames, int rate) {
    return static_cast<double>(octets) / frames / phy::kRateTable[static_cast<size_t>(rate)].uncoded_bytes;
}

double jain(const std::vector<double>& x) {
    double sum = 0, squares = 0;
    for (const double v : x) sum += v, squares += v * v;
    return sum * sum / (static_cast<double>(x.size()) * squares);
}

TEST(Data, SymbolsThatCarryIp) {
    Air air;
    auto& station = air.add();
    enter(air);
    Saturation load{air};
    load.down = true;
    load.run(100);
    const auto before = station.dl_bytes;
    load.run(500);
    const double down = ip_symbols(station.dl_bytes - before, 500, 6);
    EXPECT_NEAR(down, 92.8, 0.2) << air.bs_status().dump(1);

    load.down = false;
    load.up = true;
    load.run(100);
    const auto up_before = air.ul_bytes[station_address(0)];
    load.run(500);
    const double up = ip_symbols(air.ul_bytes[station_address(0)] - up_before, 500, 6);
    EXPECT_NEAR(up, 94.0, 0.2) << air.bs_status().dump(1);
    const auto capacity = air.bs_status()["capacity"];
    EXPECT_NEAR(down, capacity["downlink"]["ip_symbols"].get<double>(), 0.2);
    EXPECT_NEAR(up, capacity["uplink"]["ip_symbols"].get<double>(), 0.2);
    printf("symbols with IP: %.2f down, %.2f up\n", down, up);
    expect_clean(air);
}

TEST(Data, ThreeStationsShareBothWays) {
    Air air(Air::with_stations(3));
    for (int i = 0; i < 3; ++i) air.add();
    enter(air);
    Saturation load{air};
    load.down = load.up = true;
    load.run(100);
    std::vector<double> down, up;
    for (size_t i = 0; i < 3; ++i) {
        down.push_back(-static_cast<double>(air.terminals[i]->dl_bytes));
        up.push_back(-static_cast<double>(air.ul_bytes[station_address(i)]));
    }
    load.run(300);
    double down_sum = 0, up_sum = 0;
    for (size_t i = 0; i < 3; ++i) {
        down_sum += down[i] += static_cast<double>(air.terminals[i]->dl_bytes);
        up_sum += up[i] += static_cast<double>(air.ul_bytes[station_address(i)]);
    }
    EXPECT_GE(jain(down), 0.99);
    EXPECT_GE(jain(up), 0.99);
    EXPECT_GE(down_sum / 300 / 108, 90.0);
    EXPECT_GE(up_sum / 300 / 108, 89.0);
    printf("symbols with IP: %.2f down, %.2f up; Jain %.4f %.4f\n", down_sum / 300 / 108, up_sum / 300 / 108,
           jain(down), jain(up));
    expect_clean(air);
}

TEST(Data, NothingIsLostOrReorderedUnderLightLoad) {
    Air air;
    auto& station = air.add();
    enter(air);
    air.keep_numbers = true;
    uint32_t number = 0;
    for (int i = 0; i < 400; ++i) {
        for (int k = 0; k < 3; ++k) {
            const size_t octets = 40 + (number * 397) % 1461;
            ++number;
            ASSERT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(0), octets, 5000, number)));
            ASSERT_TRUE(station.mac->push_sdu(ip_packet(station_address(0), kServer, octets, 5000, number)));
        }
        air.step();
    }
    air.run(10);
    ASSERT_EQ(station.dl_numbers.size(), number);
    ASSERT_EQ(air.ul_numbers.size(), number);
    EXPECT_TRUE(std::is_sorted(station.dl_numbers.begin(), station.dl_numbers.end()));
    EXPECT_TRUE(std::is_sorted(air.ul_numbers.begin(), air.ul_numbers.end()));
}

TEST(Data, EveryRateBothWays) {
    for (uint8_t rate = 0; rate < 7; ++rate) {
        BaseStationConfig config;
        config.dl_rate_id = config.ul_rate_id = rate;
        Air air(config);
        auto& station = air.add();
        enter(air);
        Saturation load{air, true, true};
        load.run(60);
        const auto down = station.dl_bytes, up = air.ul_bytes[station_address(0)];
        load.run(200);
        EXPECT_GE(ip_symbols(station.dl_bytes - down, 200, rate), 91.0) << int{rate};
        EXPECT_GE(ip_symbols(air.ul_bytes[station_address(0)] - up, 200, rate), 92.5) << int{rate};
        expect_clean(air);
    }
}

TEST(Data, SevenRatesInOneCellNeedTheDlMap) {
    auto config = Air::with_stations(7);
    for (uint8_t i = 0; i < 7; ++i) config.stations[i].dl_rate_id = config.stations[i].ul_rate_id = i;
    Air air(config);
    for (int i = 0; i < 7; ++i) air.add();
    enter(air);
    Saturation load{air, true, true};
    load.run(100);
    EXPECT_EQ(air.last_tx().bursts.size(), 7U);  // six of the seven in turn, more than the prefix lists
    std::vector<double> down, up;
    for (size_t i = 0; i < 7; ++i) {
        down.push_back(-static_cast<double>(air.terminals[i]->dl_bytes));
        up.push_back(-static_cast<double>(air.ul_bytes[station_address(i)]));
    }
    load.run(600);
    for (size_t i = 0; i < 7; ++i) {
        const double per_symbol = phy::kRateTable[i].uncoded_bytes;
        down[i] = (down[i] + static_cast<double>(air.terminals[i]->dl_bytes)) / per_symbol;
        up[i] = (up[i] + static_cast<double>(air.ul_bytes[station_address(i)])) / per_symbol;
    }
    EXPECT_GE(jain(down), 0.98);  // equal symbols, not equal throughput
    EXPECT_GE(jain(up), 0.98);
    expect_clean(air);
}

TEST(Data, WeightsScaleTheShares) {
    auto config = Air::with_stations(2);
    config.stations[1].weight = 3;
    Air air(config);
    for (int i = 0; i < 2; ++i) air.add();
    enter(air);
    Saturation load{air, true, true};
    load.run(100);
    const auto down0 = air.terminals[0]->dl_bytes, down1 = air.terminals[1]->dl_bytes;
    const auto up0 = air.ul_bytes[station_address(0)], up1 = air.ul_bytes[station_address(1)];
    load.run(400);
    EXPECT_NEAR(static_cast<double>(air.terminals[1]->dl_bytes - down1) /
                    static_cast<double>(air.terminals[0]->dl_bytes - down0),
                3.0, 0.2);
    EXPECT_NEAR(static_cast<double>(air.ul_bytes[station_address(1)] - up1) /
                    static_cast<double>(air.ul_bytes[station_address(0)] - up0),
                3.0, 0.25);
}

TEST(Data, IdleNetworkAnswersWithinItsFrame) {
    Air air(Air::with_stations(3));
    for (int i = 0; i < 3; ++i) air.add();
    enter(air);
    // An echo: what the station receives in the downlink is returned in the uplink of the same frame.
    auto& station = *air.terminals[1];
    int sent = 0, same_frame = 0;
    for (int i = 0; i < 200; ++i) {
        const auto before = air.ul_packets;
        air.bs->push_sdu(ip_packet(kServer, station_address(1), 84));
        ++sent;
        // The double delivers bursts 2.. after the station's tick; a real PHY delivers them before. One frame later
        // then.
        air.step();
        station.mac->push_sdu(ip_packet(station_address(1), kServer, 84));
        air.step();
        same_frame += air.ul_packets == before + 1;
        air.run(i % 3);
    }
    EXPECT_EQ(same_frame, sent);
    EXPECT_EQ(station.status()["requests"]["contention"], 0);
    // early in the uplink: at most after the request opportunity
    phy::Slot first(UINT32_MAX);
    for (const auto& a : air.last_expect().allocations)
        if (a.kind == sap::BurstKind::data) first = std::min(first, a.start_slot);
    EXPECT_LE(first, air.layout.uplink.slot(2 + 6));
}

TEST(Data, ContentionRequestsWithBackoff) {
    auto config = Air::with_stations(5);
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    config.profile.request_backoff_start = 1;
    Air air(config);
    for (int i = 0; i < 5; ++i) air.add();
    enter(air);
    air.keep_numbers = true;
    air.collisions = 0;
    uint32_t number = 0;
    for (int i = 0; i < 300; ++i) {
        if (i % 25 == 0)
            for (size_t k = 0; k < 5; ++k)
                air.terminals[k]->mac->push_sdu(ip_packet(station_address(k), kServer, 300, 5000, ++number));
        air.step();
    }
    air.run(300);
    EXPECT_EQ(air.ul_numbers.size(), number);
    EXPECT_GT(air.collisions, 0U);
    int asked = 0, lost = 0;
    for (const auto& t : air.terminals) {
        const auto status = t->status();
        asked += status["requests"]["contention"].get<int>();
        lost += status["requests"]["contention_lost"].get<int>();
    }
    EXPECT_GE(asked, static_cast<int>(number));
    EXPECT_GT(lost, 0);
    expect_clean(air);
}

TEST(Data, RequestsAloneSaturateTheUplink) {
    auto config = Air::with_stations(2);
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    Air air(config);
    for (int i = 0; i < 2; ++i) air.add();
    enter(air);
    Saturation load{air, false, true};
    load.run(100);
    const auto before = air.ul_packets;
    load.run(300);
    EXPECT_GE(ip_symbols((air.ul_packets - before) * 1500, 300, 6), 90.0) << air.bs_status().dump(1);
    for (const auto& t : air.terminals) EXPECT_GT(t->status()["requests"]["piggyback"].get<int>(), 50);
}

BaseStationConfig with_ugs() {
    auto config = Air::with_stations(2);
    config.profile.unasked_symbols = 0;
    for (auto& station : config.stations)
        station.flows = {flow(FlowDirection::downlink, SchedulingType::ugs, 7000, 256'000),
                         flow(FlowDirection::uplink, SchedulingType::ugs, 7000, 256'000),
                         flow(FlowDirection::downlink, SchedulingType::best_effort, 0, 0),
                         flow(FlowDirection::uplink, SchedulingType::best_effort, 0, 0)};
    return config;
}

TEST(Data, UgsKeepsItsRateAndDelayBesideSaturation) {
    Air air(with_ugs());
    for (int i = 0; i < 2; ++i) air.add();
    enter(air);
    Saturation load{air, true, true};
    load.run(100);
    // 256 kb/s: 320 octets per frame; each must be there within two frames although both directions are full.
    std::map<uint32_t, int> sent;
    int worst_down = 0, worst_up = 0, now = 0;
    uint32_t down_seen = 0, up_seen = 0;
    auto& station = *air.terminals[0];
    const auto number_only = [](Octets p) { return p[22] == (7000 >> 8) && p[23] == (7000 & 255); };
    station.mac->on_sdu = [&](Octets p) {
        if (!number_only(p)) return;
        ++down_seen;
        worst_down = std::max(worst_down, now - sent[number_of(p)]);
    };
    air.bs->on_sdu = [&](Octets p) {
        if (!number_only(p)) return;
        ++up_seen;
        worst_up = std::max(worst_up, now - sent[number_of(p)]);
    };
    for (now = 0; now < 300; ++now) {
        const uint32_t number = 1'000'000 + static_cast<uint32_t>(now);
        sent[number] = now;
        air.bs->push_sdu(ip_packet(kServer, station_address(0), 320, 7000, number));
        station.mac->push_sdu(ip_packet(station_address(0), kServer, 320, 7000, number));
        load.frame();
        air.step();
    }
    EXPECT_GE(down_seen, 298U);
    EXPECT_GE(up_seen, 298U);
    EXPECT_LE(worst_down, 1);
    EXPECT_LE(worst_up, 2);
    expect_clean(air);
}

/// Data grants of an idle network by what flows ask for: rtPS every 20 ms, nrtPS every 500 ms by default, best effort
/// almost none. A packet of a flow that may not contend is sent at the next poll.
TEST(Data, PollsComeAtTheirIntervals) {
    auto config = Air::with_stations(3);
    config.profile.unasked_symbols = 0;
    config.t27_idle_ms = config.t27_active_ms = 60'000;
    constexpr std::array kTypes{SchedulingType::rtps, SchedulingType::nrtps, SchedulingType::best_effort};
    for (size_t i = 0; i < 3; ++i) {
        auto up = flow(FlowDirection::uplink, kTypes[i], 0, 0);
        up.grant_interval_us = kTypes[i] == SchedulingType::rtps ? 20'000 : 0;
        up.contention_requests = kTypes[i] == SchedulingType::best_effort;
        config.stations[i].flows = {flow(FlowDirection::downlink, SchedulingType::best_effort, 0, 0), up};
    }
    Air air(config);
    for (int i = 0; i < 3; ++i) air.add();
    enter(air);
    air.run(100);
    std::array<int, 3> polls{};
    constexpr int kFrames = 1000;
    for (int n = 0; n < kFrames; ++n) {
        air.step();
        for (const auto& a : air.last_expect().allocations)
            for (size_t i = 0; i < 3; ++i)
                polls[i] += a.kind == sap::BurstKind::data && a.cid == air.terminals[i]->status()["basic_cid"];
    }
    EXPECT_NEAR(polls[0], kFrames / 2, 1);
    EXPECT_NEAR(polls[1], kFrames / 50, 1);
    EXPECT_LT(polls[2],
              kFrames / 30);  // occasional polls check that it is present

    constexpr std::array kLongestWait{2 + 3, 50 + 3, 20};  // frames: interval, request, grant; or contention
    for (uint32_t i = 0; i < 3; ++i) {
        const auto before = air.ul_packets;
        air.terminals[i]->mac->push_sdu(ip_packet(station_address(i), kServer, 1500, 5000, i));
        EXPECT_GE(air.run_until([&] { return air.ul_packets > before; }, kLongestWait[i]), 0) << i;
    }
    expect_clean(air);
}

TEST(Data, MaximumSustainedRateIsMet) {
    auto config = Air::with_stations(1);
    config.stations[0].flows = {flow(FlowDirection::downlink, SchedulingType::best_effort, 0, 2'000'000),
                                flow(FlowDirection::uplink, SchedulingType::best_effort, 0, 1'000'000)};
    Air air(config);
    auto& station = air.add();
    enter(air);
    Saturation load{air, true, true};
    load.run(100);
    const auto down = station.dl_bytes, up = air.ul_bytes[station_address(0)];
    load.run(1000);
    const double seconds = 1000 * air.layout.frame_seconds();
    EXPECT_NEAR(static_cast<double>(station.dl_bytes - down) * 8 / seconds, 2e6, 3e4);
    EXPECT_NEAR(static_cast<double>(air.ul_bytes[station_address(0)] - up) * 8 / seconds, 1e6, 2e4);
}

TEST(Data, SduLargerThanAFrame) {
    BaseStationConfig config;
    config.dl_rate_id = config.ul_rate_id = config.profile.broadcast_rate_id = 0;
    config.frame_duration_code = 0;  // 2.5 ms at BPSK: about 200 octets per frame
    Air air(config);
    auto& station = air.add();
    enter(air);
    air.keep_numbers = true;
    for (uint32_t i = 1; i <= 5; ++i) {
        EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(0), 1500, 5000, i)));
        EXPECT_TRUE(station.mac->push_sdu(ip_packet(station_address(0), kServer, 1500, 5000, i)));
    }
    air.run(120);
    EXPECT_EQ(station.dl_numbers, (std::vector<uint32_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(air.ul_numbers, (std::vector<uint32_t>{1, 2, 3, 4, 5}));
    EXPECT_GT(station.status()["flows"][1]["fragments"].get<int>() + station.status()["flows"][0].value("fragments", 0),
              20);
}

TEST(Data, LostAndDamagedBurstsCostOnlyWhatTheyCarried) {
    Air air;
    auto& station = air.add();
    enter(air);
    station.link.downlink_loss = station.link.uplink_loss = 0.05;
    station.link.damage = 0.02;
    air.keep_numbers = true;
    Saturation load{air, true, true};
    load.run(600);
    station.link = Link{};
    load.run(20);
    EXPECT_TRUE(station.mac->operational());
    // Every received packet was sent, in order, at most once.
    EXPECT_TRUE(std::is_sorted(air.ul_numbers.begin(), air.ul_numbers.end()));
    EXPECT_EQ(std::adjacent_find(air.ul_numbers.begin(), air.ul_numbers.end()), air.ul_numbers.end());
    EXPECT_EQ(std::adjacent_find(station.dl_numbers.begin(), station.dl_numbers.end()), station.dl_numbers.end());
    EXPECT_GT(station.dl_numbers.size(), 600 * 6U * 8 / 10);
    EXPECT_GT(air.ul_numbers.size(), 600 * 6U * 8 / 10);
    const auto status = air.bs_status();
    EXPECT_GT(status["stations"][0]["ul"]["fec_errors"].get<int>(), 10);
    EXPECT_GT(status["stations"][0]["ul"]["dropped"].get<int>(), 0);
}

TEST(Data, FlowsAreChosenByRule) {
    Air air(with_ugs());
    for (int i = 0; i < 2; ++i) air.add();
    enter(air);
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(1), 100, 7000)));
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(1), 100, 80)));
    EXPECT_FALSE(air.bs->push_sdu(ip_packet(kServer, 0x08080808, 100, 80)));  // no station's
    EXPECT_TRUE(air.terminals[1]->mac->push_sdu(ip_packet(station_address(1), kServer, 100, 7000)));
    EXPECT_FALSE(air.terminals[1]->mac->push_sdu(ip_packet(station_address(0), kServer, 100)));  // foreign source
    air.run(10);
    EXPECT_EQ(air.terminals[0]->dl_packets, 0U);
    EXPECT_EQ(air.terminals[1]->dl_packets, 2U);
    const Json status = air.bs_status();
    EXPECT_EQ(status["drops"]["unclassified"], 1);
    for (const auto& s : status["stations"])
        for (const auto& f : s["flows"])
            if (f["scheduling"] == "UGS" && s["mac"].get<std::string>().ends_with("02")) {
                EXPECT_EQ(f["sdus"], 1) << f.dump();
            }
}

/// A station that fills the uplink also gets the idle station's short grants. The idle one gets them again afterwards.
TEST(Data, IdleStationsHaveTheirGrantsAgain) {
    Air air(Air::with_stations(2));
    air.add();
    air.add();
    enter(air);
    const uint16_t idle = air.terminals[1]->mac->status()["basic_cid"];
    const auto grants = [&](int frames) {
        size_t count = 0;
        for (int n = 0; n < frames; ++n) {
            air.step();
            count += grants_of(air, idle);
        }
        return count;
    };
    EXPECT_EQ(grants(20), 20U);
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(send(air, 0, 1500));  // 28 frames
    air.run(5);
    EXPECT_LE(grants(20), 2U);  // polls
    air.run(25);
    EXPECT_EQ(grants(20), 20U);
}

/// One flow gets 120 % of capacity and does not give way; a sparse one runs next to it. By RFC 8289 the first one's
/// queue then swings around six to seven frames (a model of 40 lines: 7.0), with a target of two frames and an interval
/// of ten; without CoDel it would be full, 40 frames. The other does not notice.
TEST(Data, OverloadIsDroppedAndSparseFlowsPassIt) {
    Air air;
    auto& station = air.add();
    enter(air);
    constexpr uint32_t kSparse = 0x1000000;
    constexpr int kFrames = 4000, kSettled = 2500, kPackets = 8;
    std::map<uint32_t, int> sent;
    int now = 0, worst = 0, seen = 0, heavy = 0;
    double waited = 0;
    station.mac->on_sdu = [&](Octets p) {
        const int frames = now - sent.at(number_of(p));
        if (number_of(p) >= kSparse) {
            ++seen;
            worst = std::max(worst, frames);
        } else if (now >= kSettled) {
            ++heavy;
            waited += frames;
        }
    };
    uint32_t number = 0;
    for (now = 0; now < kFrames; ++now) {
        for (int k = 0; k < kPackets; ++k) {
            sent[++number] = now;
            air.bs->push_sdu(ip_packet(kServer, station_address(0), 1500, 5000, number));
        }
        if (now % 7 == 0) {
            sent[kSparse + static_cast<uint32_t>(now)] = now;
            air.bs->push_sdu(ip_packet(kServer, station_address(0), 100, 6000, kSparse + static_cast<uint32_t>(now)));
        }
        air.step();
    }
    EXPECT_EQ(seen, (kFrames + 6) / 7);
    EXPECT_LE(worst, 2);
    EXPECT_NEAR(waited / heavy, 6.0, 0.5);
    EXPECT_NEAR(heavy / static_cast<double>(kFrames - kSettled), 6.67, 0.02);  // what the frame holds
    EXPECT_NEAR(air.bs_status()["stations"][0]["dl"]["dropped"].get<int>(), kFrames * (kPackets - 6.67), 30);
}

/// A sender that gives way, as TCP does: a packet more in flight each round, half as many after a loss. The queue stays
/// below CoDel's target of two frames, and the link busy.
TEST(Data, OverloadKeepsTheQueueShort) {
    Air air;
    auto& station = air.add();
    enter(air);
    constexpr int kFrames = 6000, kSettled = 2000;
    std::map<uint32_t, int> sent;
    uint32_t number = 0, next = 1;
    int now = 0, in_flight = 0, halved = 0, delivered = 0;
    double window = 10, waited = 0;
    station.mac->on_sdu = [&](Octets p) {
        const uint32_t n = number_of(p);
        in_flight -= static_cast<int>(n - next) + 1;
        if (n != next && sent.at(n) > halved) window = std::max(2.0, window / 2), halved = now;
        next = n + 1;
        window += 1 / window;
        if (now < kSettled) return;
        ++delivered;
        waited += now - sent.at(n);
    };
    for (now = 0; now < kFrames; ++now) {
        for (; in_flight < static_cast<int>(window); ++in_flight) {
            sent[++number] = now;
            air.bs->push_sdu(ip_packet(kServer, station_address(0), 1500, 5000, number));
        }
        air.step();
    }
    EXPECT_NEAR(waited / delivered, 1.2, 0.15);
    EXPECT_NEAR(delivered / static_cast<double>(kFrames - kSettled), 6.68, 0.03);  // what the frame holds
}

}  // namespace test_air_data
