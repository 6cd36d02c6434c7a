// SPDX-License-Identifier: GPL-3.0-or-later
// Periodic interference at the base station's receiver: bursts that recur at the same place of every frame, or of every
// other one, or that drift. The station has to be served in the remaining symbols.
#include "mac/pdu/cid.h"
#include "mac/test_air.h"
#include "mac/test_cells.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_interference {

/// Bursts at the base station's receiver that destroy all that they overlap.
struct Interferer {
    double begin_symbols = 0;  ///< of the first one, in symbols of the first frame's uplink
    double symbols = 0, period_symbols = 0;
};

struct Disturbed : Air {
    explicit Disturbed(BaseStationConfig config, size_t stations = 1) : Air(std::move(config)) {
        for (size_t i = 0; i < stations; ++i) add();
        tamper = [this](sap::RxBurst& burst) { hit(burst); };
    }
    void hit(sap::RxBurst& burst) {
        const bool uplink = burst.kind != sap::BurstKind::data || burst.cid != 0;
        if (!uplink || interferer.symbols <= 0) return;
        const double first = double(burst.start_slot - layout.uplink.first) / layout.symbol_slots;
        const double preamble = burst.kind == sap::BurstKind::ranging ? 2 : 1;
        const double end = first + preamble + symbols_for(burst.rate_id, burst.payload.size());
        const double now = double(frames_run()) * layout.frame_slots / layout.symbol_slots;
        const double begin = interferer.begin_symbols, period = interferer.period_symbols;
        // The last of its bursts that begins before this one ends.
        const double k = std::floor((now + end - 1e-6 - begin) / period);
        if (begin + k * period + interferer.symbols <= now + first + 1e-6) return;
        ++hits;
        burst.detected = burst.fec_ok = false;
        burst.payload.clear();
    }
    uint32_t frames_run() const { return frame.since(kFirstFrame); }
    /// Echo requests through station 0, one in five frames; how many are answered within ten.
    int pings(int count) {
        auto& station = *terminals[0];
        const auto before = ul_packets;
        uint64_t heard = station.dl_packets;
        for (int f = 0; f < 5 * count + 5; ++f) {
            if (f % 5 == 0 && f < 5 * count) bs->push_sdu(ip_packet(kServer, station_address(0), 84));
            step();
            for (; heard < station.dl_packets; ++heard)
                station.mac->push_sdu(ip_packet(station_address(0), kServer, 84));
        }
        return static_cast<int>(ul_packets - before);
    }
    Interferer interferer;
    uint64_t hits = 0;
};

struct Case {
    const char* name;
    uint8_t rate = 6;
    MapRelevance relevance = MapRelevance::automatic;
    uint32_t unasked = 12;
};

class EveryFrame : public ::testing::TestWithParam<Case> {
protected:
    BaseStationConfig config(size_t stations = 1) const {
        auto cell = Air::with_stations(stations);
        cell.ul_rate_id = GetParam().rate;
        cell.map_relevance = GetParam().relevance;
        cell.profile.unasked_symbols = GetParam().unasked;
        cell.profile.grant_spare = GetParam().unasked > 0;
        return cell;
    }
};

/// A tenth of the time, always at the same place.
Interferer tenth(const Air& air, double begin) {
    const double frame = double(air.layout.frame_slots) / air.layout.symbol_slots;
    return {begin, frame / 10, frame};
}

TEST_P(EveryFrame, CostsAFewPingsAndNoMore) {
    for (int begin = -8; begin < 96; begin += 8) {
        Disturbed air(config());
        enter(air);
        air.interferer = tenth(air, begin);
        EXPECT_GE(air.pings(20), GetParam().unasked > 0 ? 16 : 8) << begin;
        const auto restarts = air.terminals[0]->status()["restarts"];
        {
            int p = air.pings(150);
            printf("@ %d %d\n", begin, p);
            EXPECT_GE(p, 147) << begin;
        }
        EXPECT_EQ(air.terminals[0]->status()["restarts"], restarts) << begin;
        EXPECT_EQ(air.bs_status()["lost_stations"], 0) << begin;
        expect_clean(air);
    }
}

TEST_P(EveryFrame, LetsStationsEnter) {
    for (int begin = -8; begin < 96; begin += 8) {
        Disturbed air(config());
        air.interferer = tenth(air, begin);
        EXPECT_GE(air.run_until([&] { return air.all_operational() && air.bs->operational(); }, air.frames(4)), 0)
            << begin;
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryFrame,
                         ::testing::Values(Case{"Default"}, Case{"Rate0", 0}, Case{"Rate1", 1}, Case{"Rate2", 2},
                                           Case{"NextFrame", 6, MapRelevance::next_frame},
                                           Case{"OnRequest", 6, MapRelevance::automatic, 0}),
                         [](const auto& of) { return of.param.name; });

struct Duty {
    const char* name;
    double frames, share;  ///< period in frames, and the part of it that is hit
    int least;             ///< of 150 pings
};
class Period : public ::testing::TestWithParam<Duty> {};

/// Without repetition at the same place only what is hit is lost: the burst and a grant, of the period.
TEST_P(Period, PingsAreAnswered) {
    const auto [name, frames, share, least] = GetParam();
    for (int begin = 0; begin < 50; begin += 10) {
        Disturbed air(Air::with_stations(1));
        enter(air);
        const double symbols = double(air.layout.frame_slots) / air.layout.symbol_slots * frames;
        air.interferer = {double(begin), symbols * share, symbols};
        air.pings(40);
        const int answered = air.pings(150);
        printf("%s, from symbol %d: %d of 150 pings\n", name, begin, answered);
        EXPECT_GE(answered, least) << begin;
        EXPECT_EQ(air.bs_status()["lost_stations"], 0);
    }
}
INSTANTIATE_TEST_SUITE_P(All, Period,
                         ::testing::Values(Duty{"Half", 0.5, 0.1, 145}, Duty{"One30Percent", 1, 0.3, 145},
                                           Duty{"Two", 2, 0.05, 145}, Duty{"Drifting", 1.0003, 0.1, 140},
                                           Duty{"ThirtySeven", 3.7, 0.1, 122}, Duty{"OnePercent", 1, 0.01, 147}),
                         [](const auto& of) { return of.param.name; });

/// Octets per frame in saturation.
double saturated(Disturbed& air, size_t stations, int frames) {
    const auto all = [&] {
        uint64_t sum = 0;
        for (const auto& [address, octets] : air.ul_bytes) sum += octets;
        return sum;
    };
    const auto before = all();
    for (int n = 0; n < frames; ++n) {
        for (size_t i = 0; i < stations; ++i)
            for (int k = 0; k < 9; ++k) send(air, i, 1500);
        air.step();
    }
    return static_cast<double>(all() - before) / frames;
}

/// Long bursts are cut until it is known where they are hit; a place of 20 symbols of 99 costs half of the rate at
/// most.
TEST(Saturated, KeepsWhatIsLeft) {
    for (const size_t stations : {1U, 3U})
        for (const int begin : {0, 20, 45, 70}) {
            Disturbed air(Air::with_stations(stations), stations);
            enter(air);
            const double quiet = saturated(air, stations, 100);
            air.interferer = tenth(air, begin);
            saturated(air, stations, 100);
            const double disturbed = saturated(air, stations, 500);
            printf("%zu stations, from symbol %d: %.0f of %.0f octets a frame\n", stations, begin, disturbed, quiet);
            EXPECT_GT(disturbed / quiet, 0.5);
            air.interferer.symbols = 0;
            saturated(air, stations, 1700);  // tried again after 16 s at most
            EXPECT_GT(saturated(air, stations, 100) / quiet, 0.98);
            expect_clean(air);
        }
}

/// The failures do not depend on the place: the other station keeps its rate.
TEST(Saturated, AStationThatFailsEverywhereCostsTheOthersLittle) {
    Disturbed air(Air::with_stations(2), 2);
    enter(air);
    air.total_damage = true;
    const auto first = [&](int frames) {
        const auto before = air.ul_bytes[station_address(0)];
        saturated(air, 2, frames);
        return static_cast<double>(air.ul_bytes[station_address(0)] - before) / frames;
    };
    first(100);
    const double quiet = first(100);
    air.terminals[1]->link.uplink_loss = 1;
    const double beside = first(140);
    EXPECT_GT(beside / quiet, 0.8) << beside << " of " << quiet;
    EXPECT_EQ(air.bs_status()["lost_stations"], 0);
    first(20);
    EXPECT_EQ(air.bs_status()["lost_stations"], 1);
}

TEST(Saturated, RandomLossesAreNoMatterOfPlace) {
    Disturbed air(Air::with_stations(1));
    enter(air);
    air.total_damage = true;
    const double quiet = saturated(air, 1, 100);
    air.terminals[0]->link.uplink_loss = 0.1;
    const double lossy = saturated(air, 1, 3000);
    EXPECT_GT(lossy / quiet, 0.85) << lossy << " of " << quiet;
}

}  // namespace test_air_interference
