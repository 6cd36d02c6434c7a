// SPDX-License-Identifier: GPL-3.0-or-later
// Promises to service flows in symbols, and whether there is room for one more.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/bs/half_duplex_groups.h"
#include "mac/bs/test_base_parts.h"

#include <algorithm>
#include <random>

using namespace wimax::mac;
using namespace wimax::mac::test;

namespace test_flow_cost {

ServiceFlowConfig voice(FlowDirection direction, SchedulingType type = SchedulingType::ugs) {
    ServiceFlowConfig flow;
    flow.direction = direction;
    flow.scheduling = type;
    flow.max_sustained_rate_bps = 80'000;
    flow.max_latency_ms = 25;
    return flow;
}
ServiceFlowConfig reserved(FlowDirection direction, uint32_t bps, uint8_t priority = 0) {
    ServiceFlowConfig flow;
    flow.direction = direction;
    flow.min_reserved_rate_bps = bps;
    flow.traffic_priority = priority;
    return flow;
}

void fix(Subscriber& station, ProfileId profile) { station.dl_rate = DownlinkRate(profile, profile); }

TEST(FlowCost, IsWhatGrantsAndPacketsTake) {
    // 100 octets per frame, with the packet that may have arrived: 250 in each, with a header, CRC and subheader.
    const auto ugs = cost_of(voice(FlowDirection::uplink), 0.01);
    EXPECT_DOUBLE_EQ(ugs.octets, 262);
    EXPECT_DOUBLE_EQ(ugs.interval, 1);
    EXPECT_DOUBLE_EQ(ugs.bounded_octets, 262);
    // Every fourth 5 ms frame has a grant; all of them may coincide.
    const auto sparse = cost_of(voice(FlowDirection::uplink), 0.005);
    EXPECT_DOUBLE_EQ(sparse.interval, 4);
    EXPECT_DOUBLE_EQ(sparse.mean_octets(), sparse.octets / 4);
    EXPECT_DOUBLE_EQ(sparse.bounded_octets, sparse.octets);
    // Three packets of 100 octets per frame, 14 octets each.
    EXPECT_DOUBLE_EQ(cost_of(reserved(FlowDirection::uplink, 240'000), 0.01).octets, 342);
    EXPECT_DOUBLE_EQ(cost_of(reserved(FlowDirection::downlink, 240'000), 0.01).octets, 342);
    EXPECT_DOUBLE_EQ(cost_of(reserved(FlowDirection::uplink, 240'000), 0.01).bounded_octets, 0);
    // Downlink: 250 octets in 292; of 25 ms one frame is left for them.
    EXPECT_DOUBLE_EQ(cost_of(voice(FlowDirection::downlink), 0.01).bounded_octets, 250 + 3 * 14);
    EXPECT_DOUBLE_EQ(cost_of(voice(FlowDirection::downlink), 0.005).bounded_octets, (250 + 3 * 14) / 4.0);
    EXPECT_FALSE(cost_of({}, 0.01).any());
    ServiceFlowConfig polled;
    polled.direction = FlowDirection::uplink;
    polled.scheduling = SchedulingType::nrtps;
    EXPECT_DOUBLE_EQ(cost_of(polled, 0.01).octets, 6);
    EXPECT_DOUBLE_EQ(cost_of(polled, 0.01).interval, 50);
    polled.scheduling = SchedulingType::rtps;
    EXPECT_DOUBLE_EQ(cost_of(polled, 0.01).interval, 1);
}

BurstShape shape(uint8_t rate, uint8_t width) { return {profile_of_fec_code(rate), width}; }

TEST(FlowCost, OfAStationHasOnePreamble) {
    const FlowCost every{100, 1, 0}, fourth{100, 4, 100}, asking{102, 1, 0, true};
    const FlowCost both[] = {every, every}, mixed[] = {every, fourth};
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, {both, 1}, shape(6, 16)).uplink, 2);  // 101 octets of 108
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, {&asking, 1}, shape(6, 16)).uplink,
                     3);  // with a request of another flow 109 octets
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, both, shape(6, 16)).uplink, 3);
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, both, shape(6, 16)).grants, 1);
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, both, shape(0, 16)).uplink, 1 + 17);  // 201 octets of 12 each
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, mixed, shape(6, 16)).uplink, 2 + 0.25);
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, {&fourth, 1}, shape(6, 16)).uplink, 0.5);
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, {&fourth, 1}, shape(6, 16)).grants, 0.25);
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, {&fourth, 1}, shape(6, 16)).uplink_bounded, 2);
    EXPECT_DOUBLE_EQ(uplink_cost(kSymbolGrid, {&every, 1}, shape(6, 8)).uplink, 3);  // on half of the carriers
    EXPECT_DOUBLE_EQ(downlink_cost(kSymbolGrid, mixed, profile_of_fec_code(6)).downlink, 125 / 108.0);
    EXPECT_DOUBLE_EQ(downlink_cost(kSymbolGrid, mixed, profile_of_fec_code(6)).downlink_bounded, 100 / 108.0);
}

/// Whatever is admitted, a refused flow fits at the rate that is named, and not at 1 bit/s more.
TEST(Reservations, WhatIsSaidToFitDoesAndNoMore) {
    std::mt19937 random(5);
    const auto pick = [&](auto... of) {
        const std::common_type_t<decltype(of)...> all[] = {of...};
        return all[random() % sizeof...(of)];
    };
    const auto any_flow = [&](uint32_t most_bps) {
        ServiceFlowConfig flow;
        flow.direction = pick(FlowDirection::downlink, FlowDirection::uplink);
        flow.scheduling = pick(SchedulingType::best_effort, SchedulingType::nrtps, SchedulingType::rtps,
                               SchedulingType::ertps, SchedulingType::ugs);
        flow.max_latency_ms = pick(0U, 25U, 60U, 200U);
        flow.tolerated_jitter_ms = pick(0U, 0U, 15U);
        flow.min_reserved_rate_bps = pick(0U, 1U, 1U) * (1 + random() % most_bps);
        flow.max_sustained_rate_bps =
            flow.scheduling >= SchedulingType::ertps
                ? std::max(1U, flow.min_reserved_rate_bps) + pick(0U, 1U) * (random() % most_bps)
                : pick(0U, 2U) * flow.min_reserved_rate_bps;
        flow.grant_interval_us = pick(0U, 0U, 20'000U);
        return flow;
    };
    size_t refused_groups = 0, refused = 0, lowered = 0, admitted = 0;
    for (int round = 0; round < 60; ++round) {
        BaseStationConfig config;
        config.frame_duration_code = pick(uint8_t{2}, uint8_t{4}, uint8_t{6});
        const bool groups = round % 4 == 2;  // FDD, and most stations are half-duplex
        config.carriers.duplex_spacing_hz = groups ? -50'000'000 : 0;
        config.half_duplex_stations = groups;
        BaseParts parts(config);
        HalfDuplexGroups half_duplex({parts.stations, parts.multicast, parts.reservations, parts.air, parts.clock});
        std::vector<Subscriber*> stations;
        for (uint8_t i = 1; i <= 1 + random() % 6; ++i) {
            stations.push_back(&parts.operational(i));
            stations.back()->capabilities.half_duplex = groups && i % 4 != 0;
            stations.back()->capabilities.gaps = {50, 70};
            fix(*stations.back(), profile_in_row(random() % 7));
        }
        for (int n = 0; n < 25; ++n) {
            Subscriber& station = *stations[random() % stations.size()];
            const auto wanted = any_flow(round % 2 ? 100'000 : 2'000'000);
            const auto room = parts.reservations.check(station, wanted, nullptr);
            const auto rate = parts.reservations.fitting_rate_bps(station, wanted, nullptr);
            if (room) {
                if (promised_rate_bps(wanted) > 0) {
                    EXPECT_EQ(rate, promised_rate_bps(wanted));
                }
                admitted += parts.flows.add(station, wanted, FlowState::admitted, 1).has_value();
                EXPECT_TRUE(parts.reservations.uses().fits());
                half_duplex.begin_frame();
                HalfDuplexDivision division(parts.air);
                parts.reservations.divide(division);
                EXPECT_TRUE(!groups || division.fits()) << "in the present groups";
                parts.pass(100);
                continue;
            }
            ++refused;
            EXPECT_FALSE(parts.flows.add(station, wanted, FlowState::active, 2));
            if (!rate) {
                EXPECT_FALSE(parts.reservations.check(station, with_rate(wanted, 1), nullptr));
                continue;
            }
            ++lowered;
            EXPECT_LT(*rate, promised_rate_bps(wanted));
            const std::string& why = room.error().allowed;
            refused_groups += why.find("half-duplex stations' part") != std::string::npos;
            EXPECT_NE(why.find(" " + std::to_string(*rate) + " bit/s"), std::string::npos) << why;
            EXPECT_TRUE(parts.reservations.check(station, with_rate(wanted, *rate), nullptr));
            EXPECT_FALSE(parts.reservations.check(station, with_rate(wanted, *rate + 1), nullptr));
        }
    }
    EXPECT_GT(refused_groups, 10U);
    printf("%zu refused by a group\n", refused_groups);
    printf("%zu admitted, %zu refused, %zu of these told a rate\n", admitted, refused, lowered);
    EXPECT_GT(admitted, 300U);
    EXPECT_GT(lowered, 200U);
}

/// A change is counted as the flow would be, not in addition to the present flow.
TEST(Reservations, AChangeStandsInPlaceOfWhatItChanges) {
    BaseParts parts, without;
    Subscriber& station = parts.operational(1);
    ASSERT_TRUE(parts.flows.add(station, reserved(FlowDirection::downlink, 5'000'000, 3), FlowState::active, 1));
    const auto found = std::ranges::find_if(
        station.flows, [](const auto& flow) { return flow->config.min_reserved_rate_bps == 5'000'000; });
    ASSERT_NE(found, station.flows.end());
    const FlowContext& flow = **found;
    const auto more = reserved(FlowDirection::downlink, 6'000'000);
    EXPECT_TRUE(parts.reservations.check(station, more, &flow));
    EXPECT_FALSE(parts.reservations.check(station, more, nullptr));
    const auto wanted = reserved(FlowDirection::downlink, 50'000'000);
    EXPECT_EQ(parts.reservations.fitting_rate_bps(station, wanted, &flow),
              without.reservations.fitting_rate_bps(without.operational(1), wanted, nullptr));
}

/// A station's rate falls: flows served last lose their promises until the rest fits, and regain them later.
TEST(Reservations, WhoIsServedLastSuffersFirst) {
    BaseParts parts;
    Subscriber& near = parts.operational(1);
    Subscriber& far = parts.operational(2);
    ASSERT_TRUE(parts.flows.add(near, reserved(FlowDirection::downlink, 2'000'000, 1), FlowState::active, 1));
    ASSERT_TRUE(parts.flows.add(far, reserved(FlowDirection::downlink, 200'000, 5), FlowState::active, 2));
    ASSERT_TRUE(parts.flows.add(far, reserved(FlowDirection::downlink, 1'000'000, 0), FlowState::active, 3));
    const auto with = [&](Subscriber& s, uint32_t bps) -> FlowContext& {
        for (auto& flow : s.flows)
            if (flow->config.min_reserved_rate_bps == bps) return *flow;
        throw std::logic_error("no such flow");
    };
    const auto held = [&] {
        parts.pass(200);
        parts.reservations.review();
        return std::array{with(near, 2'000'000).held, with(far, 200'000).held, with(far, 1'000'000).held};
    };
    EXPECT_EQ(held(), (std::array{true, true, true}));
    fix(far, profile_in_row(0));  // 9 times the symbols
    EXPECT_EQ(held(), (std::array{true, true, false}));
    EXPECT_EQ(parts.reservations.flows_without_room(), 1U);
    fix(near, profile_in_row(1));
    EXPECT_EQ(held(), (std::array{false, true, false}));
    EXPECT_EQ(parts.reservations.counters().overbooked, 2U);
    EXPECT_FALSE(parts.reservations.uses().fits());
    // A flow may still be promised what it has, or less, but not more.
    EXPECT_TRUE(parts.reservations.check(near, reserved(FlowDirection::downlink, 1'900'000), &with(near, 2'000'000)));
    EXPECT_FALSE(parts.reservations.check(near, reserved(FlowDirection::downlink, 1'900'000), nullptr));
    fix(far, profile_in_row(6));
    fix(near, profile_in_row(6));
    EXPECT_EQ(held(), (std::array{true, true, true}));
    EXPECT_EQ(parts.lines_with("have room again"), 1U);
}

/// Without its promises an uplink flow claims its requested octets like any other, and UGS its grants.
TEST(Reservations, AFlowWithoutRoomIsOwedNothing) {
    BaseParts parts;
    Subscriber& station = parts.operational(1);
    ASSERT_TRUE(parts.flows.add(station, voice(FlowDirection::uplink), FlowState::active, 1));
    for (const uint16_t tid : parts.asked(station)) parts.respond(station, tid);
    FlowContext* ugs = nullptr;
    for (auto& flow : station.flows)
        if (flow->config.scheduling == SchedulingType::ugs) ugs = flow.get();
    ASSERT_TRUE(ugs && ugs->active);
    const auto claim = [&] {
        parts.pass(10);
        parts.demand.collect(parts.stations);
        return parts.demand.flows()[0];
    };
    const auto owed = claim();
    EXPECT_EQ(owed.unasked_octets, 262U);
    EXPECT_EQ(owed.deadline, parts.clock.now);
    ugs->held = false;
    const auto asked = claim();
    EXPECT_EQ(asked.unasked_octets, 0U);
    EXPECT_EQ(asked.backlog_octets, 2 * 262U);  // with what it was not granted
    EXPECT_EQ(asked.deadline, kNoDeadline);
    parts.demand.spend(station, 400);
    EXPECT_EQ(claim().backlog_octets, 524U - 400U + 250U + 24U);
}

/// A provisioned flow without room stays provisioned only, and is brought up when a packet finds room for it.
TEST(Reservations, AProvisionedFlowWaitsForRoom) {
    BaseStationConfig config;
    config.stations.resize(1);
    config.stations[0].mac = BaseParts::address(1);
    config.stations[0].flows = {reserved(FlowDirection::downlink, 6'000'000, 3),
                                reserved(FlowDirection::downlink, 3'000'000), reserved(FlowDirection::uplink, 1000)};
    config.stations[0].flows[1].classifiers.resize(1);
    BaseParts parts(config);
    Subscriber& station = parts.operational(1);
    ASSERT_EQ(station.entry.state(), EntryState::operational);
    auto& first = *station.flow_by_sfid(1);
    auto& second = *station.flow_by_sfid(2);
    EXPECT_EQ(first.state(), FlowState::active);
    EXPECT_EQ(second.state(), FlowState::provisioned);
    EXPECT_NE(second.refusal.find("the downlink has no room for it: at most "), std::string::npos) << second.refusal;
    EXPECT_EQ(parts.reservations.counters().refused, 1U);
    const std::vector<uint8_t> packet(100, 0x45);
    second.transmitter->push(packet, 0, 0);
    parts.flows.run_timers(station);
    EXPECT_TRUE(parts.asked(station).empty());
    EXPECT_EQ(parts.reservations.counters().refused, 2U);
    EXPECT_EQ(parts.lines_with("is not admitted"), 1U);  // reported once
    parts.flows.run_timers(station);
    EXPECT_EQ(parts.reservations.counters().refused, 2U);  // not asked again in every frame
    ASSERT_TRUE(parts.flows.remove(station, 1, 1));
    parts.pass(1100);
    parts.flows.run_timers(station);
    EXPECT_TRUE(station.transactions.busy(2));
}

TEST(Reservations, MayBeSwitchedOff) {
    BaseStationConfig config;
    config.admission_control = false;
    BaseParts parts(config);
    Subscriber& station = parts.operational(1);
    EXPECT_TRUE(parts.flows.add(station, reserved(FlowDirection::uplink, 100'000'000), FlowState::active, 1));
    parts.reservations.review();
    EXPECT_TRUE(station.flows.back()->held);
}

}  // namespace test_flow_cost
