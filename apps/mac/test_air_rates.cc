// SPDX-License-Identifier: GPL-3.0-or-later
// A station too weak for its uplink rate: a lower one where that is allowed, and else an end in bounded time.
#include "mac/bs/uplink_rate.h"
#include "mac/rate_adaptation.h"
#include "mac/test_link.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_rates {

constexpr float kFullPowerCinrDb = 120;  // of a station at its limit, at 0 dB of path loss
/// Below which rates are left.
const auto kNeedsDb = needs_db(LinkGoal::few_losses, LinkAdaptationConfig{}.target_loss);

/// Downlink and maps at BPSK, so that only the uplink's rate matters.
BaseStationConfig cell(std::optional<uint8_t> lowest) {
    BaseStationConfig config;
    config.profile.broadcast_rate_id = config.dl_rate_id = 0;
    config.ul_lowest_rate_id = lowest;
    return config;
}
int rate(Cell& air) { return air.entry()["ul_rate_id"].get<int>(); }
size_t events_with(const Air::Terminal& station, const std::string& text) {
    return static_cast<size_t>(std::count_if(station.events.begin(), station.events.end(),
                                             [&](const auto& e) { return e.find(text) != std::string::npos; }));
}

/// A decibel a frame.
void fade(Cell& air, float to_cinr_db) {
    float& loss_db = air.station.link.path_loss_db;
    for (; loss_db < kFullPowerCinrDb - to_cinr_db; loss_db += 1) air.step();
    loss_db = kFullPowerCinrDb - to_cinr_db;
}

class Falls : public ::testing::TestWithParam<int> {};

TEST_P(Falls, WhenNothingIsLeftToCorrectAndRisesAgain) {
    const auto to = static_cast<size_t>(GetParam());
    Cell air({10, kNearDb, 0}, cell(0));
    ASSERT_TRUE(air.entered);
    EXPECT_EQ(rate(air), 6);
    const auto restarts = air.station.status()["restarts"];
    fade(air, (kNeedsDb[to] + kNeedsDb[to + 1]) / 2);
    const double fallen_s = air.healed_after(5);
    EXPECT_LT(fallen_s, 0.6) << air.entry().dump(1);
    EXPECT_LE(rate(air), static_cast<int>(to));  // more robust while the CINR changes
    air.run(air.frames(1));
    EXPECT_EQ(rate(air), to);
    air.run(air.frames(5));
    EXPECT_EQ(rate(air), to);  // and stays there
    EXPECT_TRUE(air.pings());
    air.station.link.path_loss_db = kNearDb;
    const int risen = air.run_until([&] { return rate(air) == 6; }, air.frames(5));
    printf("rate %zu after %.2f s, back after %.2f s\n", to, fallen_s, risen * air.layout.frame_seconds());
    EXPECT_GE(risen, 0);
    EXPECT_TRUE(air.pings());
    EXPECT_EQ(air.station.status()["restarts"], restarts);
}
INSTANTIATE_TEST_SUITE_P(All, Falls, ::testing::Values(0, 1, 2, 3, 4, 5));

TEST(Falls, NotBelowWhatIsAllowed) {
    Cell air({10, kNearDb, 0}, cell(3));
    ASSERT_TRUE(air.entered);
    fade(air, kNeedsDb[3] + 1.5F);
    EXPECT_LT(air.healed_after(5), 0.6);
    EXPECT_EQ(rate(air), 3);
    fade(air, kNeedsDb[2] - 1.6F);
    air.run(air.frames(1.2));
    EXPECT_EQ(rate(air), 3);
    EXPECT_FALSE(air.pings());
}

TEST(Falls, PowerComesFirst) {
    Cell air({10, kNearDb, 0}, cell(0));
    ASSERT_TRUE(air.entered);
    air.station.link.path_loss_db = kNearDb + 28;  // the station has 30 dB left
    for (int i = 0; i < 300; ++i) {
        air.step();
        ASSERT_EQ(rate(air), 6);
    }
    EXPECT_TRUE(air.pings());
}

TEST(Falls, AtEntryToWhatWorks) {
    for (size_t to = 1; to < 6; ++to) {
        Cell air({10, kFullPowerCinrDb - kNeedsDb[to] - 0.5F, 0}, cell(0));
        EXPECT_TRUE(air.entered) << to;
        EXPECT_EQ(rate(air), to);
        EXPECT_TRUE(air.pings());
        EXPECT_LE(events_with(air.station, " SBC: "), 1U);
    }
}

/// A fade that a fixed rate does not survive: a station that does not deliver is not reported as operational, and no
/// station tries to register at a level at which that cannot succeed.
TEST(FixedRate, AFadeEndsInBoundedTimeAndEntryWaitsForTheLink) {
    for (const float cinr_db : {17.0F, 12.0F, 6.0F, 2.5F}) {
        Cell air({10, kNearDb, 0}, cell(std::nullopt));
        ASSERT_TRUE(air.entered);
        fade(air, cinr_db);
        EXPECT_GE(air.run_until([&] { return !air.bs->operational(); }, air.frames(1.6)), 0) << cinr_db;
        EXPECT_GE(air.run_until([&] { return !air.station.mac->operational(); }, air.frames(0.1)), 0) << cinr_db;
        air.station.events.clear();
        air.run(air.frames(20));
        EXPECT_EQ(events_with(air.station, " SBC: "), 0U) << cinr_db;
        EXPECT_EQ(air.station.status()["state"], "ranging") << cinr_db;
        air.station.link.path_loss_db = kFullPowerCinrDb - 22;
        const double back_s = air.healed_after(5);
        printf("at %.1f dB: back after %.2f s\n", static_cast<double>(cinr_db), back_s);
        EXPECT_LT(back_s, 2) << cinr_db;
        EXPECT_EQ(events_with(air.station, " SBC: "), 1U) << cinr_db;
    }
}

/// Even if RES-CMD is lost: T4.
TEST(FixedRate, WithoutAResetTheStationNoticesByItself) {
    Cell air({10, kNearDb, 0}, cell(std::nullopt));
    ASSERT_TRUE(air.entered);
    air.station.link.uplink_loss = 1;
    air.run(air.frames(1.4));
    air.station.link.downlink_loss = 0;
    air.tamper = [](sap::RxBurst& burst) {  // only broadcasts
        if (burst.kind != sap::BurstKind::data || burst.cid != 0) return;
        PduReader reader(burst.payload);
        size_t end = 0;
        while (const auto pdu = reader.next()) {
            if (pdu->cid() != 0xFFFF) break;
            end += pdu->octets.size();
        }
        std::fill(burst.payload.begin() + static_cast<std::ptrdiff_t>(end), burst.payload.end(), uint8_t{0xFF});
    };
    air.run(air.frames(0.3));
    EXPECT_FALSE(air.bs->operational());
    const int frames = air.run_until([&] { return !air.station.mac->operational(); }, air.frames(4));
    EXPECT_GE(frames, 0);
    EXPECT_LE(frames, air.frames(3.1));
}

}  // namespace test_air_rates
