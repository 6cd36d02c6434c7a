// SPDX-License-Identifier: GPL-3.0-or-later
// Stations that misbehave: two with one address, forged and flooding ranging requests, requests without end.
#include "mac/flow/flow_command.h"
#include "mac/pdu/cid.h"
#include "mac/test_air.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_hostile {

void enter(Air& air) {
    ASSERT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(6)), 0)
        << air.bs_status().dump(1);
    air.run(50);
}

/// Packets both ways through station i every five frames: the part that arrives.
double served(
    Air& air, size_t i, int frames, const std::function<void()>& each_frame = [] {}) {
    auto& t = *air.terminals[i];
    const auto down = t.dl_packets, up = air.ul_bytes[station_address(i)];
    int sent = 0;
    for (int f = 0; f < frames; ++f) {
        if (f % 5 == 0) {
            ++sent;
            air.bs->push_sdu(ip_packet(kServer, station_address(i), 100));
            t.mac->push_sdu(ip_packet(station_address(i), kServer, 100));
        }
        air.step();
        each_frame();
    }
    air.run(10);
    const auto part = static_cast<double>(t.dl_packets - down + (air.ul_bytes[station_address(i)] - up) / 100);
    return part / (2 * sent);
}

size_t events_with(const std::vector<std::string>& events, const std::string& text) {
    return static_cast<size_t>(
        std::count_if(events.begin(), events.end(), [&](const auto& e) { return e.find(text) != std::string::npos; }));
}

/// A RNG-REQ as if received in this frame's ranging opportunity; nothing without an opportunity.
bool forge(Air& air, uint16_t on_cid, std::optional<MacAddress> mac, bool on_target = false) {
    const auto& all = air.last_expect().allocations;
    const auto region = std::find_if(all.begin(), all.end(), [](const auto& a) {
        return a.kind == sap::BurstKind::ranging && a.cid == cid::kBroadcast;
    });
    if (region == all.end()) return false;
    RngReq request;
    request.ss_mac = mac;
    sap::RxBurst burst;
    burst.kind = sap::BurstKind::ranging;
    burst.frame_number = air.frame + -1;
    burst.cid = region->cid;
    burst.start_slot = region->start_slot;
    burst.detected = burst.fec_ok = true;
    burst.measured.rssi_dbm = -45;
    burst.measured.cinr_db = 40;
    burst.measured.timing_offset_samples = 17;
    burst.measured.frequency_offset_hz = 900;
    if (on_target)
        burst.measured.timing_offset_samples = burst.measured.frequency_offset_hz = 0, burst.measured.rssi_dbm = -60;
    PduWriter(burst.payload, 23).message(on_cid, request);
    EXPECT_FALSE(burst.payload.empty());
    sap::RxExpect none;
    air.bs->on_burst(burst, none);
    return true;
}

MacAddress new_address() {
    static uint32_t number = 0;
    ++number;
    return {2,
            0x66,
            0,
            static_cast<uint8_t>(number >> 16),
            static_cast<uint8_t>(number >> 8),
            static_cast<uint8_t>(number)};
}

TEST(OneAddressTwice, TheFirstStaysServedAndTheSecondIsSentAway) {
    Air air(Air::with_stations(2));
    air.add();
    auto& third = air.add({10, 85, 0});
    enter(air);
    const auto served_as = air.terminals[0]->status()["basic_cid"];
    auto& second = air.add({25, 75, 300});
    second.config.mac = Air::mac_of(0);
    air.restart(second);
    EXPECT_GE(served(air, 0, air.frames(20)), 0.95);
    EXPECT_TRUE(air.terminals[0]->mac->operational());
    EXPECT_EQ(air.terminals[0]->status()["basic_cid"], served_as);
    EXPECT_FALSE(second.mac->operational());
    // It is informed at each attempt, and attempts at most every five seconds.
    const size_t told = events_with(second.events, "ranging aborted by the base station");
    EXPECT_GE(told, 3U);
    EXPECT_LE(told, 5U);
    EXPECT_EQ(events_with(air.events, "a second station with this address"), told);
    EXPECT_EQ(air.bs_status()["ranging"]["duplicates"], told);
    EXPECT_TRUE(third.mac->operational());
    EXPECT_EQ(air.bs_status()["registered"], 2);
    // The first leaves, the second may take its place.
    air.terminals[0]->link.connected = false;
    ASSERT_GE(air.run_until([&] { return second.mac->operational(); }, air.frames(9)), 0);
}

TEST(OneAddressTwice, AlsoWhereGrantsComeOnRequestOnly) {
    BaseStationConfig config;
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    Air air(Air::with_stations(1, config));
    air.add();
    enter(air);
    auto& second = air.add({25, 75, 300});
    second.config.mac = Air::mac_of(0);
    air.restart(second);
    air.run(air.frames(6));  // the first is idle
    EXPECT_TRUE(air.terminals[0]->mac->operational());
    EXPECT_FALSE(second.mac->operational());
    EXPECT_GE(events_with(second.events, "ranging aborted by the base station"), 1U);
    EXPECT_EQ(air.bs_status()["lost_stations"], 0);
    EXPECT_EQ(served(air, 0, 100), 1.0);
}

TEST(OneAddressTwice, ARestartOfTheStationIsNoSecondOne) {
    for (const uint32_t unasked : {12U, 0U}) {
        BaseStationConfig config;
        config.profile.unasked_symbols = unasked;
        config.profile.grant_spare = unasked != 0;
        Air air(Air::with_stations(1, config));
        auto& station = air.add();
        enter(air);
        EXPECT_EQ(served(air, 0, 50), 1.0);
        const auto before = air.bs_status()["stations"][0]["ul"]["sdus"].get<int>();
        ASSERT_GE(before, 10);
        air.restart(station);
        ASSERT_GE(air.run_until([&] { return station.mac->operational(); }, air.frames(1)), 0)
            << air.bs_status().dump(1);
        air.run(10);
        EXPECT_EQ(air.bs_status()["stations"].size(), 1U);
        EXPECT_EQ(air.bs_status()["ranging"]["duplicates"], 0);
        EXPECT_GE(air.bs_status()["stations"][0]["ul"]["sdus"].get<int>(), before);  // counters continue
        EXPECT_EQ(served(air, 0, 50), 1.0);
    }
}

/// Both wait for a response, one request was received: the response names its frame and opportunity.
TEST(OneAddressTwice, AnAnswerIsForTheOneThatWasHeard) {
    Air air(Air::with_stations(1));
    auto& heard = air.add();
    auto& other = air.add({25, 75, 300});
    other.config.mac = Air::mac_of(0);
    other.config.random_seed = 3;
    air.restart(other);
    other.link.uplink_loss = 1;
    int both = 0;
    for (int i = 0; i < air.frames(3); ++i) {
        air.step();
        const auto cid = other.status()["basic_cid"].get<int>();
        both += cid != 0 && cid == heard.status()["basic_cid"].get<int>();
    }
    EXPECT_EQ(both, 0);
    EXPECT_TRUE(heard.mac->operational());
    EXPECT_GT(other.status()["ranging"]["attempts"].get<int>(), 5);
    EXPECT_EQ(other.status()["state"], "ranging");
}

TEST(Forged, RangingRequestWithAnothersAddressChangesNothingForIt) {
    Air air(Air::with_stations(1));
    auto& victim = air.add();
    enter(air);
    const Json before = victim.status();
    int forged = 0;
    EXPECT_EQ(served(air, 0, air.frames(8), [&] { forged += forge(air, 0, Air::mac_of(0)); }), 1.0);
    EXPECT_GT(forged, 50);
    const Json after = victim.status();
    for (const char* key : {"timing_advance_samples", "frequency_adjust_hz", "power_dbm", "restarts", "basic_cid"})
        EXPECT_EQ(after[key], before[key]) << key;
    EXPECT_EQ(after["state"], "operational");
    air.run(air.frames(6));  // T9 has removed the forged stations
    EXPECT_EQ(air.bs_status()["stations"].size(), 1U);
}

TEST(Forged, RangingRequestOnAnothersCidCorrectsNobody) {
    Air air(Air::with_stations(1));
    auto& victim = air.add();
    enter(air);
    const Json before = victim.status();
    const auto cid = before["basic_cid"].get<uint16_t>();
    int forged = 0;
    EXPECT_EQ(served(air, 0, 200, [&] { forged += forge(air, cid, std::nullopt); }), 1.0);
    EXPECT_GT(forged, 5);
    const Json after = victim.status();
    for (const char* key : {"timing_advance_samples", "frequency_adjust_hz", "power_dbm", "corrections"})
        EXPECT_EQ(after[key], before[key]) << key;
    EXPECT_EQ(air.bs_status()["ranging"]["undecoded"], forged);
}

TEST(Flood, OfNewAddressesTakesLittleFromTheOthers) {
    Air air;
    auto& station = air.add();
    enter(air);
    const auto load = [&](int frames, bool flood) {
        const auto before = air.ul_bytes[station_address(0)];
        for (int i = 0; i < frames; ++i) {
            for (int k = 0; k < 12; ++k) station.mac->push_sdu(ip_packet(station_address(0), kServer, 1500));
            air.step();
            if (flood) forge(air, 0, new_address());
        }
        return static_cast<double>(air.ul_bytes[station_address(0)] - before) / frames;
    };
    load(100, false);
    const double quiet = load(300, false);
    const double flooded = load(1000, true);
    EXPECT_GT(flooded / quiet, 0.93) << flooded << " of " << quiet;
    EXPECT_LE(air.bs_status()["stations"].size(), 40U);
}

/// Bandwidth requests in contention, in each frame one for another station, that none of them has made: they bring
/// their stations short grants and no more.
TEST(Flood, OfForgedContentionRequestsTakesLittleFromTheOthers) {
    for (const uint8_t rate : {6, 1}) {
        auto config = Air::with_stations(5);
        config.ul_rate_id = rate;
        config.profile.unasked_symbols = 0;
        Air air(config);
        for (int i = 0; i < 5; ++i) air.add();
        enter(air);
        const auto load = [&](int frames, bool flood) {
            const auto before = air.ul_bytes[station_address(0)];
            for (int n = 0; n < frames; ++n) {
                for (int k = 0; k < 12; ++k)
                    air.terminals[0]->mac->push_sdu(ip_packet(station_address(0), kServer, 1500));
                air.step();
                if (!flood) continue;
                const auto victim = air.terminals[1 + static_cast<size_t>(n) % 4]->status()["basic_cid"];
                sap::RxBurst burst;
                burst.kind = sap::BurstKind::contention;
                burst.frame_number = air.frame + -1;
                burst.detected = burst.fec_ok = true;
                PduWriter(burst.payload, 11).request({RequestType::aggregate, 500'000, victim.get<uint16_t>()});
                sap::RxExpect none;
                air.bs->on_burst(burst, none);
            }
            return static_cast<double>(air.ul_bytes[station_address(0)] - before) / frames;
        };
        load(100, false);
        const double quiet = load(200, false), flooded = load(500, true);
        printf("rate %d: %.0f octets a frame, %.0f beside forged requests\n", rate, quiet, flooded);
        EXPECT_GT(flooded / quiet, 0.85);
    }
}

/// A station that has ranged and is silent gets three grants, and then only polls.
TEST(Flood, SilentStationsGetFewGrants) {
    auto config = Air::with_stations(1);
    config.profile.unasked_symbols = 0;
    Air air(config);
    air.add();
    enter(air);
    while (!forge(air, 0, new_address(), true)) air.step();
    int grants = 0;
    const auto served_as = air.terminals[0]->status()["basic_cid"].get<uint16_t>();
    for (int n = 0; n < 100; ++n) {
        air.step();
        for (const auto& a : air.last_expect().allocations)
            grants += a.kind == sap::BurstKind::data && a.cid != served_as;
    }
    EXPECT_GE(grants, 3);
    EXPECT_LE(grants, 16);
}

TEST(Flood, LeavesNewStationsAWay) {
    for (const uint32_t stations : {250U, 2U}) {
        BaseStationConfig config;
        config.max_stations = stations;
        Air air(config);
        air.add();
        enter(air);
        std::mt19937 random(5);
        air.tamper = [&](sap::RxBurst& burst) {  // every second opportunity is the flooder's
            if (burst.kind == sap::BurstKind::ranging && random() % 2)
                for (auto& octet : burst.payload) octet = static_cast<uint8_t>(random());
        };
        for (int i = 0; i < 300; ++i) air.step(), forge(air, 0, new_address());
        auto& late = air.add({25, 75, 300});
        int frames = 0;
        for (; frames < air.frames(4) && !late.mac->operational(); ++frames) {
            air.step();
            forge(air, 0, new_address());
        }
        EXPECT_TRUE(late.mac->operational()) << air.bs_status()["stations"].size();
        EXPECT_LT(frames, air.frames(3));
        EXPECT_TRUE(air.terminals[0]->mac->operational());
    }
}

TEST(Flood, LeavesTheLogReadable) {
    Air air;
    air.add();
    enter(air);
    air.events.clear();
    int forged = 0;
    for (int i = 0; i < air.frames(12); ++i) air.step(), forged += forge(air, 0, new_address());
    EXPECT_GT(forged, 200);
    EXPECT_LT(air.events.size(), 150U);  // 12 s
    // Omitted lines are counted.
    EXPECT_GE(events_with(air.events, "more of this kind"), 5U);
}

/// Lines that a log and an events file have of these: `text` is the variable part; the rest is common to all lines.
struct Written {
    explicit Written(const std::vector<std::string>& lines) : lines_(lines), from_(lines.size()) {}
    size_t lines() const { return lines_.size() - from_; }
    double log_octets() const { return octets(36); }      // time, level, layer, frame
    double events_octets() const { return octets(140); }  // two times, number, layer, frame, names of the members

private:
    double octets(size_t beside) const {
        size_t sum = 0;
        for (size_t i = from_; i < lines_.size(); ++i) sum += lines_[i].size() + beside;
        return static_cast<double>(sum);
    }
    const std::vector<std::string>& lines_;
    const size_t from_;
};

/// For any peer and any input.
void expect_readable(const Written& written, double seconds, const char* what) {
    EXPECT_LE(static_cast<double>(written.lines()), 2 * (16 + seconds)) << what;
    EXPECT_LT(written.log_octets() / seconds, 400) << what;
    EXPECT_LT(written.events_octets() / seconds, 1000) << what;
}

using Forge = std::function<void(PduWriter&, uint32_t)>;
struct Message {
    const char* name;
    Forge forge;
};

/// Messages of a service flow, with numbers that go round.
template <class M> M of_flow(uint32_t i, uint32_t sfid) {
    M m;
    m.tid = static_cast<uint16_t>(i);
    if constexpr (requires { m.uplink; }) {
        m.uplink.emplace();
        m.uplink->sfid = sfid;
        m.uplink->cid = static_cast<uint16_t>(2000 + i % 100);
        m.uplink->qos_set_type =
            static_cast<uint8_t>(i % 2 ? qos_set::kAdmitted : qos_set::kAdmitted | qos_set::kActive);
        m.uplink->service_class = "name " + std::to_string(i);
    } else {
        m.sfid = sfid;
    }
    if constexpr (requires { m.cc; }) m.cc = static_cast<uint8_t>(i % 14);
    return m;
}

/// Each message that a peer may send, on the basic and the primary CID, in both directions. A message of the wrong
/// direction counts as malformed.
std::vector<Message> all_messages(uint16_t basic, uint16_t primary, uint32_t sfid) {
    std::vector<Message> all;
    const auto add = [&](const char* name, auto make) {
        all.push_back({name, [=](PduWriter& to, uint32_t i) { to.message(i % 2 ? basic : primary, make(i)); }});
    };
    add("RNG-REQ", [](uint32_t) { return RngReq{}; });
    add("SBC-REQ", [](uint32_t) { return SbcReq{}; });
    add("REG-REQ", [](uint32_t) { return RegReq{}; });
    add("DREG-REQ", [](uint32_t) { return DregReq{}; });
    add("DREG-CMD", [](uint32_t i) {
        DregCmd m;
        m.action = static_cast<uint8_t>(i % 6);
        return m;
    });
    add("DREG-CMD 1 and 3", [](uint32_t i) {
        DregCmd m;
        m.action = i % 2 ? 1 : 3;
        return m;
    });
    add("RES-CMD", [](uint32_t) { return ResCmd{}; });
    for (const auto status :
         {RangingStatus::continue_ranging, RangingStatus::abort, RangingStatus::success, RangingStatus::rerange})
        add("RNG-RSP", [status](uint32_t) {
            RngRsp m;
            m.status = status;
            return m;
        });
    add("RNG-RSP to another channel", [](uint32_t i) {
        RngRsp m;
        m.status = RangingStatus::abort;
        m.downlink_frequency_khz = i % 3 ? i * 0x9E3779B9U : 3'500'000 + i % 7;
        return m;
    });
    add("SBC-RSP", [](uint32_t) { return SbcRsp{}; });
    add("REG-RSP", [](uint32_t i) {
        RegRsp m;
        m.response = static_cast<uint8_t>(i % 2);
        return m;
    });
    add("DSA-REQ", [=](uint32_t i) { return of_flow<DsaReq>(i, 100 + i); });
    add("DSA-RSP", [=](uint32_t i) { return of_flow<DsaRsp>(i, sfid); });
    add("DSA-ACK", [=](uint32_t i) { return of_flow<DsaAck>(i, sfid); });
    add("DSC-REQ", [=](uint32_t i) { return of_flow<DscReq>(i, sfid); });
    add("DSC-RSP", [=](uint32_t i) { return of_flow<DscRsp>(i, sfid); });
    add("DSC-ACK", [=](uint32_t i) { return of_flow<DscAck>(i, sfid); });
    add("DSD-REQ", [=](uint32_t i) { return of_flow<DsdReq>(i, i % 2 ? sfid : i); });
    add("DSD-RSP", [=](uint32_t i) { return of_flow<DsdRsp>(i, sfid); });
    add("DBPC-REQ", [](uint32_t) { return DbpcReq{}; });
    add("DBPC-RSP", [](uint32_t) { return DbpcRsp{}; });
    add("MCA-REQ", [](uint32_t) { return McaReq{}; });
    add("MCA-REQ of a group with periodic allocations", [](uint32_t i) {
        McaReq m;
        m.tid = static_cast<uint16_t>(i);
        m.multicast_cid = static_cast<uint16_t>(cid::kFirstMulticastPolling + i % 3);
        m.assignment = static_cast<uint8_t>(i / 3 % 2);
        if (i % 5 != 0) m.group_type = i % 5 - 1;
        if (i % 7 == 0) m.periodic_parameters = i * 0x9E3779B9U;
        if (i % 11 == 0) m.operation = i / 11;
        return m;
    });
    add("MCA-RSP", [](uint32_t) { return McaRsp{}; });
    add("REP-REQ", [](uint32_t) { return RepReq{}; });
    add("REP-RSP", [](uint32_t) { return RepRsp{}; });
    all.push_back({"DSA-REQ and DSD-REQ", [=](PduWriter& to, uint32_t i) {
                       i % 2 ? to.message(primary, of_flow<DsaReq>(i, 70'000 + i / 2))
                             : to.message(primary, of_flow<DsdReq>(i, 70'000 + i / 2));
                   }});
    return all;
}

void receive(Station& at, uint16_t cid, uint8_t index, phy::FrameNumber frame,
             const std::function<void(PduWriter&)>& fill) {
    sap::RxBurst burst;
    burst.kind = sap::BurstKind::data;
    burst.index = index;
    burst.cid = cid;
    burst.frame_number = frame + -1;
    burst.detected = burst.fec_ok = true;
    PduWriter writer(burst.payload, 2000);
    fill(writer);
    sap::RxExpect none;
    at.on_burst(burst, none);
}

BaseStationConfig two_stations_with_flows_of_their_own() {
    auto config = Air::with_stations(2);
    for (auto& station : config.stations) station.dynamic_flows = 8;
    return config;
}

uint16_t primary_of(const Air& air, uint16_t basic) { return static_cast<uint16_t>(basic + air.bs_config.basic_cids); }

uint32_t first_uplink_sfid(const Air::Terminal& t) {
    const Json status = t.status();
    for (const auto& flow : status["flows"])
        if (flow["direction"] == "uplink") return flow["sfid"].get<uint32_t>();
    return 0;
}

/// A name that the standard does not allow makes no flow, and one that it does shall not keep it from the next.
TEST(Names, OnlyThoseOfTheStandardMakeFlows) {
    Air air(two_stations_with_flows_of_their_own());
    auto& station = air.add();
    enter(air);
    const auto basic = station.status()["basic_cid"].get<uint16_t>();
    const auto primary = primary_of(air, basic);
    const auto flows = [&] { return air.bs_status()["stations"][0]["flows"].size(); };
    const size_t before = flows();
    uint16_t tid = 0;
    const auto ask = [&](const std::string& name) {
        DsaReq request;
        request.tid = ++tid;
        request.uplink.emplace();
        request.uplink->service_class = name;
        request.uplink->traffic_priority = 1;
        request.uplink->maximum_rate_bps = 10'000;
        request.uplink->scheduling = Scheduling::best_effort;
        receive(*air.bs, basic, 0, air.frame, [&](PduWriter& to) { to.message(primary, request); });
        return flows() - before;
    };
    for (const auto& name : {std::string(), std::string("a\0b", 3), std::string(128, 'x'), std::string(1000, 'x')})
        EXPECT_EQ(ask(name), 0U) << name.size();
    EXPECT_EQ(ask("gold"), 1U);
    EXPECT_EQ(ask(std::string(127, 'x')), 2U);
}

constexpr int kEachFrame = 3;  // more would not get through on the air
constexpr double kFloodS = 8;

/// The base station's end: every message of a station, and all of them in turn. The neighbour's entry can be read.
TEST(Flood, OfAnyMessageLeavesTheBaseStationsLogReadable) {
    size_t kinds = 1;
    for (size_t kind = 0; kind <= kinds; ++kind) {
        Air air(two_stations_with_flows_of_their_own());
        auto& loud = air.add();
        auto& quiet = air.add();
        enter(air);
        const Json status = loud.status();
        const auto basic = status["basic_cid"].get<uint16_t>(), primary = primary_of(air, basic);
        const auto all = all_messages(basic, primary, first_uplink_sfid(loud));
        kinds = all.size();
        const Written written(air.events);
        uint32_t i = 0;
        for (int f = 0; f < air.frames(kFloodS); ++f) {
            if (f == air.frames(kFloodS / 2)) air.restart(quiet);
            air.step();
            receive(*air.bs, basic, 0, air.frame, [&](PduWriter& to) {
                for (int n = 0; n < kEachFrame; ++n, ++i) (kind < kinds ? all[kind] : all[i % kinds]).forge(to, i);
            });
        }
        const char* name = kind < kinds ? all[kind].name : "all in turn";
        expect_readable(written, kFloodS, name);
        EXPECT_TRUE(quiet.mac->operational()) << name;
        const std::vector<std::string> since(air.events.end() - static_cast<std::ptrdiff_t>(written.lines()),
                                             air.events.end());
        EXPECT_GE(events_with(since, "02:00:00:00:00:02 operational"), 1U) << name;
    }
}

/// The other end: every message of a base station.
TEST(Flood, OfAnyMessageLeavesTheSubscriberStationsLogReadable) {
    size_t kinds = 1;
    for (size_t kind = 0; kind <= kinds; ++kind) {
        Air air(two_stations_with_flows_of_their_own());
        auto& station = air.add();
        enter(air);
        const Json status = station.status();
        const auto basic = status["basic_cid"].get<uint16_t>(), primary = primary_of(air, basic);
        const auto all = all_messages(basic, primary, first_uplink_sfid(station));
        kinds = all.size();
        const Written written(station.events);
        uint32_t i = 0;
        sap::ConfigRequest wanted;
        for (int f = 0; f < air.frames(kFloodS); ++f) {
            air.step();
            // A PHY that refuses whatever channel a base station names.
            if (station.mac->phy_config_changed(wanted))
                wanted.carriers == station.config.carriers ? air.restart_phy(station) : station.mac->on_phy_refusal();
            receive(*station.mac, 0, 2, air.frame, [&](PduWriter& to) {
                for (int n = 0; n < kEachFrame; ++n, ++i) (kind < kinds ? all[kind] : all[i % kinds]).forge(to, i);
            });
        }
        const char* name = kind < kinds ? all[kind].name : "all in turn";
        expect_readable(written, kFloodS, name);
        // Honest again: it recovers without help.
        const auto back = [&] {
            if (station.mac->phy_config_changed(wanted))
                wanted.carriers == station.config.carriers ? air.restart_phy(station) : station.mac->on_phy_refusal();
            return station.mac->operational();
        };
        EXPECT_GE(air.run_until(back, air.frames(12)), 0) << name << "\n" << station.status().dump(1);
    }
}

/// Changes that are accepted, as fast as both ends agree on them, and without the right to add flows.
TEST(Flood, OfAcceptedChangesLeavesTheLogsReadable) {
    Air air(Air::with_stations(1));
    auto& station = air.add();
    enter(air);
    const uint32_t sfid = first_uplink_sfid(station);
    const Written bs(air.events), ss(station.events);
    int changes = 0;
    for (int f = 0; f < air.frames(20); ++f) {
        air.step();
        FlowCommand command;
        command.kind = DsxKind::change;
        command.id = static_cast<uint64_t>(f);
        command.sfid = sfid;
        if (!station.mac->describe(command)) continue;
        command.state = command.state == FlowState::active ? FlowState::admitted : FlowState::active;
        changes += station.mac->change_flow(command).has_value();
    }
    EXPECT_GT(changes, 150);
    expect_readable(bs, 20, "at the base station");
    expect_readable(ss, 20, "at the subscriber station");
    EXPECT_GE(events_with(air.events, "more of this kind"), 2U);
}

/// A station that enters again and again, reset by the base station or voluntarily.
TEST(Flood, OfEntriesLeavesTheLogsReadable) {
    Air air(Air::with_stations(2));
    auto& loud = air.add();
    auto& quiet = air.add();
    enter(air);
    const Written bs(air.events), ss(quiet.events);
    for (int f = 0; f < air.frames(20); ++f) {
        if (f % air.frames(0.4) == 0) air.restart(loud);
        if (f % air.frames(0.4) == 1)
            receive(*quiet.mac, 0, 2, air.frame,
                    [&](PduWriter& to) { to.message(quiet.status()["basic_cid"].get<uint16_t>(), ResCmd{}); });
        air.step();
    }
    expect_readable(bs, 20, "at the base station");
    expect_readable(ss, 20, "at the subscriber station");
}

/// A frame number that is used again, as after a restart of the PHY, has no allocations of its first use.
TEST(Jump, PlansAreVoid) {
    BaseStationConfig config;
    config.map_relevance = MapRelevance::next_frame;
    Air cell(Air::with_stations(1, config));
    cell.add();
    ASSERT_GE(cell.run_until([&] { return cell.all_operational(); }), 0);
    const auto again = cell.frame;
    cell.step();
    EXPECT_FALSE(cell.last_expect().allocations.empty());
    cell.frame = again;
    cell.step();
    EXPECT_TRUE(cell.last_expect().allocations.empty());
}

/// A PHY's clock that jumps is no time in which budgets refill.
TEST(Flood, JumpsOfTheClockBringNoLines) {
    Air air(Air::with_stations(1));
    auto& station = air.add();
    enter(air);
    const Written written(station.events);
    sap::TxFrame tx;
    sap::RxExpect expect;
    for (int i = 0; i < 400; ++i) {
        air.restart_phy(station);
        sap::FrameTick tick;
        tick.frame_start_sample = int64_t{i} * 1'000'000'000;
        tick.sample_rate_hz = static_cast<uint32_t>(air.layout.sample_rate_hz());
        station.mac->on_tick(tick, tx, expect);
        receive(*station.mac, 0, 1, air.frame, [](PduWriter& to) { to.message(cid::kBroadcast, Dcd{}); });
    }
    EXPECT_LE(written.lines(), 16U);
}

TEST(Flood, OfRangingRequestsInDataBurstsIsAnsweredNowAndThen) {
    Air air(Air::with_stations(2));
    auto& wild = air.add();
    enter(air);
    const auto basic = wild.status()["basic_cid"].get<uint16_t>();
    air.tamper = [&](sap::RxBurst& burst) {
        if (burst.kind != sap::BurstKind::data || burst.cid != basic) return;
        Buffer forged;
        PduWriter writer(forged, burst.payload.size());
        while (writer.message(basic, RngReq{}))
            ;
        std::copy(forged.begin(), forged.end(), burst.payload.begin());
    };
    const auto before = air.bs_status();
    air.run(300);
    const auto after = air.bs_status();
    const auto symbols = [](const Json& s) { return s["symbols"]["dl"]["management"].get<int>(); };
    EXPECT_LT(symbols(after) - symbols(before), 300);  // of 99 in each of 300 frames
    auto& other = air.add();
    ASSERT_GE(air.run_until([&] { return other.mac->operational(); }, air.frames(2)), 0);
}

}  // namespace test_air_hostile
