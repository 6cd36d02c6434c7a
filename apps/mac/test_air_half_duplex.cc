// SPDX-License-Identifier: GPL-3.0-or-later
// Half-duplex stations in FDD: a recorder of the air asserts that the base station sends nothing to a station around
// its grants and over no maps; both directions are nearly full, also with full-duplex stations in the cell.
#include "mac/pdu/cid.h"
#include "mac/test_air.h"
#include "mac/test_cells.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_half_duplex {

BaseStationConfig fdd(size_t stations) {
    auto config = Air::with_stations(stations);
    config.carriers.duplex_spacing_hz = -100'000'000;
    config.half_duplex_stations = true;
    config.codel_target_frames = 0;
    config.sdu_buffers = 16384;
    return config;
}

/// The first stations are half-duplex. Each has other gaps and another distance.
struct Cell : Air {
    Cell(size_t stations, size_t half_duplex, BaseStationConfig config) : Air(std::move(config)) {
        for (size_t i = 0; i < stations; ++i) {
            auto& t = add({static_cast<int>(10 + 25 * i), 60, 0});
            t.config.codel_target_frames = 0;
            t.config.half_duplex = i < half_duplex;
            t.config.ssttg_us = static_cast<uint8_t>(70 - 5 * i);
            t.config.ssrtg_us = static_cast<uint8_t>(20 + 10 * i);
            restart(t);
        }
    }
    void enter() {
        ASSERT_GE(run_until([&] { return all_operational() && bs->operational(); }, frames(10)), 0)
            << bs_status().dump(1);
        const Json status = bs_status();
        for (const auto& station : status["stations"]) {
            const size_t at = station_at(station["mac"]);
            owners_[station["basic_cid"].get<uint16_t>()] = at;
            owners_[static_cast<uint16_t>(station["basic_cid"].get<uint16_t>() + bs_config.basic_cids)] = at;
            for (const auto& flow : station["flows"]) owners_[flow["cid"].get<uint16_t>()] = at;
        }
    }
    size_t station_at(const std::string& mac) const {
        for (size_t i = 0; i < terminals.size(); ++i)
            if (terminals[i]->status()["mac"] == mac) return i;
        return SIZE_MAX;
    }
    /// More than both directions carry.
    void saturate(int count) {
        for (int i = 0; i < count; ++i) {
            for (size_t s = 0; s < terminals.size(); ++s)
                for (size_t k = 0; k < 24 / terminals.size(); ++k) {
                    bs->push_sdu(ip_packet(kServer, station_address(s), 1500));
                    terminals[s]->mac->push_sdu(ip_packet(station_address(s), kServer, 1500));
                }
            step();
            record();
        }
    }
    /// Bursts of this frame that a station with a grant cannot hear.
    void record() {
        const Samples start = frame.since(kFirstFrame) * layout.frame_samples();
        const auto of = [&](phy::Slot slot) { return start + slot.samples(); };
        std::erase_if(deaf_, [&](const auto& d) { return d.until <= start; });
        for (const auto& a : last_expect().allocations) {
            const auto owner = owners_.find(a.cid);
            if (owner == owners_.end()) continue;
            const auto& t = *terminals[owner->second];
            if (!t.config.half_duplex) continue;
            const auto samples = [&](int us) { return us * layout.sample_rate_hz() / 1'000'000; };
            const Samples trip = t.tx.timing_advance_samples;  // it sends ahead of what it hears by this
            deaf_.push_back({owner->second, of(a.start_slot) - samples(t.config.ssrtg_us) - trip,
                             of(end_of(a)) + samples(t.config.ssttg_us) - trip});
            ++grants;
        }
        const auto& bursts = last_tx().bursts;
        for (size_t i = 0; i < bursts.size(); ++i) {
            // Burst #1 is for all, with the preamble and the prefix in front of it.
            const Samples from = i == 0 ? start : of(bursts[i].start_slot), until = of(end_of(bursts[i]));
            std::set<size_t> readers;
            PduReader reader(bursts[i].payload);
            while (const auto pdu = reader.next())
                if (const auto owner = owners_.find(pdu->cid()); owner != owners_.end()) readers.insert(owner->second);
            for (const auto& d : deaf_)
                if ((i == 0 || readers.contains(d.station)) && from < d.until && d.from < until) ++violations;
            overlaps_of_others +=
                std::ranges::any_of(deaf_, [&](const auto& d) { return i > 0 && from < d.until && d.from < until; });
        }
    }
    template <class Burst> phy::Slot end_of(const Burst& b) const {
        return b.start_slot.after(b.format.total_symbols(), layout.symbol_slots);
    }
    /// Octets since the last look, by station and direction.
    std::vector<double> delivered(bool downlink) {
        std::vector<double> all;
        for (size_t s = 0; s < terminals.size(); ++s) {
            const uint64_t now = downlink ? terminals[s]->dl_bytes : ul_bytes[station_address(s)];
            all.push_back(static_cast<double>(now - std::exchange(before_[{downlink, s}], now)));
        }
        return all;
    }
    uint64_t grants = 0, violations = 0, overlaps_of_others = 0;

private:
    struct Deaf {
        size_t station;
        Samples from, until;
    };
    std::map<uint16_t, size_t> owners_;  ///< by CID
    std::vector<Deaf> deaf_;
    std::map<std::pair<bool, size_t>, uint64_t> before_;
};

struct Sums {
    double down = 0, up = 0;  ///< octets per frame
    double jain = 1;
};

double jain(const std::vector<double>& x) {
    const double sum = std::accumulate(x.begin(), x.end(), 0.0);
    const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    return squares == 0 ? 0 : sum * sum / (static_cast<double>(x.size()) * squares);
}

Sums sums_of(size_t half_duplex, int frames, uint64_t& violations) {
    Cell cell(8, half_duplex, fdd(8));
    cell.enter();
    cell.saturate(100);
    cell.delivered(true), cell.delivered(false);
    cell.saturate(frames);
    violations = cell.violations;
    EXPECT_EQ(cell.grants > 0, half_duplex > 0);
    EXPECT_EQ(cell.overlaps_of_others > 0, half_duplex > 1) << "others receive while a station transmits";
    EXPECT_EQ(cell.stray_bursts + cell.overlaps, 0U);
    const auto down = cell.delivered(true), up = cell.delivered(false);
    return {std::accumulate(down.begin(), down.end(), 0.0) / frames,
            std::accumulate(up.begin(), up.end(), 0.0) / frames, std::min(jain(down), jain(up))};
}

/// Both sums are at least 90 % of those of full-duplex stations, and the shares are equal.
TEST(HalfDuplexCell, BothDirectionsAreNearlyFull) {
    uint64_t violations = 0;
    const Sums full = sums_of(0, 600, violations);
    EXPECT_EQ(violations, 0U);
    for (const size_t half : {8U, 4U, 2U}) {
        const Sums sums = sums_of(half, 600, violations);
        EXPECT_EQ(violations, 0U) << half;
        EXPECT_GT(sums.down, 0.9 * full.down) << half;
        EXPECT_GT(sums.up, 0.9 * full.up) << half;
        EXPECT_GT(sums.jain, 0.98) << half;
    }
}

/// 10^5 frames.
TEST(HalfDuplexCell, NothingIsSentToAStationThatTransmits) {
    Cell cell(4, 3, fdd(4));
    cell.enter();
    cell.saturate(100'000);
    EXPECT_GT(cell.grants, 100'000U);
    EXPECT_EQ(cell.violations, 0U);
    EXPECT_TRUE(cell.all_operational());
}

/// One station alone has about half of each direction.
TEST(HalfDuplexCell, OneStationHasHalfOfBothDirections) {
    Cell cell(1, 1, fdd(1));
    cell.enter();
    cell.saturate(100);
    cell.delivered(true), cell.delivered(false);
    cell.saturate(300);
    EXPECT_EQ(cell.violations, 0U);
    const double whole = 200 * 108 * 300;
    EXPECT_NEAR(cell.delivered(true)[0] / whole, 0.45, 0.1);
    EXPECT_NEAR(cell.delivered(false)[0] / whole, 0.45, 0.1);
}

/// A cell of full-duplex stations alone does not take them.
TEST(HalfDuplexCell, IsAChoiceOfTheOperator) {
    auto config = fdd(2);
    config.half_duplex_stations = false;
    Cell cell(2, 1, config);
    cell.run(cell.frames(4));
    EXPECT_FALSE(cell.terminals[0]->mac->operational());
    EXPECT_TRUE(cell.terminals[1]->mac->operational());
    EXPECT_TRUE(std::ranges::any_of(cell.events, [](const auto& e) { return e.find("half-duplex") != e.npos; }));
}

}  // namespace test_air_half_duplex
