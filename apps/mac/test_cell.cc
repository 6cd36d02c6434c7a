// SPDX-License-Identifier: GPL-3.0-or-later
// Decisions of a base station made once or alone: frame layout, descriptors and their turns, what a cell can hold, and
// the control loop of one station's timing, power and frequency. All by exact figures.
#include "mac/air/ofdm256/broadcasts.h"
#include "mac/bs/ranging_loop.h"
#include "mac/config_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace wimax::mac;

namespace test_cell {

struct Cell {
    explicit Cell(const BaseStationConfig& c = {}) : config(c) { layout = *FrameLayout::make(config); }
    BaseStationConfig config;
    FrameLayout layout;
};

FrameLayout layout_of(uint32_t bandwidth_hz, uint8_t cp, uint32_t ttg_us, uint32_t rtg_us) {
    BaseStationConfig config;
    config.bandwidth_hz = bandwidth_hz;
    config.cp_denominator = cp;
    config.ttg_us = ttg_us;
    config.rtg_us = rtg_us;
    return Cell(config).layout;
}

TEST(Layout, GapsAreRoundedUpAndTold) {
    // 1.75 MHz: half a slot a microsecond, 72 slots a symbol, uplink from slot 2520 of 5000
    EXPECT_EQ(layout_of(1'750'000, 8, 144, 100).downlink.symbols, 34U);
    EXPECT_EQ(layout_of(1'750'000, 8, 145, 100).downlink.symbols, 33U);
    EXPECT_EQ(layout_of(1'750'000, 8, 100, 64).uplink.symbols, 34U);  // 2480 - 32 slots = 34 symbols
    EXPECT_EQ(layout_of(1'750'000, 8, 100, 65).uplink.symbols, 33U);
    // 20 MHz, CP 1/32: a symbol of 66 slots is shorter than 15 us, 87 slots
    EXPECT_GE(layout_of(20'000'000, 32, 0, 0).downlink.gap_slots(), 87U);
    const Cell cell;
    Broadcasts broadcasts(cell.config, cell.layout);
    EXPECT_EQ(broadcasts.dcd({}).ttg_ps, cell.layout.downlink.gap_slots());
    EXPECT_EQ(broadcasts.dcd({}).rtg_ps, cell.layout.uplink.gap_slots());
    BaseStationConfig uneven;
    uneven.ttg_us = 101;
    uneven.rtg_us = 20;
    const Cell other(uneven);
    Broadcasts of_other(other.config, other.layout);
    EXPECT_EQ(of_other.dcd({}).ttg_ps, 3U * 72);  // 146 slots asked for, whole symbols before them
    EXPECT_EQ(of_other.dcd({}).rtg_ps, 72U);
}

TEST(Broadcasts, EachDescriptorNamesTheCarrierOfItsDirection) {
    BaseStationConfig config;
    config.carriers = {2'500'000'999, -100'000'000};
    Broadcasts broadcasts(config, Cell().layout);
    EXPECT_EQ(broadcasts.dcd({}).frequency_khz, 2'500'000U);
    EXPECT_EQ(broadcasts.ucd().frequency_khz, 2'400'000U);
}

/// Every field from which no layout can be made is named, with its value.
TEST(Layout, NamesTheFieldsItCannotUse) {
    const auto refused = [](auto change) {
        BaseStationConfig config;
        change(config);
        const auto layout = FrameLayout::make(config);
        return layout ? std::string("a layout")
                      : layout.error().list().at(0).key + " " + layout.error().list().at(0).value;
    };
    EXPECT_EQ(refused([](auto&) {}), "a layout");
    for (const int cp : {0, 1, 7, 9, 64, 255})
        EXPECT_EQ(refused([cp](auto& c) { c.cp_denominator = static_cast<uint8_t>(cp); }),
                  "cp_denominator " + std::to_string(cp));
    EXPECT_EQ(refused([](auto& c) { c.frame_duration_code = 7; }), "frame_duration_code 7");
    EXPECT_EQ(refused([](auto& c) { c.bandwidth_hz = 28'000'000, c.frame_duration_code = 6; }),
              "frame_duration_code 6");
    EXPECT_EQ(refused([](auto& c) { c.ttg_us = 178; }), "ttg_us 178");  // 256 slots
    EXPECT_EQ(refused([](auto& c) { c.ttg_us = 177; }), "a layout");
    EXPECT_EQ(refused([](auto& c) { c.rtg_us = 178; }), "rtg_us 178");
    EXPECT_EQ(refused([](auto& c) { c.dl_symbols = 7; }), "dl_symbols 7 of 200");
    EXPECT_EQ(refused([](auto& c) { c.dl_symbols = 195; }), "dl_symbols 195 of 200");
}

TEST(Layout, CapacityCountsItsOverhead) {
    const Cell cell;
    const auto down = downlink_capacity(cell.config, cell.layout, profile_in_row(6), 1);
    const auto up = uplink_capacity(cell.config, cell.layout, profile_in_row(6), 1);
    EXPECT_NEAR(down.kbps, 8010, 2);
    EXPECT_NEAR(up.kbps, 8125, 2);
    EXPECT_NEAR(down.overhead_symbols + down.data_symbols, 100, 1e-6);
    EXPECT_NEAR(up.overhead_symbols + up.data_symbols, 100, 1e-6);
    // Each more burst in a frame: a preamble and a fragment with 15 octets
    for (const auto& [stations, bursts] : {std::pair{2U, 2}, {3U, 2}, {5U, 3}, {16U, 3}, {64U, 3}}) {
        const auto shared = uplink_capacity(cell.config, cell.layout, profile_in_row(6), stations);
        EXPECT_NEAR(up.data_symbols - shared.data_symbols, bursts - 1, 1e-9) << stations;
        EXPECT_NEAR(up.ip_symbols - shared.ip_symbols, (bursts - 1) * (1 + 15.0 / 108) * 1500 / 1510, 1e-6) << stations;
    }
}

/// Frames between the DCDs and UCDs of 200 frames; and the most descriptors in one of them.
struct Turns {
    std::vector<int> dcd, ucd;
    int most = 0;
};
Turns turns(uint32_t dcd_ms, uint32_t ucd_ms, uint8_t frame_code = 4) {
    BaseStationConfig config;
    config.frame_duration_code = frame_code;
    config.profile.dcd_interval_ms = dcd_ms;
    config.profile.ucd_interval_ms = ucd_ms;
    const Cell cell(config);
    Broadcasts broadcasts(cell.config, cell.layout);
    broadcasts.restart(-10 * cell.layout.sample_rate_hz(), 20, -60);  // the quick first second is over
    Turns result;
    int last_dcd = -1, last_ucd = -1;
    for (int frame = 0; frame < 200; ++frame) {
        const Samples now = frame * cell.layout.frame_samples();
        const auto due = broadcasts.due(now);
        result.most = std::max(result.most, due.dcd + due.ucd);
        if (due.dcd) {
            broadcasts.dcd_sent(now);
            if (last_dcd >= 0) result.dcd.push_back(frame - last_dcd);
            last_dcd = frame;
        }
        if (due.ucd) {
            broadcasts.ucd_sent(now);
            if (last_ucd >= 0) result.ucd.push_back(frame - last_ucd);
            last_ucd = frame;
        }
    }
    return result;
}
void expect_all(const std::vector<int>& gaps, int low, int high) {
    ASSERT_FALSE(gaps.empty());
    EXPECT_GE(*std::min_element(gaps.begin(), gaps.end()), low);
    EXPECT_LE(*std::max_element(gaps.begin(), gaps.end()), high);
}

TEST(Descriptors, BothGoOutWhateverTheIntervals) {
    for (const uint32_t ms : {16U, 20U, 25U}) {  // about two frames: in turns
        const auto t = turns(ms, ms);
        expect_all(t.dcd, 2, 2);
        expect_all(t.ucd, 2, 2);
        EXPECT_EQ(t.most, 1);
    }
    for (const uint32_t ms : {0U, 5U, 10U}) {  // every frame: together
        const auto t = turns(ms, ms);
        expect_all(t.dcd, 1, 1);
        expect_all(t.ucd, 1, 1);
    }
    const auto uneven = turns(0, 250);  // one of them in every frame does not keep the other back
    expect_all(uneven.dcd, 1, 1);
    expect_all(uneven.ucd, 24, 25);
    const auto usual = turns(250, 250);
    expect_all(usual.dcd, 24, 25);
    expect_all(usual.ucd, 24, 25);
    EXPECT_EQ(usual.most, 1);
    for (const auto& [dcd, ucd] : {std::pair{100, 70}, {70, 100}, {50, 60}}) {  // kept although one waits for the other
        const auto t = turns(static_cast<uint32_t>(dcd), static_cast<uint32_t>(ucd));
        expect_all(t.dcd, dcd / 10 - 1, dcd / 10);
        expect_all(t.ucd, ucd / 10 - 1, ucd / 10);
        EXPECT_EQ(t.most, 1);
    }
    expect_all(turns(20, 30).ucd, 2, 4);
    expect_all(turns(20, 30).dcd, 2, 3);
    expect_all(turns(5, 5, 0).dcd, 2, 2);  // frames of 2.5 ms
}

TEST(Descriptors, WhatWasNotSentStaysDue) {
    const Cell cell;
    Broadcasts broadcasts(cell.config, cell.layout);
    broadcasts.restart(0, 20, -60);
    const Samples frame = cell.layout.frame_samples();
    EXPECT_TRUE(broadcasts.due(0).dcd);
    EXPECT_TRUE(broadcasts.due(frame).dcd);
    broadcasts.dcd_sent(frame);
    EXPECT_FALSE(broadcasts.due(2 * frame).dcd);
    EXPECT_TRUE(broadcasts.due(2 * frame).ucd);
}

TEST(Descriptors, TheOneThatHasWaitedLongerGoes) {
    auto config = Cell().config;
    config.profile.dcd_interval_ms = config.profile.ucd_interval_ms = 40;  // each is due 35 ms after the last
    const Cell cell(config);
    const Samples frame = cell.layout.frame_samples();
    for (const bool dcd_first : {true, false}) {
        Broadcasts broadcasts(cell.config, cell.layout);
        broadcasts.restart(0, 20, -60);
        broadcasts.dcd_sent(dcd_first ? 0 : frame);
        broadcasts.ucd_sent(dcd_first ? frame : 0);
        const auto due = broadcasts.due(5 * frame);
        EXPECT_EQ(due.dcd, dcd_first);
        EXPECT_EQ(due.ucd, !dcd_first);
    }
}

/// Visitor of config_fields.h: puts one field just beyond one of its limits, where its type can hold that.
struct PutBeyond {
    size_t wanted, field = 0;
    bool high;
    std::string key;

    template <class T> void operator()(const char* name, T& value, Limits limits, const char*, const char*) {
        if (field++ != wanted) return;
        const double limit = high ? limits.high : limits.low, beyond = limit + (high ? 1 : -1);
        if (std::isinf(limit) || beyond < double(std::numeric_limits<T>::lowest()) ||
            beyond > double(std::numeric_limits<T>::max()))
            return;
        value = static_cast<T>(beyond);
        key = name;
    }
    template <class T>
    void operator()(const char* name, std::optional<T>& value, Limits limits, const char* unit, const char* help) {
        T inner{};
        (*this)(name, inner, limits, unit, help);
        if (key == name) value = inner;
    }
    void operator()(const char*, bool&, const char*) { ++field; }
};

/// Number of fields visited by `walk` that were refused beyond a limit, each by a different text.
template <class Config, class Walk> size_t refused_beyond_limits(const std::string& prefix, Walk walk) {
    size_t refused = 0, fields = 1;
    for (size_t wanted = 0; wanted < fields; ++wanted)
        for (const bool high : {false, true}) {
            Config config;
            PutBeyond put{wanted, 0, high, ""};
            walk(put, config);
            fields = put.field;
            if (put.key.empty()) continue;
            const auto faults = validate(config);
            const auto of_key = [&](const auto& fault) {
                return fault.key == prefix + put.key && fault.allowed.find("..") != std::string::npos;
            };
            EXPECT_TRUE(std::ranges::any_of(faults.list(), of_key)) << put.key << (high ? " high" : " low");
            ++refused;
        }
    return refused;
}

TEST(ConfigFields, WhatIsBeyondALimitIsRefusedByItsKey) {
    EXPECT_EQ(refused_beyond_limits<BaseStationConfig>("", [](auto& v, auto& c) { visit_air(v, c), visit(v, c); }),
              63U);
    EXPECT_EQ(refused_beyond_limits<BaseStationConfig>("adaptation.", [](auto& v, auto& c) { visit(v, c.adaptation); }),
              8U);
    EXPECT_EQ(refused_beyond_limits<SubscriberConfig>("adaptation.",
                                                      [](auto& v, auto& c) { visit_adaptation(v, c.adaptation); }),
              5U);
    EXPECT_EQ(refused_beyond_limits<BaseStationConfig>("profile.", [](auto& v, auto& c) { visit(v, c.profile); }), 18U);
    EXPECT_EQ(refused_beyond_limits<SubscriberConfig>("", [](auto& v, auto& c) { visit_air(v, c), visit(v, c); }), 62U);
    EXPECT_EQ(refused_beyond_limits<BaseStationConfig>("unknown_station.",
                                                       [](auto& v, auto& c) { visit(v, *c.unknown_station); }),
              9U);
    EXPECT_EQ(refused_beyond_limits<BaseStationConfig>("subchannelization.",
                                                       [](auto& v, auto& c) { visit(v, c.subchannelization); }),
              4U);
    EXPECT_EQ(refused_beyond_limits<BaseStationConfig>("stc.", [](auto& v, auto& c) { visit(v, c.stc); }), 4U);
}

/// Carriers of FDD do not overlap, and both are frequencies.
template <class Config> void expect_spacings() {
    const auto told = [](uint64_t downlink_hz, int64_t spacing_hz) {
        Config config;
        config.mac = {2, 0, 0, 0, 0, 1};
        config.carriers = {downlink_hz, spacing_hz};
        const auto faults = validate(config);
        return faults.empty() ? "" : faults.list().at(0).key + ": " + faults.list().at(0).allowed;
    };
    for (const int64_t fine_hz : {0, 5'000'000, -5'000'000, -100'000'000}) EXPECT_EQ(told(3'500'000'000, fine_hz), "");
    for (const int64_t near_hz : {1, -1, 4'999'999, -4'999'999})
        EXPECT_EQ(told(3'500'000'000, near_hz), "duplex_spacing_hz: 0, or at least bandwidth_hz either way") << near_hz;
    EXPECT_EQ(told(20'000'000, -19'000'000), "");
    EXPECT_EQ(told(20'000'000, -19'000'001),
              "duplex_spacing_hz: -19000000..99980000000, so that the uplink has a frequency");
    EXPECT_EQ(told(99'000'000'000, 1'000'000'000), "");
    EXPECT_EQ(told(99'000'000'000, 1'000'000'001),
              "duplex_spacing_hz: -98999000000..1000000000, so that the uplink has a frequency");
}

struct CellConfig : BaseStationConfig {
    MacAddress mac{};
};

TEST(ConfigFields, CodesForSubchannelsNeedCodesAndSubchannels) {
    const auto fault = [](uint32_t opportunities, bool enable, uint32_t codes, auto change) {
        BaseStationConfig config;
        config.profile.focused_opportunities = opportunities;
        config.profile.focused_subchannel_codes = codes;
        config.subchannelization.enable = enable;
        change(config);
        const auto faults = validate(config);
        EXPECT_LE(faults.count(), 1U) << faults.str();
        return faults.empty() ? std::string() : faults.list()[0].key;
    };
    const auto same = [](BaseStationConfig&) {};
    const std::string key = "profile.focused_subchannel_codes";
    for (uint32_t codes = 1; codes <= 8; ++codes) {
        EXPECT_EQ(fault(1, true, codes, same), "");
        EXPECT_EQ(fault(0, true, codes, same), key);
        EXPECT_EQ(fault(1, false, codes, same), key);
    }
    EXPECT_EQ(fault(0, false, 0, same), "");
    // An uplink of twelve symbols has no room for an opportunity and eleven symbols of a response.
    const auto uplink_of = [](uint32_t symbols, uint32_t fewest) {
        return [=](BaseStationConfig& config) {
            config.subchannelization.fewest = fewest;
            config.dl_symbols = 20;
            while (FrameLayout::make(config)->uplink.symbols > symbols) ++config.dl_symbols;
            EXPECT_EQ(FrameLayout::make(config)->uplink.symbols, symbols);
        };
    };
    EXPECT_EQ(fault(1, true, 4, uplink_of(12, 1)), key);
    EXPECT_EQ(fault(1, true, 4, uplink_of(12, 2)), "");
}

TEST(ConfigFields, CarriersOfAPairAreTwo) {
    expect_spacings<CellConfig>();
    expect_spacings<SubscriberConfig>();
}

TEST(Descriptors, ACellThatCannotHoldThemIsRefused) {
    BaseStationConfig config;
    config.bandwidth_hz = 1'250'000;
    config.frame_duration_code = 2;  // 5 ms
    EXPECT_EQ(validate(config).str(), "");
    config.profile.broadcast_rate_id = 0;
    const auto faults = validate(config);
    EXPECT_EQ(faults.str(),
              "profile.broadcast_rate_id: value 0: allowed a higher one, a longer frame or another profile: burst #1 "
              "holds 107 "
              "octets, maps and descriptors of a frame need 177");
    config.bandwidth_hz = 5'000'000;
    EXPECT_EQ(validate(config).str(), "");
    config.bandwidth_hz = 1'250'000;  // at QPSK they fit in turns, but not both and a DL-MAP in every frame
    config.profile.broadcast_rate_id = 1;
    config.profile = *BaseStationProfile::named("Default", 5000);
    EXPECT_EQ(validate(config).count(), 1U);
}

TEST(Profiles, HaveTheFieldNetworksFigures) {
    const auto speedy = *BaseStationProfile::named("Speedy", 10'000);
    EXPECT_EQ(speedy.dcd_interval_ms, 20U);
    EXPECT_EQ(speedy.ucd_interval_ms, 20U);
    EXPECT_EQ(speedy.ranging_interval_ms, 50U);
    EXPECT_EQ(speedy.request_symbols, 2U);
    EXPECT_EQ(BaseStationProfile::named("Speedy", 2500)->dcd_interval_ms, 5U);
    const auto normal = *BaseStationProfile::named("Default", 10'000);
    EXPECT_EQ(normal.dcd_interval_ms + normal.ucd_interval_ms + normal.ranging_interval_ms, 0U);
    EXPECT_EQ(normal.request_symbols, 5U);
    EXPECT_EQ(normal.unasked_symbols, 0U);
    EXPECT_FALSE(normal.grant_spare);
    EXPECT_FALSE(normal.turn_regions);
    EXPECT_FALSE(BaseStationProfile::named("speedy", 10'000));
}

// The control loop: target -60 dBm within 1 dB, 4 samples (an eighth of the prefix), 450 Hz (2 % of 22.5 kHz)
struct Loop : Cell {
    RangingLoop loop{config, layout.timing()};
    Samples now = 0;
    /// The same measurement n times, a frame apart; returns the last result.
    std::optional<RangingCorrection> data(const UplinkMeasurement& m, int n) {
        std::optional<RangingCorrection> last;
        for (int i = 0; i < n; ++i, now += layout.frame_samples()) last = loop.on_data(m, now);
        return last;
    }
    /// Number of corrections after n such bursts.
    int corrections(const UplinkMeasurement& m, int n) {
        int count = 0;
        for (int i = 0; i < n; ++i) count += data(m, 1).has_value();
        return count;
    }
    std::optional<RangingCorrection> failed(const UplinkMeasurement& m, int n) {
        std::optional<RangingCorrection> last;
        for (int i = 0; i < n; ++i, now += layout.frame_samples()) last = loop.on_failed(m, now);
        return last;
    }
};

TEST(RangingLoop, EarlyAndLateArrivalsAreCorrected) {
    for (const float offset : {-12.0F, 12.0F, -5.0F, 5.0F}) {
        Loop loop;
        EXPECT_FALSE(loop.data({-60, 40, 0, offset, 0}, 3));
        const auto c = loop.data({-60, 40, 0, offset, 0}, 1);
        ASSERT_TRUE(c) << offset;
        EXPECT_EQ(c->timing_samples, std::lround(offset));  // positive: transmit earlier
        EXPECT_EQ(c->power_qdb, 0);
        EXPECT_EQ(c->status, RangingStatus::continue_ranging);
    }
    EXPECT_FALSE(Loop().data({-60, 40, 0, -3.9F, 0}, 20));
    EXPECT_FALSE(Loop().data({-60, 40, 0, 3.9F, 0}, 20));
}

struct FastLoop : Loop {
    FastLoop() {
        config.fast_power_stations = 1;
        loop = RangingLoop(config, layout.timing());
    }
    /// The next correction of a station that is heard like this.
    RangingCorrection next(const UplinkMeasurement& m) {
        for (int i = 0; i < 20; ++i)
            if (const auto c = data(m, 1)) return *c;
        ADD_FAILURE();
        return {};
    }
};

TEST(RangingLoop, AnFpcCorrectsPowerAlone) {
    EXPECT_FALSE(Loop().data({-63, 40, 0, 0, 0}, 4)->power_alone);
    FastLoop fast;
    const auto small = fast.next({-63, 40, 0, 3, 200});
    EXPECT_TRUE(small.power_alone);
    EXPECT_EQ(small.power_qdb, 12);
    EXPECT_EQ(small.timing_samples, 0);
    EXPECT_EQ(small.frequency_hz, 0);
    EXPECT_EQ(fast.loop.timing_told_samples(), 0);
    for (const auto& other : {UplinkMeasurement{-63, 40, 0, 5, 0}, UplinkMeasurement{-63, 40, 0, 0, 460}}) {
        FastLoop more;
        const auto c = more.next(other);
        EXPECT_FALSE(c.power_alone);
        EXPECT_EQ(c.power_qdb, 12);
    }
}

TEST(RangingLoop, AStationThatIgnoresAnFpcIsNotDeaf) {
    constexpr UplinkMeasurement kWeak{-65, 40, 0, 0, 0}, kRight{-60, 40, 0, 0, 0};
    FastLoop fast;
    EXPECT_TRUE(fast.next(kWeak).power_alone);
    fast.loop.asked_by_fast_power();
    EXPECT_FALSE(fast.next(kWeak).power_alone);
    EXPECT_FALSE(fast.loop.deaf());
    fast.data(kWeak, 20);
    EXPECT_TRUE(fast.loop.deaf()) << "nor did it follow the RNG-RSP";
    // One that has followed an FPC and then ignores an RNG-RSP is at its limit.
    FastLoop followed;
    EXPECT_TRUE(followed.next(kWeak).power_alone);
    followed.loop.asked_by_fast_power();
    followed.data(kRight, 20);
    EXPECT_TRUE(followed.next(kWeak).power_alone);
    followed.data(kWeak, 20);
    EXPECT_TRUE(followed.loop.deaf());
}

TEST(RangingLoop, FrequencyWithinTwoPercentStays) {
    EXPECT_FALSE(Loop().data({-60, 40, 0, 0, 440}, 20));
    EXPECT_FALSE(Loop().data({-60, 40, 0, 0, -440}, 20));
    EXPECT_EQ(Loop().data({-60, 40, 0, 0, 460}, 4)->frequency_hz, -460);
    EXPECT_EQ(Loop().data({-60, 40, 0, 0, -460}, 4)->frequency_hz, 460);
}

TEST(RangingLoop, PowerInQuarterDecibels) {
    EXPECT_FALSE(Loop().data({-60.9F, 40, 0, 0, 0}, 20));
    EXPECT_FALSE(Loop().data({-59.1F, 40, 0, 0, 0}, 20));
    EXPECT_EQ(Loop().data({-63, 40, 0, 0, 0}, 4)->power_qdb, 12);
    EXPECT_EQ(Loop().data({-55.5F, 40, 0, 0, 0}, 4)->power_qdb, -18);
    EXPECT_EQ(Loop().data({-100, 40, 0, 0, 0}, 4)->power_qdb, 127);
    // Half of -57 dBm at 0 dB is the station's.
    EXPECT_FALSE(Loop().data({-57, 0, 0, 0, 0}, 20));
}

TEST(RangingLoop, WaitsForWhatItAskedFor) {
    Loop loop;
    ASSERT_TRUE(loop.data({-70, 40, 0, 0, 0}, 4));
    EXPECT_FALSE(loop.data({-70, 40, 0, 0, 0}, 5));  // 60 ms
    // The correction had no effect: the station is at its limit, and not corrected until its level changes.
    EXPECT_EQ(loop.corrections({-70, 40, 0, 0, 0}, 50), 0);
    EXPECT_TRUE(loop.loop.deaf());
    EXPECT_EQ(loop.corrections({-71, 40, 0, 0, 0}, 50), 0);
    EXPECT_EQ(loop.corrections({-65, 40, 0, 0, 0}, 50), 2);  // the second as it seems to have followed the first
    EXPECT_TRUE(loop.loop.deaf());
    Loop other;
    ASSERT_TRUE(other.data({-70, 40, 0, 0, 0}, 4));
    other.data({-64, 40, 0, 0, 0}, 6);
    EXPECT_EQ(other.data({-64, 40, 0, 0, 0}, 4)->power_qdb, 16);  // followed in part: asked again
}

TEST(RangingLoop, FailedBurstsCorrectByTheirMedian) {
    Loop loop;
    EXPECT_FALSE(loop.failed({-90, 10, 0, 7, -900}, 2));
    loop.failed({-40, 30, 0, -200, 9000}, 1);  // one outlier
    EXPECT_FALSE(loop.failed({-90, 10, 0, 7, -900}, 1));
    const auto c = loop.failed({-90, 10, 0, 7, -900}, 1);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->power_qdb, 122);  // 30 dB, and 0.4 dB of noise in the RSSI
    EXPECT_EQ(c->timing_samples, 7);
    EXPECT_EQ(c->frequency_hz, 900);
    EXPECT_NEAR(loop.loop.smoothed().rssi_dbm, -90, 1e-6);
    EXPECT_FALSE(loop.failed({-90, 10, 0, 7, -900}, 5));  // the correction is in transit
    EXPECT_FALSE(Loop().failed({-90, -0.5F, 0, 7, -900}, 50));
    EXPECT_FALSE(Loop().failed({-50, 30, 0, 70, -900}, 50));  // too strong to be the station's own
    Loop mixed;                                               // a burst that delivers restarts the count
    EXPECT_FALSE(mixed.failed({-90, 10, 0, 0, 0}, 4));
    mixed.data({-60, 40, 0, 0, 0}, 1);
    EXPECT_FALSE(mixed.failed({-90, 10, 0, 0, 0}, 4));
}

TEST(RangingLoop, RequestsAreAnsweredUntilTheyFit) {
    Loop loop;
    auto c = loop.loop.on_request({-70, 30, 0, 20, 600}, false);
    EXPECT_EQ(c.status, RangingStatus::continue_ranging);
    EXPECT_EQ(c.timing_samples, 20);
    EXPECT_EQ(c.power_qdb, 40);
    EXPECT_EQ(c.frequency_hz, -600);
    EXPECT_EQ(loop.loop.on_request({-60, 30, 0, 0, 0}, false).status, RangingStatus::success);
    // A station that reports its limit, or does not follow, is accepted as it is.
    EXPECT_EQ(Loop().loop.on_request({-70, 30, 0, 0, 0}, true).status, RangingStatus::success);
    Loop deaf;
    EXPECT_EQ(deaf.loop.on_request({-70, 30, 0, 0, 0}, false).status, RangingStatus::continue_ranging);
    EXPECT_EQ(deaf.loop.on_request({-70, 30, 0, 0, 0}, false).status, RangingStatus::success);
    Loop lost;  // never within limits: six answers, then it may try to work
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(lost.loop.on_request({-60, 30, 0, 9, 0}, false).status, RangingStatus::continue_ranging);
    EXPECT_EQ(lost.loop.on_request({-60, 30, 0, 9, 0}, false).status, RangingStatus::success);
}

/// A change of power or width voids earlier measurements and those of bursts already in transit.
TEST(RangingLoop, AfterAChangeOfWidthItWaitsForBurstsOfTheNewOne) {
    constexpr UplinkMeasurement kWrong{-70, 40, 0, 30, 900};
    for (const int before : {0, 3}) {
        Loop loop;
        loop.data(kWrong, before);
        loop.loop.power_changes(loop.now);
        EXPECT_EQ(loop.corrections(kWrong, 6), 0) << "60 ms";
        EXPECT_EQ(loop.corrections(kWrong, 3), 0) << "three of four";
        EXPECT_EQ(loop.corrections(kWrong, 1), 1);
        Loop failing;
        failing.failed(kWrong, before);
        failing.loop.power_changes(failing.now);
        EXPECT_FALSE(failing.failed(kWrong, 6));
        EXPECT_FALSE(failing.failed(kWrong, 4));
        EXPECT_TRUE(failing.failed(kWrong, 1));
    }
    // Frames of 20 ms: the hold-off is six of them.
    BaseStationConfig config;
    config.frame_duration_code = 6;
    const Cell cell(config);
    RangingLoop loop(config, cell.layout.timing());
    loop.power_changes(0);
    int first = 0;
    for (int frame = 1; frame < 30 && first == 0; ++frame)
        if (loop.on_data(kWrong, frame * cell.layout.frame_samples())) first = frame;
    EXPECT_EQ(first, 9);
}

/// After restart() it decides like a new one, regardless of earlier input.
TEST(RangingLoop, RestartedItIsLikeNew) {
    constexpr UplinkMeasurement kKinds[] = {{-70, 40, 0, 30, 900},   {-60, 40, 0, 0, 0},   {-75, 30, 0, -9, -600},
                                            {-60.5F, 40, 0, 2, 100}, {-90, 20, 0, 0, 0},   {-62, 35, 0, 6, 0},
                                            {-57, 40, 0, 0, 700},    {-66, -3, 0, 40, 200}};
    for (uint32_t seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        Loop used, fresh;
        const auto drive = [&](Loop& loop, std::mt19937& by) {
            const auto& m = kKinds[by() % std::size(kKinds)];
            std::optional<RangingCorrection> c;
            switch (by() % 8) {
                case 0: c = loop.loop.on_request(m, by() % 4 == 0); break;
                case 1:
                case 2: c = loop.loop.on_failed(m, loop.now); break;
                case 3:
                    if (by() % 8 == 0) loop.loop.power_changes(loop.now);
                    break;
                default: c = loop.loop.on_data(m, loop.now);
            }
            loop.now += loop.layout.frame_samples();
            std::string text = std::to_string(loop.loop.exhausted()) + std::to_string(loop.loop.deaf());
            if (c)
                text += " " + std::to_string(c->power_qdb) + " " + std::to_string(c->timing_samples) + " " +
                        std::to_string(c->frequency_hz) + " " + std::to_string(static_cast<int>(c->status));
            return text;
        };
        for (int i = 0; i < 40; ++i) drive(used, random);
        used.loop.restart();
        fresh.now = used.now;
        std::mt19937 second(seed + 1000), again = second;
        // A request shows whether it still believes that the station follows no command.
        for (int i = 0; i < 60; ++i) ASSERT_EQ(drive(used, second), drive(fresh, again)) << seed << " " << i;
    }
}

}  // namespace test_cell
