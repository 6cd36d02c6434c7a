// SPDX-License-Identifier: GPL-3.0-or-later
// A base station's frames and received bursts, component by component: claims of flows, regions and grants of a UL-MAP,
// downlink bursts and shares, requests and measurements of bursts.
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/bs/multicast_connections.h"
#include "mac/bs/multicast_member.h"
#include "mac/bs/station_rest.h"
#include "mac/bs/test_base_parts.h"
#include "mac/scheduler/downlink_scheduler.h"
#include "mac/test_packets.h"

#include <set>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_frames {

BaseStationConfig bare() {
    BaseStationConfig config;
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    config.t27_idle_ms = config.t27_active_ms = 2500;
    return config;
}
ServiceFlowConfig uplink_flow(SchedulingType type) {
    ServiceFlowConfig flow;
    flow.direction = FlowDirection::uplink;
    flow.scheduling = type;
    return flow;
}
/// One registered station with one uplink flow, `flow`.
struct OneFlow : BaseParts {
    explicit OneFlow(const ServiceFlowConfig& flow) : BaseParts(with(flow)), station(operational(1)) {}
    static BaseStationConfig with(const ServiceFlowConfig& flow) {
        auto config = bare();
        config.unknown_station->flows = {flow};
        return config;
    }
    const FlowClaim& claim() {
        demand.collect(stations);
        EXPECT_EQ(demand.flows().size(), 1U);
        return demand.flows()[0];
    }
    FlowContext& flow() { return uplink(station); }
    Subscriber& station;
};

TEST(UplinkDemand, UgsIsDueUnasked) {
    auto voice = uplink_flow(SchedulingType::ugs);
    voice.max_sustained_rate_bps = 80'000;  // 100 octets per frame
    OneFlow p(voice);
    EXPECT_EQ(p.claim().unasked_octets, 112U);  // header, CRC and fragmentation subheader
    EXPECT_EQ(p.claim().unasked_octets, 224U);  // the one before was not granted
    EXPECT_EQ(p.claim().deadline, p.clock.now);
    EXPECT_EQ(p.claim().reserved_octets, 0U);
    EXPECT_EQ(p.claim().unasked_octets, 448U);
    EXPECT_EQ(p.claim().unasked_octets, 448U);  // four frames at most
    EXPECT_EQ(p.demand.spend(p.station, 500), 52U);
    EXPECT_EQ(p.claim().unasked_octets, 112U);
    EXPECT_EQ(p.demand.claims()[0].cid, p.station.basic_cid);
    EXPECT_EQ(p.demand.claims()[0].flow_count, 1U);
}

TEST(UplinkDemand, PollsComeAtTheirInterval) {
    auto polled = uplink_flow(SchedulingType::rtps);
    polled.grant_interval_us = 40'000;
    OneFlow p(polled);
    std::vector<int> polls;
    for (int frame = 0; frame < 13; ++frame) {
        if (p.claim().poll) polls.push_back(frame);
        p.demand.spend(p.station, 11);
        p.pass(10);
    }
    EXPECT_EQ(polls, (std::vector<int>{0, 4, 8, 12}));
    EXPECT_EQ(p.claim().deadline, kNoDeadline);
}

/// An interval that is no multiple of the frame is met by the nearest frame: half a frame late at most, never two in a
/// row late.
TEST(UplinkDemand, PollsKeepToIntervalsThatAreNoMultipleOfTheFrame) {
    for (const uint8_t frame_code : {uint8_t{0}, uint8_t{2}, uint8_t{4}}) {
        auto config = bare();
        config.frame_duration_code = frame_code;
        for (const uint32_t us : {4000U, 7000U, 12'000U, 16'000U, 22'000U, 26'000U, 33'333U, 47'000U}) {
            auto polled = uplink_flow(SchedulingType::rtps);
            polled.grant_interval_us = us;
            config.unknown_station->flows = {polled};
            BaseParts p(config);
            Subscriber& station = p.operational(1);
            const double frame_us = p.layout.frame_seconds() * 1e6;
            double last = -1;
            for (int frame = 0; frame < 200; ++frame) {
                p.demand.collect(p.stations);
                ASSERT_EQ(p.demand.flows().size(), 1U);
                if (p.demand.flows()[0].poll) {
                    const double gap = last < 0 ? us : frame * frame_us - last;
                    EXPECT_LE(gap, std::max<double>(us + frame_us / 2, frame_us) + 1) << us << " of " << frame_us;
                    EXPECT_GE(gap, us - frame_us / 2 - 1) << us << " of " << frame_us;
                    last = frame * frame_us;
                    p.demand.spend(station, 11);
                }
                p.clock.now += p.layout.frame_samples();
            }
            EXPECT_GT(last, 0);
        }
    }
}

/// T27: a silent station is polled when its time is over, not a sample before; the short one holds after a miss.
TEST(UplinkDemand, T27RunsFromTheLastBurstOrGrant) {
    for (const bool missed : {false, true}) {
        auto config = bare();
        config.t27_idle_ms = 1000;
        config.t27_active_ms = 100;
        BaseParts p(config);
        Subscriber& station = p.operational(1);
        const auto polled = [&] {
            p.demand.collect(p.stations);
            return p.demand.claims().at(0).poll;
        };
        if (missed) station.health.grant_missed();
        const int64_t ms = missed ? 100 : 1000;
        p.pass(ms);
        p.clock.now -= 1;
        EXPECT_FALSE(polled());
        p.clock.now += 1;
        EXPECT_TRUE(polled());
        station.requests.granted(p.clock.frame, 0, p.clock.now);
        EXPECT_FALSE(polled());
        p.pass(ms / 2);
        station.health.heard(p.clock.now);
        if (missed) station.health.grant_missed();
        p.pass(ms);
        p.clock.now -= 1;
        EXPECT_FALSE(polled());
        p.clock.now += 1;
        EXPECT_TRUE(polled());
        station.requests.granted(p.clock.frame, 0, p.clock.now);
        station.health.challenge();
        EXPECT_TRUE(polled());
        station.health.end_challenge();
        EXPECT_FALSE(polled());
        station.requests.want_poll(true);
        EXPECT_TRUE(polled());
    }
}

TEST(UplinkDemand, ReservedRateIsPartOfWhatIsAskedFor) {
    auto reserved = uplink_flow(SchedulingType::best_effort);
    reserved.min_reserved_rate_bps = 80'000;  // a bucket of 3200 octets, 100 more per frame
    OneFlow p(reserved);
    p.flow().requests.ask(RequestType::aggregate, 5000, true);
    EXPECT_EQ(p.claim().backlog_octets, 5000U);
    EXPECT_EQ(p.claim().reserved_octets, 4160U);  // PDUs of small packets, until their overhead is known
    EXPECT_EQ(p.demand.spend(p.station, 4160), 4160U);
    EXPECT_EQ(p.claim().reserved_octets, 0U);
    p.pass(10);
    EXPECT_EQ(p.claim().reserved_octets, 130U);
    p.flow().rates.overhead.pdu(39'700);
    p.flow().rates.overhead.sdu(39'000);  // 41 000 of 40 000
    EXPECT_EQ(p.claim().reserved_octets, 102U);
}

/// A piece without room for a fragment pays nothing; after a longer one the next piece needs its own overhead.
TEST(UplinkDemand, CutGrantsOfUgsLeaveTheRestOwed) {
    auto voice = uplink_flow(SchedulingType::ugs);
    voice.max_sustained_rate_bps = 80'000;
    for (const auto& [paid, owed] : {std::pair{0, 100}, {39, 100}, {40, 72}, {100, 12}, {111, 1}, {112, 0}}) {
        OneFlow p(voice);
        EXPECT_EQ(p.claim().unasked_octets, 112U);
        EXPECT_EQ(p.demand.spend(p.station, static_cast<size_t>(paid)), 0U);
        EXPECT_NEAR(p.flow().dues.owed_octets(), owed, 1e-9) << paid;
    }
    // The same after half a packet was sent.
    for (const auto& [paid, owed] : {std::pair{39, 150}, {40, 122}}) {
        OneFlow p(voice);
        p.claim();
        p.demand.spend(p.station, 62);  // half of the packet, with its overhead
        EXPECT_NEAR(p.flow().dues.owed_octets(), 50, 1e-9);
        EXPECT_EQ(p.claim().unasked_octets, 150U + 2 * 12);
        p.demand.spend(p.station, static_cast<size_t>(paid));
        EXPECT_NEAR(p.flow().dues.owed_octets(), owed, 1e-9) << paid;
    }
}

/// A request in contention may be any station's: until the station has used a grant it gets five symbols per frame.
TEST(UplinkDemand, ARequestThatNobodyProvedBringsLittle) {
    OneFlow p(uplink_flow(SchedulingType::best_effort));
    p.flow().requests.ask(RequestType::aggregate, 50'000, true);
    p.claim();
    EXPECT_EQ(p.demand.claims()[0].most_requested_octets, SIZE_MAX);
    p.station.requests.doubt(p.clock.frame);
    p.claim();
    EXPECT_EQ(p.demand.claims()[0].most_requested_octets, kSymbolGrid.octets_in({p.station.grant_profile()}, 5));
}

TEST(UplinkScheduler, FlowsAddToTheirStation) {
    ServiceHistory histories[2];
    std::vector<UplinkClaim> claims(2);
    for (size_t i = 0; i < 2; ++i) {
        claims[i].cid = static_cast<uint16_t>(i + 1);
        claims[i].shape.profile = profile_of_fec_code(6);
        claims[i].history = &histories[i];
        claims[i].first_flow = i;
        claims[i].flow_count = 1;
    }
    std::vector<FlowClaim> flows(2);
    flows[0].backlog_octets = bytes_in(6, 20);
    flows[0].reserved_octets = bytes_in(6, 10);
    flows[1].unasked_octets = bytes_in(6, 3) - kHeaderOctets;
    flows[1].poll = true;
    UplinkScheduler scheduler(kSymbolGrid, {0, false, 64});
    auto round = claims;
    scheduler.schedule(round, flows, 97, 64);
    EXPECT_EQ(round[0].units, 20U);
    EXPECT_EQ(round[1].units, 3U);
    round = claims;
    scheduler.schedule(round, flows, 16, 64);  // reserved octets and polls are first
    EXPECT_EQ(round[0].units, 11U);
    EXPECT_EQ(round[1].units, 3U);
    round = claims;
    round[0].most_requested_octets = bytes_in(6, 5);
    flows[0].reserved_octets = 0;
    scheduler.schedule(round, flows, 97, 64);
    EXPECT_EQ(round[0].units, 5U);
}

TEST(DownlinkScheduler, GuaranteesThenFairShares) {
    ServiceHistory histories[2];
    std::vector<DownlinkClaim> claims(2);
    std::vector<FlowClaim> flows(3);
    for (size_t i = 0; i < 2; ++i) {
        claims[i].shape.profile = profile_of_fec_code(6);
        claims[i].history = &histories[i];
        claims[i].first_flow = i;
        claims[i].flow_count = i + 1;  // the second one has two
        flows[i].backlog_octets = 108 * 100;
    }
    DownlinkScheduler scheduler(kSymbolGrid);
    scheduler.schedule(claims, flows, 60);
    EXPECT_NEAR(claims[0].units, 30, 1e-9);
    EXPECT_NEAR(claims[1].units, 30, 1e-9);
    flows[2].backlog_octets = flows[2].reserved_octets = 108 * 20;
    claims[0].management_octets = 108;
    scheduler.schedule(claims, flows, 60);
    EXPECT_NEAR(claims[0].units, 1 + 19.5, 1e-9);
    EXPECT_NEAR(claims[1].units, 20 + 19.5, 1e-9);
    claims[1].weight = 2;
    flows[2] = {};
    claims[0].management_octets = 0;
    scheduler.schedule(claims, flows, 60);
    EXPECT_NEAR(claims[1].units, 40, 1e-9);
    histories[0].served = 30;  // it is ahead by thirty symbols
    scheduler.schedule(claims, flows, 30);
    EXPECT_NEAR(claims[0].units, 0, 1e-9);
    flows[0].backlog_octets = 107;
    flows[1].backlog_octets = 0;
    scheduler.schedule(claims, flows, 60);
    EXPECT_NEAR(claims[0].units, 1, 1e-9);
    EXPECT_NEAR(claims[1].units, 1.0 / 108, 1e-9);
}

TEST(UplinkPlanner, RegionsThenGrants) {
    BaseParts p(bare());
    p.planner.restart();
    p.planner.plan();  // no station: an open region to range, one to ask
    ASSERT_EQ(p.plan.map().ies.size(), 3U);
    EXPECT_EQ(p.plan.map().ies[0], (UlMapIe{cid::kBroadcast, 0, 16, 2, 2, 0, {}, {}, {}}));
    EXPECT_EQ(p.plan.map().ies[1], (UlMapIe{cid::kBroadcast, 2, 16, 1, 6, 0, {}, {}, {}}));
    EXPECT_EQ(p.plan.map().ies[2].uiuc, uiuc::kEndOfMap);
    EXPECT_EQ(p.plan.map().ies[2].start_symbols, 8);
    ASSERT_NE(p.plan.expected(phy::FrameNumber(101)), nullptr);
    EXPECT_EQ(p.plan.expected(phy::FrameNumber(102)), nullptr);
    EXPECT_EQ(p.plan.expected(phy::FrameNumber(101))->at(1).search_slots, 2 * 72);
    Subscriber& station = p.operational(1);
    p.uplink(station).requests.ask(RequestType::aggregate, bytes_in(6, 10), true);
    p.clock.frame = phy::FrameNumber(102);
    p.pass(10);
    p.planner.plan();
    ASSERT_EQ(p.plan.map().ies.size(), 3U);
    const UlMapIe& grant = p.plan.map().ies[1];
    EXPECT_EQ(grant.cid, 1);
    EXPECT_EQ(grant.uiuc, uiuc_of(profile_in_row(6)));
    EXPECT_EQ(grant.start_symbols, 2);
    EXPECT_EQ(grant.duration_symbols, 11);
    EXPECT_EQ(p.uplink(station).requests.octets(), 0U);
    sap::RxBurst burst;
    burst.frame_number = sap::FrameNumber(102);
    burst.start_slot = p.layout.uplink.slot(2);
    EXPECT_FALSE(p.plan.place_of(burst));  // another station may use other subchannels
    burst.cid = 1;
    ASSERT_TRUE(p.plan.place_of(burst));
    EXPECT_EQ(p.plan.place_of(burst)->first, 2U);
    EXPECT_EQ(p.plan.place_of(burst)->count, 11U);
    EXPECT_EQ(p.plan.symbols().data, 10U);
    EXPECT_EQ(p.plan.symbols().contention, 4U);
    p.plan.withdraw();
    EXPECT_TRUE(p.plan.expected(phy::FrameNumber(102))->empty());
    p.plan.forget();
    EXPECT_EQ(p.plan.expected(phy::FrameNumber(101)), nullptr);
}

/// A served station gets a region that is searched two symbols sooner. Against interference at one place of each frame,
/// every fourth request region and every other ranging region is last; a profile may fix their places.
TEST(UplinkPlanner, RegionsTurn) {
    for (const bool turns : {true, false}) {
        auto config = bare();
        config.profile.turn_regions = turns;
        config.profile.ranging_interval_ms = 0;
        BaseParts p(config);
        p.planner.restart();
        std::array<std::vector<int>, 2> begins;  // of requests, of ranging
        for (uint32_t n = 0; n < 8; ++n) {
            p.clock.frame = phy::FrameNumber(100 + n);
            p.planner.plan();
            for (const auto& ie : p.plan.map().ies) {
                if (ie.uiuc == uiuc::kReqRegionFull) begins[0].push_back(ie.start_symbols);
                if (ie.uiuc == uiuc::kInitialRanging) begins[1].push_back(ie.start_symbols);
            }
        }
        EXPECT_EQ(std::set(begins[0].begin(), begins[0].end()).size() > 1, turns);
        EXPECT_EQ(std::set(begins[1].begin(), begins[1].end()).size() > 1, turns);
        EXPECT_EQ(begins[0].size(), 8U);
    }
}

TEST(UplinkPlanner, InvitationsAreSearchedSooner) {
    BaseParts p(bare());
    Subscriber& station = p.operational(1);
    station.invitations.begin(p.clock.now, p.clock.from_ms(40), true);
    p.planner.plan();
    const auto& allocations = *p.plan.expected(phy::FrameNumber(101));
    const auto found = std::find_if(allocations.begin(), allocations.end(), [](const auto& a) { return a.cid == 1; });
    ASSERT_NE(found, allocations.end());
    EXPECT_EQ(found->search_slots, 4 * 72);
    sap::RxBurst burst;
    burst.frame_number = sap::FrameNumber(101);
    burst.start_slot = found->start_slot;
    EXPECT_EQ(p.plan.early_samples(burst), 0U);
    burst.cid = 1;
    EXPECT_EQ(p.plan.early_samples(burst), 2U * 288);
    EXPECT_EQ(found->start_slot, p.layout.uplink.slot(2));
    EXPECT_EQ(p.plan.map().ies[1].start_symbols, 4);
    EXPECT_FALSE(station.invitations.owed());
}

/// While others have something to send, one invitation per frame: for the one that asked last.
TEST(UplinkPlanner, TheLatestIsInvitedFirst) {
    BaseParts p(bare());
    FlowContext& busy = p.uplink(p.operational(1));
    for (uint8_t i = 2; i <= 4; ++i) {
        p.pass(10);
        p.range(i, {-70, 30, -30, 25, 0});
    }
    for (const uint16_t expected : {4, 3, 2}) {
        p.clock.frame = p.clock.frame + 1;
        busy.requests.ask(RequestType::aggregate, 1000, true);
        p.planner.plan();
        std::vector<uint16_t> invited;
        for (const auto& ie : p.plan.map().ies)
            if (ie.uiuc == uiuc::kInitialRanging && ie.cid != cid::kBroadcast) invited.push_back(ie.cid);
        EXPECT_EQ(invited, (std::vector<uint16_t>{expected}));
    }
}

/// A cell with codes for requests on subchannels; all codes of one opportunity are heard, each on its own channel.
struct CodeCell : BaseParts {
    static BaseStationConfig config_of(uint32_t codes, uint32_t fewest) {
        auto of = bare();
        of.profile.request_symbols = 0;
        of.profile.focused_opportunities = 1;
        of.profile.focused_subchannel_codes = codes;
        of.subchannelization.enable = codes > 0;
        of.subchannelization.fewest = fewest;
        return of;
    }
    explicit CodeCell(BaseStationConfig of) : BaseParts(std::move(of)) {
        EXPECT_EQ(validate(config).str(), "");
        planner.restart();
        planner.plan();
        sap::RxContention heard;
        heard.frame_number = plan.frame();
        heard.start_slot = plan.contention_slots(plan.frame())[0];
        for (uint8_t code = 0; code < 8; ++code) heard.codes.push_back({{code, code}, 20, -80, 1});
        focused.heard(heard);
        clock.frame = clock.frame + 1;
        planner.plan();
    }
    std::vector<UlMapIe> answers() const {
        std::vector<UlMapIe> all;
        for (const auto& ie : plan.map().ies)
            if (ie.uiuc == uiuc::kFocusedContention) all.push_back(ie);
        return all;
    }
};

/// Every value of UCD TLV 151 and each width: places on subchannels are side by side, and the PHY expects bursts there.
TEST(FocusedContentionService, CodesForSubchannelsGetPlacesThere) {
    const std::map<uint32_t, uint16_t> symbols{{1, 11}, {2, 6}, {4, 4}, {8, 3}};
    for (const auto& [fewest, length] : symbols)
        for (uint32_t codes = 0; codes <= 8; ++codes) {
            SCOPED_TRACE(std::to_string(fewest) + " subchannels, " + std::to_string(codes) + " codes");
            CodeCell p(CodeCell::config_of(codes, fewest));
            EXPECT_EQ(p.broadcasts.ucd().focused_codes.has_value(), codes > 0);
            EXPECT_EQ(p.broadcasts.ucd().focused_codes.value_or(0), codes);
            const auto answers = p.answers();
            ASSERT_EQ(answers.size(), 8U);
            std::map<uint16_t, uint32_t> taken;  // by symbol: single subchannels
            size_t whole = 0;
            for (const auto& ie : answers) {
                const bool narrow = ie.focused.code < codes;
                const uint32_t width = subchannels_in(ie.subchannel);
                EXPECT_EQ(width, narrow ? fewest : 16U);
                EXPECT_EQ(ie.duration_symbols, narrow ? length : 2);
                EXPECT_EQ(ie.cid, cid::kBroadcast);
                whole += narrow ? 0 : 1;
                const uint32_t these = ((1U << width) - 1) << (ie.subchannel - width) / 2;
                for (uint16_t s = ie.start_symbols; s < ie.start_symbols + ie.duration_symbols; ++s) {
                    EXPECT_EQ(taken[s] & these, 0U) << s;
                    taken[s] |= these;
                }
                const auto* expected = p.plan.expected(p.plan.frame());
                ASSERT_TRUE(expected);
                EXPECT_EQ(std::ranges::count_if(*expected,
                                                [&](const auto& a) {
                                                    return a.kind == sap::BurstKind::contention &&
                                                           a.start_slot == p.layout.uplink.slot(ie.start_symbols) &&
                                                           a.format.subchannel_index == ie.subchannel &&
                                                           a.format.data_symbols == ie.duration_symbols - 1 &&
                                                           a.format.iuc == uiuc::kFocusedContention;
                                                }),
                          1);
            }
            const uint32_t per_run = 16 / fewest, runs = (codes + per_run - 1) / per_run;
            const uint32_t used = 2 + 2 * static_cast<uint32_t>(whole) + runs * length;
            uint32_t ranging = 0;
            for (const auto& ie : p.plan.map().ies)
                ranging += ie.uiuc == uiuc::kInitialRanging ? ie.duration_symbols : 0;
            EXPECT_EQ(p.plan.region_symbols(), used + ranging);
            EXPECT_EQ(p.plan.symbols().contention, 2 + used);  // with the opportunity of the first frame
            EXPECT_EQ(taken.size(), used - 2);
        }
}

/// A response identifies the code's frame by four bits: it is sent at most eight frames later.
TEST(FocusedContentionService, AnswersNoCodeTooLate) {
    auto config = bare();
    config.profile.focused_opportunities = 1;
    BaseParts p(config);
    p.planner.restart();
    p.planner.plan();
    const auto answers_after = [&](uint32_t frames) {
        sap::RxContention heard;
        heard.frame_number = p.plan.frame();
        heard.start_slot = p.plan.contention_slots(p.plan.frame())[0];
        heard.codes.resize(1);
        p.focused.heard(heard);
        const uint64_t before = p.focused.counters().answers;
        p.clock.frame = p.clock.frame + static_cast<int>(frames);
        p.planner.plan();
        EXPECT_EQ(p.focused.waiting(), 0U);
        return p.focused.counters().answers - before;
    };
    EXPECT_EQ(answers_after(8), 1U);
    EXPECT_EQ(p.focused.counters().dropped, 0U);
    EXPECT_EQ(answers_after(9), 0U);
    EXPECT_EQ(p.focused.counters().dropped, 1U);
    // Codes outside of every opportunity belong to no station's request.
    p.planner.plan();
    sap::RxContention elsewhere;
    elsewhere.frame_number = p.plan.frame();
    elsewhere.start_slot = p.plan.contention_slots(p.plan.frame())[0].after(1, 1);
    elsewhere.codes.resize(2);
    p.focused.heard(elsewhere);
    EXPECT_EQ(p.focused.waiting(), 0U);
    EXPECT_EQ(p.focused.counters().dropped, 3U);
}

/// Three stations that accept unclaimed packets.
struct Open : BaseParts {
    Open() : BaseParts(bare()) {
        for (uint8_t i = 1; i <= 3; ++i) operational(i);
    }
    std::vector<size_t> waiting() const {
        std::vector<size_t> packets;
        for (const auto& item : stations.stations())
            packets.push_back(item.second->flows[0]->transmitter->backlog_packets());
        return packets;
    }
    bool hear(uint16_t from, uint32_t source) {
        return sources.admits(*stations.find(from), ip_packet(source, kServer, 100));
    }
};

TEST(DownlinkRouter, LearntAddressesGoWithTheirStation) {
    Open p;
    p.router.begin_frame();
    EXPECT_TRUE(p.hear(2, 0x0A000777));
    EXPECT_TRUE(p.router.push(ip_packet(kServer, 0x0A000777, 100)));
    EXPECT_EQ(p.waiting(), (std::vector<size_t>{0, 1, 0}));
    p.admission.remove(2, "test");
    EXPECT_TRUE(p.router.push(ip_packet(kServer, 0x0A000777, 100)));
    EXPECT_EQ(p.waiting(), (std::vector<size_t>{1, 1}));
}

TEST(DownlinkRouter, MulticastHasNoPlace) {
    Open p;
    p.router.begin_frame();
    EXPECT_FALSE(p.hear(2, 0xE0000001));
    EXPECT_FALSE(p.hear(2, 0));
    EXPECT_TRUE(p.router.push(ip_packet(kServer, 0xE0000001, 100)));
    EXPECT_EQ(p.waiting(), (std::vector<size_t>{1, 1, 1}));
    EXPECT_TRUE(p.router.push(ip_packet(kServer, 0x0A000888, 100)));
    EXPECT_FALSE(p.router.push(ip_packet(kServer, 0x0A000888, 100)));  // nine copies would be one too many
    EXPECT_EQ(p.router.counters().unlearnt, 1U);
}

TEST(DownlinkBuilder, OneBurstForEachRate) {
    BaseStationConfig config = bare();
    for (uint8_t i = 0; i < 3; ++i) {
        config.stations.emplace_back();
        config.stations.back().mac = BaseParts::address(static_cast<uint8_t>(i + 1));
        config.stations.back().dl_rate_id = i == 0 ? 6 : 2;
        config.stations.back().ip_addresses = {{station_address(i), 0xFFFFFFFF}};
    }
    BaseParts p(config);
    for (uint8_t i = 1; i <= 3; ++i) p.operational(i);
    p.replies.clear();
    for (size_t i = 0; i < 3; ++i)
        for (int n = 0; n < 2; ++n) EXPECT_TRUE(p.router.push(ip_packet(kServer, station_address(i), 100)));
    EXPECT_FALSE(p.router.push(ip_packet(kServer, station_address(7), 100)));
    p.planner.plan();
    sap::TxFrame tx;
    p.downlink.build(tx);
    ASSERT_EQ(tx.bursts.size(), 3U);
    EXPECT_EQ(tx.bursts[0].start_slot, 3U * 72);
    EXPECT_EQ(tx.bursts[0].format.rate_id, 1);
    EXPECT_EQ(tx.bursts[1].format.rate_id, 2);
    EXPECT_EQ(tx.bursts[1].format.iuc, diuc_of(profile_in_row(2)));
    EXPECT_EQ(tx.bursts[1].start_slot, (3U + tx.bursts[0].format.data_symbols) * 72);
    EXPECT_EQ(tx.bursts[2].format.rate_id, 6);
    EXPECT_EQ(tx.bursts[2].start_slot, tx.bursts[1].start_slot + tx.bursts[1].format.data_symbols * 72U);
    // Four packets at 36 octets per symbol, two at 108.
    EXPECT_EQ(p.downlink.counters().payload_bytes, tx.bursts[1].payload.size() + tx.bursts[2].payload.size());
    EXPECT_EQ(tx.bursts[1].format.data_symbols, symbols_for(2, tx.bursts[1].payload.size()));
    EXPECT_GE(tx.bursts[1].payload.size(), 4U * 100);
    EXPECT_GE(tx.bursts[2].payload.size(), 2U * 100);
    EXPECT_EQ(p.broadcast.counters().ul_maps, 1U);
    EXPECT_EQ(p.downlink.counters().dl_maps, 1U);
    p.clock.frame = phy::FrameNumber(102);
    p.pass(10);
    p.planner.plan();
    p.downlink.build(tx);
    EXPECT_EQ(tx.bursts.size(), 1U);  // the queues are empty
    EXPECT_EQ(p.downlink.counters().dl_maps, 1U);
    EXPECT_EQ(p.symbols.preamble, 4U);
    EXPECT_EQ(p.router.counters().unclassified, 1U);
}

/// An air interface that exists in tests only: slots of a region, other codes, neither maps nor zones.
constexpr std::array<BurstProfile, 2> kSlotProfiles{{{"QPSK CTC 1/2", 6, 0, 3}, {"64-QAM CTC 5/6", 30, 0, 20}}};

class SlotGrid final : public ResourceGrid {
public:
    constexpr SlotGrid() : ResourceGrid(BurstProfiles(kSlotProfiles), {}) {}
    constexpr uint32_t units_for(const BurstShape& shape, size_t octets) const override {
        const size_t slot = profiles()[shape.profile].octets_per_unit;
        return static_cast<uint32_t>((octets + slot - 1) / slot);
    }
    constexpr size_t octets_in(const BurstShape& shape, uint32_t units) const override {
        return size_t{units} * profiles()[shape.profile].octets_per_unit;
    }
};
constexpr SlotGrid kSlotGrid;

class SlotFrame final : public DownlinkFrame {
public:
    void use_antennas(int) override {}
    std::optional<Hearing> hearing(uint16_t, const StationTurn&) const override { return std::nullopt; }
    double room_in(FramePart, uint32_t) const override { return 0; }
    bool zones() const override { return false; }
    double begin(std::span<const Burst> bursts, Samples) override {
        bursts_ = bursts;
        left_ = slots;
        placed.clear();
        return left_;
    }
    uint32_t room(size_t, double) const override { return left_; }
    uint32_t place(size_t burst, sap::TxBurst& tx) override {
        placed.emplace_back(bursts_[burst].profile, tx.payload.size());
        const uint32_t used = kSlotGrid.units_for({bursts_[burst].profile}, tx.payload.size());
        left_ -= used;
        return used;
    }
    bool finish(sap::TxBurst&) override { return false; }

    uint32_t slots = 0;
    std::vector<std::pair<ProfileId, size_t>> placed;  ///< profile and octets

private:
    std::span<const Burst> bursts_;
    uint32_t left_ = 0;
};

TEST(DownlinkBuilder, FillsFramesOfAnotherAirInterface) {
    Open p;
    SlotFrame frame;
    DownlinkBuilder builder(std::make_unique<DownlinkScheduler>(kSlotGrid),
                            {p.clock, p.stations, p.multicast, p.bursts, kSlotGrid, frame});
    for (uint16_t cid = 1; cid <= 2; ++cid) {
        Subscriber& station = p.stations.at(cid);
        station.dl_rate = DownlinkRate(profile_in_row(cid - 1U), profile_in_row(cid - 1U));
        EXPECT_TRUE(station.flows[0]->transmitter->push(ip_packet(kServer, station_address(cid), 100), 0, p.clock.now));
    }
    p.planner.plan();
    sap::TxFrame tx;
    frame.slots = 100;
    builder.build(tx);
    ASSERT_EQ(frame.placed.size(), 2U);
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(frame.placed[i].first, profile_in_row(i));
        EXPECT_GE(frame.placed[i].second, 100U);
    }
    // Less than a slot of each burst is empty.
    EXPECT_LE(builder.counters().capacity_bytes - builder.counters().payload_bytes, 5U + 29U);
    EXPECT_EQ(tx.bursts.size(), 3U);
}

struct Heard : BaseParts {
    Heard() : BaseParts(bare()), station(operational(1)) {}
    sap::RxBurst burst(bool fec_ok = true) const {
        sap::RxBurst b;
        b.cid = 1;
        b.frame_number = sap::FrameNumber(101);
        b.rate_id = 6;
        b.detected = true;
        b.fec_ok = fec_ok;
        b.measured.rssi_dbm = -60;
        b.measured.cinr_db = 40;
        b.payload.assign(100, 0xFF);
        return b;
    }
    static void put_request(sap::RxBurst& b, uint16_t cid, uint32_t octets) {
        Buffer out;
        PduWriter writer(out, 100);
        writer.request({RequestType::aggregate, octets, cid});
        std::copy(out.begin(), out.end(), b.payload.begin());
    }
    /// Its transactions are over.
    StationRest settled() {
        for (int i = 0; i < 10; ++i) {
            pass(1000);
            flows.run_timers(station);
        }
        station.health.heard(clock.now);
        station.link.report_at = INT64_MAX;
        return {{0, layout.frame_seconds()}, {clock, stations, links, demand}};
    }
    Subscriber& station;
};

TEST(UplinkReader, RequestsOfItsOwnStation) {
    Heard p;
    const uint16_t cid = p.uplink(p.station).cid;
    auto burst = p.burst();
    Heard::put_request(burst, cid, 1000);
    p.receiver.receive(burst);
    EXPECT_EQ(p.uplink(p.station).requests.octets(), 1000U);
    EXPECT_FALSE(p.station.requests.unproven_since());
    EXPECT_EQ(p.receiver.counters().padding_bytes, 94U);
    EXPECT_EQ(p.station.requests.active_frames(), 8U);
    Subscriber& other = p.operational(2);
    Heard::put_request(burst, p.uplink(other).cid, 1000);
    p.receiver.receive(burst);
    EXPECT_EQ(p.uplink(other).requests.octets(), 0U);
    EXPECT_EQ(p.receiver.counters().unknown_cid, 1U);
    burst.fec_ok = false;
    Heard::put_request(burst, cid, 2000);
    p.receiver.receive(burst);
    EXPECT_EQ(p.uplink(p.station).requests.octets(), 1000U);
    burst = p.burst();  // contention proves nothing: it may raise the recorded backlog, not lower it
    burst.kind = sap::BurstKind::contention;
    for (const uint32_t octets : {500U, 3000U}) {
        Heard::put_request(burst, cid, octets);
        p.receiver.receive(burst);
        EXPECT_EQ(p.uplink(p.station).requests.octets(), std::max(1000U, octets));
        EXPECT_EQ(p.station.requests.unproven_since(), 101U);
    }
    burst.cid = 77;
    burst.kind = sap::BurstKind::data;
    p.receiver.receive(burst);
    EXPECT_EQ(p.receiver.counters().stale_bursts, 1U);
}

TEST(UplinkReader, RangingBurstsComeWhereTheyWereAsked) {
    Heard p;
    sap::RxBurst burst = p.burst();
    burst.kind = sap::BurstKind::ranging;
    burst.measured.timing_offset_samples = 12;
    Buffer out;
    PduWriter(out, 100).message(1, RngReq{});
    std::copy(out.begin(), out.end(), burst.payload.begin());
    burst.cid = cid::kBroadcast;  // a station's own CID, in an open region
    p.receiver.receive(burst);
    EXPECT_EQ(p.receiver.counters().ranging_undecoded, 1U);
    EXPECT_TRUE(p.replies.empty());
    burst.cid = 1;
    p.receiver.receive(burst);
    EXPECT_EQ(p.reply<RngRsp>(p.replies).timing_adjust_samples, 12);
    p.station.invitations.begin(p.clock.now, p.clock.from_ms(40), true);
    p.planner.plan();
    burst.start_slot = p.layout.uplink.slot(2);  // where the search begins, two symbols before the region
    burst.measured.timing_offset_samples = 2 * 288 + 30;
    p.receiver.receive(burst);
    EXPECT_EQ(p.reply<RngRsp>(p.replies).timing_adjust_samples, 30);
    EXPECT_EQ(p.receiver.counters().ranging_bursts, 3U);
}

TEST(UplinkQuality, MissesInARowInviteToRanging) {
    Heard p;
    p.pass(1000);
    p.station.health.delivered(p.clock.now);
    auto missing = p.burst();
    missing.detected = false;
    for (int i = 0; i < 2; ++i) p.receiver.receive(missing);
    EXPECT_FALSE(p.station.invitations.owed());
    p.receiver.receive(missing);
    EXPECT_TRUE(p.station.invitations.owed());
    EXPECT_EQ(p.station.health.undelivered(), 3U);
    p.receiver.receive(p.burst());
    EXPECT_EQ(p.station.health.misses(), 0U);
    EXPECT_EQ(p.station.health.undelivered(), 0U);
    EXPECT_FALSE(p.station.invitations.owed());
    EXPECT_EQ(p.station.counters.ul_missed, 3U);
}

/// A station that fails for 32 frames at all places proves nothing about places.
TEST(UplinkQuality, WhoFailsEverywhereBlamesNoPlace) {
    Heard p;
    uint32_t early = 0, late = 0;  // symbols avoided: at most, within 32 frames and after
    for (int frame = 0; frame < 150; ++frame) {
        p.uplink(p.station).requests.ask(RequestType::aggregate, bytes_in(6, 4), true);
        p.clock.frame = p.clock.frame + 1;
        p.planner.plan();
        auto failed = p.burst(false);
        failed.frame_number = sap::FrameNumber(p.clock.frame);
        for (const auto& a : *p.plan.expected(p.clock.frame))
            if (a.cid == 1 && a.kind == sap::BurstKind::data) failed.start_slot = a.start_slot;
        p.receiver.receive(failed);
        p.pass(10);
        uint32_t& most = frame < 32 ? early : late;
        most = std::max(most, p.places.avoided_symbols());
    }
    EXPECT_EQ(p.station.health.failed_frames(), 150U);
    EXPECT_GE(early, 12U);
    EXPECT_EQ(late, 0U);
}

/// 30 samples late in each burst: one correction, by the mean of four.
TEST(UplinkQuality, LateBurstsAreCorrected) {
    Heard p;
    p.station.management.clear();
    auto late = p.burst();
    late.measured.timing_offset_samples = 30;
    for (int i = 0; i < 5; ++i) {
        p.receiver.receive(late);
        p.pass(10);
    }
    EXPECT_EQ(p.station.counters.corrections, 1U);
    const auto rsp = p.reply<RngRsp>(p.station.management);
    EXPECT_EQ(rsp.timing_adjust_samples, 30);
    EXPECT_EQ(p.cid, 1);
}

/// Stations 1 and 2 have configured addresses, 3 and 4 have none.
struct Senders : BaseParts {
    static constexpr uint64_t kPrefix = 0xFD00000000010000;
    explicit Senders(UserLink link = UserLink::ip, bool check = true) : BaseParts(with(link, check)) {
        for (uint8_t i = 1; i <= 4; ++i) operational(i);
    }
    static BaseStationConfig with(UserLink link, bool check) {
        auto config = bare();
        config.link = link;
        config.check_source_addresses = check;
        config.own_addresses = {0x0A000001, 0x0A00FFFF, IpAddress(0xFD00000000000000, 1)};
        config.stations.resize(2);
        config.stations[0].mac = address(1);
        config.stations[0].ip_addresses = {{0x0A000100, 0xFFFFFF00},
                                           AddressMask(IpAddress(kPrefix, 0), {UINT64_MAX, 0})};
        config.stations[1].mac = address(2);
        config.stations[1].ip_addresses = {{0x0A000202, 0xFFFFFFFF}};
        if (link == UserLink::ethernet) config.stations[1].ip_addresses.push_back(AddressMask::of_mac(0x020000000002));
        for (auto* station : {&config.stations[0], &config.stations[1], &*config.unknown_station})
            if (link == UserLink::ethernet)
                for (const auto direction : {FlowDirection::downlink, FlowDirection::uplink}) {
                    auto& flow = station->flows.emplace_back();
                    flow.cs = ConvergenceSublayer::ethernet;
                    flow.direction = direction;
                }
        return config;
    }
    static std::vector<uint8_t> v6(IpAddress from, IpAddress to = {0xFD00000000000000, 9}, uint8_t next_header = 17) {
        std::vector<uint8_t> p(80, 0);
        p[0] = 0x60;
        p[6] = next_header;
        const auto source = from.octets(), destination = to.octets();
        std::copy(source.begin(), source.end(), p.begin() + 8);
        std::copy(destination.begin(), destination.end(), p.begin() + 24);
        return p;
    }
    Subscriber& station(int number) { return *stations.find(address(static_cast<uint8_t>(number)), true); }
    bool admits(int from, const std::vector<uint8_t>& sdu) { return sources.admits(station(from), sdu); }
    bool admits(int from, uint32_t source, uint32_t destination = kServer) {
        return admits(from, ip_packet(source, destination, 100));
    }
};

TEST(SourceAddresses, ConfiguredOnesAreTheStationsAlone) {
    Senders p;
    EXPECT_TRUE(p.admits(1, 0x0A000102));
    EXPECT_TRUE(p.admits(1, 0x0A0001FE));
    EXPECT_TRUE(p.admits(2, 0x0A000202));
    for (const int other : {2, 3, 4}) EXPECT_FALSE(p.admits(other, 0x0A000102)) << other;
    for (const int other : {1, 3, 4}) EXPECT_FALSE(p.admits(other, 0x0A000202)) << other;
    // A station with configured addresses of a kind uses no others of it, even if no station has them.
    EXPECT_FALSE(p.admits(1, 0x0A000203));
    EXPECT_FALSE(p.admits(2, 0x08080808));
    EXPECT_TRUE(p.admits(3, 0x08080808));
    EXPECT_TRUE(p.admits(1, Senders::v6({Senders::kPrefix, 7})));
    for (const int other : {2, 3, 4}) EXPECT_FALSE(p.admits(other, Senders::v6({Senders::kPrefix, 7})));
    EXPECT_FALSE(p.admits(1, Senders::v6({Senders::kPrefix + 0x10000, 7})));
    EXPECT_TRUE(p.admits(2, Senders::v6({Senders::kPrefix + 0x10000, 7}))) << "it has none of IPv6";
    EXPECT_FALSE(p.admits(4, Senders::v6({Senders::kPrefix + 0x10000, 7}))) << "station 2 was first";
    // Before and after its owner is there.
    p.admission.remove(1, "test");
    EXPECT_FALSE(p.admits(3, 0x0A000102));
}

/// ::/0 is all of IPv6, and nothing of IPv4.
TEST(SourceAddresses, KindsAreApart) {
    Senders p;
    p.config.stations[1].ip_addresses.push_back(AddressMask(IpAddress(0, 0), IpAddress(0, 0)));
    p.station(2).config = p.config.stations[1];
    p.config.stations[0].ip_addresses.pop_back();
    p.sources.provision();
    EXPECT_TRUE(p.admits(1, 0x0A000102));
    EXPECT_TRUE(p.admits(3, 0x08080808));
    EXPECT_FALSE(p.admits(2, 0x08080809));
    EXPECT_TRUE(p.admits(2, Senders::v6({Senders::kPrefix, 7})));
    EXPECT_FALSE(p.admits(3, Senders::v6({Senders::kPrefix, 7})));
}

TEST(SourceAddresses, OthersBelongToTheFirstSenderUntilItIsSilentOrGone) {
    Senders p;
    EXPECT_TRUE(p.admits(3, 0x0B000001));
    EXPECT_TRUE(p.admits(3, 0x0B000002)) << "a station may have several";
    EXPECT_FALSE(p.admits(4, 0x0B000001));
    p.pass(59'999);
    EXPECT_FALSE(p.admits(4, 0x0B000001));
    EXPECT_TRUE(p.admits(3, 0x0B000001));
    p.pass(1);
    EXPECT_FALSE(p.admits(4, 0x0B000001)) << "heard a millisecond ago";
    EXPECT_TRUE(p.admits(4, 0x0B000002)) << "60 s without a packet from it";
    EXPECT_FALSE(p.admits(3, 0x0B000002));
    p.admission.remove(p.station(3).basic_cid, "test");
    EXPECT_TRUE(p.admits(4, 0x0B000001)) << "its owner has left";
    p.sources.restart();
    p.replies.clear();
    p.operational(3);
    EXPECT_TRUE(p.admits(3, 0x0B000001));
    EXPECT_EQ(p.station(4).counters.ul_wrong_source, 3U);
}

/// The flows of a station may be gone before the station is.
TEST(SourceAddresses, AreForgottenWithAStationThatHasNoFlows) {
    Senders p;
    EXPECT_TRUE(p.admits(3, 0x0B000001));
    p.station(3).flows.clear();
    p.admission.remove(p.station(3).basic_cid, "test");
    EXPECT_TRUE(p.admits(4, 0x0B000001));
}

TEST(SourceAddresses, SomeAreNoStations) {
    Senders p;
    for (const uint32_t address : {0x0A000001U, 0x0A00FFFFU, 0x7F000001U, 0x00000001U, 0x00FFFFFFU, 0xE0000001U,
                                   0xEFFFFFFFU, 0xF0000001U, 0xFFFFFFFFU, 0U})
        for (const int from : {1, 3}) EXPECT_FALSE(p.admits(from, address)) << std::hex << address;
    const uint64_t mapped = 0xFFFF0A000102;  // ::ffff:10.0.1.2, station 1's IPv4 address
    for (const auto& address :
         {IpAddress(0xFD00000000000000, 1), IpAddress(0, 1), IpAddress(0, mapped), IpAddress(0, 0x1020000000002),
          IpAddress(0, 0x0A000102), IpAddress(0xFF02000000000000, 1), IpAddress(0, 0)})
        for (const int from : {1, 3}) EXPECT_FALSE(p.admits(from, Senders::v6(address)));
    for (const auto& none : {std::vector<uint8_t>{}, std::vector<uint8_t>(19, 0x45), std::vector<uint8_t>(39, 0x60),
                             std::vector<uint8_t>(100, 0x00), std::vector<uint8_t>(100, 0x50)})
        EXPECT_FALSE(p.admits(3, none)) << none.size();
    EXPECT_EQ(p.sources.counters().wrong, 2 * 17 + 5U);
}

/// DHCP, IGMP and duplicate address detection use the unspecified source address, and only a link destination. A
/// link-local address belongs to its first sender, whatever other addresses the station has.
TEST(SourceAddresses, HostsWithoutAnAddressYetAskTheLink) {
    Senders p;
    for (const int from : {1, 3}) {
        EXPECT_TRUE(p.admits(from, 0, 0xFFFFFFFF));
        EXPECT_TRUE(p.admits(from, 0, 0xE0000016));
        EXPECT_FALSE(p.admits(from, 0, 0xE0000116));
        EXPECT_FALSE(p.admits(from, 0, 0x0A000102));
        EXPECT_TRUE(p.admits(from, Senders::v6({0, 0}, {0xFF02000000000000, 16})));
        EXPECT_FALSE(p.admits(from, Senders::v6({0, 0}, {0xFF05000000000000, 16})));
        EXPECT_TRUE(p.admits(from, Senders::v6({0xFE80000000000000, uint64_t(from)})));
        EXPECT_FALSE(p.admits(4, Senders::v6({0xFE80000000000000, uint64_t(from)})));
        EXPECT_TRUE(p.admits(from, Senders::v6({0xFEBFFFFFFFFFFFFF, uint64_t(from)})));
    }
    EXPECT_FALSE(p.admits(1, Senders::v6({0xFEC0000000000000, 1}))) << "not link-local";
}

TEST(SourceAddresses, OneStationsManyAddressesLeaveTheOthersTheirs) {
    Senders p;
    EXPECT_TRUE(p.admits(3, 0x0B000001));
    for (uint32_t i = 0; i < 5000; ++i) EXPECT_TRUE(p.admits(4, 0x0C000000 + i));
    EXPECT_FALSE(p.admits(4, 0x0B000001));
    EXPECT_EQ(p.sources.owner_of(0x0B000001), p.station(3).basic_cid);
    EXPECT_TRUE(p.admits(3, 0x0C000000)) << "station 4 has as many addresses as it may";
}

TEST(SourceAddresses, ANewConfigurationTakesThemFromWhoeverLearnedThem) {
    Senders p;
    EXPECT_TRUE(p.admits(3, 0x0B000001));
    EXPECT_TRUE(p.admits(3, 0x0B000002));
    p.config.stations[1].ip_addresses.push_back({0x0B000001, 0xFFFFFFFF});
    p.sources.provision();
    EXPECT_FALSE(p.sources.owner_of(0x0B000001));
    EXPECT_EQ(p.sources.owner_of(0x0B000002), p.station(3).basic_cid);
    EXPECT_FALSE(p.admits(3, 0x0B000001));
    EXPECT_TRUE(p.admits(2, 0x0B000001)) << "while its own flows are still being changed, too";
}

/// Without the check nothing is dropped, and the last sender gets the downlink, for unconfigured addresses only.
TEST(SourceAddresses, WithoutTheCheckTheLastSenderHasThem) {
    Senders p(UserLink::ip, false);
    EXPECT_TRUE(p.admits(3, 0x0B000001));
    EXPECT_TRUE(p.admits(4, 0x0B000001));
    EXPECT_EQ(p.sources.owner_of(0x0B000001), p.station(4).basic_cid);
    EXPECT_TRUE(p.admits(4, 0x0A000102));
    EXPECT_FALSE(p.sources.owner_of(0x0A000102));
    EXPECT_TRUE(p.admits(4, std::vector<uint8_t>{}));
    EXPECT_EQ(p.sources.counters().wrong, 0U);
}

TEST(SourceAddresses, EachStationHasABudgetOfLogLines) {
    Senders p;
    p.lines.clear();
    for (int i = 0; i < 1000; ++i)
        for (const int from : {3, 4}) EXPECT_FALSE(p.admits(from, 0x0A000102));
    EXPECT_EQ(p.lines_with("02:00:00:00:00:03 sent from 10.0.1.2, which is not its address: dropped"), 3U);
    EXPECT_EQ(p.lines_with("02:00:00:00:00:04 sent from 10.0.1.2"), 3U);
    EXPECT_EQ(p.lines.size(), 6U);
    p.pass(4001);
    EXPECT_FALSE(p.admits(3, Senders::v6({Senders::kPrefix, 7})));
    EXPECT_EQ(p.lines_with("sent from fd00:0:1:0:0:0:0:7"), 1U);
    EXPECT_EQ(p.lines_with("(997 more of this kind before)"), 1U);
    EXPECT_EQ(p.station(3).counters.ul_wrong_source, 1001U);
    EXPECT_EQ(p.sources.counters().wrong, 2001U);
}

struct Frames : Senders {
    Frames() : Senders(UserLink::ethernet) {}
    static std::vector<uint8_t> frame(uint64_t from, uint16_t ethertype, const std::vector<uint8_t>& payload,
                                      int tags = 0) {
        std::vector<uint8_t> f(12, 0xFF);
        for (size_t i = 0; i < 6; ++i) f[6 + i] = static_cast<uint8_t>(from >> (40 - 8 * i));
        const std::array<std::array<uint8_t, 4>, 3> kTags{{{0x81, 0, 0, 7}, {0x88, 0xA8, 0, 9}, {0x91, 0, 0, 5}}};
        for (int i = 0; i < tags; ++i) f.insert(f.end(), kTags[size_t(i)].begin(), kTags[size_t(i)].end());
        f.push_back(static_cast<uint8_t>(ethertype >> 8));
        f.push_back(static_cast<uint8_t>(ethertype));
        f.insert(f.end(), payload.begin(), payload.end());
        return f;
    }
    static std::vector<uint8_t> arp(uint64_t hardware, uint32_t address) {
        std::vector<uint8_t> a{0, 1, 8, 0, 6, 4, 0, 1};
        for (size_t i = 0; i < 6; ++i) a.push_back(static_cast<uint8_t>(hardware >> (40 - 8 * i)));
        for (size_t i = 0; i < 4; ++i) a.push_back(static_cast<uint8_t>(address >> (24 - 8 * i)));
        a.resize(28);
        return a;
    }
    /// Neighbour advertisement from the sender's link-local address; with an extension header in front of it.
    static std::vector<uint8_t> advertisement(IpAddress sender, IpAddress target, bool extended = false) {
        auto p = v6(sender, {0xFF02000000000000, 1}, extended ? 0 : 58);
        if (extended) p[40] = 58;
        const size_t at = extended ? 48 : 40;
        p.resize(at + 24);
        p[at] = 136;
        const auto octets = target.octets();
        std::copy(octets.begin(), octets.end(), p.begin() + static_cast<ptrdiff_t>(at) + 8);
        return p;
    }
    static constexpr uint64_t kThird = 0x020000000A03, kFourth = 0x020000000A04, kGateway = 0x0200000000EE;
    static constexpr uint16_t kIpv4 = 0x0800, kArp = 0x0806, kIpv6 = 0x86DD, kOther = 0x88B5;
    static std::vector<uint8_t> some() { return std::vector<uint8_t>(46, 0); }
};

TEST(SourceAddresses, OfFramesAreTheFirstSendersOrTheConfigurations) {
    Frames p;
    EXPECT_TRUE(p.admits(3, Frames::frame(Frames::kThird, Frames::kOther, Frames::some())));
    EXPECT_FALSE(p.admits(4, Frames::frame(Frames::kThird, Frames::kOther, Frames::some())));
    EXPECT_TRUE(p.admits(2, Frames::frame(0x020000000002, Frames::kOther, Frames::some())));
    EXPECT_FALSE(p.admits(2, Frames::frame(0x020000000005, Frames::kOther, Frames::some())));
    EXPECT_FALSE(p.admits(3, Frames::frame(0x020000000002, Frames::kOther, Frames::some())));
    EXPECT_TRUE(p.admits(1, Frames::frame(0x020000000005, Frames::kOther, Frames::some())))
        << "no MAC address is its own";
    for (const uint64_t none : {0xFFFFFFFFFFFFULL, 0x01005E000001ULL, 0x333300000001ULL, 0ULL})
        EXPECT_FALSE(p.admits(3, Frames::frame(none, Frames::kOther, Frames::some()))) << none;
    EXPECT_FALSE(p.admits(3, std::vector<uint8_t>(13, 2)));
    p.pass(60'000);
    EXPECT_TRUE(p.admits(4, Frames::frame(Frames::kThird, Frames::kOther, Frames::some())));
}

/// The gateway's address is the network's while in use, and is not refused downlink when a station has it.
TEST(SourceAddresses, OfTheNetworkAreNoStations) {
    Frames p;
    auto down = Frames::frame(Frames::kGateway, Frames::kOther, Frames::some());
    p.router.begin_frame();
    EXPECT_TRUE(p.router.push(down));
    EXPECT_FALSE(p.admits(3, Frames::frame(Frames::kGateway, Frames::kOther, Frames::some())));
    EXPECT_FALSE(p.sources.owner_of(IpAddress::of_mac(Frames::kGateway)));
    EXPECT_TRUE(p.admits(3, Frames::frame(Frames::kThird, Frames::kOther, Frames::some())));
    p.router.begin_frame();
    EXPECT_TRUE(p.router.push(Frames::frame(Frames::kThird, Frames::kOther, Frames::some())));
    EXPECT_TRUE(p.admits(3, Frames::frame(Frames::kThird, Frames::kOther, Frames::some())));
    p.pass(60'000);
    EXPECT_TRUE(p.admits(3, Frames::frame(Frames::kGateway, Frames::kOther, Frames::some())));
}

TEST(SourceAddresses, InsideFramesAreNoOtherStations) {
    for (const int tags : {0, 1, 2, 3}) {
        Frames p;
        const auto ip = [&](int from, uint64_t mac, uint32_t source) {
            return p.admits(from, Frames::frame(mac, Frames::kIpv4, ip_packet(source, kServer, 60), tags));
        };
        EXPECT_TRUE(ip(1, 0x020000000001, 0x0A000102));
        EXPECT_FALSE(ip(1, 0x020000000001, 0x0A000303));
        EXPECT_FALSE(ip(3, Frames::kThird, 0x0A000102)) << tags;
        EXPECT_FALSE(ip(3, Frames::kThird, 0x0A000001)) << "the base station's";
        EXPECT_FALSE(ip(3, Frames::kThird, 0xE0000001));
        EXPECT_TRUE(ip(3, Frames::kThird, 0x08080808)) << "a router is behind it";
        EXPECT_TRUE(ip(4, Frames::kFourth, 0x08080808)) << "and another one";
        const auto six = [&](int from, uint64_t mac, IpAddress source) {
            return p.admits(from, Frames::frame(mac, Frames::kIpv6, Senders::v6(source), tags));
        };
        EXPECT_TRUE(six(1, 0x020000000001, {Senders::kPrefix, 3}));
        EXPECT_FALSE(six(3, Frames::kThird, {Senders::kPrefix, 3}));
        EXPECT_FALSE(six(3, Frames::kThird, {0, 0xFFFF0A000102}));
        EXPECT_FALSE(p.admits(3, Frames::frame(Frames::kThird, Frames::kIpv4, std::vector<uint8_t>(10, 0x45), tags)));
        EXPECT_FALSE(p.admits(3, Frames::frame(Frames::kThird, Frames::kIpv6, ip_packet(1, 2, 60), tags)));
    }
}

TEST(SourceAddresses, OfArpAndNeighbourAdvertisements) {
    Frames p;
    const auto arp = [&](int from, uint64_t mac, uint64_t hardware, uint32_t address) {
        return p.admits(from, Frames::frame(mac, Frames::kArp, Frames::arp(hardware, address)));
    };
    EXPECT_TRUE(arp(3, Frames::kThird, Frames::kThird, 0x0A000909));
    EXPECT_TRUE(arp(3, Frames::kThird, Frames::kThird, 0)) << "a probe";
    EXPECT_FALSE(arp(4, Frames::kFourth, Frames::kFourth, 0x0A000909)) << "station 3 has it";
    EXPECT_FALSE(arp(4, Frames::kFourth, Frames::kThird, 0x0A000404)) << "station 3's hardware";
    EXPECT_FALSE(arp(4, Frames::kFourth, Frames::kFourth, 0x0A000001)) << "the base station's";
    EXPECT_FALSE(arp(4, Frames::kFourth, Frames::kFourth, 0x0A000102)) << "station 1's";
    EXPECT_FALSE(arp(4, Frames::kFourth, 0xFFFFFFFFFFFF, 0x0A000404));
    EXPECT_FALSE(arp(4, Frames::kFourth, Frames::kFourth, 0xE0000001));
    EXPECT_FALSE(p.admits(4, Frames::frame(Frames::kFourth, Frames::kIpv4, ip_packet(0x0A000909, kServer, 60))));
    auto other = Frames::arp(Frames::kFourth, 0x0A000404);
    other[5] = 6;
    EXPECT_FALSE(p.admits(4, Frames::frame(Frames::kFourth, Frames::kArp, other)));
    other = Frames::arp(Frames::kFourth, 0x0A000404);
    other.resize(27);
    EXPECT_FALSE(p.admits(4, Frames::frame(Frames::kFourth, Frames::kArp, other)));
    EXPECT_TRUE(arp(4, Frames::kFourth, Frames::kFourth, 0x0A000404));
    for (const bool extended : {false, true}) {
        const auto tells = [&](int from, uint64_t mac, IpAddress target) {
            return p.admits(
                from, Frames::frame(mac, Frames::kIpv6,
                                    Frames::advertisement({0xFE80000000000000, uint64_t(from)}, target, extended)));
        };
        const IpAddress host{0xFD000000000A0000, extended};
        EXPECT_TRUE(tells(3, Frames::kThird, host));
        EXPECT_FALSE(tells(4, Frames::kFourth, host)) << extended;
        EXPECT_FALSE(tells(4, Frames::kFourth, {Senders::kPrefix, 3}));
        EXPECT_FALSE(tells(4, Frames::kFourth, {0xFD00000000000000, 1}));
        EXPECT_FALSE(p.admits(4, Frames::frame(Frames::kFourth, Frames::kIpv6, Senders::v6(host))));
    }
}

/// A station is active for eight frames after its last burst or request; until the last of them it does not rest.
TEST(UplinkDemand, AStationIsActiveForEightFrames) {
    Heard p;
    StationRest rest = p.settled();
    const auto active = [&p] {
        p.demand.collect(p.stations);
        return p.demand.claims().at(0).active;
    };
    const auto rests = [&] {
        rest.end_frame();
        p.stations.wake_due(p.clock.now, 0);
        const bool resting = p.stations.resting() > 0;
        p.stations.find_basic(p.station.basic_cid);  // wakes it
        p.stations.wake_due(p.clock.now, 0);
        return resting;
    };
    EXPECT_FALSE(active());
    EXPECT_TRUE(rests());
    for (const uint32_t frames : {1U, 2U, 8U}) {
        p.station.requests.used();
        for (uint32_t i = frames; i < 8; ++i) p.station.requests.begin_frame();
        EXPECT_FALSE(rests()) << frames;
        for (uint32_t i = 1; i < frames; ++i) {
            EXPECT_TRUE(active()) << i << " of " << frames;
            EXPECT_FALSE(rests()) << i << " of " << frames;
        }
        for (int i = 0; i < 3; ++i) {
            EXPECT_FALSE(active()) << frames;
            EXPECT_TRUE(rests()) << frames;
        }
    }
    // Each way to become active again: a request, and data.
    auto burst = p.burst();
    Heard::put_request(burst, p.uplink(p.station).cid, 0);
    p.receiver.receive(burst);
    EXPECT_EQ(p.station.requests.active_frames(), 0U) << "it asked for nothing";
    Heard::put_request(burst, p.uplink(p.station).cid, 1);
    p.receiver.receive(burst);
    EXPECT_EQ(p.station.requests.active_frames(), 8U);
}

/// A station rests until the first time at which one of its flows needs something.
TEST(StationRest, EndsWithTheFirstNeedOfAFlow) {
    Heard p;
    StationRest rest = p.settled();
    const auto rests_until = [&](Samples time) {
        rest.end_frame();
        p.stations.wake_due(time - 1, 0);
        const bool before = p.stations.resting() > 0;
        p.stations.wake_due(time, 0);
        const bool then = p.stations.resting() > 0;
        p.stations.find_basic(p.station.basic_cid);  // wakes it
        p.stations.wake_due(p.clock.now, 0);
        return before && !then;
    };
    const Samples poll = p.clock.now + p.clock.from_ms(p.demand.t27_idle_ms()), sooner = p.clock.now + 5000;
    EXPECT_TRUE(rests_until(poll));
    FlowContext& flow = p.uplink(p.station);
    flow.ask_again = sooner;
    EXPECT_TRUE(rests_until(poll)) << "it is no member of a shared flow";
    flow.active = false;
    flow.refusal = "no room";
    EXPECT_TRUE(rests_until(poll));
    MulticastConnection shared(0x2000, flow.config, p.config.profile.broadcast_profile());
    flow.member = std::make_unique<MulticastMember>(shared, p.station, flow);
    EXPECT_TRUE(rests_until(sooner)) << "the station refused it, and is asked again";
    flow.refusal.clear();
    EXPECT_TRUE(rests_until(poll)) << "the station refused nothing";
    flow.member.reset();
    flow.active = true;
    flow.config.idle_timeout_ms = 10;
    flow.use.begin(p.clock.now);
    EXPECT_TRUE(rests_until(p.clock.now + p.clock.from_ms(10)));
}

/// A flow without an idle timeout is not watched. With one, its time begins at the next look.
TEST(FlowUse, TheTimeBeginsAtTheFirstLookAfterAPause) {
    FlowUse use;
    use.begin(100);
    use.watch(3, false, 150);
    EXPECT_EQ(use.last(), 150) << "three packets";
    use.watch(3, false, 200);
    EXPECT_EQ(use.last(), 150);
    use.ignore();
    use.watch(3, false, 300);
    EXPECT_EQ(use.last(), 300);
    use.watch(3, false, 400);
    EXPECT_EQ(use.last(), 300);
}

/// Entering stations get some unsolicited octets, eight of them in each frame, and as many in the next.
TEST(UplinkDemand, FewEntryGrantsInEachFrame) {
    BaseParts p(bare());
    for (uint8_t number = 1; number <= 20; ++number) p.range(number);
    const auto granted = [&p] {
        p.demand.collect(p.stations);
        std::set<uint16_t> cids;
        for (const auto& claim : p.demand.claims())
            if (claim.guaranteed_octets > 0) cids.insert(claim.cid);
        return cids.size();
    };
    for (int frame = 0; frame < 3; ++frame) EXPECT_EQ(granted(), 8U) << frame;
}

/// Parallel grants use their symbols, and their preamble, once; unused ones are idle.
TEST(UplinkPlan, SymbolsOfGrantsSideBySideCountOnce) {
    BaseParts p;
    const auto before = p.plan.symbols();
    p.places.begin(p.clock.now, 0, false);
    p.plan.begin(1);
    const auto burst = [&](uint32_t first, uint32_t count, uint8_t subchannel) {
        p.plan.add_burst({static_cast<uint16_t>(first + 1), {}, {first, count}, subchannel, 0});
    };
    burst(0, 10, 4);  // four symbols longer than the parallel one
    burst(0, 6, 12);
    burst(10, 5, kAllSubchannels);
    burst(20, 7, 4);
    burst(30, 3, 2);  // each longer than the one before it
    burst(30, 5, 6);
    burst(30, 9, 12);
    burst(39, 4, 12);  // directly after
    p.plan.finish();
    const auto& after = p.plan.symbols();
    EXPECT_EQ(after.preamble - before.preamble, 5U);
    EXPECT_EQ(after.data - before.data, 9U + 4 + 6 + 8 + 3);
    EXPECT_EQ(after.idle - before.idle, p.layout.uplink.symbols - 10 - 5 - 7 - 9 - 4);
    EXPECT_EQ(after.contention + after.ranging, before.contention + before.ranging);
}

}  // namespace test_frames
