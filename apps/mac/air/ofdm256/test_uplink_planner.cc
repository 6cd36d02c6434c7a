// SPDX-License-Identifier: GPL-3.0-or-later
// The planner of the uplink without a base station: users that exist in this test only.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/air/ofdm256/uplink_planner.h"
#include "mac/pdu/cid.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace wimax::mac;

namespace test_uplink_planner {

struct OneUser final : UplinkUsers {
    Summary count() override { return {1, 1, false, false}; }
    uint16_t polled_group() override { return 0xFF01; }
    std::optional<Invitation> next_invitation() override { return invitation; }
    void invited(uint16_t) override { invitation.reset(); }
    void poll_after(uint32_t idle_ms, uint32_t) override { t27_ms = idle_ms; }
    Claims claims() override {
        stations.clear();
        auto& claim = stations.emplace_back();
        claim.cid = 77;
        claim.shape.profile = profile_in_row(3);
        claim.history = &history;
        claim.requested_octets = 500;
        return {stations, {}};
    }
    Terms terms(uint16_t cid) override { return {cid == 77 && last, {}}; }
    void granted(const Grant& grant) override { grants.push_back(grant); }

    std::optional<Invitation> invitation;
    bool last = false;
    uint32_t t27_ms = 0;
    ServiceHistory history;
    std::vector<UplinkClaim> stations;
    std::vector<Grant> grants;
};

TEST(Broadcasts, AnnounceTheMacVersionOfTheEdition) {
    for (const auto& [edition, version] : {std::pair{Edition::ieee2004, 4}, {Edition::cor1, 5}}) {
        BaseStationConfig config;
        config.edition = edition;
        Broadcasts broadcasts(config, *FrameLayout::make(config));
        EXPECT_EQ(broadcasts.dcd(phy::FrameNumber(1)).mac_version, version);
    }
}

/// A map's two bits stand for the edition's intervals.
TEST(UplinkPlan, MidamblesAreAnnouncedByTheEdition) {
    constexpr uint8_t kEvery8 = 1, kEvery16 = 2, kEvery32 = 3, kEvery4 = 4;
    const auto announced = [](Edition edition, uint8_t code) {
        const BaseStationConfig config;
        const FrameLayout layout = *FrameLayout::make(config);
        FrameClock clock;
        clock.sample_rate_hz = layout.sample_rate_hz();
        UplinkPlaces places(layout.uplink.symbols, layout.sample_rate_hz(), layout.frame_samples());
        UplinkPlan plan({config.profile.ranging_symbols, edition}, layout, clock, places);
        plan.begin(1);
        plan.add_burst({.basic_cid = 77, .profile = profile_in_row(3), .place = {4, 30}, .midamble = code});
        return plan.map().ies.back().midamble;
    };
    EXPECT_EQ(announced(Edition::ieee2004, kEvery8), 1);
    EXPECT_EQ(announced(Edition::ieee2004, kEvery32), 3);
    EXPECT_EQ(announced(Edition::cor1, kEvery4), 1);
    EXPECT_EQ(announced(Edition::cor1, kEvery8), 2);
    EXPECT_EQ(announced(Edition::cor1, kEvery16), 3);
}

TEST(UplinkPlanner, KnowsUsersByTheirInterface) {
    BaseStationConfig config;
    config.profile.grant_spare = false;
    const FrameLayout layout = *FrameLayout::make(config);
    FrameClock clock;
    clock.sample_rate_hz = layout.sample_rate_hz();
    clock.frame = phy::FrameNumber(7);
    UplinkPlaces places(layout.uplink.symbols, layout.sample_rate_hz(), layout.frame_samples());
    Broadcasts broadcasts(config, layout);
    UplinkPlan plan({config.profile.ranging_symbols}, layout, clock, places);
    FocusedContentionService focused(config, {plan});
    OneUser user;
    LoadedPolicies policies(nullptr, {kSymbolGrid, clock, layout.frame_seconds()}, [](const std::string&, bool) {});
    Schedulers schedulers(config, policies);
    UplinkPlanner planner(config, layout, {clock, user, broadcasts, places, plan, focused, schedulers});
    user.invitation = UplinkUsers::Invitation{33, false, false};
    planner.plan();

    ASSERT_EQ(user.grants.size(), 1U);
    EXPECT_EQ(user.grants[0].basic_cid, 77);
    EXPECT_EQ(user.grants[0].frame, plan.frame());
    EXPECT_GE(user.grants[0].octets, 500U);
    EXPECT_FALSE(user.invitation);
    EXPECT_EQ(user.t27_ms, config.t27_idle_ms);
    const auto element = [&](uint16_t cid) {
        const auto& all = plan.map().ies;
        const auto found = std::ranges::find(all, cid, &UlMapIe::cid);
        return found == all.end() ? UlMapIe() : *found;
    };
    EXPECT_EQ(element(77).uiuc, uiuc_of(profile_in_row(3)));
    EXPECT_EQ(element(77).duration_symbols, user.grants[0].units);
    EXPECT_EQ(element(33).uiuc, uiuc::kInitialRanging);
    EXPECT_EQ(element(0xFF01).uiuc, uiuc::kReqRegionFull);

    const uint16_t before = element(77).start_symbols;
    user.last = true;
    planner.plan();
    EXPECT_GT(element(77).start_symbols, before);
}

/// Stations on a part of the band, half-duplex: one of the earlier group, the others of the later one.
struct NarrowUsers final : UplinkUsers {
    Summary count() override { return {3, 3, false, false}; }
    uint16_t polled_group() override { return 0xFFFF; }
    std::optional<Invitation> next_invitation() override { return std::nullopt; }
    void invited(uint16_t) override {}
    void poll_after(uint32_t, uint32_t) override {}
    Claims claims() override {
        stations.clear();
        for (uint16_t cid = 1; cid <= 3; ++cid) {
            auto& claim = stations.emplace_back();
            claim.cid = cid;
            claim.shape.profile = profile_in_row(1);
            claim.shape.width = 4;
            claim.history = &histories[cid];
            claim.requested_octets = 200;
            claim.frames_waiting = ++waiting[cid];
        }
        return {stations, {}};
    }
    Terms terms(uint16_t cid) override { return {false, {.half_duplex = true, .late = cid > 1}}; }
    void granted(const Grant& grant) override {
        ++grants[grant.basic_cid];
        waiting[grant.basic_cid] = 0;
    }

    std::array<ServiceHistory, 4> histories;
    std::array<uint32_t, 4> waiting{}, grants{};
    std::vector<UplinkClaim> stations;
};

/// They have no symbol in common, so each group has its frames; stations of one group go side by side.
TEST(UplinkPlanner, NarrowHalfDuplexStationsOfBothGroupsHaveGrants) {
    BaseStationConfig config;
    config.carriers.duplex_spacing_hz = -100'000'000;
    config.half_duplex_stations = true;
    config.subchannelization.enable = true;
    const FrameLayout layout = *FrameLayout::make(config);
    FrameClock clock;
    clock.sample_rate_hz = layout.sample_rate_hz();
    UplinkPlaces places(layout.uplink.symbols, layout.sample_rate_hz(), layout.frame_samples(), layout.regions_from());
    Broadcasts broadcasts(config, layout);
    UplinkPlan plan({config.profile.ranging_symbols}, layout, clock, places);
    FocusedContentionService focused(config, {plan});
    NarrowUsers users;
    LoadedPolicies policies(nullptr, {kSymbolGrid, clock, layout.frame_seconds()}, [](const std::string&, bool) {});
    Schedulers schedulers(config, policies);
    UplinkPlanner planner(config, layout, {clock, users, broadcasts, places, plan, focused, schedulers});
    constexpr uint32_t kFrames = 20;
    for (uint32_t n = 0; n < kFrames; ++n) {
        clock.frame = phy::FrameNumber(n);
        clock.now = n * layout.frame_samples();
        planner.plan();
        for (const auto& ie : plan.map().ies) {
            if (ie.cid == 0 || ie.cid > 3) continue;
            const auto part = layout.duplex->window(phy::Direction::uplink, users.terms(ie.cid).turn);
            EXPECT_GE(ie.start_symbols, part.from) << ie.cid;
            EXPECT_LE(ie.start_symbols + ie.duration_symbols, part.to) << ie.cid;
        }
    }
    for (const uint16_t cid : {1, 2, 3}) EXPECT_EQ(users.grants[cid], kFrames / 2) << cid;
}

}  // namespace test_uplink_planner
