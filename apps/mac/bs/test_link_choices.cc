// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions of the base station by measurements and by the number of stations: fading, motion, polling groups, windows.
#include "mac/air/ofdm256/contention_scale.h"
#include "mac/air/ofdm256/midamble_bits.h"
#include "mac/air/ofdm256/midamble_choice.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/bs/test_base_parts.h"
#include "mac/capabilities.h"

#include <random>
#include <set>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_link_choices {

float deviation_db(double mean_db, double ratio) {
    return static_cast<float>(mean_db + 10 * std::log10(std::max(ratio, 1e-9)));
}

TEST(LinkVariation, OfWhatVariesWithinReportsAndBetweenThem) {
    LinkVariation still, fast, slow, both;
    for (int i = 0; i < 64; ++i) {
        const double swing = i % 2 == 0 ? 1.5 : 0.5;
        const auto mean_db = static_cast<float>(20 + 10 * std::log10(swing));
        still.add(20, deviation_db(20, 0.05));
        fast.add(20, deviation_db(20, 0.6));
        slow.add(mean_db, deviation_db(20, 0.05));
        both.add(mean_db, deviation_db(20, 0.6));
    }
    EXPECT_NEAR(still.ratio(), 0.05, 0.01);
    EXPECT_NEAR(fast.ratio(), 0.6, 0.01);
    EXPECT_NEAR(slow.ratio(), 0.5, 0.03);
    EXPECT_NEAR(both.ratio(), std::hypot(0.6, 0.5), 0.04);
}

TEST(LinkVariation, IsKnownAfterFourReports) {
    LinkVariation link;
    EXPECT_EQ(link.ratio(), 0);
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(link.known());
        link.add(10, 5);
    }
    EXPECT_TRUE(link.known());
}

/// A station enters the zone above 0.35 and leaves it below 0.25.
TEST(LinkService, AStationLeavesTheZoneLaterThanItCame) {
    BaseStationConfig config;
    config.stc.enable = true;
    BaseParts p(config);
    Subscriber& station = p.operational(1);
    SbcReq announced;
    announced.demodulator = capability::kDemodulatorStc;
    const auto in_zone_at = [&](double ratio) {
        station.link.variation = {};
        for (int i = 0; i < 4; ++i) station.link.variation.add(20, deviation_db(20, ratio));
        p.links.on_capabilities(station, announced);
        return station.link.in_zone;
    };
    EXPECT_FALSE(in_zone_at(0.34));
    EXPECT_TRUE(in_zone_at(0.36));
    EXPECT_TRUE(in_zone_at(0.26));
    EXPECT_FALSE(in_zone_at(0.24));
    EXPECT_EQ(station.link.zone_changes, 2U);
}

/// Flat fading of the power with that correlation from one frame to the next.
struct Motion {
    explicit Motion(bool enable = true) : choice(enable) {}
    void bursts(int count, float deviation_db, float correlation, double loss = 0) {
        std::normal_distribution<float> normal(0, 1);
        const float fresh = std::sqrt(1 - correlation * correlation);
        for (int i = 0; i < count; ++i) {
            state = correlation * state + fresh * normal(random);
            frame = frame + 1;
            choice.on_burst(20 + deviation_db * state, std::uniform_real_distribution<>(0, 1)(random) >= loss, frame);
        }
    }
    std::mt19937 random{3};
    MidambleChoice choice;
    float state = 0;
    phy::FrameNumber frame{100};
};

TEST(MidambleChoice, FollowsMotion) {
    Motion m;
    m.bursts(600, 2.5F, 0.98F);  // it fades, but slowly
    EXPECT_EQ(m.choice.field(), 0);
    EXPECT_LT(m.choice.renewal(), 0.3);
    m.bursts(600, 2.5F, 0.05F);
    EXPECT_EQ(m.choice.field(), 2);
    EXPECT_NEAR(m.choice.renewal(), 0.95, 0.25);
    EXPECT_NEAR(m.choice.deviation_db(), 2.5, 0.7);
    m.bursts(600, 2.5F, 0.05F, 0.2);
    EXPECT_EQ(m.choice.field(), 1);
    m.bursts(1200, 2.5F, 0.99F);
    EXPECT_EQ(m.choice.field(), 0);
}

/// A swing of 3 dB whose period determines the renewal: values between the two thresholds change nothing.
TEST(MidambleChoice, BetweenStandingAndMovingItStays) {
    MidambleChoice choice(true);
    phy::FrameNumber frame(100);
    float phase = 0;
    const auto field_after = [&](float renewal) {
        for (int i = 0; i < 1000; ++i) {
            phase += std::acos(1 - renewal);
            frame = frame + 1;
            choice.on_burst(20 + 3 * std::sin(phase), true, frame);
        }
        EXPECT_NEAR(choice.renewal(), renewal, 0.03);
        return choice.field();
    };
    EXPECT_EQ(field_after(0.4F), 0);
    EXPECT_EQ(field_after(0.6F), 2);
    EXPECT_EQ(field_after(0.4F), 2);
    EXPECT_EQ(field_after(0.2F), 0);
}

TEST(MidambleChoice, NoiseOfAMeasurementIsNoMotion) {
    Motion still, off(false);
    still.bursts(2000, 0.5F, 0, 0.3);
    EXPECT_EQ(still.choice.field(), 0);
    off.bursts(2000, 3, 0, 0.3);
    EXPECT_EQ(off.choice.field(), 0);
}

/// A station heard now and then does not show its change from frame to frame.
TEST(MidambleChoice, NeedsBurstsInSuccessiveFrames) {
    Motion m;
    for (int i = 0; i < 1000; ++i) {
        m.bursts(1, 3, 0);
        m.frame = m.frame + 3;
    }
    EXPECT_EQ(m.choice.field(), 0);
    EXPECT_EQ(m.choice.renewal(), 0);
}

/// A field's value and its code belong together in each edition; an interval that an edition lacks is not announced.
TEST(Midambles, FieldsOfTheEditions) {
    constexpr std::array<int, 4> k2004{0, 8, 16, 32}, kCor1{0, 4, 8, 16};
    for (const auto& [edition, intervals] : {std::pair{Edition::ieee2004, k2004}, {Edition::cor1, kCor1}})
        for (uint8_t bits = 0; bits < 4; ++bits) {
            const uint8_t code = midamble_code(edition, bits);
            EXPECT_EQ(phy::midamble_interval(code), intervals[bits]);
            EXPECT_EQ(midamble_bits(edition, code), bits);
        }
    EXPECT_EQ(midamble_bits(Edition::ieee2004, 4), 0);
    EXPECT_EQ(midamble_bits(Edition::cor1, 3), 0);
    EXPECT_EQ(phy::midamble_interval(5), 0);
}

TEST(Midambles, SymbolsOfAGrant) {
    for (uint8_t field = 0; field <= 4; ++field)
        for (uint32_t symbols = 0; symbols <= 200; ++symbols) {
            const uint32_t data = data_symbols_in(symbols, field);
            const auto with = [&](uint32_t d) {
                return d + static_cast<uint32_t>(phy::midamble_count(field, static_cast<int>(d)));
            };
            ASSERT_LE(with(data), symbols) << int{field};
            ASSERT_GT(with(data + 1), symbols) << int{field};
        }
    EXPECT_EQ(data_symbols_in(90, 0), 90U);
    EXPECT_EQ(data_symbols_in(90, 1), 80U);
    const BurstShape shape{profile_of_fec_code(3), kWholeBand, 1};
    EXPECT_EQ(kSymbolGrid.units_for(shape, 48 * 16 - 1), 17U);
    EXPECT_EQ(kSymbolGrid.octets_in(shape, 17), 48U * 16 - 1);
}

TEST(ContentionScale, FewStationsHaveWhatIsConfigured) {
    const BaseStationConfig config;
    const auto layout = *FrameLayout::make(config);
    for (const uint32_t n : {0U, 1U, 3U}) {
        const auto scale = contention_scale(config, layout, n);
        EXPECT_EQ(scale.request_symbols, config.profile.request_symbols);
        EXPECT_EQ(scale.backoff_start, config.profile.request_backoff_start);
        EXPECT_EQ(scale.backoff_end, config.profile.request_backoff_end);
        EXPECT_EQ(scale.t27_idle_ms, 1000U);
        EXPECT_EQ(scale.t27_active_ms, 100U);
    }
}

TEST(ContentionScale, GrowsWithTheStationsAndHasBounds) {
    BaseStationConfig config;
    const auto layout = *FrameLayout::make(config);  // 99 symbols of uplink
    const auto hundred = contention_scale(config, layout, 100), thousand = contention_scale(config, layout, 1000);
    EXPECT_EQ(hundred, (ContentionScale{6, 4, 8, 1000, 405}));
    EXPECT_EQ(thousand, (ContentionScale{12, 6, 10, 2500, 2500}));
    config.profile.request_backoff_start = 7;
    config.profile.request_backoff_end = 8;
    config.profile.request_symbols = 30;
    config.t27_idle_ms = config.t27_active_ms = 5000;
    EXPECT_EQ(contention_scale(config, layout, 1000), (ContentionScale{30, 7, 8, 5000, 5000}));
    config.profile.scale = false;
    config.profile.request_symbols = 2;
    EXPECT_EQ(contention_scale(config, layout, 1000), (ContentionScale{2, 7, 8, 5000, 5000}));
}

/// The UCD announces wider windows while stations are served; the old ones stay in force until then.
TEST(ContentionScale, IsAnnounced) {
    BaseParts p;
    for (uint8_t i = 1; i <= 40; ++i) p.operational(i);
    EXPECT_EQ(p.broadcasts.values().request_backoff[0], 0);
    p.planner.plan();
    EXPECT_EQ(p.broadcasts.values().request_backoff, (std::array<uint8_t, 2>{4, 8}));
    EXPECT_EQ(p.planner.scale().backoff_start, 4);
    EXPECT_TRUE(p.broadcasts.changing());
}

TEST(RangingWindow, GrowsWithWhatCannotBeRead) {
    RangingWindow window;
    const auto after = [&](int read, int unread) {
        for (int i = 0; i < read; ++i) window.heard(true);
        for (int i = 0; i < unread; ++i) window.heard(false);
        return int{window.doublings()};
    };
    EXPECT_EQ(after(0, 3), 0);  // three prove little
    EXPECT_EQ(after(5, 5), 0);
    EXPECT_EQ(after(4, 5), 1);
    EXPECT_EQ(after(0, 9), 2);
    EXPECT_EQ(after(10, 3), 2);
    EXPECT_EQ(after(16, 2), 1);
    EXPECT_EQ(after(0, 0), 0);
    EXPECT_EQ(after(0, 0), 0);
    for (int i = 0; i < 20; ++i) after(0, 50);
    EXPECT_EQ(after(0, 50), 8);
}

TEST(RangingWindow, HearsThatManyAreThereWithoutFindingOne) {
    RangingWindow window;
    for (int i = 0; i < 50; ++i) window.silent(-100 + 0.1F * static_cast<float>(i % 5));
    EXPECT_EQ(window.doublings(), 0);
    for (int i = 0; i < 10; ++i) window.silent(i % 2 == 0 ? -100 : -90);
    EXPECT_EQ(window.doublings(), 1);
}

/// Windows that are changed live are scaled, not reverted.
TEST(ContentionScale, GoesOnFromWindowsThatWereChangedLive) {
    BaseParts p;
    p.operational(1);
    auto profile = p.config.profile;
    profile.request_backoff_start = 2;
    profile.request_backoff_end = 9;
    profile.ranging_backoff_end = 7;
    p.planner.use_windows(profile);
    p.planner.plan();
    EXPECT_EQ(p.broadcasts.values().request_backoff, (std::array<uint8_t, 2>{2, 9}));
    EXPECT_EQ(p.broadcasts.values().ranging_backoff, (std::array<uint8_t, 2>{0, 7}));
}

struct Groups : BaseParts {
    static BaseStationConfig config_of(uint32_t size) {
        BaseStationConfig c;
        c.profile.polling_group_stations = size;
        return c;
    }
    explicit Groups(uint32_t size) : BaseParts(config_of(size)) {}
    void frame() {
        polling.begin();
        for (auto& [basic, station] : stations.stations()) polling.count(*station);
    }
    /// MCA-REQ that waits for the station; it is answered.
    void answer(Subscriber& station, uint8_t cc = confirmation::kSuccess) {
        const auto request = reply<McaReq>(station.management);
        EXPECT_EQ(cid, station.primary_cid);
        EXPECT_EQ(request.assignment, 1);
        EXPECT_EQ(request.multicast_cid, station.polling.cid);
        McaRsp rsp;
        rsp.tid = request.tid;
        rsp.cc = cc;
        polling.answered(station, rsp);
    }
};

TEST(PollingGroups, AreFilledAndHaveTheRegionInTurn) {
    Groups p(2);
    std::vector<Subscriber*> all;
    for (uint8_t i = 1; i <= 5; ++i) all.push_back(&p.operational(i));
    EXPECT_EQ(p.polling.next(), wimax::mac::cid::kBroadcast);
    p.frame();
    std::map<uint16_t, int> sizes;
    for (auto* s : all) {
        EXPECT_FALSE(s->polling.joined);
        p.answer(*s);
        EXPECT_TRUE(s->polling.joined);
        ++sizes[s->polling.cid];
    }
    EXPECT_EQ(sizes, (std::map<uint16_t, int>{{0xFF00, 2}, {0xFF01, 2}, {0xFF02, 1}}));
    std::map<uint16_t, int> turns;
    for (int i = 0; i < 30; ++i) {
        p.frame();
        ++turns[p.polling.next()];
    }
    EXPECT_EQ(turns, (std::map<uint16_t, int>{{0xFF00, 10}, {0xFF01, 10}, {0xFF02, 10}}));
}

TEST(PollingGroups, OneThatIsInNoneStillHasATurn) {
    Groups p(4);
    Subscriber& in = p.operational(1);
    Subscriber& out = p.operational(2);
    p.frame();
    p.answer(in);
    p.answer(out, confirmation::kRejectOther);
    EXPECT_FALSE(out.polling.joined);
    std::map<uint16_t, int> turns;
    for (int i = 0; i < 20; ++i) {
        p.pass(200);
        p.frame();
        ++turns[p.polling.next()];
        EXPECT_TRUE(out.management.empty());  // it was asked, and refused
    }
    EXPECT_EQ(turns, (std::map<uint16_t, int>{{0xFF00, 10}, {wimax::mac::cid::kBroadcast, 10}}));
}

TEST(PollingGroups, ARequestIsRepeatedThreeTimes) {
    Groups p(4);
    Subscriber& station = p.operational(1);
    int asked = 0;
    for (int ms = 0; ms < 2000; ms += 10) {
        p.frame();
        asked += !station.management.empty();
        station.management.clear();
        p.pass(10);
    }
    EXPECT_EQ(asked, 4);
    EXPECT_FALSE(station.polling.joined);
    McaRsp stranger;
    stranger.tid = static_cast<uint16_t>(station.polling.tid + 1);
    p.polling.answered(station, stranger);
    EXPECT_FALSE(station.polling.joined);
}

TEST(PollingGroups, NobodyIsAskedWithoutGroups) {
    Groups p(0);
    Subscriber& station = p.operational(1);
    p.frame();
    EXPECT_TRUE(station.management.empty());
    EXPECT_EQ(p.polling.next(), wimax::mac::cid::kBroadcast);
}

/// T15 to the sample: 100 ms, or ten frames if those are longer; none after the last repetition or a response.
TEST(PollingGroups, T15RunsFromEachRequest) {
    for (const uint8_t frame_code : {uint8_t{4}, uint8_t{6}}) {
        BaseStationConfig config;
        config.frame_duration_code = frame_code;
        BaseParts p(config);
        PollingGroups polling(4, p.layout.frame_samples(), p.clock);
        Subscriber& station = p.operational(1);
        const auto asked = [&] {
            station.management.clear();
            polling.begin();
            polling.count(station);
            return !station.management.empty();
        };
        const Samples t15 = std::max(p.clock.from_ms(100), 10 * p.layout.frame_samples());
        EXPECT_TRUE(asked());
        for (int i = 0; i < 3; ++i) {
            p.clock.now += t15 - 1;
            EXPECT_FALSE(asked()) << i;
            p.clock.now += 1;
            EXPECT_TRUE(asked()) << i;
        }
        p.clock.now += 100 * t15;
        EXPECT_FALSE(asked());
    }
}

/// The last group, one station more than all groups hold, and a seat that becomes free.
TEST(PollingGroups, HaveAsManyPlacesAsTheyHaveAndGiveThemBack) {
    constexpr size_t kGroups = 64;
    Groups p(1);
    for (size_t i = 1; i <= kGroups; ++i) {
        Subscriber& station = p.operational(static_cast<uint8_t>(i));
        p.frame();
        ASSERT_FALSE(station.management.empty()) << i;
        EXPECT_EQ(station.polling.cid, 0xFF00 + i - 1);
        p.answer(station);
    }
    std::set<uint16_t> turns;
    for (size_t i = 0; i < kGroups; ++i) {
        p.frame();
        turns.insert(p.polling.next());
    }
    EXPECT_EQ(turns.size(), kGroups) << "each group once, and nobody else";
    EXPECT_FALSE(turns.contains(wimax::mac::cid::kBroadcast));
    Subscriber& outside = p.operational(100);
    p.frame();
    EXPECT_TRUE(outside.management.empty());
    EXPECT_EQ(outside.polling.cid, 0);
    turns.clear();
    for (size_t i = 0; i <= kGroups; ++i) {
        p.frame();
        turns.insert(p.polling.next());
    }
    EXPECT_TRUE(turns.contains(wimax::mac::cid::kBroadcast)) << "it asks where everybody may";
    p.admission.remove(outside.basic_cid, "test");
    p.admission.remove(7, "test");
    p.replies.clear();
    Subscriber& next = p.operational(101);
    p.frame();
    EXPECT_EQ(next.polling.cid, 0xFF06) << "the place that came free";
}

}  // namespace test_link_choices
