// SPDX-License-Identifier: GPL-3.0-or-later
// Stations at the edge of a cell, whose power does not suffice for the whole band: over the burst-moving PHY, with
// blocks lost as the receiver was measured to lose them at that rate and CINR.
#include "mac/test_cells.h"
#include "mac/test_error_model.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_edge {

constexpr float kNoiseLossDb = 120;  // at this path loss a station's full power on all carriers is as strong as noise

struct EdgeCell : Air {
    explicit EdgeCell(size_t stations, bool enable, uint8_t lowest = 0) : EdgeCell(config(stations, enable, lowest)) {}
    explicit EdgeCell(BaseStationConfig of, size_t half_duplex = 0) : Air(std::move(of)) {
        total_damage = true;
        tamper = [this](sap::RxBurst& r) {
            const int blocks = std::max(
                1, static_cast<int>(r.payload.size()) / static_cast<int>(phy::kRateTable[r.rate_id].uncoded_bytes));
            if (!r.detected || errors.failed_blocks(r.rate_id, blocks, r.measured.cinr_db) == 0) return;
            r.fec_ok = false;
            for (auto& octet : r.payload) octet = 0x5A;
        };
        for (size_t i = 0; i < bs_config.stations.size(); ++i) {
            auto& t = add(Link{10, 90});
            t.config.half_duplex = i < half_duplex;
            restart(t);
        }
        enter(*this);
    }
    static BaseStationConfig config(size_t stations, bool enable, uint8_t lowest) {
        auto c = with_stations(stations);
        c.ul_rate_id = 6;
        c.ul_lowest_rate_id = lowest;
        c.subchannelization.enable = enable;
        return c;
    }
    /// Uplink CINR of all stations at full power on all carriers, from now on.
    void cinr(float db) {
        for (size_t i = first_at_edge; i < terminals.size(); ++i) {
            Link& link = terminals[i]->link;
            link.uplink_offset_db = kNoiseLossDb - db - link.path_loss_db;
        }
    }
    void fade(float from_db, float to_db, float db_per_s) {
        const float step = db_per_s * static_cast<float>(layout.frame_seconds());
        for (float db = from_db; db > to_db; db -= step) {
            cinr(db);
            step_with_traffic();
        }
        cinr(to_db);
    }
    /// A packet of 40 octets from each station in every 50th frame.
    void step_with_traffic() {
        if (++frames_ % 50 == 0)
            for (size_t i = 0; i < terminals.size(); ++i) sent += send(*this, i, 40) ? 1 : 0;
        step();
    }
    void seconds(double s) {
        for (int i = 0; i < frames(s); ++i) step_with_traffic();
    }
    Json link(size_t i) const { return bs_status()["stations"][i]["link"]; }

    ErrorModel errors{11};
    uint64_t sent = 0;
    size_t first_at_edge = 0;
    int frames_ = 0;
};

/// At -7 dB of CINR with all its power on all carriers no rate works; on one of sixteen subchannels it has 5 dB.
TEST(EdgeOfTheCell, AStationIsKeptThatWouldBeLost) {
    for (const bool enable : {false, true}) {
        EdgeCell cell(1, enable);
        cell.fade(25, -7, 10);
        const auto packets = cell.ul_packets, sent = cell.sent;
        cell.seconds(30);
        const auto share = static_cast<double>(cell.ul_packets - packets) / static_cast<double>(cell.sent - sent);
        EXPECT_EQ(cell.all_operational(), enable);
        if (!enable) {
            EXPECT_EQ(cell.ul_packets, packets);
            continue;
        }
        EXPECT_GE(share, 0.97) << cell.link(0).dump(1);
        EXPECT_EQ(cell.link(0)["ul_subchannels"], 1);
        EXPECT_EQ(cell.bs_status()["lost_stations"], 0);
        EXPECT_GT(cell.subchannel_bursts, 100U);
        expect_clean(cell);
    }
}

/// The station recovers: all subchannels, the suitable rate, and no more power than it has.
TEST(EdgeOfTheCell, WiderAgainWhenTheLinkIsBetter) {
    EdgeCell cell(1, true);
    cell.fade(25, -2, 10);
    cell.seconds(2);
    EXPECT_EQ(cell.link(0)["ul_subchannels"], 4);
    EXPECT_NEAR(cell.terminals[0]->status()["power_dbm"].get<float>(), 20 + 6.02F, 0.3);
    cell.cinr(25);
    cell.seconds(5);
    EXPECT_EQ(cell.link(0)["ul_subchannels"], 16);
    EXPECT_LE(cell.terminals[0]->status()["power_dbm"].get<float>(), 20.01F);
    EXPECT_EQ(cell.bs_status()["stations"][0]["ul_rate_id"], 6);
    expect_clean(cell);
}

/// From one frame to the next it is not received any more: its grants become narrower step by step.
TEST(EdgeOfTheCell, ASuddenDropIsFollowed) {
    EdgeCell cell(1, true);
    cell.cinr(25);
    cell.seconds(2);
    cell.cinr(-7);
    cell.seconds(4);
    const auto packets = cell.ul_packets, sent = cell.sent;
    cell.seconds(20);
    EXPECT_EQ(cell.bs_status()["lost_stations"], 0);
    EXPECT_GE(cell.ul_packets - packets + 2, cell.sent - sent);
    expect_clean(cell);
}

/// Eight of them share symbols: in one frame grants of several lie side by side.
TEST(EdgeOfTheCell, ManyShareSymbols) {
    EdgeCell cell(8, true);
    cell.fade(25, -7, 10);
    cell.seconds(3);
    size_t most = 0;
    const auto packets = cell.ul_packets, sent = cell.sent;
    for (int i = 0; i < cell.frames(20); ++i) {
        cell.step_with_traffic();
        std::map<uint32_t, size_t> at;
        for (const auto& a : cell.last_expect().allocations)
            if (a.format.subchannel_index != kAllSubchannels) most = std::max(most, ++at[a.start_slot.value()]);
    }
    EXPECT_EQ(most, 8U);
    EXPECT_TRUE(cell.all_operational());
    EXPECT_GE(static_cast<double>(cell.ul_packets - packets), 0.97 * static_cast<double>(cell.sent - sent));
    expect_clean(cell);
}

/// The most robust rate that is allowed counts, and a constant CINR makes no station flap.
TEST(EdgeOfTheCell, ByTheLowestRateAllowedAndWithoutFlapping) {
    EdgeCell cell(1, true, 1);  // QPSK 1/2 needs 5.4 dB with its reserve
    cell.fade(25, 1.8F, 10);
    cell.seconds(2);
    EXPECT_EQ(cell.link(0)["ul_subchannels"], 4);
    const uint64_t before = cell.link(0)["ul_width_changes"];
    cell.seconds(60);
    EXPECT_EQ(cell.link(0)["ul_width_changes"].get<uint64_t>(), before);
    expect_clean(cell);
}

/// One that has not said that it can is left as it is.
TEST(EdgeOfTheCell, FixedOnesStayAndOthersNeedTheCapability) {
    auto config = EdgeCell::config(1, true, 0);
    config.stations[0].ul_subchannels = 8;
    Air air(config);
    air.add(Link{10, 100});
    enter(air);
    air.run(200);
    EXPECT_EQ(air.bs_status()["stations"][0]["link"]["ul_subchannels"], 8);
    EXPECT_NE(air.terminals[0]->status()["power_dbm"].get<float>(), 0);
    expect_clean(air);
}

struct CodeCase {
    const char* name;
    MapRelevance relevance;
    bool two_carriers;
    uint8_t codes;  ///< for requests on subchannels
};

/// Codes in place of the request region; the first two of four stations have a good link, the others are at the edge.
class CodesAtTheEdge : public ::testing::TestWithParam<CodeCase> {
protected:
    static BaseStationConfig config(uint8_t codes) {
        const CodeCase& c = GetParam();
        auto config = EdgeCell::config(4, true, 0);
        config.map_relevance = c.relevance;
        if (c.two_carriers) {
            config.carriers.duplex_spacing_hz = -100'000'000;
            config.half_duplex_stations = true;
        }
        config.profile.unasked_symbols = 0;
        config.profile.grant_spare = false;
        config.profile.request_symbols = 0;
        config.profile.focused_opportunities = 2;
        config.profile.focused_subchannel_codes = codes;
        config.subchannelization.fewest = 2;
        config.t27_idle_ms = config.t27_active_ms = 300;  // adaptation hears the stations
        config.profile.reservation_timeout = 10;          // shorter than that
        return config;
    }
    struct Outcome {
        uint64_t sent = 0, received = 0, codes = 0, answered = 0, requests = 0, lost = 0;  ///< at the edge
        std::set<int> codes_at_edge, other_codes;
        size_t narrow_places = 0, whole_places = 0;
    };
    static Outcome run(uint8_t codes) {
        EdgeCell cell(config(codes), GetParam().two_carriers ? 3 : 0);
        EXPECT_EQ(validate(cell.bs_config).str(), "");
        cell.first_at_edge = 2;
        cell.fade(25, -5, 2);
        cell.seconds(4);
        Outcome o;
        const auto count = [&](int sign) {
            for (size_t i = 2; i < 4; ++i) {
                const auto requests = cell.terminals[i]->status()["requests"];
                const auto add = [&](uint64_t& to, const char* key) {
                    to += static_cast<uint64_t>(sign) * requests[key].get<uint64_t>();
                };
                add(o.codes, "codes"), add(o.answered, "codes_answered");
                add(o.requests, "contention"), add(o.lost, "contention_lost");
            }
        };
        count(-1);
        const auto packets = cell.ul_packets;
        for (int i = 0; i < cell.frames(30); ++i) {
            if (i % 15 == 0)
                for (size_t s = 0; s < 4; ++s) o.sent += send(cell, s, 40) ? 1 : 0;
            cell.step();
            for (size_t s = 0; s < 4; ++s)
                for (const auto& code : cell.terminals[s]->tx.codes) {
                    auto& drawn = s < 2 ? o.other_codes : o.codes_at_edge;
                    drawn.insert(code.what.code);
                    // Full power in each carrier of a subchannel.
                    if (s >= 2) {
                        EXPECT_NEAR(cell.terminals[s]->tx.power_dbm, 20 + 9.03F, 0.3);
                    }
                }
            for (const auto& a : cell.last_expect().allocations) {
                if (a.kind != sap::BurstKind::contention) continue;
                const bool whole = a.format.subchannel_index == kAllSubchannels;
                o.whole_places += whole ? 1 : 0;
                o.narrow_places += whole ? 0 : 1;
                EXPECT_EQ(a.format.data_symbols, whole ? 1 : 5);
            }
        }
        count(1);
        o.received = cell.ul_packets - packets;
        EXPECT_TRUE(cell.all_operational());
        size_t narrow = 0;
        for (size_t s = 0; s < 4; ++s) narrow += cell.link(s)["ul_subchannels"] == 2;
        EXPECT_EQ(narrow, 2U);
        expect_clean(cell);
        return o;
    }
};
INSTANTIATE_TEST_SUITE_P(Cells, CodesAtTheEdge,
                         ::testing::Values(CodeCase{"SameFrame", MapRelevance::same_frame, false, 3},
                                           CodeCase{"NextFrame", MapRelevance::next_frame, false, 5},
                                           CodeCase{"HalfDuplex", MapRelevance::automatic, true, 4}),
                         [](const auto& of) { return std::string(of.param.name); });

/// The response is on subchannels, where the station's power suffices: each request arrives. Without such codes it is
/// on the whole band, where most are lost.
TEST_P(CodesAtTheEdge, RequestsArriveOnSubchannels) {
    const uint8_t codes = GetParam().codes;
    const Outcome with = run(codes);
    EXPECT_GE(with.received + 4, with.sent);
    EXPECT_GE(with.codes, 100U);
    EXPECT_GE(with.narrow_places, with.codes * 9 / 10);
    EXPECT_GE(with.whole_places, 100U);
    EXPECT_LE(with.lost, with.codes / 10);
    ASSERT_FALSE(with.codes_at_edge.empty() || with.other_codes.empty());
    EXPECT_LT(*with.codes_at_edge.rbegin(), codes);
    EXPECT_EQ(with.codes_at_edge.size(), codes);
    EXPECT_GE(*with.other_codes.begin(), codes);
    EXPECT_EQ(with.other_codes.size(), 8U - codes);

    const Outcome without = run(0);
    EXPECT_EQ(without.narrow_places, 0U);
    EXPECT_GE(without.lost, without.codes / 2);  // a poll precedes the timeout of the others
}

}  // namespace test_air_edge
