// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidth requests over the burst-moving PHY: whatever a station has to ask for reaches the base station, by whatever
// grant it gets, also when bursts are lost, and both sides' books agree.
#include "mac/bs/subscriber.h"
#include "mac/test_cells.h"

#include <gtest/gtest.h>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_requests {

/// Octets in one symbol of the three slowest rates: 11, 23 and 35, a request header but no piggyback.
class SlowRate : public ::testing::TestWithParam<std::tuple<int, MapRelevance>> {
protected:
    uint8_t rate() const { return static_cast<uint8_t>(std::get<0>(GetParam())); }
    MapRelevance relevance() const { return std::get<1>(GetParam()); }
    /// Frames that carry `octets`, and a few for the request to arrive.
    int frames_for(const Air& air, size_t octets) const {
        return 8 + static_cast<int>(symbols_for(rate(), octets + octets / 20) / (air.layout.uplink.symbols - 8));
    }
};
INSTANTIATE_TEST_SUITE_P(All, SlowRate,
                         ::testing::Combine(::testing::Values(0, 1, 2),
                                            ::testing::Values(MapRelevance::same_frame, MapRelevance::next_frame)));

TEST_P(SlowRate, PollsOfOneSymbolCarryRequests) {
    auto config = bare(1, rate(), relevance());
    set_flows(config, {flow(FlowDirection::uplink, SchedulingType::rtps, kPolledPort),
                       flow(FlowDirection::uplink, SchedulingType::best_effort)});
    Air air(config);
    air.add();
    enter(air);
    for (const uint16_t port : {kPolledPort, uint16_t{5000}}) {
        for (uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(send(air, 0, 1500, port, i));
        const int frames = frames_until(air, 3, 200);
        EXPECT_GE(frames, 0) << port;
        EXPECT_LE(frames, frames_for(air, 4500)) << port;
        printf("rate %d, port %d: 4500 octets in %d frames\n", rate(), port, frames);
    }
    expect_clean(air);
}

/// The voice fills its grants but for 13 to 37 octets, or but for less than a header: the other data still arrive, in
/// the first case without a contention request.
TEST_P(SlowRate, GrantsOfUgsCarryRequestsOfOthers) {
    for (const size_t spare : {3U, 6U, 13U, 20U, 36U}) {
        auto config = bare(1, rate(), relevance());
        // A grant for one packet per frame and its allowance, with `octets` unused.
        const auto left_over = [&](size_t octets) {
            return bytes_in(rate(), symbols_for(rate(), octets + 12)) - octets - kHeaderOctets - kCrcOctets;
        };
        size_t octets = 60;
        while (left_over(octets) != spare && octets < 200) ++octets;
        if (octets == 200) continue;  // no symbol of this rate leaves so much
        auto voice = flow(FlowDirection::uplink, SchedulingType::ugs, kVoicePort, static_cast<uint32_t>(octets * 800));
        set_flows(config, {voice, flow(FlowDirection::uplink, SchedulingType::best_effort)});
        Air air(config);
        air.add();
        enter(air);
        const auto is_data = [](uint32_t number) { return number <= 3; };
        const auto before = air.terminals[0]->status()["requests"]["contention"].get<int>();
        for (uint32_t i = 1; i <= 3; ++i) ASSERT_TRUE(send(air, 0, 1500, 5000, i));
        air.keep_numbers = true;
        int frames = 0;
        const auto data = [&] { return std::count_if(air.ul_numbers.begin(), air.ul_numbers.end(), is_data); };
        for (; frames < 300 && data() < 3; ++frames) {
            ASSERT_TRUE(send(air, 0, octets, kVoicePort, 1000));
            air.step();
        }
        EXPECT_LE(frames, frames_for(air, 4500 + 6 * octets)) << "spare " << spare;
        const auto asked = air.terminals[0]->status()["requests"]["contention"].get<int>() - before;
        EXPECT_EQ(asked, spare < kHeaderOctets ? 1 : 0) << "spare " << spare;
        printf("rate %d, UGS but for %zu octets: %d frames, %d contention requests\n", rate(), spare, frames, asked);
        expect_clean(air);
    }
}

/// The request is in the burst that is lost; no further packet follows that would trigger another request.
TEST_P(SlowRate, LostRequestsAreRepeated) {
    auto config = bare(1, rate(), relevance());
    set_flows(config, {flow(FlowDirection::uplink, SchedulingType::best_effort)});
    Air air(config);
    auto& station = air.add();
    enter(air);
    // Contention request received, its grant carries a part of the data and requests the rest, and that burst is lost.
    int lose = 0, lost = 0;
    air.tamper = [&](sap::RxBurst& burst) {
        if (burst.cid == 0 || burst.kind != sap::BurstKind::data || lose == 0) return;
        --lose;
        ++lost;
        burst.fec_ok = false;
        for (auto& octet : burst.payload) octet = 0xFF;
    };
    for (int losses = 1; losses <= 3; ++losses) {
        ASSERT_TRUE(send(air, 0, 100));
        ASSERT_GE(air.run_until([&] { return grants_of(air, 1) > 0; }, 20), 0);
        // More arrives than was requested: the request for it is in a grant of this frame or the next, and is lost.
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(air, 0, 1500));
        lose = losses;
        const auto before = air.ul_packets;
        const int frames = air.run_until([&] { return lose == 0 && backlog(station) == 0; }, 300);
        air.run(3);
        EXPECT_GE(frames, 0) << losses << " lost: " << station.status().dump(1);
        EXPECT_LE(frames, losses * (10 + 3) + frames_for(air, 4600)) << losses;
        printf("rate %d, %d bursts lost: queue empty after %d frames, %d packets of 4 arrived\n", rate(), losses,
               frames, static_cast<int>(air.ul_packets - before));
        air.run(30);
    }
    expect_clean(air);
}

/// Any station may send in a contention slot, and name any connection.
TEST(Requests, ContentionNeverLowersABacklog) {
    auto config = bare(2, 0);
    set_flows(config, {flow(FlowDirection::uplink, SchedulingType::best_effort)});
    std::array<int, 2> needed{};
    for (const bool forged : {false, true}) {
        Air air(config);
        air.add();
        enter(air);
        const uint16_t connection = uplink_flow(air)["cid"];
        for (int i = 0; i < 20; ++i) ASSERT_TRUE(send(air, 0, 1500));
        const auto done = air.ul_packets + 20;
        int lowered = 0;
        for (; needed[forged] < 300 && air.ul_packets < done; ++needed[forged]) {
            air.step();
            if (!forged) continue;
            const size_t before = uplink_flow(air)["requested_bytes"];
            for (const uint16_t cid : {connection, uint16_t{1}, uint16_t{321}}) {
                sap::RxBurst burst;
                burst.kind = sap::BurstKind::contention;
                burst.detected = burst.fec_ok = true;
                burst.frame_number = air.frame + -1;
                PduWriter writer(burst.payload, bytes_in(0, 1));
                writer.request({RequestType::aggregate, 0, cid});
                burst.payload.resize(bytes_in(0, 1), 0xFF);
                sap::RxExpect none;
                air.bs->on_burst(burst, none);
            }
            lowered += uplink_flow(air)["requested_bytes"] < before;
        }
        EXPECT_EQ(lowered, 0);
    }
    EXPECT_EQ(needed[true], needed[false]);
    printf("30 000 octets at BPSK: %d frames, %d with forged requests in each\n", needed[false], needed[true]);
}

/// Fewer octets than answer a request are no answer: granted so, the last 15 of a backlog were granted in each frame,
/// for ever.
TEST(Requests, AFewOctetsAreGrantedOnce) {
    auto config = bare(2, 0);
    set_flows(config, {flow(FlowDirection::uplink, SchedulingType::best_effort)});
    Air air(config);
    air.add();
    enter(air);
    const uint16_t connection = uplink_flow(air)["cid"];
    sap::RxBurst burst;
    burst.kind = sap::BurstKind::contention;
    burst.detected = burst.fec_ok = true;
    burst.frame_number = air.frame + -1;
    PduWriter writer(burst.payload, bytes_in(0, 1));
    writer.request({RequestType::aggregate, 15, connection});
    burst.payload.resize(bytes_in(0, 1), 0xFF);
    sap::RxExpect none;
    air.bs->on_burst(burst, none);
    EXPECT_EQ(uplink_flow(air)["requested_bytes"], 15);
    size_t grants = 0;
    for (int frame = 0; frame < 10; ++frame) {
        air.step();
        grants += grants_of(air, 1);
    }
    EXPECT_EQ(uplink_flow(air)["requested_bytes"], 0);
    EXPECT_EQ(grants, 1U);
}

/// Grants made before a request was received answer it, each octet counted for one connection, in serving order.
TEST(Requests, GrantsInFlightAreBookedOnce) {
    const RateThresholds thresholds;
    Subscriber station({}, {}, RangingLoop({}, FrameLayout::make({})->timing()),
                       DownlinkRate(profile_in_row(6), profile_in_row(6)),
                       UplinkRate(profile_in_row(6), profile_in_row(6), make_rate_policy({}, 1, 1, thresholds)));
    for (uint16_t cid = 641; cid < 643; ++cid)
        station.flows.push_back(std::make_unique<FlowContext>(cid, cid, AgreedFlow{}));
    auto& management = station.requests.management();
    auto &first = station.flows[0]->requests, &second = station.flows[1]->requests;
    const auto books = [&] { return std::array{management.octets(), first.octets(), second.octets()}; };
    using Books = std::array<size_t, 3>;
    station.requests.granted(phy::FrameNumber(0xFFFFFF), 500, 0);
    station.requests.granted(phy::FrameNumber(0), 1000, 0);
    station.requests.granted(phy::FrameNumber(1), 700, 0);
    // Two aggregate requests in one burst of frame 0xFFFFFF: 1700 octets were granted since.
    station.requests.request(first, RequestType::aggregate, 1200, phy::FrameNumber(0xFFFFFF), true);
    EXPECT_EQ(books(), (Books{0, 0, 0}));
    station.requests.request(second, RequestType::aggregate, 900, phy::FrameNumber(0xFFFFFF), true);
    EXPECT_EQ(books(), (Books{0, 0, 400}));
    // A third request, of a connection that is served sooner, shifts the others' octets.
    station.requests.request(management, RequestType::aggregate, 100, phy::FrameNumber(0xFFFFFF), true);
    EXPECT_EQ(books(), (Books{0, 0, 500}));
    // Incremental, of the next burst: only the grant of frame 1 has not seen it.
    station.requests.request(second, RequestType::incremental, 50, phy::FrameNumber(0), true);
    EXPECT_EQ(books(), (Books{0, 0, 550}));
    station.requests.request(first, RequestType::incremental, 300, phy::FrameNumber(0), true);
    EXPECT_EQ(books(), (Books{0, 0, 850}));
    // Contention may raise, an aggregate request in the station's own burst sets.
    station.requests.request(second, RequestType::aggregate, 10, phy::FrameNumber(1), false);
    EXPECT_EQ(books(), (Books{0, 0, 850}));
    station.requests.request(second, RequestType::aggregate, 10, phy::FrameNumber(1), true);
    EXPECT_EQ(books(), (Books{0, 0, 10}));
    station.requests.request(first, RequestType::aggregate, 600'000, phy::FrameNumber(1), false);
    EXPECT_EQ(books(), (Books{0, kMaxBandwidthRequest, 10}));
    // A grant too small for a fragment answers no request.
    station.requests.granted(phy::FrameNumber(2), 39, 0);
    EXPECT_EQ(first.octets(), size_t{kMaxBandwidthRequest});
    station.requests.granted(phy::FrameNumber(3), 40, 0);
    EXPECT_EQ(first.octets(), size_t{kMaxBandwidthRequest} - 40);
}

}  // namespace test_air_requests
