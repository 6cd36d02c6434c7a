// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of one station or flow on itself must not reach the others.
#include "mac/pdu/crc.h"
#include "mac/test_air.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_air_isolation {

void enter(Air& air) {
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(10)), 0)
        << air.bs_status().dump(1);
    air.run(20);
}

/// An echo request to a station each `period` frames, answered as it arrives.
struct Pings {
    Air& air;
    size_t station;
    int period;
    uint16_t port = 9999;
    int sent = 0, received = 0, worst_frames = 0, now = 0;
    std::map<uint32_t, int> sent_at{};

    void listen() {
        auto& mac = *air.terminals[station]->mac;
        mac.on_sdu = [this, &mac](Octets p) {
            if (is_mine(p)) mac.push_sdu(ip_packet(station_address(station), kServer, 84, port, number_of(p)));
        };
    }
    bool is_mine(Octets p) const { return p[22] == port >> 8 && p[23] == (port & 255); }
    /// True if it was the answer to one of these.
    bool take(Octets p) {
        if (!is_mine(p) || source_of(p) != station_address(station)) return false;
        ++received;
        worst_frames = std::max(worst_frames, now - sent_at[number_of(p)]);
        return true;
    }
    void frame() {
        if (++now % period != 0) return;
        sent_at[static_cast<uint32_t>(++sent)] = now;
        air.bs->push_sdu(ip_packet(kServer, station_address(station), 84, port, static_cast<uint32_t>(sent)));
    }
};

/// Eight stations; those that are not loaded by `load(frame)` are pinged. Returns the pings of the rest.
std::vector<Pings> beside(const std::function<void(Air&)>& load, const std::vector<size_t>& pinged, int frames) {
    Air air(Air::with_stations(8));
    for (int i = 0; i < 8; ++i) air.add();
    enter(air);
    std::vector<Pings> pings;
    for (const size_t i : pinged) pings.push_back({air, i, 5});
    for (auto& p : pings) p.listen();
    air.bs->on_sdu = [&](Octets p) {
        for (auto& ping : pings) ping.take(p);
    };
    for (int i = 0; i < frames; ++i) {
        load(air);
        for (auto& p : pings) p.frame();
        air.step();
    }
    for (int i = 0; i < 20; ++i) {
        for (auto& p : pings) ++p.now;
        air.step();
    }
    return pings;
}

/// 500 octets of UDP at 1200 packets/s down to each of six: 3.9 times the downlink capacity.
TEST(Isolation, SixOverloadedStationsCostTheIdleOnesNothing) {
    const auto pings = beside(
        [](Air& air) {
            for (size_t i = 0; i < 6; ++i)
                for (int k = 0; k < 12; ++k) air.bs->push_sdu(ip_packet(kServer, station_address(i), 528));
        },
        {0, 6, 7}, 1000);
    for (const auto& p : pings) {
        EXPECT_EQ(p.received, p.sent) << p.station;
        EXPECT_EQ(p.sent, 200);
        EXPECT_LE(p.worst_frames, 3) << p.station;  // eight unasked grants are more than the uplink holds
    }
}

/// 1 octet of UDP at 60 000 packets/s down to one.
TEST(Isolation, AFloodOfTinyPacketsStaysWithItsStation) {
    const auto pings = beside(
        [](Air& air) {
            const auto tiny = ip_packet(kServer, station_address(3), 29);
            for (int k = 0; k < 600; ++k) air.bs->push_sdu(tiny);
        },
        {0, 1, 2, 3, 7}, 1000);
    for (const auto& p : pings) {
        EXPECT_EQ(p.received, p.sent) << p.station;
        EXPECT_LE(p.worst_frames, 3) << p.station;  // eight unasked grants are more than the uplink holds
    }
}

/// The same at a station: a flood up does not take the buffers of its UGS flow.
TEST(Isolation, AStationsFloodLeavesItsUgsFlowAlone) {
    auto config = Air::with_stations(1);
    ServiceFlowConfig ugs, best_effort;
    ugs.direction = best_effort.direction = FlowDirection::uplink;
    ugs.scheduling = SchedulingType::ugs;
    ugs.max_sustained_rate_bps = 256'000;
    ClassifierConfig rule;
    rule.destination_ports = {{7000, 7000}};
    ugs.classifiers = {rule};
    config.stations[0].flows = {ugs, best_effort, ServiceFlowConfig{}};
    Air air(config);
    auto& station = air.add();
    enter(air);
    int voice = 0;
    air.bs->on_sdu = [&](Octets p) { voice += p[22] == 7000 >> 8 && p[23] == (7000 & 255); };
    for (int i = 0; i < 500; ++i) {
        for (int k = 0; k < 600; ++k)
            station.mac->push_sdu(ip_packet(station_address(0), kServer, 40, static_cast<uint16_t>(5000 + k)));
        ASSERT_TRUE(station.mac->push_sdu(ip_packet(station_address(0), kServer, 320, 7000)));
        air.step();
    }
    air.run(5);
    EXPECT_EQ(voice, 500);
}

/// A thousand connections to one station, each with two segments in flight and a retransmission half a second after a
/// loss, share its queue. The station's ping is one more connection. The queue holds 0.4 s of the downlink, and a ping
/// may wait behind one packet of each other connection in it: none is lost, none takes longer than that and the way
/// back.
TEST(Isolation, AThousandConnectionsAtOneStationAndItsPing) {
    Air air(Air::with_stations(2));
    for (int i = 0; i < 2; ++i) air.add();
    enter(air);
    Pings own{air, 0, 5}, neighbour{air, 1, 5};
    neighbour.listen();
    constexpr uint32_t kConnections = 1000;
    constexpr int kRetransmitFrames = 50;
    struct Connection {
        int under_way = 0, last_sent = -1000;
    };
    std::vector<Connection> connections(kConnections);
    auto& mac = *air.terminals[0]->mac;
    uint64_t delivered = 0;
    mac.on_sdu = [&](Octets p) {
        if (own.is_mine(p)) {
            mac.push_sdu(ip_packet(station_address(0), kServer, 84, own.port, number_of(p)));
            return;
        }
        ++delivered;
        mac.push_sdu(
            ip_packet(station_address(0), kServer, 52, static_cast<uint16_t>(10'000 + number_of(p)), number_of(p), 6));
    };
    air.bs->on_sdu = [&](Octets p) {
        if (own.take(p) || neighbour.take(p)) return;
        connections[number_of(p)].under_way = std::max(0, connections[number_of(p)].under_way - 1);
    };
    for (int frame = 0; frame < 1500; ++frame) {
        for (uint32_t c = 0; c < kConnections; ++c) {
            auto& connection = connections[c];
            if (frame - connection.last_sent > kRetransmitFrames) connection.under_way = 0;
            for (; connection.under_way < 2; ++connection.under_way, connection.last_sent = frame)
                air.bs->push_sdu(ip_packet(kServer, station_address(0), 1500, static_cast<uint16_t>(10'000 + c), c, 6));
        }
        own.frame();
        neighbour.frame();
        air.step();
    }
    for (int i = 0; i < 60; ++i) {
        ++own.now;
        air.step();
    }
    printf("pings %d of %d, at most %d frames; neighbour %d of %d, %d frames; %llu segments\n", own.received, own.sent,
           own.worst_frames, neighbour.received, neighbour.sent, neighbour.worst_frames,
           static_cast<unsigned long long>(delivered));
    EXPECT_EQ(own.received, own.sent);
    EXPECT_LE(own.worst_frames, 48);
    EXPECT_GE(neighbour.received, neighbour.sent - 1);  // the last may be in transit
    EXPECT_LE(neighbour.worst_frames, 2);
    EXPECT_GE(delivered, 1500 * 10'000 / 1500 * 9 / 10);
}

/// A station that writes another source address into the packets of its PDUs, and a right CRC.
void readdress(std::vector<uint8_t>& burst, uint32_t from, uint32_t to) {
    const auto octets = [](uint32_t address) {
        std::array<uint8_t, 4> out{};
        for (size_t i = 0; i < 4; ++i) out[i] = static_cast<uint8_t>(address >> (24 - 8 * i));
        return out;
    };
    const auto was = octets(from), is = octets(to);
    for (size_t at = 0; at + 6 <= burst.size();) {
        const bool request = (burst[at] & 0x80) != 0;
        const size_t length = request ? 6 : size_t{burst[at + 1] & 7U} << 8 | burst[at + 2];
        if (length < 6 || at + length > burst.size()) return;  // padding
        const auto first = burst.begin() + static_cast<ptrdiff_t>(at), end = first + static_cast<ptrdiff_t>(length);
        const auto place = request ? end : std::search(first, end, was.begin(), was.end());
        if (place != end) {
            std::copy(is.begin(), is.end(), place);
            const auto crc = crc32(Octets(&*first, length - kCrcOctets));
            std::copy(crc.begin(), crc.end(), end - kCrcOctets);
        }
        at += length;
    }
}

/// Packets of terminal 1 under terminal 0's address: none arrives, and the downlink stays terminal 0's, whether or not
/// the configuration assigns the address. Without the check they do arrive.
TEST(Isolation, AStationCannotSendFromAnothersAddress) {
    for (const bool listed : {true, false})
        for (const bool check : {true, false}) {
            BaseStationConfig config;
            config.check_source_addresses = check;
            Air air(listed ? Air::with_stations(2, config) : config);
            for (int i = 0; i < 2; ++i) air.add();
            enter(air);
            const auto send = [&](size_t station) {
                return air.terminals[station]->mac->push_sdu(ip_packet(station_address(station), kServer, 100));
            };
            for (size_t i = 0; i < 2; ++i) ASSERT_TRUE(send(i));
            air.run(5);
            ASSERT_EQ(air.ul_packets, 2U);
            air.tamper = [](wimax::sap::RxBurst& burst) {
                readdress(burst.payload, station_address(1), station_address(0));
            };
            for (int i = 0; i < 50; ++i) {
                ASSERT_TRUE(send(1));
                air.run(2);
            }
            air.run(5);
            const auto status = air.bs_status();
            EXPECT_EQ(air.ul_packets, check ? 2U : 52U) << listed;
            EXPECT_EQ(status["drops"]["wrong_source"], check ? 50 : 0);
            for (const auto& station : status["stations"]) {
                const bool guilty = station["mac"] == "02:00:00:00:00:02";
                EXPECT_EQ(station["ul"]["wrong_source"], guilty && check ? 50 : 0) << station["mac"];
            }
            const auto downlink = [&] { return air.terminals[0]->dl_packets; };
            const auto before = downlink();
            EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(0), 100)));
            air.run(5);
            EXPECT_EQ(downlink() - before, listed || check ? 1U : 0U) << "the last sender has it without the check";
            air.bs_config.check_source_addresses = false;
            const auto fixed = air.bs->reprovision(air.bs_config);
            ASSERT_TRUE(fixed && fixed->empty()) << "changes while stations are served";
            const auto packets = air.ul_packets;
            ASSERT_TRUE(send(1));
            air.run(5);
            EXPECT_EQ(air.ul_packets - packets, 1U);
        }
}

/// A packet to a listed station that is absent or has no flow for it is not sent to stations that take unclaimed
/// packets: they would read another's data.
TEST(Isolation, PacketsToAListedStationGoToNoOther) {
    auto config = Air::with_stations(1);
    config.stations[0].mac = Air::mac_of(9);  // not there
    Air air(config);
    for (int i = 0; i < 2; ++i) air.add();
    enter(air);
    EXPECT_FALSE(air.bs->push_sdu(ip_packet(kServer, station_address(0), 100)));
    EXPECT_TRUE(air.bs->push_sdu(ip_packet(kServer, station_address(1), 100)));
    air.run(5);
    for (const auto& t : air.terminals) EXPECT_EQ(t->dl_packets, 1U);
    EXPECT_EQ(air.bs_status()["drops"]["unclassified"], 1);
}

/// PDUs of another connection before those of a station, few and thousands: the station finds its PDUs, and counts the
/// others.
TEST(Isolation, PdusOfOthersHideNone) {
    constexpr uint16_t kOther = 0x7654;
    for (const size_t others : {0, 3, 100, 255, 256, 4000}) {
        Air air(Air::with_stations(1));
        air.add();
        enter(air);
        auto& station = *air.terminals[0];
        size_t added = 0;
        air.tamper = [&](wimax::sap::RxBurst& burst) {
            if (burst.cid != 0 || burst.payload.empty()) return;  // of the uplink
            Buffer mixed;
            PduWriter writer(mixed, SIZE_MAX);
            for (size_t i = 0; i < others; ++i) {
                writer.begin(kOther);
                writer.finish();
            }
            added += others;
            burst.payload.insert(burst.payload.begin(), mixed.begin(), mixed.end());  // padding ends it
        };
        const auto packets = station.dl_packets;
        const auto foreign = station.status()["drops"]["foreign_pdus"].get<size_t>();
        for (int i = 0; i < 20; ++i) {
            air.bs->push_sdu(ip_packet(kServer, station_address(0), 100));
            air.step();
        }
        air.run(3);
        EXPECT_EQ(station.dl_packets - packets, 20U) << others;
        EXPECT_EQ(added > 0, others > 0);
        EXPECT_EQ(station.status()["drops"]["foreign_pdus"].get<size_t>() - foreign, added) << others;
    }
}

}  // namespace test_air_isolation
