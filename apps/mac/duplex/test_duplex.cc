// SPDX-License-Identifier: GPL-3.0-or-later
// Subframes of both directions, and the symbols of them that a station can use: uplink symbols that half-duplex
// stations cannot use, and grants next to the gaps.
#include "mac/bs/test_base_parts.h"

#include <functional>

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
    auto request = kFrame;
    request.one_carrier = false;
    const auto duplex = make_duplex(request);
    ASSERT_FALSE(duplex);
    EXPECT_EQ(duplex.error().list().at(0).key, "duplex_spacing_hz");
    BaseStationConfig config;
    config.carriers.duplex_spacing_hz = 1;
    const auto layout = FrameLayout::make(config);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().list().at(0).key, "duplex_spacing_hz");
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
