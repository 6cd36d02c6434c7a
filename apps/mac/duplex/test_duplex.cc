// SPDX-License-Identifier: GPL-3.0-or-later
// Subframes of both directions, and the symbols of them that a station can use: uplink symbols that half-duplex
// stations cannot use, and grants next to the gaps.
#include "mac/bs/half_duplex_groups.h"
#include "mac/bs/test_base_parts.h"
#include "mac/capabilities.h"

#include <functional>
#include <random>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_duplex {

/// 5 MHz, prefix 1/8, 10 ms: 5.76 MHz, 72 slots or 50 us per symbol, 200 symbols per frame.
const DuplexRequest kFrame{
    .sample_rate_hz = 5'760'000, .symbol_slots = 72, .frame_slots = 14'400, .frame_symbols = 200};

std::shared_ptr<const Duplex> duplex_of(const std::function<void(DuplexRequest&)>& change) {
    auto request = kFrame;
    change(request);
    auto duplex = make_duplex(request);
    return duplex ? *duplex : nullptr;
}

TEST(SubframeLayout, CountsItsSymbolsFromItsFirstSlot) {
    const SubframeLayout subframe{phy::Slot(1001), 7 * 72 + 71, 5, 72};
    EXPECT_EQ(subframe.slot(0), 1001U);
    EXPECT_EQ(subframe.slot(5), 1001U + 360);
    EXPECT_EQ(subframe.symbol(phy::Slot(1001 + 71)), 0U);
    EXPECT_EQ(subframe.symbol(phy::Slot(1001 + 72)), 1U);
    EXPECT_EQ(subframe.gap_slots(), 2U * 72 + 71);
    EXPECT_EQ(subframe.gap_symbols(), 2U);
    EXPECT_DOUBLE_EQ(subframe.length_symbols(), 7 + 71 / 72.0);
}

/// One after the other, each with whole symbols and at least the gap that is asked for.
TEST(TimeDivision, DividesTheFrame) {
    for (const uint32_t half : {9U, 60U, 100U, 191U})
        for (const uint32_t gap_us : {0U, 16U, 49U, 50U})
            for (const uint32_t rest : {0U, 1U, 71U}) {
                const auto duplex = duplex_of([&](auto& r) {
                    r.dl_symbols = half;
                    r.ttg_us = r.rtg_us = gap_us;
                    r.frame_slots += rest;
                });
                ASSERT_TRUE(duplex);
                const auto downlink = duplex->subframe(phy::Direction::downlink),
                           uplink = duplex->subframe(phy::Direction::uplink);
                EXPECT_EQ(downlink.first, 0U);
                EXPECT_EQ(downlink.slots, half * 72);
                EXPECT_EQ(downlink.symbols, half - 1) << "a gap of at most one symbol";
                EXPECT_EQ(uplink.first, half * 72);
                EXPECT_EQ(uplink.slots, kFrame.frame_slots + rest - half * 72);
                const uint32_t gap_slots = gap_us == 0 ? 72 : (gap_us * 576 + 399) / 400;
                EXPECT_EQ(uplink.symbols, (uplink.slots - gap_slots) / 72);
                EXPECT_EQ(duplex->turns()->ttg, downlink.gap_slots());
                EXPECT_EQ(duplex->turns()->rtg, uplink.gap_slots());
            }
}

TEST(TimeDivision, NeedsEightSymbolsOfEachSubframe) {
    EXPECT_FALSE(duplex_of([](auto& r) { r.dl_symbols = 8; }));
    EXPECT_TRUE(duplex_of([](auto& r) { r.dl_symbols = 9; }));
    EXPECT_TRUE(duplex_of([](auto& r) { r.dl_symbols = 191; }));
    EXPECT_FALSE(duplex_of([](auto& r) { r.dl_symbols = 192; }));
    EXPECT_FALSE(duplex_of([](auto& r) { r.dl_symbols = 201; }));
    EXPECT_FALSE(duplex_of([](auto& r) { r.dl_symbols = UINT32_MAX / 72 + 60; })) << "beyond 32 bits of slots";
    EXPECT_TRUE(duplex_of([](auto& r) { r.dl_share = 0.0451; }));
    EXPECT_FALSE(duplex_of([](auto& r) { r.dl_share = 0.0424; }));
}

TEST(TimeDivision, IsTheDuplexOfOneCarrier) {
    EXPECT_TRUE(duplex_of([](auto&) {})->turns());
    EXPECT_FALSE(duplex_of([](auto& r) { r.one_carrier = false; })->turns()) << "no gaps in the DCD";
}

/// Both directions have whole frames. The uplink's begins at the time that is asked for, or at the usual one.
TEST(FrequencyDivision, GivesBothDirectionsTheWholeFrame) {
    for (const uint32_t start_us : {0U, 1U, 3000U, 9999U})
        for (const uint32_t rest : {0U, 71U}) {
            const auto duplex = duplex_of([&](auto& r) {
                r.one_carrier = false;
                r.frame_slots += rest;
                r.uplink_start_us = start_us;
                r.usual_uplink_start_slots = 4321;
            });
            ASSERT_TRUE(duplex);
            for (const auto direction : {phy::Direction::downlink, phy::Direction::uplink}) {
                EXPECT_EQ(duplex->subframe(direction).symbols, 200U);
                EXPECT_EQ(duplex->subframe(direction).slots, 14'400U + rest);
                EXPECT_EQ(duplex->window(direction, {{200, 200}, 500}), SymbolSpan());
            }
            EXPECT_EQ(duplex->subframe(phy::Direction::downlink).first, 0U);
            const uint32_t slots = start_us == 0 ? 4321 : (start_us * 144 + 99) / 100;  // 1.44 slots per us
            EXPECT_EQ(duplex->subframe(phy::Direction::uplink).first, slots) << start_us;
        }
}

TEST(FrequencyDivision, ItsUplinkBeginsWithinTheFrame) {
    for (const uint32_t start_us : {10'000U, 20'000U})
        EXPECT_FALSE(duplex_of([&](auto& r) {
            r.one_carrier = false;
            r.uplink_start_us = start_us;
        })) << start_us;
}

/// Wherever a half-duplex station is, and whatever gaps it has: its part of the uplink ends before the next frame,
/// begins after the maps, and both groups' parts are disjoint and of nearly the same length.
TEST(FrequencyDivision, HalfDuplexStationsHearAllMaps) {
    constexpr int64_t kSymbol = 288, kFrameSamples = 57'600, kMapsEnd = 14 * kSymbol, kGap = kSymbol;
    const auto duplex = duplex_of([](auto& r) {
        r.one_carrier = false;
        r.usual_uplink_start_slots = 15 * 72;
        r.gap_after_maps_slots = 72;
    });
    ASSERT_TRUE(duplex);
    const auto uplink = duplex->subframe(phy::Direction::uplink);
    ASSERT_EQ(uplink.first.samples(), kMapsEnd + kGap);
    for (const uint8_t ssttg_us : {0, 50, 100})
        for (const uint8_t ssrtg_us : {0, 49, 100})
            for (const int64_t trip : {0, 300, 1440}) {
                StationTurn turn{{ssttg_us, ssrtg_us}, trip, true, false};
                const auto early = duplex->window(phy::Direction::uplink, turn);
                turn.late = true;
                const auto late = duplex->window(phy::Direction::uplink, turn);
                EXPECT_EQ(early.to, late.from);
                EXPECT_GE(uplink.slot(early.from).samples() - turn.deaf_before(5'760'000), kMapsEnd);
                EXPECT_LE(uplink.slot(late.to).samples() + turn.deaf_after(5'760'000), kFrameSamples);
                EXPECT_GT(early.to - early.from, 78U);
                EXPECT_GT(late.to - late.from, 88U);
                EXPECT_EQ(duplex->window(phy::Direction::downlink, turn), SymbolSpan());
                turn.half_duplex = false;
                EXPECT_EQ(duplex->window(phy::Direction::uplink, turn), SymbolSpan());
            }
}

BaseStationConfig pair(uint32_t bandwidth_hz, uint8_t frame_code) {
    BaseStationConfig config;
    config.bandwidth_hz = bandwidth_hz;
    config.frame_duration_code = frame_code;
    config.carriers.duplex_spacing_hz = -100'000'000;
    return config;
}

/// T_proc and the longest round trip lie between the end of the longest maps and the uplink, in all frames.
TEST(FrequencyDivision, LeavesStationsTimeToPrepare) {
    for (const uint32_t bandwidth_hz : {1'750'000U, 3'500'000U, 5'000'000U, 7'000'000U, 20'000'000U})
        for (uint8_t code = 0; code < phy::kFrameDurationUs.size(); ++code) {
            const auto layout = FrameLayout::make(pair(bandwidth_hz, code));
            if (!layout) continue;  // beyond 2047 symbols
            const int64_t maps_end = (kFirstBurstSymbol + layout->max_broadcast_symbols) * layout->symbol_slots;
            const int64_t uplink = layout->uplink.first.value() + (layout->maps_next_frame ? layout->frame_slots : 0);
            const auto us =
                static_cast<double>(uplink - maps_end) * 4e6 / static_cast<double>(layout->sample_rate_hz());
            EXPECT_GE(us, 1249) << bandwidth_hz << " " << int{code};
            EXPECT_GE(layout->max_broadcast_symbols, 5U);
            EXPECT_EQ(layout->downlink.symbols, layout->frame_symbols);
        }
    const auto usual = FrameLayout::make(pair(5'000'000, 4));
    ASSERT_TRUE(usual);
    EXPECT_FALSE(usual->maps_next_frame);
    EXPECT_EQ(usual->uplink.first, 14'400U / 4) << "a quarter of the frame";
    auto late = pair(5'000'000, 4);
    late.uplink_start_us = 800;  // the maps of that frame cannot be ready
    ASSERT_TRUE(FrameLayout::make(late));
    EXPECT_TRUE(FrameLayout::make(late)->maps_next_frame);
    late.map_relevance = MapRelevance::same_frame;
    const auto refused = FrameLayout::make(late);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().list().at(0).key, "map_relevance");
}

/// The DCD of a pair announces no gaps; DCD and UCD name their carriers.
TEST(FrequencyDivision, IsInTheDescriptors) {
    for (const bool fdd : {false, true}) {
        auto config = pair(5'000'000, 4);
        if (!fdd) config.carriers.duplex_spacing_hz = 0;
        BaseParts p(config);
        const Dcd& dcd = p.broadcasts.dcd(p.clock.frame);
        EXPECT_EQ(dcd.ttg_ps.has_value(), !fdd);
        EXPECT_EQ(dcd.rtg_ps.has_value(), !fdd);
        EXPECT_EQ(dcd.frequency_khz, 3'500'000U);
        EXPECT_EQ(p.broadcasts.ucd().frequency_khz, fdd ? 3'400'000U : 3'500'000U);
    }
}

/// The octet has two readings. The gaps, which only half-duplex stations announce, decide where they differ.
TEST(StationDuplex, IsReadInBothWays) {
    using wimax::mac::capability::is_half_duplex;
    for (const bool gaps : {false, true}) {
        EXPECT_FALSE(is_half_duplex(6, gaps));
        EXPECT_FALSE(is_half_duplex(4, gaps)) << "bit 2: full-duplex";
        EXPECT_EQ(is_half_duplex(2, gaps), gaps) << "bit 1: half-duplex, or 1 for full-duplex";
        EXPECT_TRUE(is_half_duplex(0, gaps));
        EXPECT_TRUE(is_half_duplex(std::nullopt, gaps));
        EXPECT_TRUE(is_half_duplex(1, gaps)) << "bit 0 is reserved";
    }
}

/// A full-duplex station enters, and its bits are confirmed. A half-duplex one is not served in FDD; in TDD each is
/// one.
TEST(StationDuplex, IsTakenFromTheRequest) {
    for (const bool fdd : {false, true}) {
        auto config = pair(5'000'000, 4);
        if (!fdd) config.carriers.duplex_spacing_hz = 0;
        BaseParts p(config);
        const auto enter = [&](uint8_t number, const SbcReq& request) -> Subscriber* {
            p.range(number);
            p.entry.on_capabilities(*p.stations.find(p.address(number), false), request);
            return p.stations.find(p.address(number), true);
        };
        SbcReq request;
        request.bandwidth_allocation = capability::kDuplexBits;
        Subscriber* full = enter(1, request);
        ASSERT_TRUE(full);
        EXPECT_FALSE(full->capabilities.half_duplex);
        EXPECT_EQ(full->entry.state(), EntryState::capable);
        EXPECT_EQ(p.reply<SbcRsp>(full->management).bandwidth_allocation, fdd ? 6 : 0);
        request.bandwidth_allocation = uint8_t{0};
        request.transition_gaps_us = std::array<uint8_t, 2>{50, 60};
        Subscriber* half = enter(2, request);
        if (fdd) {
            EXPECT_FALSE(half);
            EXPECT_TRUE(p.stations.find(uint16_t{2})->entry.leaving());
        } else {
            ASSERT_TRUE(half);
            EXPECT_FALSE(half->capabilities.half_duplex);
            EXPECT_EQ(half->capabilities.gaps, (HalfDuplexGaps{50, 60}));
        }
    }
}

TEST(HalfDuplexGaps, TakeSymbolsWhereTheFramesGapsAreShorter) {
    const auto duplex = duplex_of([](auto& r) { r.ttg_us = r.rtg_us = 20; });
    const auto uplink = duplex->subframe(phy::Direction::uplink);
    const int64_t ttg = phy::samples_in_slots(duplex->turns()->ttg), rtg = phy::samples_in_slots(duplex->turns()->rtg);
    ASSERT_LT(ttg, 288 + 150);
    ASSERT_LT(rtg, 288 + 150);
    const auto first = [&](int64_t us, int64_t trip) {
        const int64_t missing = us * 576 / 100 + trip - ttg;
        return missing <= 0 ? 0U : static_cast<uint32_t>((missing + 287) / 288);
    };
    const auto window = [&](uint8_t ssttg_us, uint8_t ssrtg_us, int64_t trip) {
        return duplex->window(phy::Direction::uplink, {{ssttg_us, ssrtg_us}, trip});
    };
    for (const uint8_t us : {uint8_t{0}, uint8_t{10}, uint8_t{25}, uint8_t{50}, uint8_t{100}, uint8_t{200}})
        for (const int64_t trip : {int64_t{0}, int64_t{100}, int64_t{576}})
            EXPECT_EQ(window(1, us, trip).from, first(us, trip)) << int{us} << " " << trip;
    EXPECT_EQ(window(0, 0, 5000), SymbolSpan());
    EXPECT_EQ(window(200, 1, 0).to, uplink.symbols - (1152 - rtg + 287) / 288);
    EXPECT_EQ(window(200, 1, 1152).to, uplink.symbols);  // the round trip is gap enough
    EXPECT_EQ(window(0, 1, -1'000'000).to, 0U);
    EXPECT_EQ(duplex->window(phy::Direction::downlink, {{200, 200}, 0}), SymbolSpan()) << "the uplink yields";
}

TEST(SymbolSpan, OfTwoIsTheirCommonPart) {
    EXPECT_EQ((SymbolSpan{3, 20}.and_also({5, 30})), (SymbolSpan{5, 20}));
    EXPECT_EQ((SymbolSpan{5, 30}.and_also({3, 20})), (SymbolSpan{5, 20}));
    EXPECT_EQ((SymbolSpan{}.and_also({3, 20})), (SymbolSpan{3, 20}));
}

TEST(UplinkPlaces, ABurstWithinAWindowLeavesTheRestFree) {
    UplinkPlaces places(40, 5'760'000, 57'600);
    places.begin(0, 8, true);
    places.count_room(16);
    const auto is = [](const std::optional<UplinkPlaces::Place>& place, uint32_t first, uint32_t count) {
        return place && place->first == first && place->count == count;
    };
    EXPECT_TRUE(is(places.burst(6, false, {4, 38}), 4, 6));
    EXPECT_TRUE(is(places.burst(4, false), 0, 4));
    EXPECT_TRUE(is(places.burst(8, true, {0, 38}), 30, 8));
    EXPECT_TRUE(is(places.burst(100, false, {0, 28}), 10, 18));
    EXPECT_TRUE(is(places.burst(2, false), 28, 2));
    EXPECT_TRUE(is(places.burst(2, true), 38, 2));
    EXPECT_FALSE(places.burst(1, false));
    places.begin(0, 8, true);
    places.count_room(16);
    EXPECT_FALSE(places.burst(4, false, {39, 30}));
}

/// A station that has not heard the response ranges again by the initial CID, at the same timing as before.
TEST(HalfDuplexStations, ACommandThatWasNotHeardDoesNotCount) {
    BaseParts p;
    auto early = BaseParts::good();
    early.timing_offset_samples = 200;
    for (int n = 0; n < 3; ++n) p.range(1, early);
    Subscriber& station = *p.stations.find(p.address(1), false);
    EXPECT_EQ(station.turn().round_trip_samples, 200);
    RngReq request;
    EXPECT_TRUE(p.ranging.on_request(request, station.basic_cid, early, phy::FrameNumber(100)));
    EXPECT_EQ(station.turn().round_trip_samples, 400) << "with its basic CID it has heard the last one";
}

/// Loads of both groups become as equal as whole stations allow, one move at a time, and then stay.
TEST(HalfDuplexGroups, AreOfTheSameLoad) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 50; ++trial) {
        BaseParts p;
        HalfDuplexGroups groups({p.stations, p.multicast, p.reservations, p.air, p.clock});
        std::vector<Subscriber*> all;
        const auto count = static_cast<uint8_t>(2 + random() % 10);
        for (uint8_t n = 1; n <= count; ++n) {
            all.push_back(&p.operational(n));
            all.back()->capabilities.half_duplex = n != count;  // the last one is full-duplex
        }
        std::vector<uint64_t> load(count);
        for (auto& units : load) units = 100 + random() % 900;
        const bool unasked = all.back()->half_duplex.late;
        uint64_t moved = 0;
        for (int look = 0; look < 40; ++look) {
            std::vector<bool> before;
            for (size_t i = 0; i < all.size(); ++i) {
                all[i]->counters.dl_units += load[i] / 2;
                all[i]->counters.ul_units += load[i] - load[i] / 2;
                before.push_back(all[i]->half_duplex.late);
            }
            p.pass(500);
            groups.begin_frame();
            moved = 0;
            for (size_t i = 0; i < all.size(); ++i) moved += before[i] != all[i]->half_duplex.late;
            EXPECT_LE(moved, 1U);
            EXPECT_EQ(all.back()->half_duplex.late, unasked) << "it needs no group";
        }
        EXPECT_EQ(moved, 0U);
        // No single move makes them more equal by more than what is not worth it.
        int64_t difference = 0, whole = 0;
        for (size_t i = 0; i + 1 < all.size(); ++i) {
            difference += (all[i]->half_duplex.late ? 1 : -1) * static_cast<int64_t>(load[i]);
            whole += static_cast<int64_t>(load[i]);
        }
        if (std::abs(difference) * 10 <= whole) continue;
        for (size_t i = 0; i + 1 < all.size(); ++i) {
            const int64_t after = difference - (all[i]->half_duplex.late ? 2 : -2) * static_cast<int64_t>(load[i]);
            EXPECT_GE(std::abs(after) + 2, std::abs(difference));
        }
    }
}

/// Two saturated stations: the half-duplex one gets neither the first symbols nor the last.
TEST(HalfDuplexStations, GetNoGrantWithinTheirGaps) {
    BaseStationConfig config;
    config.ttg_us = config.rtg_us = 16;
    config.profile.request_symbols = 0;
    config.profile.ranging_interval_ms = 2000;
    BaseParts p(config);
    const uint32_t symbols = p.layout.uplink.symbols;
    Subscriber& half = p.operational(1);
    SbcReq request;
    request.transition_gaps_us = std::array<uint8_t, 2>{120, 130};
    p.entry.on_capabilities(half, request);
    const auto window =
        p.layout.duplex->window(phy::Direction::uplink, {half.capabilities.gaps, half.ranging.timing_told_samples()});
    ASSERT_GE(window.from, 2U);
    ASSERT_LE(window.to, symbols - 2);
    size_t grants = 0;
    for (const bool two : {false, true}) {
        if (two) p.operational(2);
        for (int frame = 0; frame < 8; ++frame) {
            p.clock.frame = p.clock.frame + 1;
            p.pass(10);
            for (auto& [basic, station] : p.stations.stations())
                station->requests.request(station->requests.management(), RequestType::aggregate, 30'000, p.clock.frame,
                                          true);
            p.planner.plan();
            for (const auto& ie : p.plan.map().ies) {
                if (ie.cid != half.basic_cid || ie.uiuc < uiuc::kFirstProfile || ie.uiuc > uiuc::kLastProfile) continue;
                EXPECT_GE(ie.start_symbols, window.from);
                EXPECT_LE(uint32_t{ie.start_symbols} + ie.duration_symbols, window.to);
                ++grants;
            }
        }
    }
    EXPECT_GE(grants, 12U);
}

}  // namespace test_duplex
