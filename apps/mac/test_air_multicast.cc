// SPDX-License-Identifier: GPL-3.0-or-later
// Multicast and broadcast connections: packets of a group are sent once, at a rate that all members can receive.
#include "mac/pdu/cid.h"
#include "mac/test_multicast.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_multicast {

/// Downlink symbols of `copies` of the packets in unicast.
uint64_t unicast_symbols(const std::vector<uint8_t>& rates, uint32_t packets, size_t octets) {
    Group cell(config_of(rates, {}));
    const auto before = cell.data_symbols();
    for (uint32_t n = 0; n < packets; ++n) {
        for (size_t i = 0; i < rates.size(); ++i)
            cell.bs->push_sdu(ip_packet(kServer, station_address(i), octets, 5000, n));
        cell.step();
    }
    cell.run(20);
    for (const auto& t : cell.terminals) EXPECT_EQ(t->dl_packets, packets);
    return cell.data_symbols() - before;
}

/// At 64-QAM 3/4, 16-QAM 1/2 and QPSK 1/2, each packet once and in order, in the symbols of one copy at the lowest
/// rate.
TEST(Multicast, IsSentOnceForStationsOfDifferentRates) {
    constexpr uint32_t kPackets = 400;
    constexpr size_t kOctets = 700;
    Group cell(config_of({6, 3, 1}, {multicast_flow("news")}));
    ASSERT_EQ(cell.connection()["listeners"], 3);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 1);
    const auto cid = cell.connection()["cid"];
    std::set<uint32_t> sfids;
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(cell.member(i)["cid"], cid);
        EXPECT_TRUE(cell.member(i)["multicast"]);
        sfids.insert(cell.member(i)["sfid"].get<uint32_t>());
    }
    EXPECT_EQ(sfids.size(), 3U);
    const auto before = cell.data_symbols();
    cell.send(0, kPackets, kOctets);
    cell.run(20);
    const auto used = cell.data_symbols() - before;
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(cell.heard(i), numbers(0, kPackets)) << i;
    const auto copy = unicast_symbols({1}, kPackets, kOctets), copies = unicast_symbols({6, 3, 1}, kPackets, kOctets),
               slow_copies = unicast_symbols({1, 1, 1}, kPackets, kOctets);
    printf(
        "symbols for %u packets of %zu octets: multicast %lu, one copy at QPSK 1/2 %lu, three copies at 64-QAM 3/4, "
        "16-QAM 1/2, QPSK 1/2 %lu, all at QPSK 1/2 %lu\n",
        kPackets, kOctets, used, copy, copies, slow_copies);
    EXPECT_NEAR(static_cast<double>(used), static_cast<double>(copy), 0.01 * static_cast<double>(copy));
    EXPECT_NEAR(static_cast<double>(slow_copies), 3.0 * static_cast<double>(copy), 0.05 * 3.0 * double(copy));
    EXPECT_LT(used * 1.6, copies);
    const Json now = cell.connection();
    EXPECT_EQ(now["sdus"], kPackets);
    EXPECT_EQ(now["bytes"], kPackets * kOctets);
    EXPECT_EQ(now["dropped_unheard"], 0);
    EXPECT_NEAR(now["symbols"].get<double>(), static_cast<double>(used), 0.05 * static_cast<double>(used));
    expect_clean(cell);
}

TEST(Multicast, SharesABurstWithOtherPackets) {
    Group cell(config_of({6, 6}, {multicast_flow("news")}));
    for (uint32_t n = 0; n < 100; ++n) {
        for (size_t i = 0; i < 2; ++i) cell.bs->push_sdu(ip_packet(kServer, station_address(i), 900, 5000, 1000 + n));
        cell.push(n);
        cell.step();
        EXPECT_LE(cell.last_tx().bursts.size(), 2U);
    }
    cell.run(10);
    for (size_t i = 0; i < 2; ++i) {
        std::vector<uint32_t> group;
        std::ranges::copy_if(cell.heard(i), std::back_inserter(group), [](uint32_t n) { return n < 1000; });
        EXPECT_EQ(group, numbers(0, 100));
        EXPECT_EQ(cell.heard(i).size(), 200U);
    }
}

/// 30 dB/s down to BPSK: the connection follows its worst member, and no member loses a packet.
TEST(Multicast, FollowsAMemberWhoseRateFallsAndRises) {
    auto config = config_of({6, 6, 6}, {multicast_flow("news")});
    config.dl_lowest_rate_id = 0;
    config.profile.broadcast_rate_id = 0;
    Group cell(config);
    cell.run(100);
    const float best = kAt0Db - 35, worst = kAt0Db - 5, step = 30 * static_cast<float>(cell.layout.frame_seconds());
    float& loss_db = cell.terminals[1]->link.path_loss_db;
    loss_db = best;
    cell.run(50);
    uint32_t next = 0;
    const auto go = [&](float change) {
        loss_db += change;
        cell.send(next, next + 1, 400);
        ++next;
    };
    const auto expect_held = [&] {
        const Json now = cell.connection();
        if (now["dl_rate_id"] > cell.at_bs(1)["dl_rate_id"]) ADD_FAILURE() << now.dump(1);
    };
    while (loss_db < worst) go(step), expect_held();
    for (int i = 0; i < 20; ++i) go(0);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 0);
    EXPECT_EQ(cell.at_bs(0)["dl_rate_id"], 6);
    while (loss_db > best) go(-step), expect_held();
    for (int i = 0; i < 200; ++i) go(0);
    EXPECT_EQ(cell.connection()["dl_rate_id"], 6);
    cell.run(10);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(cell.heard(i), numbers(0, next)) << i;
}

TEST(Multicast, KeepsToItsMaximumRateAndShare) {
    constexpr uint32_t kRate = 400'000;
    auto flow = multicast_flow("news");
    flow.max_sustained_rate_bps = kRate;
    Group cell(config_of({6, 6}, {flow}));
    RateWatch watch(kRate, cell.layout.frame_seconds());
    cell.terminals[0]->mac->on_sdu = [&](Octets p) { watch.delivered(p.size()); };
    Source source(1.5 * kRate, 1000);
    for (int n = 0; n < cell.frames(20); ++n) {
        source.frame(cell.layout.frame_seconds(), [&](size_t octets) { cell.push(0, octets); });
        cell.step();
        watch.frame();
    }
    const double rate = static_cast<double>(watch.octets()) * 8 / 20;
    printf("%.0f of %u bit/s, burst %.0f octets\n", rate, kRate, watch.burst_octets());
    EXPECT_GE(rate, 0.99 * kRate);
    EXPECT_LE(watch.burst_octets(), kRate / 8 * 0.04 + 2040);
}

/// Granted before all other traffic: each packet is sent in the frame after its arrival.
TEST(Multicast, UnsolicitedServiceIsNotLate) {
    auto flow = multicast_flow("radio");
    flow.scheduling = SchedulingType::ugs;
    flow.max_sustained_rate_bps = 160'000;
    flow.max_latency_ms = 25;
    Group cell(config_of({6, 6, 3}, {flow}));
    for (uint32_t n = 0; n < 500; ++n) {
        for (int k = 0; k < 8; ++k)
            for (size_t i = 0; i < 3; ++i) cell.bs->push_sdu(ip_packet(kServer, station_address(i), 1400, 5000, 1000));
        cell.push(n, 200);
        cell.step();
        for (size_t i = 0; i < 3; ++i)
            ASSERT_EQ(std::ranges::count_if(cell.heard(i), [](uint32_t number) { return number < 1000; }), n + 1);
    }
}

/// Eight stations and a group have more to send than there is: six are served in a frame, whichever the group is.
TEST(Multicast, TakesItsTurnAsOneStationDoes) {
    Group cell(config_of(std::vector<uint8_t>(8, 6), {multicast_flow("news")}));
    const uint16_t group_cid = cell.connection()["cid"];
    size_t most = 0, with_group = 0;
    constexpr size_t kFrames = 400;
    for (size_t n = 0; n < kFrames; ++n) {
        for (int k = 0; k < 3; ++k) {
            cell.push(1, 1400);
            for (size_t i = 0; i < 8; ++i) cell.bs->push_sdu(ip_packet(kServer, station_address(i), 1400));
        }
        cell.step();
        std::set<uint16_t> served;
        for (size_t b = 1; b < cell.last_tx().bursts.size(); ++b) {
            PduReader reader(cell.last_tx().bursts[b].payload);
            while (const auto pdu = reader.next())
                if (cid::is_transport(pdu->cid())) served.insert(pdu->cid());
        }
        if (n < 50) continue;  // queues fill
        most = std::max(most, served.size());
        with_group += served.contains(group_cid);
    }
    EXPECT_LE(most, 7U);  // and what is left of a frame
    EXPECT_NEAR(static_cast<double>(with_group) / (kFrames - 50), 6.0 / 9, 0.1);
}

class EveryScheduler : public ::testing::TestWithParam<SchedulerPolicy> {};

/// One share of a full cell, or its whole demand if smaller.
TEST_P(EveryScheduler, GivesAConnectionWhatAStationGets) {
    auto config = config_of({6, 6}, {multicast_flow("news")});
    config.dl_scheduler = GetParam();
    for (const uint32_t packets : {8, 1}) {  // of the group in a frame
        Group cell(config);
        std::array<double, 2> got{};  // of group and station
        cell.terminals[0]->mac->on_sdu = [&](Octets p) { got[number_of(p) >= 1000] += static_cast<double>(p.size()); };
        for (int n = 0; n < 300; ++n) {
            for (uint32_t k = 0; k < packets; ++k) cell.push(k, 1400);
            for (int k = 0; k < 8; ++k)
                for (size_t i = 0; i < 2; ++i)
                    cell.bs->push_sdu(ip_packet(kServer, station_address(i), 1400, 5000, 1000));
            cell.step();
        }
        const double expected = packets == 1 ? 300 * 1400 : got[1];
        EXPECT_NEAR(got[0], expected, packets == 1 ? 2 * 1400 : 0.06 * expected);
    }
}
INSTANTIATE_TEST_SUITE_P(Multicast, EveryScheduler,
                         ::testing::Values(SchedulerPolicy::fair, SchedulerPolicy::priority_drr,
                                           SchedulerPolicy::proportional_fair, SchedulerPolicy::weighted,
                                           SchedulerPolicy::weighted_channel));

/// The group counts as one claimant in a full cell.
TEST(Multicast, HasOneShareOfAFullCell) {
    Group cell(config_of({6, 6, 6}, {multicast_flow("news")}));
    std::array<uint64_t, 2> got{};  // of group and station
    cell.terminals[0]->mac->on_sdu = [&](Octets p) { got[number_of(p) >= 1000] += p.size(); };
    for (int n = 0; n < 300; ++n) {
        for (uint32_t k = 0; k < 8; ++k) {
            cell.push(k, 1400);
            for (size_t i = 0; i < 3; ++i) cell.bs->push_sdu(ip_packet(kServer, station_address(i), 1400, 5000, 1000));
        }
        cell.step();
        if (n == 50) got = {};
    }
    EXPECT_NEAR(static_cast<double>(got[0]) / static_cast<double>(got[1]), 1, 0.05);
    expect_clean(cell);
}

TEST(Multicast, KeepsItsReservedRateBesideFloods) {
    constexpr uint32_t kRate = 1'000'000;
    auto flow = multicast_flow("news");
    flow.min_reserved_rate_bps = kRate;
    Group cell(config_of({6, 6, 6, 6, 3}, {flow}));
    uint64_t got = 0;
    cell.terminals[4]->mac->on_sdu = [&](Octets p) { got += number_of(p) == 7 ? p.size() : 0; };
    Source source(kRate, 1000);
    const int frames = cell.frames(10);
    for (int n = 0; n < frames; ++n) {
        for (int k = 0; k < 4; ++k)
            for (size_t i = 0; i < 5; ++i) cell.bs->push_sdu(ip_packet(kServer, station_address(i), 1400, 5000, 1));
        source.frame(cell.layout.frame_seconds(), [&](size_t octets) { cell.push(7, octets); });
        cell.step();
    }
    EXPECT_GE(static_cast<double>(got) * 8 / 10, 0.99 * kRate);
}

/// The limited broadcast, that of a subnet, and an IPv6 group.
TEST(Multicast, BroadcastsAreSentOnce) {
    constexpr uint32_t kLimited = 0xFFFFFFFF, kSubnet = 0x0AFFFFFF;
    auto all = multicast_flow("all", {kLimited, kLimited});
    all.classifiers.front().destination.push_back({kSubnet, kLimited});
    auto group = multicast_flow("v6", {IpAddress(0xFF02ULL << 48, 1), IpAddress(~0ULL, ~0ULL)});
    group.cs = ConvergenceSublayer::ipv6;
    Group cell(config_of({6, 3, 1}, {all, group}));
    const auto before = cell.data_symbols();
    EXPECT_TRUE(cell.push(1, 500, kLimited));
    EXPECT_TRUE(cell.push(2, 500, kSubnet));
    std::vector<uint8_t> packet(500, 0);
    packet[0] = 0x60;
    packet[4] = 460 >> 8;
    packet[5] = 460 & 255;
    packet[6] = 59;
    packet[24] = 0xFF;
    packet[25] = 2;
    packet[39] = 1;
    EXPECT_TRUE(cell.bs->push_sdu(packet));
    cell.run(5);
    for (const auto& t : cell.terminals) EXPECT_EQ(t->dl_packets, 3U);
    EXPECT_LE(cell.data_symbols() - before, 3 * 22 + 1);  // 512 octets each, 24 a symbol
}

TEST(Multicast, BroadcastFramesAreSentOnce) {
    constexpr uint64_t kAll = 0xFFFF'FFFF'FFFF;
    auto config = config_of({6, 3, 1}, {multicast_flow("all", AddressMask::of_mac(kAll, kAll))});
    config.link = UserLink::ethernet;
    config.unknown_station.reset();
    for (auto& station : config.stations) {
        station.ip_addresses.clear();
        for (auto& flow : station.flows) flow.cs = ConvergenceSublayer::ethernet;
    }
    ASSERT_TRUE(validate(config).empty()) << validate(config).str();
    Air cell(config);
    for (size_t i = 0; i < 3; ++i) {
        auto& t = cell.add();
        t.config.link = UserLink::ethernet;
        cell.restart(t);
    }
    enter(cell);
    std::vector<uint8_t> frame(600, 0x11);
    std::fill_n(frame.begin(), 6, uint8_t{0xFF});
    frame[6] = 2;
    frame[12] = 8;
    frame[13] = 0;
    for (int n = 0; n < 10; ++n) {
        EXPECT_TRUE(cell.bs->push_sdu(frame));
        cell.step();
    }
    cell.run(5);
    for (const auto& t : cell.terminals) EXPECT_EQ(t->dl_packets, 10U);
    EXPECT_EQ(cell.bs_status()["multicast"][0]["sdus"], 10);
}

/// Without such a flow a packet is tried at all stations; with one, only the flow's members get it.
TEST(Multicast, TakesPacketsFromThoseThatTakeWhatNobodyClaims) {
    for (const bool shared : {false, true}) {
        auto config = config_of({6, 6, 6}, {});
        for (auto& station : config.stations) station.ip_addresses.clear();
        if (shared)
            for (size_t i = 0; i < 2; ++i) config.stations[i].flows.push_back(multicast_flow("news"));
        Group cell(config);
        const auto before = cell.data_symbols();
        for (uint32_t n = 0; n < 20; ++n) cell.push(n, 1000), cell.step();
        cell.run(5);
        for (size_t i = 0; i < 3; ++i)
            EXPECT_EQ(cell.heard(i), shared && i == 2 ? numbers(0, 0) : numbers(0, 20)) << shared << i;
        EXPECT_NEAR(static_cast<double>(cell.data_symbols() - before), shared ? 190 : 570, 20);
    }
}

TEST(Multicast, ARuleOfHigherPriorityTakesThePacketToItsStation) {
    auto config = config_of({6, 6}, {multicast_flow("news")});
    auto own = flow(FlowDirection::downlink, SchedulingType::best_effort);
    own.name = "own";
    own.classifiers.resize(1);
    own.classifiers.front().priority = 1;
    own.classifiers.front().destination = {{kGroup, 0xFFFFFFFF}};
    config.stations[1].flows.push_back(own);
    Group cell(config);
    cell.push(1);
    cell.push(2, 500, kGroup + 1);
    cell.run(5);
    EXPECT_EQ(cell.heard(0), (std::vector<uint32_t>{2}));
    auto heard = cell.heard(1);
    std::ranges::sort(heard);
    EXPECT_EQ(heard, (std::vector<uint32_t>{1, 2}));
    config.stations[1].flows.back().classifiers.front().priority = 0;
    for (size_t i = 0; i < 2; ++i) config.stations[i].flows[2].classifiers.front().destination = {{kGroup, 0xFFFFFFFF}};
    Group equal(config);
    equal.push(1);
    equal.run(5);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(equal.heard(i), (std::vector<uint32_t>{1}));
}

/// The rate a station can receive from two antennas does not apply to bursts from one, which carry the maps.
TEST(Multicast, LiesOutsideOfAZone) {
    auto config = config_of({6, 6}, {multicast_flow("news")});
    config.stations[1].dl_stc = true;
    Air cell(config);
    cell.antennas = 2;
    cell.restart_bs_phy();
    cell.keep_numbers = true;
    for (size_t i = 0; i < 2; ++i) cell.add();
    enter(cell);
    EXPECT_EQ(cell.bs_status()["multicast"][0]["dl_rate_id"], cell.bs_config.profile.broadcast_rate_id);
    for (uint32_t n = 0; n < 20; ++n) {
        cell.bs->push_sdu(ip_packet(kServer, kGroup, 500, 5000, n));
        cell.step();
        EXPECT_FALSE(cell.last_tx().bursts.back().format.stc);
    }
    cell.run(5);
    for (const auto& t : cell.terminals) EXPECT_EQ(t->dl_numbers, numbers(0, 20));
    cell.bs->push_sdu(ip_packet(kServer, station_address(1), 500, 5000, 20));
    cell.step();
    EXPECT_TRUE(cell.last_tx().bursts.back().format.stc);  // its own lie there
}

/// Most stations have nothing else to do: they rest, and receive.
TEST(Multicast, ReachesStationsThatRest) {
    auto config = config_of(std::vector<uint8_t>(12, 6), {multicast_flow("news")});
    config.least_awake_stations = 0;
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    Group cell(config);
    cell.run(100);
    cell.send(0, 300);
    cell.run(5);
    for (size_t i = 0; i < 12; ++i) EXPECT_EQ(cell.heard(i), numbers(0, 300));
}

TEST(Multicast, SuppressesHeadersAndPacksSdusOfOneLength) {
    auto phs = multicast_flow("phs", {kGroup, 0xFFFFFFFF});
    phs.classifiers.front().phsi = 1;
    phs.phs.resize(1);
    phs.phs.front().phsi = 1;
    phs.phs.front().ipv4_udp = true;
    auto fixed = multicast_flow("fixed", {kGroup + 1, 0xFFFFFFFF});
    fixed.fixed_sdu_octets = 60;
    Group cell(config_of({6, 1}, {phs, fixed}));
    for (uint32_t n = 0; n < 40; ++n) {
        auto whole = ip_packet(kServer, kGroup, 60, 5000, n);
        whole[6] = 0x40;  // don't fragment
        cell.bs->push_sdu(whole);
        cell.push(n, 60, kGroup + 1);
    }
    cell.run(20);
    for (const auto& t : cell.terminals) {
        EXPECT_EQ(t->dl_packets, 80U);
        EXPECT_EQ(t->dl_bytes, 80U * 60);
    }
    EXPECT_FALSE(cell.push(1, 61, kGroup + 1));
    const Json all = cell.bs_status()["multicast"];
    EXPECT_EQ(all[1]["refused_length"], 1);
    EXPECT_EQ(all[0]["phs_suppressed"], 40);
    EXPECT_GT(all[0]["phs_bytes_saved"], 0);
}

}  // namespace test_air_multicast
