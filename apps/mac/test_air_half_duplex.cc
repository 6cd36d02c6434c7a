// SPDX-License-Identifier: GPL-3.0-or-later
// Half-duplex stations in FDD: a recorder of the air asserts that the base station sends nothing to a station around
// its grants and over no maps; both directions are nearly full, also with full-duplex stations in the cell.
#include "mac/pdu/cid.h"
#include "mac/policy/policies.h"
#include "mac/scheduler/uplink_scheduler.h"
#include "mac/ss/own_bursts.h"
#include "mac/test_cells.h"
#include "mac/test_multicast.h"

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
            owners_[station["basic_cid"].get<uint16_t>()] = {at};
            owners_[static_cast<uint16_t>(station["basic_cid"].get<uint16_t>() + bs_config.basic_cids)] = {at};
            for (const auto& flow : station["flows"]) owners_[flow["cid"].get<uint16_t>()].insert(at);
        }
    }
    size_t station_at(const std::string& mac) const {
        for (size_t i = 0; i < terminals.size(); ++i)
            if (terminals[i]->status()["mac"] == mac) return i;
        return SIZE_MAX;
    }
    /// More than both directions carry.
    void saturate(int count, const std::function<void(int)>& more = {}) {
        for (int i = 0; i < count; ++i) {
            if (more) more(i);
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
            const size_t station = *owner->second.begin();  // grants are for one
            const auto& t = *terminals[station];
            if (!t.config.half_duplex) continue;
            const auto samples = [&](int us) { return us * layout.sample_rate_hz() / 1'000'000; };
            const Samples trip = t.tx.timing_advance_samples;  // it sends ahead of what it hears by this
            deaf_.push_back({station, of(a.start_slot) - samples(t.config.ssrtg_us) - trip,
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
                if (const auto owner = owners_.find(pdu->cid()); owner != owners_.end())
                    readers.insert(owner->second.begin(), owner->second.end());
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
    std::map<uint16_t, std::set<size_t>> owners_;  ///< by CID; several of a multicast connection
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

/// A loaded scheduler that counts its objects and calls.
struct CountedUplink final : UplinkPolicy {
    struct Counts {
        int objects = 0, calls = 0;
    };
    CountedUplink(const ResourceGrid& grid, Counts& counts) : builtin(grid, {}), of(counts) { ++of.objects; }
    PolicyOutcome schedule(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, uint32_t units,
                           uint32_t max_elements) override {
        ++of.calls;
        return builtin.schedule(claims, flows, units, max_elements);
    }
    UplinkScheduler builtin;
    Counts& of;
};

/// Each group of half-duplex stations has a separate object, and so have the other stations.
TEST(HalfDuplexCell, LoadedSchedulersServeTheGroups) {
    CountedUplink::Counts counts;
    auto config = fdd(6);
    Policies policies;
    policies.uplink = [&counts](const PolicyCell& cell) { return std::make_unique<CountedUplink>(cell.grid, counts); };
    config.policies = std::make_shared<const Policies>(std::move(policies));
    Cell cell(6, 4, config);
    cell.enter();
    const int before = counts.calls;
    constexpr int kFrames = 100;
    cell.saturate(kFrames);
    EXPECT_EQ(cell.violations, 0U);
    EXPECT_EQ(counts.objects, 3);
    EXPECT_GT(counts.calls - before, 2 * kFrames);
    const Json policy = cell.bs_status()["policies"]["ul_scheduler"];
    EXPECT_EQ(policy["calls"], counts.calls);
    EXPECT_EQ(policy["nonsense"], 0);
}

/// Stations begin later in the few frames that have a descriptor, and these are sent when they are due.
TEST(HalfDuplexCell, BeginsEarlierWithoutDescriptors) {
    Cell cell(4, 4, fdd(4));
    cell.enter();
    cell.saturate(200);
    const Json before = cell.bs_status();
    int early = 0, later = 0;
    cell.saturate(1000, [&](int) {
        const auto& grants = cell.last_expect().allocations;
        const auto first = std::ranges::min_element(grants, {}, [](const auto& a) { return a.start_slot.value(); });
        if (first == grants.end()) return;
        const uint32_t symbol = cell.layout.uplink.symbol(first->start_slot);
        const uint32_t longer = cell.layout.max_broadcast_symbols - cell.layout.short_broadcast_symbols;
        EXPECT_GE(longer, 4U);
        early += symbol < longer;
        later += symbol >= longer;
    });
    const Json after = cell.bs_status();
    const auto grown = [&](const char* key) { return after[key].get<double>() - before[key].get<double>(); };
    printf("%d frames begin early, %d later\n", early, later);
    EXPECT_GT(early, 2 * later);
    const auto due = [&](uint32_t interval_ms) { return 1000 * cell.layout.frame_seconds() * 1000 / interval_ms; };
    EXPECT_GT(grown("dcds"), 0.8 * due(cell.bs_config.profile.dcd_interval_ms));
    EXPECT_GT(grown("ucds"), 0.8 * due(cell.bs_config.profile.ucd_interval_ms));
    EXPECT_EQ(grown("ul_maps_failed"), 0);
    EXPECT_EQ(cell.violations, 0U);
}

/// Messages of a station that enters fill burst #1 while others transmit, one of each group. They are far away, and
/// need a longer time before their grants than the layout has.
TEST(HalfDuplexCell, KeepsTheGapAfterALongBurst1) {
    Cell cell(3, 2, fdd(3));
    for (const size_t s : {0U, 1U}) {
        cell.terminals[s]->config.ssrtg_us = 100;
        cell.terminals[s]->link.delay_samples = 200;
        cell.restart(*cell.terminals[s]);
    }
    cell.enter();
    int longest = 0;
    for (int i = 0; i < 10; ++i) {
        cell.restart(*cell.terminals[2]);
        cell.saturate(100, [&](int) {
            longest = std::max(longest, static_cast<int>(cell.last_tx().bursts[0].format.total_symbols()));
        });
    }
    EXPECT_EQ(longest, static_cast<int>(cell.layout.max_broadcast_symbols));
    EXPECT_GT(cell.grants, 1000U);
    EXPECT_EQ(cell.violations, 0U);
}

/// More bursts before the gap than the frame prefix announces: the DL-MAP has the length of the last of them.
TEST(HalfDuplexCell, ABurstBeforeAGapIsFound) {
    auto config = fdd(8);
    for (size_t s = 0; s < 8; ++s) config.stations[s].dl_rate_id = static_cast<uint8_t>(s % phy::kRates);
    Cell cell(8, 8, config);
    cell.enter();
    cell.saturate(100);
    cell.delivered(true);
    size_t most = 0;
    cell.saturate(400, [&](int) { most = std::max(most, cell.last_tx().bursts.size()); });
    EXPECT_GE(most, 8U);
    for (const double down : cell.delivered(true)) EXPECT_GT(down, 80'000);
    EXPECT_EQ(cell.violations, 0U);
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

/// Of both groups and full-duplex, next to saturated traffic: a packet in each frame, then more than there is room for.
TEST(HalfDuplexCell, MulticastIsSentWhenAllOfItsStationsHearIt) {
    for (const size_t half : {4U, 3U, 1U}) {
        auto config = fdd(4);
        for (auto& station : config.stations) {
            station.flows = {flow(FlowDirection::downlink, SchedulingType::best_effort),
                             flow(FlowDirection::uplink, SchedulingType::best_effort)};
            station.flows.push_back(multicast_flow("news"));
        }
        Cell cell(4, half, config);
        cell.enter();
        cell.saturate(200);
        std::vector<uint32_t> sent;
        std::array<std::vector<uint32_t>, 4> heard;
        for (size_t s = 0; s < 4; ++s)
            cell.terminals[s]->mac->on_sdu = [&, s](Octets p) {
                if (p[16] == kGroup >> 24) heard[s].push_back(number_of(p));
            };
        const auto push = [&](size_t octets) {
            sent.push_back(static_cast<uint32_t>(sent.size()));
            EXPECT_TRUE(cell.bs->push_sdu(ip_packet(kServer, kGroup, octets, 5000, sent.back())));
        };
        cell.delivered(true), cell.delivered(false);
        cell.saturate(1000, [&](int i) {
            if (i % 3 == 0) push(700);
        });
        cell.saturate(20);
        for (const auto& of : heard) EXPECT_EQ(of, sent) << half;
        for (const double up : cell.delivered(false)) EXPECT_GT(up, 0.2 * 180 * 108 * 1020) << "its uplink goes on";
        cell.saturate(500, [&](int) {
            for (int k = 0; k < 8; ++k) push(1400);
        });
        for (const auto& of : heard) EXPECT_GT(of.size(), sent.size() / 20);
        for (const double up : cell.delivered(false)) EXPECT_GT(up, 0.1 * 180 * 108 * 500) << "its uplink goes on";
        cell.saturate(2000);
        for (const auto& of : heard) EXPECT_EQ(of, heard[0]) << "all hear each of them";
        EXPECT_EQ(cell.violations, 0U) << half;
        EXPECT_EQ(cell.stray_bursts + cell.overlaps, 0U);
    }
}

/// Promises of half-duplex stations: what the base station admits and what is delivered of it.
struct PromisingCell : Cell {
    PromisingCell(size_t stations, size_t half_duplex) : PromisingCell(stations, half_duplex, fdd(stations)) {}
    PromisingCell(size_t stations, size_t half_duplex, BaseStationConfig config)
        : Cell(stations, half_duplex, std::move(config)) {
        enter();
    }
    /// Empty: it was admitted.
    std::string promise(size_t station, FlowDirection direction, uint32_t bps) {
        const bool up = direction == FlowDirection::uplink;
        FlowCommand command;
        command.id = ++last_id_;
        command.station = mac_of(station);
        command.flow = flow(direction, SchedulingType::ugs, static_cast<uint16_t>(up ? 8000 : 8001), bps);
        command.flow.min_reserved_rate_bps = bps;
        if (const auto begun = bs->change_flow(command); !begun) return begun.error().allowed;
        run(40);
        sources_.push_back({station, up, Source(bps, 500)});
        return "";
    }
    /// The rate that the refusal names.
    uint32_t most(size_t station, FlowDirection direction, std::string& why, uint32_t asked_bps = 10'000'000) {
        why = promise(station, direction, asked_bps);
        const auto at = why.find("at most ");
        return at == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(why.substr(at + 8)));
    }
    /// Packets of all promises at their rates. Returns those that are lost.
    uint64_t lost(int count, const std::function<void()>& more = {}) {
        uint64_t sent = 0, before = arrived();
        const auto push = [&](int) {
            if (more) more();
            for (auto& s : sources_)
                s.source.frame(layout.frame_seconds(), [&](size_t octets) {
                    ++sent;
                    EXPECT_TRUE(s.up ? send(*this, s.station, octets, 8000)
                                     : bs->push_sdu(ip_packet(kServer, station_address(s.station), octets, 8001)));
                });
        };
        for (int n = 0; n < count; ++n) push(n), step(), record();
        for (int n = 0; n < 20; ++n) step(), record();
        return sent - (arrived() - before);
    }

private:
    uint64_t arrived() const {
        uint64_t packets = ul_packets;
        for (const auto& t : terminals) packets += t->dl_packets;
        return packets;
    }
    struct Promised {
        size_t station;
        bool up;
        Source source;
    };
    uint64_t last_id_ = 0;
    std::vector<Promised> sources_;
};
constexpr auto kUp = FlowDirection::uplink, kDown = FlowDirection::downlink;

/// A station alone is refused beyond its part of each direction, though the cell has room. What it gets is delivered.
TEST(HalfDuplexAdmission, AStationAloneHasItsPartOfBothDirections) {
    PromisingCell cell(2, 1);
    std::string why;
    for (const auto direction : {kUp, kDown}) {
        const uint32_t most = cell.most(0, direction, why);
        printf("%s\n", why.c_str());
        EXPECT_NE(why.find("half-duplex stations' part"), std::string::npos) << why;
        EXPECT_GT(most, 6'000'000U);
        EXPECT_LT(most, 8'640'000U) << "half of 200 symbols of 108 octets in 10 ms";
        EXPECT_NE(cell.promise(0, direction, most + 1), "");
        EXPECT_EQ(cell.promise(0, direction, most), "");
        EXPECT_EQ(cell.promise(1, direction, 6'000'000), "") << "a full-duplex station";
    }
    EXPECT_EQ(cell.lost(400), 0U);
    EXPECT_EQ(cell.violations, 0U);
    EXPECT_EQ(cell.bs_status()["reserved"]["flows_without_room"], 0);
}

/// One in each group, whatever the groups were before.
TEST(HalfDuplexAdmission, TwoStationsOfDifferentGroupsHaveHalfEach) {
    PromisingCell cell(3, 3);
    std::string why;
    for (const size_t station : {2U, 0U})
        for (const auto direction : {kUp, kDown}) {
            const uint32_t most = cell.most(station, direction, why);
            EXPECT_GT(most, 6'000'000U) << station << " " << why;
            EXPECT_EQ(cell.promise(station, direction, most), "");
        }
    for (const auto direction : {kUp, kDown}) EXPECT_NE(cell.promise(1, direction, 2'000'000), "");
    EXPECT_EQ(cell.lost(400), 0U);
    EXPECT_EQ(cell.violations, 0U);
}

/// The promises of both groups are kept while multicast packets without a promise are more than there is room for: of
/// both directions, and of the downlink if grants take nothing of it.
TEST(HalfDuplexAdmission, MulticastWithoutAPromiseTakesNoneOfOthers) {
    auto config = fdd(2);
    for (auto& station : config.stations) {
        station.flows = {flow(kDown, SchedulingType::best_effort), flow(kUp, SchedulingType::best_effort)};
        station.flows.push_back(multicast_flow("news"));
    }
    for (const bool both : {true, false}) {
        config.profile.grant_spare = both;
        config.profile.unasked_symbols = both ? config.profile.unasked_symbols : 0;
        PromisingCell cell(2, 2, config);
        std::string why;
        for (const size_t station : {0U, 1U})
            for (const auto direction : {kDown, kUp}) {
                if (direction == kUp && !both) continue;
                const uint32_t most = cell.most(station, direction, why);
                ASSERT_EQ(cell.promise(station, direction, most), "") << why;
            }
        uint64_t heard = 0;
        for (auto& t : cell.terminals)
            t->mac->on_sdu = [&](Octets p) {
                const bool shared = p[16] == kGroup >> 24;
                heard += shared;
                t->dl_packets += !shared;
            };
        const auto flood = [&] {
            for (int k = 0; k < 8; ++k) cell.bs->push_sdu(ip_packet(kServer, kGroup, 1400));
        };
        EXPECT_EQ(cell.lost(400, flood), 0U) << both;
        EXPECT_GT(heard, both ? 0U : 200U) << "what is left";
        EXPECT_EQ(cell.violations, 0U);
    }
}

/// The limit of a full-duplex station is that of the cell.
TEST(HalfDuplexAdmission, FullDuplexStationsHaveTheWholeCell) {
    PromisingCell cell(1, 0);
    std::string why;
    for (const auto direction : {kUp, kDown}) {
        EXPECT_GT(cell.most(0, direction, why, 18'000'000), 13'000'000U) << why;
        EXPECT_EQ(why.find("half-duplex"), std::string::npos) << why;
    }
}

/// The base station grants the last symbols, during which it sends the next maps.
TEST(HalfDuplexStation, CountsTheMapsThatItMissesForItsGrants) {
    for (const bool half_duplex : {true, false}) {
        Cell cell(1, half_duplex, fdd(1));
        auto& t = *cell.terminals[0];
        t.config.lost_ul_map_ms = 15;  // each map restarts it
        cell.restart(t);
        cell.enter();
        const auto cid = t.status()["basic_cid"].get<uint16_t>();
        const Json before = t.status();
        int moved = 0;
        cell.tamper = [&](sap::RxBurst& burst) {
            if (burst.frame_samples == 0 || burst.index != 1 || cell.frame.value() % 4 != 0) return;
            Buffer changed;
            PduWriter writer(changed, burst.payload.size());
            PduReader reader(burst.payload);
            while (const auto pdu = reader.next()) {
                UlMap map;
                if (message_type(pdu->body) == MessageType::ul_map && decode(pdu->body, map)) {
                    for (auto& ie : map.ies)
                        if (ie.cid == cid && ie.duration_symbols > 0 && ++moved > 0)
                            ie.start_symbols = static_cast<uint16_t>(cell.layout.uplink.symbols - ie.duration_symbols);
                    writer.message(pdu->cid(), map);
                } else if (writer.begin(pdu->cid(), true, false)) {
                    writer.payload(pdu->body);
                    writer.finish();
                }
            }
            changed.resize(burst.payload.size(), 0xFF);
            burst.payload = changed;
        };
        cell.run(400);
        cell.tamper = {};
        const Json after = t.status();
        const auto grown = [&](const char* key) { return after[key].get<int>() - before[key].get<int>(); };
        EXPECT_GT(moved, 90);
        EXPECT_EQ(grown("missed_for_grants"), half_duplex ? moved : 0);
        EXPECT_EQ(grown("maps"), half_duplex ? 400 - moved : 400);
        EXPECT_EQ(grown("undecoded_bursts") + grown("unsynchronised_ticks"), 0);
        EXPECT_EQ(grown("restarts"), 0) << cell.terminals[0]->events.back();
        EXPECT_TRUE(t.mac->operational());
    }
}

/// A code is a transmission, too.
TEST(HalfDuplexStation, HearsNothingWhileItSendsACode) {
    OwnBursts own(HalfDuplexGaps{50, 50});
    sap::FrameTick tick;
    tick.sample_rate_hz = 4'000'000;
    tick.cp_denominator = 8;
    sap::TxFrame tx;
    tx.codes.emplace_back().start_slot = phy::Slot(1000);
    own.sent(tick, tx);
    constexpr Samples kFirst = 4000, kEnd = 4000 + 2 * 288, kGap = 200;
    EXPECT_FALSE(own.cover(0, kFirst - kGap));
    EXPECT_TRUE(own.cover(0, kFirst - kGap + 1));
    EXPECT_TRUE(own.cover(kEnd + kGap - 1, kEnd + 1000));
    EXPECT_FALSE(own.cover(kEnd + kGap, kEnd + 1000));
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
