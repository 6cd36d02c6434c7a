// SPDX-License-Identifier: GPL-3.0-or-later
// The chain of states of network entry and the timers of each, without a base station: messages are put into it.
#include "mac/air/ofdm256/test_listener.h"
#include "mac/ss/entry_procedure.h"

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_entry_procedure {

struct Bench : Listener {
    explicit Bench(std::vector<uint64_t> others = {})
        : channels({3'500'000'000}, others),
          privacy(config.privacy, config.mac, {clock, event, management}),
          flows({}, {clock, event, privacy}),
          agent({}, {clock, event, flows, management.queue}),
          ranging(config, {clock, view, random, bursts}),
          contention({}, {clock, flows, management, random, bursts}),
          managed(config.managed, config.arq_feedback, config.mac, {clock, event, management, privacy, agent}),
          entry(config,
                {clock, event, channels, view, ranging, management, flows, agent, contention, privacy, managed}) {
        ranging.new_phy(20);
        entry.new_phy();
        last.clear();
    }
    template <class Message> void tell(const Message& message) {
        entry.on_downlink(clock.now);
        entry.on_broadcast(hear(message));
    }
    void up_to_ranging() {
        DlMap map;
        map.bs_id = kBsid;
        tell(map);
        tell(lab_dcd());
        tell(lab_ucd());
    }
    void up_to_capabilities() {
        up_to_ranging();
        RngRsp rsp;
        rsp.status = RangingStatus::success;
        rsp.ss_mac = config.mac;
        rsp.basic_cid = 5;
        rsp.primary_cid = 325;
        entry.on_ranging_response(rsp, cid::kInitialRanging);
    }
    void up_to_registered() {
        up_to_capabilities();
        entry.on_capabilities({});
        entry.on_registration({});
    }
    void add_flows() {
        DsaReq request;
        request.downlink.emplace();
        request.downlink->sfid = 1;
        request.downlink->cid = 1001;
        request.uplink.emplace();
        request.uplink->sfid = 2;
        request.uplink->cid = 1002;
        request.tid = 0x8001;
        agent.receive(request);
        entry.check_operational();
    }
    SsState after(int64_t ms) {
        pass(ms);
        entry.run_timers();
        return entry.state();
    }

    std::string last;
    EventSink event{clock, [this](const Event& one) { last = one.text; }};
    SubscriberConfig config;
    ChannelSearch channels;
    Backoff::Random random{1};
    BurstStore bursts;
    ManagementConnections management;
    PrivacyAgent privacy;
    FlowTable flows;
    ServiceFlowAgent agent;
    Ranging ranging;
    RequestContention contention;
    ManagedEntry managed;
    EntryProcedure entry;
};

TEST(EntryProcedure, GoesThroughItsStates) {
    Bench b;
    EXPECT_EQ(b.entry.state(), SsState::scanning);
    b.pass(20);
    DlMap map;
    map.bs_id = Listener::kBsid;
    b.tell(map);
    EXPECT_EQ(b.entry.state(), SsState::descriptors);
    EXPECT_EQ(b.entry.figures().heard_at, 20 * 5760);
    b.tell(lab_ucd());
    EXPECT_EQ(b.entry.state(), SsState::descriptors);
    b.tell(lab_dcd());
    EXPECT_EQ(b.entry.state(), SsState::ranging);
    EXPECT_TRUE(b.ranging.ranging());
    EXPECT_FALSE(b.entry.served());
    b.up_to_capabilities();
    EXPECT_EQ(b.entry.state(), SsState::capabilities);
    EXPECT_TRUE(b.entry.served());
    EXPECT_EQ(b.management.queue.size(), 1U);  // SBC-REQ
    b.entry.on_capabilities({});
    EXPECT_EQ(b.entry.state(), SsState::registration);
    EXPECT_EQ(b.management.queue.size(), 2U);  // REG-REQ
    b.entry.on_registration({});
    EXPECT_EQ(b.entry.state(), SsState::registered);
    b.pass(30);
    b.add_flows();
    EXPECT_EQ(b.entry.state(), SsState::operational);
    EXPECT_EQ(b.entry.figures().operational_at, 50 * 5760);
    DsdReq gone;
    gone.tid = 0x8002;
    gone.sfid = 2;
    b.agent.receive(gone);
    b.entry.check_operational();
    EXPECT_EQ(b.entry.state(), SsState::registered);
    EXPECT_EQ(b.last, "registered: service flows deleted");
}

/// The last millisecond before each wait ends, and the event that reports its end.
TEST(EntryProcedure, EachWaitEnds) {
    struct Case {
        void (*prepare)(Bench&);
        int64_t ms;
        SsState then;
        const char* says;
    };
    const Case cases[] = {
        {[](Bench& b) { b.entry.on_downlink(0); }, 9'999, SsState::scanning, "scanning: no DL-MAP (T21)"},
        {[](Bench& b) { b.up_to_registered(); }, 599, SsState::scanning, "scanning: lost DL-MAP"},
        {[](Bench& b) {
             b.config.lost_dl_map_ms = 100'000;
             b.up_to_registered();
             b.entry.on_broadcast(Broadcast::ul_map);
         },
         599, SsState::scanning, "scanning: lost UL-MAP"},
        {[](Bench& b) {
             b.config.lost_dl_map_ms = 100'000;
             b.up_to_ranging();
         },
         9999, SsState::scanning, "scanning: no ranging opportunity (T2)"},
        {[](Bench& b) {
             b.config.lost_dl_map_ms = 100'000;
             b.up_to_registered();
             b.add_flows();
             DsaAck ack;
             ack.tid = 0x8001;
             b.agent.receive(ack);
         },
         2999, SsState::ranging, "ranging: no unicast grant (T4)"},
        {[](Bench& b) {
             b.config.lost_dl_map_ms = b.config.t4_ms = 100'000;
             b.up_to_registered();
         },
         4999, SsState::ranging, "ranging: no service flows"},
    };
    for (const auto& c : cases) {
        Bench b;
        c.prepare(b);
        const SsState before = b.entry.state();
        EXPECT_EQ(b.after(c.ms), before) << c.says;
        EXPECT_EQ(b.after(1), c.then) << c.says;
        EXPECT_EQ(b.last, c.says);
    }
}

TEST(EntryProcedure, MessagesAreRepeatedUntilTheirRetriesAreUsedUp) {
    Bench b;
    b.config.lost_dl_map_ms = b.config.t4_ms = 100'000;
    b.up_to_capabilities();
    for (int i = 0; i < 8; ++i) {
        b.management.queue.clear();  // it was sent
        EXPECT_EQ(b.after(199), SsState::capabilities);
        EXPECT_TRUE(b.management.queue.empty());
        EXPECT_EQ(b.after(1), SsState::capabilities);
        EXPECT_EQ(b.management.queue.size(), 1U) << i;
    }
    EXPECT_EQ(b.after(200), SsState::ranging);
    EXPECT_EQ(b.last, "ranging: no SBC-RSP (T18)");
    EXPECT_EQ(b.ranging.basic_cid(), 0);
    EXPECT_TRUE(b.management.queue.empty());
    b.up_to_capabilities();
    b.entry.on_capabilities({});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(b.after(500), SsState::registration);
    EXPECT_EQ(b.after(500), SsState::ranging);
    EXPECT_EQ(b.last, "ranging: no REG-RSP (T6)");
}

TEST(EntryProcedure, SentAwayItLeavesTheChannelAlone) {
    Bench b;
    b.up_to_registered();
    DregCmd command;
    command.action = 1;
    b.entry.on_deregistration(command);
    EXPECT_FALSE(b.entry.may_transmit());
    command.action = 3;
    b.entry.on_deregistration(command);
    EXPECT_TRUE(b.entry.may_transmit());
    command.action = 0;
    b.entry.on_deregistration(command);
    EXPECT_EQ(b.entry.state(), SsState::scanning);
    b.pass(4999);
    b.entry.on_downlink(b.clock.now);
    EXPECT_EQ(b.entry.state(), SsState::scanning);
    EXPECT_FALSE(b.entry.may_transmit());
    b.pass(1);
    b.entry.on_downlink(b.clock.now);
    EXPECT_EQ(b.entry.state(), SsState::downlink_map);
    EXPECT_EQ(b.entry.figures().restarts, 2U);  // the first when the PHY started
}

/// One channel after the other, T20 each; indications of a PHY that has not started on the next one are ignored.
TEST(EntryProcedure, SearchesItsChannels) {
    constexpr uint64_t kFirst = 3'500'000'000, kSecond = 3'505'000'000, kThird = 3'510'000'000;
    Bench b({kFirst, kSecond, kThird});
    EXPECT_EQ(b.channels.carriers().downlink_hz, kFirst);
    for (const uint64_t next : {kSecond, kThird, kFirst, kSecond}) {
        EXPECT_EQ(b.after(499), SsState::scanning);
        EXPECT_FALSE(b.channels.changed());
        b.after(1);
        EXPECT_EQ(b.last, "scanning: no preamble (T20), next channel");
        EXPECT_EQ(b.channels.carriers().downlink_hz, next);
        EXPECT_TRUE(b.channels.changed());
        EXPECT_FALSE(b.channels.changed()) << "told once";
        b.up_to_ranging();  // of the former channel
        EXPECT_EQ(b.entry.state(), SsState::scanning);
        EXPECT_FALSE(b.entry.may_transmit());
        b.after(10'000);
        EXPECT_FALSE(b.channels.changed()) << "the PHY takes its time";
        b.entry.new_phy();
    }
    // A downlink stops T20; a channel that does not admit the station by T21, T1, T12 or T2 is left, too.
    b.entry.on_downlink(b.clock.now);
    EXPECT_EQ(b.after(9'999), SsState::downlink_map);
    b.after(1);
    EXPECT_EQ(b.last, "scanning: no DL-MAP (T21), next channel");
    EXPECT_EQ(b.channels.carriers().downlink_hz, kThird);
    EXPECT_EQ(b.channels.changes(), 5U);
    EXPECT_TRUE(b.channels.changed());

    // The lost channel is the first to be listened to.
    b.entry.new_phy();
    b.up_to_registered();
    b.after(600);
    EXPECT_EQ(b.last, "scanning: lost DL-MAP");
    EXPECT_FALSE(b.channels.changed());
    b.after(500);
    EXPECT_TRUE(b.channels.changed());
    EXPECT_EQ(b.channels.carriers().downlink_hz, kFirst);
}

/// T20 applies to a station with other channels, each time that it begins to listen, and ends with a downlink.
TEST(EntryProcedure, T20RunsWhileNothingIsHeard) {
    const auto runs_out = [](Bench& b) {
        b.clock.now += b.clock.from_ms(700) - 1;
        b.entry.run_timers();
        EXPECT_FALSE(b.channels.changed());
        b.clock.now += 1;
        b.entry.run_timers();
        return b.channels.changed();
    };
    const std::vector<uint64_t> two{3'500'000'000, 3'505'000'000};
    const auto with_t20 = [](Bench& b) {
        b.config.t20_ms = 700;
        b.entry.new_phy();
    };
    Bench searching(two);
    with_t20(searching);
    EXPECT_TRUE(runs_out(searching));
    EXPECT_FALSE(runs_out(searching)) << "once, until the PHY has started";
    searching.entry.new_phy();
    searching.after(300);
    searching.entry.new_phy();
    EXPECT_TRUE(runs_out(searching)) << "begun again";

    Bench hearing(two);
    with_t20(hearing);
    hearing.after(699);
    hearing.entry.on_downlink(hearing.clock.now);
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(runs_out(hearing)) << "T21's time";
    hearing.up_to_registered();
    hearing.after(600);
    EXPECT_EQ(hearing.last, "scanning: lost DL-MAP");
    EXPECT_TRUE(runs_out(hearing)) << "from the loss on";

    Bench alone;
    with_t20(alone);
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(runs_out(alone)) << "it has no other channel";
}

TEST(EntryProcedure, GoesWhereABaseStationSendsIt) {
    constexpr uint64_t kTold = 3'520'000'000;
    Bench b;
    b.up_to_ranging();
    RngRsp rsp;
    rsp.status = RangingStatus::abort;
    rsp.ss_mac = b.config.mac;
    rsp.downlink_frequency_khz = kTold / 1000;
    b.entry.on_ranging_response(rsp, cid::kInitialRanging);
    EXPECT_EQ(b.last, "scanning: ranging aborted by the base station to 3520000 kHz");
    EXPECT_EQ(b.channels.carriers().downlink_hz, kTold);
    EXPECT_TRUE(b.channels.changed());
    b.entry.new_phy();
    EXPECT_TRUE(b.entry.may_transmit());
    // No downlink there: back to its own channel.
    b.after(500);
    EXPECT_EQ(b.channels.carriers().downlink_hz, 3'500'000'000U);

    // Sent to its present channel: it leaves that channel alone for a while.
    Bench same;
    same.up_to_ranging();
    rsp.downlink_frequency_khz = 3'500'000;
    same.entry.on_ranging_response(rsp, cid::kInitialRanging);
    EXPECT_FALSE(same.channels.changed());
    same.pass(4999);
    EXPECT_FALSE(same.entry.may_transmit());
    same.pass(1);
    EXPECT_TRUE(same.entry.may_transmit());
}

RngRsp abort_to(const Bench& b, uint32_t khz) {
    RngRsp rsp;
    rsp.status = RangingStatus::abort;
    rsp.ss_mac = b.config.mac;
    rsp.downlink_frequency_khz = khz;
    return rsp;
}

/// Frequencies outside the SAP's range: the station stays, hears nothing for T20, and starts again. Those at the edges
/// of the range are channels.
TEST(EntryProcedure, AFrequencyThatIsNoChannelIsNoneToGoTo) {
    for (const uint32_t khz : {0U, 1U, 999U, 100'000'001U, 2'147'483'648U, 4'294'967'295U}) {
        Bench b;
        b.up_to_ranging();
        b.entry.on_ranging_response(abort_to(b, khz), cid::kInitialRanging);
        EXPECT_EQ(b.last, "scanning: ranging aborted by the base station to " + std::to_string(khz) +
                              " kHz, which is no channel");
        EXPECT_FALSE(b.channels.changed()) << khz;
        EXPECT_EQ(b.channels.carriers().downlink_hz, 3'500'000'000U) << khz;
        b.pass(499);
        EXPECT_FALSE(b.entry.may_transmit());
        b.pass(1);
        b.up_to_registered();
        EXPECT_EQ(b.entry.state(), SsState::registered) << khz;

        Bench listed({3'500'000'000, 3'505'000'000});
        listed.up_to_ranging();
        listed.entry.on_ranging_response(abort_to(listed, khz), cid::kInitialRanging);
        EXPECT_TRUE(listed.channels.changed()) << khz;
        EXPECT_EQ(listed.channels.carriers().downlink_hz, 3'505'000'000U) << khz;
    }
    for (const uint32_t khz : {1000U, 3'499'999U, 3'500'001U, 100'000'000U}) {
        Bench b;
        b.up_to_ranging();
        b.entry.on_ranging_response(abort_to(b, khz), cid::kInitialRanging);
        EXPECT_EQ(b.channels.carriers().downlink_hz, uint64_t{khz} * 1000);
        EXPECT_TRUE(b.channels.changed());
        b.entry.new_phy();
        b.after(500);
        EXPECT_EQ(b.channels.carriers().downlink_hz, 3'500'000'000U) << "nothing there";
    }
}

/// A PHY refuses the channel, as often as a base station names it: the station moves on at once, and forgets it.
TEST(EntryProcedure, AChannelThatThePhyRefusesIsLeft) {
    Bench b;
    for (int i = 0; i < 5; ++i) {
        b.up_to_ranging();
        b.entry.on_ranging_response(abort_to(b, 3'600'000), cid::kInitialRanging);
        EXPECT_EQ(b.channels.carriers().downlink_hz, 3'600'000'000U);
        EXPECT_TRUE(b.channels.changed());
        b.entry.on_phy_refusal();
        EXPECT_EQ(b.channels.carriers().downlink_hz, 3'500'000'000U);
        EXPECT_TRUE(b.channels.changed());
        b.up_to_ranging();
        EXPECT_EQ(b.entry.state(), SsState::scanning) << "of the former channel";
        b.entry.new_phy();
        EXPECT_TRUE(b.channels.only_one()) << "it is not tried again";
    }
    b.up_to_registered();
    EXPECT_EQ(b.entry.state(), SsState::registered);
}

/// A channel of the station's list stays in it, and is requested again in its turn.
TEST(EntryProcedure, AListedChannelThatThePhyRefusesIsPassedBy) {
    Bench b({3'500'000'000, 3'505'000'000, 3'510'000'000});
    b.after(500);
    EXPECT_EQ(b.channels.carriers().downlink_hz, 3'505'000'000U);
    b.entry.on_phy_refusal();
    EXPECT_EQ(b.channels.carriers().downlink_hz, 3'510'000'000U);
    b.entry.new_phy();
    b.after(500);
    b.entry.new_phy();
    b.after(500);
    EXPECT_EQ(b.channels.carriers().downlink_hz, 3'505'000'000U);
    // The only channel: it is requested until the PHY accepts it.
    Bench alone;
    alone.channels.changed();
    alone.entry.on_phy_refusal();
    EXPECT_EQ(alone.channels.carriers().downlink_hz, 3'500'000'000U);
    EXPECT_FALSE(alone.entry.may_transmit());
    alone.entry.new_phy();
    EXPECT_TRUE(alone.entry.may_transmit());
}

TEST(ChannelSearch, RemembersAFewOfThoseItIsTold) {
    ChannelSearch channels({1'000'000'000}, {});
    for (uint64_t i = 1; i <= 100; ++i) EXPECT_TRUE(channels.go_to(1'000'000'000 + i));
    EXPECT_EQ(channels.carriers().downlink_hz, 1'000'000'100U);
    size_t others = 0;
    for (channels.leave(); channels.carriers().downlink_hz != 1'000'000'100; channels.leave()) ++others;
    EXPECT_EQ(others, 16U);
    EXPECT_TRUE(channels.go_to(1'000'000'000));
    EXPECT_FALSE(channels.go_to(1'000'000'000));
}

TEST(ChannelSearch, KeepsTheSpacingOfTheCarriers) {
    ChannelSearch channels({2'500'000'000, -100'000'000}, {2'505'000'000});
    EXPECT_EQ(channels.carriers(), (sap::Carriers{2'500'000'000, -100'000'000}));
    channels.leave();
    EXPECT_EQ(channels.carriers(), (sap::Carriers{2'505'000'000, -100'000'000}));
    EXPECT_TRUE(channels.go_to(101'000'000));
    EXPECT_EQ(channels.carriers().uplink_hz(), 1'000'000U);
    EXPECT_FALSE(channels.go_to(100'999'999)) << "the uplink would be below all frequencies";
}

/// An operator's command is valid in the station's present network only: each way back to an earlier state ends it.
TEST(EntryProcedure, RestrictionsEndWithTheEntryThatTheyWereOf) {
    struct Way {
        const char* name;
        void (*go)(Bench&);
        bool phy_only = false;
    };
    const Way ways[] = {
        {"lost DL-MAP", [](Bench& b) { b.after(600); }},
        {"PHY start", [](Bench& b) { b.entry.new_phy(); }},
        {"RES-CMD", [](Bench& b) { b.entry.restart("reset by the base station"); }},
        {"ARQ-Reset", [](Bench& b) { b.entry.restart("ARQ-Reset not answered"); }},
        {"rerange",
         [](Bench& b) {
             RngRsp rsp;
             rsp.status = RangingStatus::rerange;
             b.entry.on_ranging_response(rsp, b.ranging.basic_cid());
         }},
        {"de-registered",
         [](Bench& b) {
             DregCmd command;
             command.action = 0;
             b.entry.on_deregistration(command);
             b.pass(5000);
         }},
    };
    for (const auto& way : ways)
        for (const uint8_t action : {1, 2}) {
            Bench b;
            b.up_to_registered();
            b.add_flows();
            DregCmd command;
            command.action = action;
            b.entry.on_deregistration(command);
            ASSERT_EQ(b.entry.may_transmit(), action != 1);
            ASSERT_EQ(b.flows.suspended(), action == 2);
            b.management.request.aggregate_sent(100, b.clock.now, b.clock.from_ms(1'000'000));
            McaReq group;
            group.multicast_cid = cid::kFirstMulticastPolling;
            group.assignment = 1;
            ASSERT_TRUE(b.management.polling.change(group));
            way.go(b);
            EXPECT_LE(b.entry.state(), SsState::ranging) << way.name;
            EXPECT_TRUE(b.entry.may_transmit()) << way.name;
            EXPECT_FALSE(b.flows.suspended()) << way.name;
            EXPECT_TRUE(b.flows.flows().empty()) << way.name;
            EXPECT_TRUE(b.management.queue.empty()) << way.name;
            EXPECT_EQ(b.management.request.octets(), 0U) << way.name;
            EXPECT_FALSE(b.management.polling.may_ask(cid::kFirstMulticastPolling)) << way.name;
            EXPECT_EQ(b.ranging.basic_cid(), 0) << way.name;
            EXPECT_EQ(b.entry.figures().operational_at, -1) << way.name;
            b.up_to_ranging();
            if (b.entry.state() != SsState::ranging) continue;  // already ranging
            b.up_to_capabilities();
            b.entry.on_capabilities({});
            b.entry.on_registration({});
            b.add_flows();
            EXPECT_TRUE(b.entry.operational()) << way.name;
            EXPECT_TRUE(b.flows.flows()[0]->sends() || b.flows.flows()[1]->sends()) << way.name;
        }
}

/// No timer of an earlier state keeps running: after a new entry each wait is as long as the first time.
TEST(EntryProcedure, TimersOfAnEarlierEntryAreOver) {
    for (int64_t stop_ms = 0; stop_ms <= 450; stop_ms += 50) {
        Bench b;
        b.config.lost_dl_map_ms = b.config.lost_ul_map_ms = 100'000;
        b.up_to_capabilities();                               // T18, T4
        b.entry.on_capabilities({});                          // T6
        if (stop_ms % 100 == 0) b.entry.on_registration({});  // the wait for flows
        b.after(stop_ms);
        b.entry.new_phy();
        ASSERT_EQ(b.after(99'999), SsState::scanning) << "nothing ends a search of one channel";
        b.up_to_capabilities();
        EXPECT_EQ(b.after(199), SsState::capabilities);
        b.entry.on_capabilities({});
        const auto sent = b.management.queue.size();
        EXPECT_EQ(b.after(499), SsState::registration);
        EXPECT_EQ(b.management.queue.size(), sent);
        b.entry.on_registration({});
        EXPECT_EQ(b.after(2000), SsState::registered);
    }
}

/// T1 and T12 run from the DL-MAP on, each until its descriptor; each descriptor restarts its own timer.
TEST(EntryProcedure, EachDescriptorHasItsTimer) {
    for (const bool dcd_comes : {false, true}) {
        Bench b({3'500'000'000, 3'505'000'000});
        b.config.lost_dl_map_ms = 1'000'000;
        DlMap map;
        map.bs_id = Listener::kBsid;
        b.entry.on_downlink(b.clock.now);
        b.entry.on_broadcast(b.hear(map));
        for (int64_t ms = 0; ms < 49'000; ms += 1000) {
            b.after(1000);
            if (dcd_comes) b.tell(lab_dcd());
            else b.tell(lab_ucd());
            EXPECT_EQ(b.entry.state(), SsState::descriptors);
        }
        b.after(999);
        EXPECT_EQ(b.entry.state(), SsState::descriptors);
        b.after(1);
        EXPECT_EQ(b.last, dcd_comes ? "scanning: no UCD (T12), next channel" : "scanning: no DCD (T1), next channel");
    }
    // In operation, too: a network that no longer sends its descriptors is left.
    for (const bool dcd_comes : {false, true}) {
        Bench b;
        b.config.lost_dl_map_ms = b.config.t4_ms = b.config.operational_ms = 1'000'000;
        b.config.t6_ms = 1'000'000;
        b.up_to_registered();
        const auto entered = b.entry.state();
        for (int64_t ms = 0; ms < 49'000; ms += 7000) {
            b.after(7000);
            b.entry.on_broadcast(dcd_comes ? Broadcast::dcd : Broadcast::ucd);
        }
        EXPECT_EQ(b.after(999), entered);
        EXPECT_EQ(b.after(1), SsState::scanning);
        EXPECT_EQ(b.last, dcd_comes ? "scanning: no UCD (T12)" : "scanning: no DCD (T1)");
    }
}

/// A frame with a grant starts T4 again; so does permission to continue.
TEST(EntryProcedure, T4RunsFromTheLastGrant) {
    Bench b;
    b.config.lost_dl_map_ms = b.config.t1_ms = b.config.t12_ms = 1'000'000;
    b.up_to_registered();
    b.add_flows();
    DsaAck ack;
    ack.tid = 0x8001;
    b.agent.receive(ack);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(b.after(2999), SsState::operational);
        b.entry.on_grant();
    }
    DregCmd command;
    command.action = 1;
    b.entry.on_deregistration(command);
    EXPECT_EQ(b.after(100'000), SsState::operational) << "a silent station is given no grants";
    command.action = 3;
    b.entry.on_deregistration(command);
    EXPECT_EQ(b.after(2999), SsState::operational);
    EXPECT_EQ(b.after(1), SsState::ranging);
    EXPECT_EQ(b.last, "ranging: no unicast grant (T4)");
}

/// Each entry is counted from its own begin: the first frame received after a loss, or the start of ranging again.
TEST(EntryProcedure, EachEntryHasItsOwnBegin) {
    Bench b;
    b.config.t4_ms = b.config.t6_ms = b.config.operational_ms = 1'000'000;
    const auto enter = [&b] {
        b.up_to_registered();
        b.add_flows();
        EXPECT_TRUE(b.entry.operational());
    };
    b.pass(20);
    enter();
    EXPECT_EQ(b.entry.figures().heard_at, 20 * 5760);
    b.pass(500);
    EXPECT_EQ(b.entry.figures().heard_at, 20 * 5760);
    b.after(100);  // lost DL-MAP
    EXPECT_EQ(b.entry.figures().heard_at, -1);
    b.pass(40);
    b.entry.on_downlink(b.clock.now);
    EXPECT_EQ(b.entry.figures().heard_at, 660 * 5760);
    b.pass(100);
    b.entry.restart("reset by the base station");  // on its way: it is the same entry
    enter();
    EXPECT_EQ(b.entry.figures().heard_at, 660 * 5760);
    EXPECT_EQ(b.entry.figures().operational_at, 760 * 5760);
    b.pass(40);
    RngRsp rsp;
    rsp.status = RangingStatus::rerange;
    b.entry.on_ranging_response(rsp, b.ranging.basic_cid());
    EXPECT_EQ(b.entry.figures().heard_at, 800 * 5760);
    EXPECT_EQ(b.entry.figures().operational_at, -1);
}

/// A base station that does not answer DSD is left once; the next one starts without that state.
TEST(EntryProcedure, ABaseStationThatWasLostIsForgotten) {
    Bench b;
    b.config.lost_dl_map_ms = b.config.t4_ms = b.config.operational_ms = 1'000'000;
    b.up_to_registered();
    b.add_flows();
    DsaAck ack;
    ack.tid = 0x8001;
    b.agent.receive(ack);
    ASSERT_TRUE(b.agent.remove(1, 7));
    int64_t ms = 0;
    for (; ms < 20'000 && b.last != "ranging: no DSD-RSP (T7)"; ms += 100) b.after(100);
    EXPECT_EQ(b.entry.state(), SsState::ranging) << ms;
    b.up_to_capabilities();
    b.entry.on_capabilities({});
    b.entry.on_registration({});
    for (int i = 0; i < 10; ++i) EXPECT_EQ(b.after(10), SsState::registered);
}

// ---- managed stations ----

/// A managed station at a base station whose servers are silent, and which needs none of them.
struct ManagedBench : Bench {
    ManagedBench() {
        config.lost_dl_map_ms = config.lost_ul_map_ms = 1'000'000;
        auto& m = config.managed;
        m.offered = true;
        m.needs_address = m.needs_file = false;
        m.address_tries = 1;
        m.first_wait_ms = m.longest_wait_ms = 10;
        m.t26_ms = 50;
    }
    static RegRsp managed_response(uint16_t cid = 0x2000) {
        RegRsp rsp;
        rsp.managed = 1;
        rsp.secondary_cid = cid;
        return rsp;
    }
    SsState register_with(const RegRsp& rsp) {
        up_to_capabilities();
        entry.on_capabilities({});
        entry.on_registration(rsp);
        management.queue.clear();
        return entry.state();
    }
    /// The set-up ends, and the queue has TFTP-CPLT alone.
    void set_up() {
        register_with(managed_response());
        for (int i = 0; i < 20 && management.queue.empty(); ++i) after(10);
    }
    uint16_t cid_of_complete() {
        Buffer octets;
        PduWriter writer(octets, 2000);
        management.queue.fill(writer, 2000);
        PduReader reader(octets);
        const auto pdu = reader.next();
        return pdu && message_type(pdu->body) == MessageType::tftp_cplt && !reader.next() ? pdu->cid() : uint16_t{0};
    }
    SsState answer(uint8_t response) {
        TftpRsp rsp;
        rsp.response = response;
        managed.on_response(rsp);
        return after(10);
    }
};

TEST(ManagedEntryProcedure, AFileComesBeforeServiceFlows) {
    ManagedBench b;
    EXPECT_EQ(b.register_with(ManagedBench::managed_response()), SsState::managed);
    EXPECT_TRUE(b.management.secondary);
    EXPECT_EQ(b.answer(0), SsState::managed) << "a response to nothing";
    b.set_up();
    EXPECT_EQ(b.cid_of_complete(), 325) << "the primary management connection";
    EXPECT_EQ(b.entry.state(), SsState::managed);
    EXPECT_EQ(b.answer(0), SsState::registered);
    b.add_flows();
    EXPECT_EQ(b.entry.state(), SsState::operational);
}

TEST(ManagedEntryProcedure, ARefusedFileEndsTheEntry) {
    ManagedBench b;
    b.set_up();
    EXPECT_EQ(b.answer(1), SsState::scanning);
    EXPECT_NE(b.last.find("set-up failed: TFTP-RSP refuses"), std::string::npos) << b.last;
    EXPECT_FALSE(b.management.secondary) << "the connection ends with the network";
}

TEST(ManagedEntryProcedure, TheFirstResponseCounts) {
    ManagedBench b;
    b.set_up();
    TftpRsp rsp;
    b.managed.on_response(rsp);
    EXPECT_EQ(b.answer(1), SsState::registered);
}

TEST(ManagedEntryProcedure, TftpCpltIsRepeatedAfterT26ButNotForEver) {
    ManagedBench b;
    b.set_up();
    int sent = 0;
    for (int i = 0; i < 200 && b.entry.state() == SsState::managed; ++i) {
        if (!b.management.queue.empty()) {
            EXPECT_EQ(b.cid_of_complete(), 325);
            ++sent;
            EXPECT_EQ(b.after(40), SsState::managed);
            EXPECT_TRUE(b.management.queue.empty()) << "before T26 has ended";
        }
        b.after(10);
    }
    EXPECT_EQ(sent, 16);
    EXPECT_EQ(b.entry.state(), SsState::scanning);
    EXPECT_NE(b.last.find("no TFTP-RSP (T26)"), std::string::npos) << b.last;
}

/// Without a CID that can be a secondary management connection's, the station is unmanaged.
TEST(ManagedEntryProcedure, ImpossibleConnectionsAreNotOpened) {
    for (const uint16_t cid : {uint16_t{0}, uint16_t{5}, uint16_t{325}, uint16_t{0xFFFF}, uint16_t{0xFF00}}) {
        ManagedBench b;
        EXPECT_EQ(b.register_with(ManagedBench::managed_response(cid)), SsState::registered) << cid;
        EXPECT_FALSE(b.management.secondary);
    }
    ManagedBench none;
    RegRsp rsp = ManagedBench::managed_response();
    rsp.managed = 0;
    EXPECT_EQ(none.register_with(rsp), SsState::registered) << "the base station is not willing";
    ManagedBench silent;
    silent.config.managed.offered = false;
    EXPECT_EQ(silent.register_with(ManagedBench::managed_response()), SsState::registered)
        << "the station has not offered it";
}

/// ARQ only if the station has offered it, whatever the base station answers.
TEST(ManagedEntryProcedure, ArqNeedsTheOffer) {
    for (const bool offered : {false, true})
        for (const bool answered : {false, true}) {
            ManagedBench b;
            b.config.managed.arq = offered;
            RegRsp rsp = ManagedBench::managed_response();
            ArqConfig arq;
            arq.enable = true;
            if (answered) put_arq(arq, rsp.secondary_arq.emplace());
            b.register_with(rsp);
            ASSERT_TRUE(b.management.secondary);
            EXPECT_EQ(b.management.secondary->transmitter->arq() != nullptr, offered && answered);
        }
}

}  // namespace test_entry_procedure
