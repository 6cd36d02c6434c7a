// SPDX-License-Identifier: GPL-3.0-or-later
// A base station's components around a table of stations, for tests without bursts on an air: 5 MHz, 10 ms frames of
// 14400 slots, 72 slots per symbol, 97 symbols of uplink.
#pragma once

#include "mac/air/ofdm256/downlink_plan.h"
#include "mac/air/ofdm256/ofdm_cell.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/air/ofdm256/uplink_planner.h"
#include "mac/bs/downlink_builder.h"
#include "mac/bs/uplink_reader.h"
#include "mac/bs/uplink_stations.h"

#include <gtest/gtest.h>

namespace wimax::mac::test {

struct BaseParts {
    explicit BaseParts(BaseStationConfig c = {})
        : config(std::move(c)),
          air(config),
          layout(air.layout()),
          places(layout.uplink.symbols, layout.sample_rate_hz(), layout.frame_samples()),
          broadcasts(air.descriptors()),
          multicast({{}, layout.frame_seconds(), config.profile.broadcast_profile()}, {clock, stations, pool}),
          sources(config, {clock, event}),
          router({clock, stations, multicast, sources, config.link}),
          links(config.adaptation, config.stc, {clock, stations, air}),
          reservations(config, {clock, event, stations, multicast, air}),
          control(config, {stations, reservations, policies}),
          admission(config, {event, stations, router, sources, air, control, policies, replies}),
          ranging({config.t9_ms, layout.frame_samples()}, {clock, stations, admission, broadcasts, links, replies}),
          flows({{config.t7_ms}, 10, {}}, pool, {clock, event, stations, router, reservations, control, multicast}),
          narrow(config.subchannelization, {clock, broadcasts.thresholds()}),
          privacy(config.privacy, config.basic_cids, {clock, event}),
          managed({config.managed.policy, config.arq_feedback}, {clock, stations}),
          network(config.managed, {clock, event, stations, on_management}),
          entry({config.t17_ms, config.managed.t13_ms, config.station_lost_ms, config.edition, config.carriers.shared(),
                 config.half_duplex_stations},
                {clock, event, air, stations, admission, ranging, flows, narrow, privacy, managed}),
          demand({config.t27_idle_ms, config.t27_active_ms, layout.frame_seconds(), layout.frame_samples()}, clock,
                 kSymbolGrid),
          plan({config.profile.ranging_symbols}, layout, clock, places),
          focused(config, {plan}),
          polling(config.profile.polling_group_stations, layout.frame_samples(), clock),
          users(config.profile.polling_group_stations > 0, {clock, stations, demand, polling}),
          schedulers(config, policies),
          planner(config, layout, {clock, users, broadcasts, places, plan, focused, schedulers}),
          entering({clock, stations, replies}),
          broadcast(config, layout, {clock, broadcasts, plan, entering, symbols}),
          frame(config, layout, {clock, broadcasts, plan, symbols, broadcast}),
          downlink(schedulers.downlink(), {clock, stations, multicast, bursts, kSymbolGrid, frame}),
          management({ranging, entry, flows, links, polling, replies, privacy}),
          fast_power(config.fast_power_stations, {stations, replies}),
          quality({clock, ranging, planner, narrow, fast_power, config.adaptation}),
          receiver({clock, stations, ranging, management, demand, planner, quality, sources, privacy, network, on_sdu,
                    layout.frame_samples(), kSymbolGrid}) {
        clock.sample_rate_hz = layout.sample_rate_hz();
        clock.frame = phy::FrameNumber(101);
        broadcasts.restart(0, 20, -60);
        multicast.provision(config);
    }
    static MacAddress address(uint8_t number) { return {2, 0, 0, 0, 0, number}; }

    /// Measurement of a correct station: timing, frequency and level are right.
    static UplinkMeasurement good() { return {-60, 40, -30, 0, 0}; }
    /// The response to an RNG-REQ in an open region.
    RngRsp range(uint8_t number, const UplinkMeasurement& measured = good()) {
        RngReq request;
        request.ss_mac = address(number);
        EXPECT_TRUE(ranging.on_request(request, cid::kInitialRanging, measured, phy::FrameNumber(100)));
        return reply<RngRsp>(replies);
    }
    /// A ranged and registered station with two best effort flows.
    Subscriber& operational(uint8_t number) {
        range(number);
        Subscriber& station = *stations.find(address(number), false);
        entry.on_capabilities(station, {});
        entry.on_registration(station, {});
        for (const uint16_t tid : asked(station)) respond(station, tid);
        station.management.clear();
        station.health.heard(clock.now);
        return station;
    }
    /// Transactions of its flows without a response so far.
    static std::vector<uint16_t> asked(const Subscriber& station) {
        std::vector<uint16_t> tids;
        for (const auto& t : station.transactions.transactions())
            if (t.state == ServiceTransactions::State::requested) tids.push_back(t.tid);
        return tids;
    }
    void respond(Subscriber& station, uint16_t tid, uint8_t code = confirmation::kSuccess) {
        DsaRsp rsp;
        rsp.tid = tid;
        rsp.cc = code;
        flows.receive(station, rsp);
    }
    /// The first waiting message, and no other.
    template <class Message> Message reply(ManagementQueue& queue) {
        Buffer octets;
        PduWriter writer(octets, 2000);
        queue.fill(writer, 2000);
        queue.clear();
        PduReader reader(octets);
        Message message;
        const auto pdu = reader.next();
        EXPECT_TRUE(pdu && message_type(pdu->body) == Message::kType && decode(pdu->body, message));
        cid = pdu ? pdu->cid() : 0xEEEE;
        return message;
    }
    void pass(int64_t ms) { clock.now += clock.from_ms(ms); }
    FlowContext& uplink(Subscriber& station) {
        for (auto& flow : station.flows)
            if (flow->config.direction == FlowDirection::uplink) return *flow;
        throw std::logic_error("no uplink flow");
    }
    size_t lines_with(const std::string& text) const {
        size_t count = 0;
        for (const auto& line : lines) count += line.find(text) != std::string::npos;
        return count;
    }

    BaseStationConfig config;
    OfdmCell air;
    const FrameLayout& layout;
    FrameClock clock;
    std::vector<std::string> lines;
    EventSink event{clock, [this](const Event& one) { lines.push_back(one.text); }};
    UplinkReader::Sink on_sdu = [this](Octets packet) { delivered += packet.size(); };
    size_t delivered = 0;
    LoadedPolicies policies{nullptr, {kSymbolGrid, clock, layout.frame_seconds()}, [](const std::string&, bool) {}};
    uint16_t cid = 0;  ///< of the last reply
    SduPool pool{256};
    BurstStore bursts;
    ManagementQueue replies;
    FrameAccount symbols;
    UplinkPlaces places;
    Broadcasts& broadcasts;
    MulticastConnections multicast;
    StationTable stations;
    SourceAddresses sources;
    DownlinkRouter router;
    LinkService links;
    Reservations reservations;
    AdmissionControl control;
    Admission admission;
    RangingService ranging;
    ServiceFlowManager flows;
    NarrowGrants narrow;
    PrivacyService privacy;
    ManagementNetwork::Sink on_management;
    ManagedStations managed;
    ManagementNetwork network;
    EntryService entry;
    UplinkDemand demand;
    UplinkPlan plan;
    FocusedContentionService focused;
    PollingGroups polling;
    UplinkStations users;
    Schedulers schedulers;
    UplinkPlanner planner;
    EnteringStations entering;
    BroadcastBurst broadcast;
    DownlinkPlan frame;
    DownlinkBuilder downlink;
    ManagementReceiver management;
    FastPowerCommands fast_power;
    UplinkQuality quality;
    UplinkReader receiver;
};

}  // namespace wimax::mac::test
