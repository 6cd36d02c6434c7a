// SPDX-License-Identifier: GPL-3.0-or-later
// Which station a downlink packet is sent to.
#include "mac/cs/address_owners.h"
#include "mac/cs/destination_map.h"
#include "mac/test_air.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_destinations {

std::vector<uint16_t> claimants(const DestinationMap& map, uint32_t address) {
    std::vector<uint16_t> out;
    map.claimants(address, [&](uint16_t station) { out.push_back(station); });
    std::sort(out.begin(), out.end());
    return out;
}

TEST(DestinationMap, FindsByMask) {
    DestinationMap map;
    map.claim(1, {0x0A000105, 0xFFFFFF00});  // the host's part does not count
    map.claim(2, {0x0A000107, 0xFFFFFFFF});
    map.claim(3, {0x0A000207, 0xFFFFFFFF});
    EXPECT_EQ(claimants(map, 0x0A000107), (std::vector<uint16_t>{1, 2}));
    EXPECT_EQ(claimants(map, 0x0A000108), (std::vector<uint16_t>{1}));
    EXPECT_EQ(claimants(map, 0x0A000207), (std::vector<uint16_t>{3}));
    EXPECT_EQ(claimants(map, 0x0A000208), (std::vector<uint16_t>{}));
    map.open(9);
    map.open(4);
    map.open(9);
    EXPECT_EQ(map.open_stations(), (std::vector<uint16_t>{4, 9}));
    EXPECT_TRUE(map.is_open(4));
    EXPECT_FALSE(map.is_open(1));
    map.clear();
    EXPECT_EQ(claimants(map, 0x0A000107), (std::vector<uint16_t>{}));
    EXPECT_FALSE(map.is_open(9));
}

TEST(AddressOwners, TheFirstSenderKeepsAnAddressUntilItIsSilent) {
    AddressOwners table(30);
    EXPECT_FALSE(table.find(0));  // vacant entries are of no owner
    EXPECT_TRUE(table.claim(1, 10, 0, 100));
    EXPECT_TRUE(table.claim(2, 20, 0, 100));
    EXPECT_FALSE(table.claim(1, 30, 99, 100));
    EXPECT_TRUE(table.claim(1, 10, 99, 100));  // in use: the time begins again
    EXPECT_FALSE(table.claim(1, 30, 198, 100));
    EXPECT_EQ(table.find(1), 10);
    EXPECT_TRUE(table.claim(1, 30, 199, 100));
    EXPECT_EQ(table.find(1), 30);
    EXPECT_FALSE(table.claim(1, 10, 298, 100));
    EXPECT_TRUE(table.claim(1, 10, 298, 0));  // no silence is needed: the last sender has it
    table.forget(10);
    EXPECT_FALSE(table.find(1));
    EXPECT_EQ(table.find(2), 20);
    EXPECT_TRUE(table.claim(1, 20, 299, 100));
    table.forget_if([](IpAddress address, uint16_t owner) { return address == IpAddress(2) && owner == 20; });
    EXPECT_FALSE(table.find(2));
    EXPECT_EQ(table.find(1), 20);
    table.clear();
    EXPECT_FALSE(table.find(1));
}

/// One owner sends from a hundred thousand addresses: the entries of all others stay, first and last owner included.
TEST(AddressOwners, AnOwnerReplacesItsOwnEntriesAlone) {
    constexpr uint16_t kLast = 250, kFlooder = 100;
    constexpr size_t kMost = AddressOwners::kPerOwner;
    AddressOwners table(kLast);
    const auto address = [](uint16_t owner, size_t i) { return IpAddress(0x0A000000 + owner * 256 + uint32_t(i)); };
    for (uint16_t owner = 0; owner <= kLast; ++owner)
        for (size_t i = 0; i < kMost; ++i) ASSERT_TRUE(table.claim(address(owner, i), owner, 0, 1000));
    for (uint32_t i = 0; i < 100'000; ++i) ASSERT_TRUE(table.claim(0x0B000000 + i, kFlooder, 1 + i / 1000, 1000));
    for (uint16_t owner = 0; owner <= kLast; ++owner)
        for (size_t i = 0; i < kMost; ++i)
            ASSERT_EQ(table.find(address(owner, i)), owner == kFlooder ? std::nullopt : std::optional(owner)) << i;
    size_t kept = 0;
    for (uint32_t i = 0; i < 100'000; ++i) kept += table.find(0x0B000000 + i) == kFlooder;
    EXPECT_EQ(kept, kMost);
    EXPECT_EQ(table.find(0x0B000000 + 99'999), kFlooder);
    // The least recently used entry is removed, not the oldest one.
    table.forget(kFlooder);
    for (uint32_t i = 0; i < kMost; ++i) table.claim(i + 1, kFlooder, i, 1000);
    table.claim(1, kFlooder, kMost, 1000);
    table.claim(0x0C000000, kFlooder, kMost + 1, 1000);
    EXPECT_EQ(table.find(1), kFlooder);
    EXPECT_FALSE(table.find(2));
}

/// Against a map, with few addresses and owners, so that all of it happens often.
TEST(AddressOwners, DoesAsAMapWould) {
    struct Known {
        uint16_t owner;
        int64_t heard;
    };
    std::map<uint64_t, Known> model;
    AddressOwners table(3);
    std::mt19937 random(31);
    for (int64_t now = 0; now < 200'000; ++now) {
        const uint64_t host = random() % 40;
        const auto owner = static_cast<uint16_t>(random() % 4);
        const auto known = model.find(host);
        const bool free = known == model.end() || known->second.owner == owner || now - known->second.heard >= 30;
        ASSERT_EQ(table.claim(IpAddress(host << 32, host), owner, now, 30), free);
        if (free) model[host] = {owner, now};
        if (random() % 50 == 0) {
            table.forget(owner);
            std::erase_if(model, [&](const auto& one) { return one.second.owner == owner; });
        }
        const uint64_t asked = random() % 40;
        const auto found = model.find(asked);
        ASSERT_EQ(table.find(IpAddress(asked << 32, asked)),
                  found == model.end() ? std::nullopt : std::optional(found->second.owner));
    }
}

void enter_all(Air& air) {
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(10)), 0);
    air.run(20);
}

std::vector<uint64_t> received(const Air& air) {
    std::vector<uint64_t> out;
    for (const auto& t : air.terminals) out.push_back(t->dl_packets);
    return out;
}
using Counts = std::vector<uint64_t>;

/// Three stations that the configuration does not list.
TEST(Destinations, EveryUnlistedStationGetsItsDownlink) {
    Air air;
    for (int i = 0; i < 3; ++i) air.add();
    enter_all(air);
    for (size_t i = 0; i < 3; ++i) air.terminals[i]->mac->push_sdu(ip_packet(station_address(i), kServer, 100));
    air.run(5);
    for (size_t i = 0; i < 3; ++i)
        for (size_t k = 0; k <= i; ++k) EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(i), 100)));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{1, 2, 3}));
    // An address stays with the station that sent from it first.
    air.terminals[2]->mac->push_sdu(ip_packet(station_address(0), kServer, 100));
    air.run(5);
    EXPECT_EQ(air.ul_packets, 3U);
    air.bs->push_sdu(ip_packet(kServer, station_address(0), 100));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{2, 2, 3}));
    // A station that enters again has to be learnt again; nothing is sent to the station that had its number before.
    air.restart(*air.terminals[0]);
    enter_all(air);
    air.terminals[1]->mac->push_sdu(ip_packet(station_address(0), kServer, 100));
    air.run(5);
    air.bs->push_sdu(ip_packet(kServer, station_address(0), 100));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{2, 3, 3}));
}

/// Packets to an address not learnt yet are sent to all of them, at most eight copies per frame: the first packet of a
/// connection may be a downlink packet.
TEST(Destinations, AnAddressNotLearntYetIsTriedAtAll) {
    Air air;
    for (int i = 0; i < 3; ++i) air.add();
    enter_all(air);
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, 0x0A000909, 100)));
    air.run(10);
    EXPECT_EQ(received(air), (Counts{1, 1, 1}));
    int taken = 0;
    for (int i = 0; i < 100; ++i) taken += air.bs->push_sdu(ip_packet(kServer, 0x0A000909, 100));
    EXPECT_EQ(taken, 2);
    EXPECT_EQ(air.bs_status()["drops"]["unlearnt"], 98);
    air.run(10);
    EXPECT_EQ(received(air), (Counts{3, 3, 3}));
}

TEST(Destinations, AloneItTakesAll) {
    Air air;
    air.add();
    enter_all(air);
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, 0x08080808, 100)));
    air.run(10);
    EXPECT_EQ(received(air), Counts{50});
}

/// A listed station's addresses cannot be taken away by one that sends from them.
TEST(Destinations, TheConfigurationComesFirst) {
    Air air(Air::with_stations(1));
    for (int i = 0; i < 3; ++i) air.add();
    enter_all(air);
    for (size_t i = 1; i < 3; ++i) air.terminals[i]->mac->push_sdu(ip_packet(station_address(0), kServer, 100));
    air.run(5);
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(0), 100)));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{1, 0, 0}));
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, 0x08080808, 100)));  // no station's: sent to the unlisted ones
    air.run(5);
    EXPECT_EQ(received(air), (Counts{1, 1, 1}));
}

/// IPv6 has separate flows. A station's IPv6 addresses belong to it, like its IPv4 addresses. A station without any is
/// reached by its source addresses.
TEST(Destinations, Ipv6HasItsOwnFlows) {
    const IpAddress network{0x20010DB800000000, 0};
    Air air(Air::with_stations(3));
    for (size_t i = 0; i < 3; ++i) {
        auto& station = air.bs_config.stations[i];
        if (i < 2) station.ip_addresses.push_back(AddressMask(IpAddress(network.high + i, 0), {UINT64_MAX, 0}));
        for (const auto cs : {ConvergenceSublayer::ipv4, ConvergenceSublayer::ipv6})
            for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink}) {
                auto& flow = station.flows.emplace_back();
                flow.cs = cs;
                flow.direction = direction;
            }
    }
    air.restart_bs();
    for (int i = 0; i < 3; ++i) air.add();
    std::vector<std::vector<uint8_t>> heard;
    air.bs->on_sdu = [&](Octets packet) { heard.emplace_back(packet.begin(), packet.end()); };
    enter_all(air);
    const auto packet = [&](IpAddress from, IpAddress to) {
        std::vector<uint8_t> p(100, 0xA5);
        p[0] = 0x60;
        p[6] = 17;
        const auto source = from.octets(), destination = to.octets();
        std::copy(source.begin(), source.end(), p.begin() + 8);
        std::copy(destination.begin(), destination.end(), p.begin() + 24);
        return p;
    };
    const IpAddress server{0xFD00000000000000, 1}, third{0x20010DB8FFFF0000, 9};
    EXPECT_TRUE(air.bs->push_sdu(packet(server, IpAddress(network.high + 1, 7))));
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(0), 100)));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{1, 1, 0}));
    EXPECT_TRUE(air.terminals[2]->mac->push_sdu(packet(third, server)));
    EXPECT_TRUE(air.terminals[0]->mac->push_sdu(packet(IpAddress(network.high, 3), server)));
    EXPECT_FALSE(air.terminals[0]->mac->push_sdu(packet(third, server))) << "its rule names its own addresses";
    air.run(5);
    ASSERT_EQ(heard.size(), 2U);
    EXPECT_EQ(heard[0].size(), 100U);
    EXPECT_TRUE(air.bs->push_sdu(packet(server, third)));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{1, 1, 1}));
}

/// A bridge of three stations: broadcast frames are sent to all, others to the station that sent from that address.
/// Tagged ones have a separate flow at the third.
TEST(Destinations, FramesOfEthernet) {
    Air air(Air::with_stations(3));
    air.bs_config.link = UserLink::ethernet;
    for (size_t i = 0; i < 3; ++i) {
        auto& station = air.bs_config.stations[i];
        station.ip_addresses.clear();
        for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink}) {
            auto& flow = station.flows.emplace_back();
            flow.cs = ConvergenceSublayer::ethernet;
            flow.direction = direction;
        }
    }
    auto& tagged = air.bs_config.stations[2].flows.emplace_back();
    tagged.cs = ConvergenceSublayer::vlan;
    tagged.direction = FlowDirection::uplink;
    tagged.classifiers.resize(1);
    tagged.classifiers[0].vlan_id = 7;
    air.restart_bs();
    for (int i = 0; i < 3; ++i) {
        auto& terminal = air.add();
        terminal.config.link = UserLink::ethernet;
        air.restart(terminal);
    }
    std::vector<std::vector<uint8_t>> heard;
    air.bs->on_sdu = [&](Octets frame) { heard.emplace_back(frame.begin(), frame.end()); };
    enter_all(air);
    const auto frame = [](uint64_t to, uint64_t from, std::optional<uint16_t> tag = {}) {
        std::vector<uint8_t> f(60, 0xA5);
        for (size_t i = 0; i < 6; ++i) {
            f[i] = static_cast<uint8_t>(to >> (40 - 8 * i));
            f[6 + i] = static_cast<uint8_t>(from >> (40 - 8 * i));
        }
        f[12] = tag ? 0x81 : 0x88;
        f[13] = tag ? 0x00 : 0xB5;
        if (tag) f[14] = static_cast<uint8_t>(*tag >> 8), f[15] = static_cast<uint8_t>(*tag);
        return f;
    };
    constexpr uint64_t kBroadcast = 0xFFFFFFFFFFFF, kServer = 0x020000000099, kFirst = 0x020000000001;
    EXPECT_TRUE(air.bs->push_sdu(frame(kBroadcast, kServer)));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{1, 1, 1}));
    const auto sent = frame(kServer, kFirst);
    EXPECT_TRUE(air.terminals[0]->mac->push_sdu(sent));
    air.run(5);
    EXPECT_EQ(heard, (std::vector<std::vector<uint8_t>>{sent}));
    EXPECT_TRUE(air.bs->push_sdu(frame(kFirst, kServer)));
    air.run(5);
    EXPECT_EQ(received(air), (Counts{2, 1, 1}));
    const auto with_tag = frame(kServer, kFirst + 2, 0x6007);
    EXPECT_TRUE(air.terminals[2]->mac->push_sdu(with_tag));
    EXPECT_TRUE(air.terminals[2]->mac->push_sdu(frame(kServer, kFirst + 2, 0x6008)));
    air.run(5);
    ASSERT_EQ(heard.size(), 3U);
    EXPECT_NE(std::find(heard.begin(), heard.end(), with_tag), heard.end()) << "with its tag";
    size_t flows_used = 0;
    const auto status = air.terminals[2]->status();
    for (const auto& flow : status["flows"]) flows_used += flow["direction"] == "uplink" && flow.value("sdus", 0) == 1;
    EXPECT_EQ(flows_used, 2U) << status["flows"];
}

}  // namespace test_destinations
