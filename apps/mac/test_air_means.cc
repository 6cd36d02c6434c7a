// SPDX-License-Identifier: GPL-3.0-or-later
// Means that the base station chooses by what it measures, and what they bring: STC zones in SUI-3, midambles on the
// move, polling groups. Over the burst-moving PHY, with losses as the receiver was measured to have them.
#include "mac/pdu/cid.h"
#include "mac/test_cells.h"
#include "mac/test_error_model.h"
#include "mac/test_fading.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_means {

void spoil_blocks(sap::RxBurst& r, std::mt19937& random, double lost) {
    const auto block = static_cast<size_t>(phy::kRateTable[r.rate_id].uncoded_bytes);
    for (size_t first = 0; first < r.payload.size(); first += block) {
        if (std::uniform_real_distribution<>(0, 1)(random) >= lost) continue;
        r.fec_ok = false;
        for (size_t i = first; i < std::min(first + block, r.payload.size()); ++i) r.payload[i] ^= 0x5A;
    }
}

/// One station in SUI-3 from two antennas, its downlink always full.
struct FadingCell : Air {
    explicit FadingCell(bool enable, float mean_db, uint32_t seed) : Air(config(enable)), one(seed), two(seed + 1000) {
        antennas = 2;
        restart_bs_phy();
        add(Link{10, 85});
        before_tick = [this] {
            const double now = ++ticks * layout.frame_seconds();
            one.at(now);
            two.at(now);
            joined = one;
            joined.join(two);
            for (int i = 0; i < 12; ++i) bs->push_sdu(ip_packet(kServer, station_address(0), 1400));
        };
        tamper = [this, mean_db](sap::RxBurst& r) {
            if (r.cid != 0) return;  // of the uplink
            const Sui3& path = r.index > phy::kStcZoneIndex ? joined : one;
            r.measured.cinr_db = mean_db + path.gain_db() + errors.noise_db(0.3F);
            const auto lost = block_error_rate(r.rate_id, path.effective_db(r.rate_id, mean_db));
            spoil_blocks(r, random, lost);
        };
        enter(*this);  // not before: a step of the mean would be variation, too
    }
    static BaseStationConfig config(bool enable) {
        auto c = with_stations(1);
        c.dl_rate_id = 6;
        c.dl_lowest_rate_id = 0;
        c.profile.broadcast_rate_id = 0;
        c.stc.enable = enable;
        return c;
    }
    double kbps(double seconds) {
        const uint64_t before = terminals[0]->dl_bytes;
        run(frames(seconds));
        return 8e-3 * static_cast<double>(terminals[0]->dl_bytes - before) / seconds;
    }

    Sui3 one, two, joined{1};
    ErrorModel errors{5};
    std::mt19937 random{9};
    double ticks = 0;
};

/// By its reports alone the station is moved into the zone, and carries more there.
TEST(StcByMeasurement, CarriesMoreInFading) {
    double with = 0, without = 0;
    for (const uint32_t seed : {1U, 2U}) {
        for (const bool enable : {false, true}) {
            FadingCell cell(enable, 16, seed);
            cell.kbps(10);
            double& sum = enable ? with : without;
            sum += cell.kbps(40);
            EXPECT_EQ(cell.bs_status()["stations"][0]["link"]["stc"], enable);
            EXPECT_EQ(cell.zone_bursts > 0, enable);
            if (enable) {
                EXPECT_NEAR(cell.bs_status()["stations"][0]["link"]["dl_variation"].get<float>(), 0.6, 0.25);
            }
            expect_clean(cell);
        }
    }
    RecordProperty("kbps_with", std::to_string(with / 2));
    RecordProperty("kbps_without", std::to_string(without / 2));
    EXPECT_GE(with, 1.1 * without) << with / 2 << " " << without / 2;
}

TEST(StcByMeasurement, ALinkThatStandsStillNeedsNone) {
    auto config = FadingCell::config(true);
    Air air(config);
    air.antennas = 2;
    air.restart_bs_phy();
    ErrorModel errors(5);
    air.tamper = [&](sap::RxBurst& r) { r.measured.cinr_db += errors.noise_db(0.3F); };
    air.add(Link{10, 85});
    enter(air);
    air.run(air.frames(12));
    EXPECT_EQ(air.bs_status()["stations"][0]["link"]["stc"], false);
    EXPECT_EQ(air.zone_bursts, 0U);
}

/// Block error rates of 16-QAM 1/2 in vehicular A at 195 Hz (60 km/h at 3.5 GHz) and 21 dB, bursts of 50 symbols, by
/// the map's two bits: docs/curves/mobility.json.
constexpr std::array<double, 4> kLostAt195Hz{0.08836, 0.01776, 0.03222, 0.05878};

struct MovingCell : Air {
    explicit MovingCell(bool enable) : Air(config(enable)) {
        add(Link{10, 99});
        enter(*this);
        tamper = [this](sap::RxBurst& r) {
            if (r.cid == 0 || r.cid == cid::kBroadcast || !r.detected) return;
            r.measured.cinr_db += errors.noise_db(2.5F);  // another channel in each frame
            uint8_t field = 0;
            for (const auto& a : last_expect().allocations)
                if (a.start_slot == r.start_slot) field = static_cast<uint8_t>(a.format.midamble_interval);
            fields.insert(field);
            if (r.payload.size() > 200) spoil_blocks(r, random, kLostAt195Hz[field]);
        };
    }
    static BaseStationConfig config(bool enable) {
        auto c = with_stations(1);
        c.ul_rate_id = 3;
        c.power_control = false;
        c.midambles.enable = enable;
        return c;
    }
    double kbps(double seconds) {
        const uint64_t before = ul_bytes[station_address(0)];
        for (int i = 0; i < frames(seconds); ++i) {
            for (int k = 0; k < 60; ++k) send(*this, 0, 100);
            step();
        }
        return 8e-3 * static_cast<double>(ul_bytes[station_address(0)] - before) / seconds;
    }

    ErrorModel errors{5};
    std::mt19937 random{9};
    std::set<uint8_t> fields;
};

TEST(MidamblesByMeasurement, CarryMoreOnTheMove) {
    MovingCell without(false), with(true);
    without.kbps(5);
    with.kbps(5);
    const double plain = without.kbps(20), chosen = with.kbps(20);
    EXPECT_EQ(without.fields, std::set<uint8_t>{0});
    EXPECT_TRUE(with.fields.contains(1));
    RecordProperty("kbps_with", std::to_string(chosen));
    RecordProperty("kbps_without", std::to_string(plain));
    EXPECT_GE(chosen, 1.1 * plain) << chosen << " " << plain;
    expect_clean(with);
}

/// MCA-REQ and MCA-RSP on the air; groups have the region in turn, and only the region's group sends requests.
TEST(PollingGroupsOnTheAir, MembersAskInTheirTurn) {
    auto config = bare(6, 2);
    config.profile.polling_group_stations = 2;
    Air air(config);
    for (int i = 0; i < 6; ++i) air.add();
    enter(air);
    air.run(60);
    std::map<uint16_t, int> regions;
    for (size_t i = 0; i < 6; ++i)
        for (uint32_t k = 0; k < 3; ++k) ASSERT_TRUE(send(air, i, 200, 5000, k));
    for (int i = 0; i < 90; ++i) {
        air.step();
        for (const auto& a : air.last_expect().allocations)
            if (a.kind == sap::BurstKind::contention) ++regions[a.cid];
    }
    EXPECT_EQ(regions, (std::map<uint16_t, int>{{0xFF00, 30}, {0xFF01, 30}, {0xFF02, 30}}));
    EXPECT_EQ(air.ul_packets, 18U);
    for (const auto& t : air.terminals) EXPECT_GE(t->status()["requests"]["contention"].get<int>(), 1);
    expect_clean(air);
}

/// A group with periodic allocations is refused, since the meaning of their parameters is not known; a plain one is
/// joined afterwards.
TEST(PollingGroupsOnTheAir, OnesWithPeriodicAllocationsAreRefused) {
    Air air(bare(1, 2));
    auto& station = air.add();
    enter(air);
    const auto primary =
        static_cast<uint16_t>(station.status()["basic_cid"].get<uint16_t>() + air.bs_config.basic_cids);
    uint16_t tid = 0x4000;
    /// Its response on the air.
    const auto ask = [&](McaReq request) {
        request.tid = ++tid;
        request.multicast_cid = cid::kFirstMulticastPolling;
        request.assignment = 1;
        sap::RxBurst burst;
        burst.index = 2;
        burst.frame_number = air.frame + -1;
        burst.detected = burst.fec_ok = true;
        PduWriter(burst.payload, 2000).message(primary, request);
        sap::RxExpect none;
        station.mac->on_burst(burst, none);
        std::optional<uint8_t> code;
        air.on_received = [&](const Air::Terminal* to, const sap::RxBurst& received) {
            if (to) return;
            PduReader reader(received.payload);
            while (const auto pdu = reader.next()) {
                McaRsp response;
                if (!pdu->is_request && message_type(pdu->body) == MessageType::mca_rsp &&
                    decode(pdu->body, response) && response.tid == tid)
                    code = response.cc;
            }
        };
        air.run(40);
        air.on_received = nullptr;
        return code;
    };
    const auto lines = [&] {
        return std::ranges::count_if(station.events,
                                     [](const auto& e) { return e.find("polling group") != std::string::npos; });
    };
    McaReq periodic, parameters, operation, plain;
    periodic.group_type = 1;
    parameters.periodic_parameters = 0x01020304;
    operation.operation = 2;
    plain.group_type = 0;
    for (const McaReq& request : {periodic, parameters, operation}) {
        const auto before = lines();
        EXPECT_EQ(ask(request), confirmation::kRejectOther);
        EXPECT_EQ(lines(), before + 1);
    }
    EXPECT_EQ(ask(plain), confirmation::kSuccess);
    EXPECT_EQ(lines(), 3);
    expect_clean(air);
}

/// Sixty stations: the UCD announces wider windows, the region has more opportunities.
TEST(ContentionOnTheAir, WindowsGrowWithTheStations) {
    auto config = bare(60, 2);
    config.profile.request_symbols = 2;
    Air air(config);
    for (int i = 0; i < 60; ++i) air.add();
    ASSERT_GE(air.run_until([&] { return air.all_operational(); }, air.frames(20)), 0);
    air.run(air.frames(4));
    size_t opportunities = 0;
    for (const auto& a : air.last_expect().allocations) opportunities += a.kind == sap::BurstKind::contention;
    EXPECT_EQ(opportunities, 1U);  // 60 / 32
    EXPECT_EQ(air.bs_status()["contention"]["backoff_start"], 4);
    expect_clean(air);
}

}  // namespace test_air_means
