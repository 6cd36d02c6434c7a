/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gaps of half-duplex stations: uplink symbols that they cannot use, and grants next to the gaps.
 */
#include "mac/bs/test_base_parts.h"

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_half_duplex {

/// 5 MHz, prefix 1/8: 5.76 MHz, 288 samples or 50 us per symbol; the frame's gaps as given.
FrameLayout layout_with(uint32_t ttg_us, uint32_t rtg_us) {
    BaseStationConfig config;
    config.ttg_us = ttg_us;
    config.rtg_us = rtg_us;
    return *FrameLayout::make(config);
}

TEST(HalfDuplexGaps, TakeSymbolsWhereTheFramesGapsAreShorter) {
    const auto layout = layout_with(20, 20);
    const int64_t ttg = phy::samples_in_slots(layout.ttg_slots), rtg = phy::samples_in_slots(layout.rtg_slots);
    ASSERT_LT(ttg, 288 + 150);
    ASSERT_LT(rtg, 288 + 150);
    const auto first = [&](int64_t us, int64_t trip) {
        const int64_t missing = us * 576 / 100 + trip - ttg;
        return missing <= 0 ? 0U : static_cast<uint32_t>((missing + 287) / 288);
    };
    for (const uint8_t us : {uint8_t{0}, uint8_t{10}, uint8_t{25}, uint8_t{50}, uint8_t{100}, uint8_t{200}})
        for (const int64_t trip : {int64_t{0}, int64_t{100}, int64_t{576}}) {
            const auto window = HalfDuplexGaps{1, us}.window(layout, trip);
            EXPECT_EQ(window.from, first(us, trip)) << int{us} << " " << trip;
        }
    EXPECT_EQ((HalfDuplexGaps{0, 0}.window(layout, 5000)), UplinkPlaces::Window());
    EXPECT_EQ((HalfDuplexGaps{200, 1}.window(layout, 0).to), layout.ul_symbols - (1152 - rtg + 287) / 288);
    EXPECT_EQ((HalfDuplexGaps{200, 1}.window(layout, 1152).to), layout.ul_symbols);  // the round trip is gap enough
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
    const uint32_t symbols = p.layout.ul_symbols;
    Subscriber& half = p.operational(1);
    SbcReq request;
    request.transition_gaps_us = std::array<uint8_t, 2>{120, 130};
    p.entry.on_capabilities(half, request);
    const auto window = half.capabilities.gaps.window(p.layout, half.ranging.timing_told_samples());
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

}  // namespace test_half_duplex
