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
    explicit EdgeCell(size_t stations, bool enable, uint8_t lowest = 0) : Air(config(stations, enable, lowest)) {
        total_damage = true;
        tamper = [this](sap::RxBurst& r) {
            const int blocks = std::max(
                1, static_cast<int>(r.payload.size()) / static_cast<int>(phy::kRateTable[r.rate_id].uncoded_bytes));
            if (!r.detected || errors.failed_blocks(r.rate_id, blocks, r.measured.cinr_db) == 0) return;
            r.fec_ok = false;
            for (auto& octet : r.payload) octet = 0x5A;
        };
        for (size_t i = 0; i < stations; ++i) add(Link{10, 90});
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
        for (auto& t : terminals) t->link.uplink_offset_db = kNoiseLossDb - db - t->link.path_loss_db;
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

}  // namespace test_air_edge
