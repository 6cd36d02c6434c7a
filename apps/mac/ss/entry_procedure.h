// SPDX-License-Identifier: GPL-3.0-or-later
// Network entry of a subscriber station (clause 6.3.9): the chain of states from the first received frame to the
// service flows, the timers of each state, and the ways back.
#pragma once

#include "mac/report/events.h"
#include "mac/ss/channel_search.h"
#include "mac/ss/contention.h"
#include "mac/ss/managed_entry.h"
#include "mac/ss/ranging.h"
#include "mac/ss/service_flow_agent.h"
#include "mac/timer_group.h"

namespace wimax::mac {

enum class SsState : uint8_t {
    scanning,       ///< no downlink (T20)
    downlink_map,   ///< synchronised, DL-MAP awaited (T21)
    descriptors,    ///< DCD and UCD awaited (T1, T12)
    ranging,        ///< initial ranging (T2, T3)
    capabilities,   ///< SBC-RSP awaited (T18)
    authorization,  ///< keys awaited (7.2)
    registration,   ///< REG-RSP awaited (T6)
    managed,        ///< set-up over the secondary management connection, TFTP-RSP awaited
    registered,     ///< service flows awaited
    operational,
};
const char* to_string(SsState state);

struct EntryFigures {
    Samples heard_at = -1;        ///< begin of this entry; -1: nothing received yet
    Samples operational_at = -1;  ///< -1: it is not
    uint64_t restarts = 0;
};

class EntryProcedure {
public:
    /// Components that restart with each entry; all outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        ChannelSearch& channels;
        SubscriberAir& air;
        Ranging& ranging;
        ManagementConnections& management;
        FlowTable& flows;
        ServiceFlowAgent& agent;
        RequestContention& contention;
        PrivacyAgent& privacy;
        ManagedEntry& managed;
    };
    EntryProcedure(const SubscriberConfig& config, const Dependencies& dependencies);

    void new_phy();
    /// The PHY cannot use the requested channel.
    void on_phy_refusal();
    /// Call once per frame.
    void run_timers();

    /// A burst with broadcast messages was received; `frame_start`: of its frame.
    void on_downlink(Samples frame_start);
    /// A broadcast message was read by the air interface, or missed.
    void on_broadcast(Broadcast message);
    /// A frame has grants for this station.
    void on_grant() { start(TimerId::t4, config_.t4_ms); }
    void on_ranging_response(const RngRsp& rsp, uint16_t cid);
    void on_capabilities(const SbcRsp& rsp);
    void on_registration(const RegRsp& rsp);
    /// Back to scanning, for a reason that is no timer of entry: RES-CMD, an ARQ-Reset without a response.
    void restart(const std::string& why);
    void on_deregistration(const DregCmd& command);
    /// Call after flows may have been added or removed.
    void check_operational();

    SsState state() const { return state_; }
    /// Initial ranging is done: grants and requests are possible.
    bool served() const { return state_ > SsState::ranging; }
    bool may_transmit() const { return !muted_ && to_.clock.now >= blocked_until_; }
    bool operational() const { return state_ == SsState::operational && !muted_; }
    const EntryFigures& figures() const { return figures_; }

private:
    enum class TimerId : uint8_t { lost_dl_map, lost_ul_map, t1, t4, t6, t12, t18, t20, t21, flows };
    static constexpr size_t kTimers = 10;

    void start(TimerId timer, uint32_t ms) { timers_.start(timer, to_.clock.now, to_.clock.from_ms(ms)); }
    void set_state(SsState state, const std::string& why);
    void elsewhere(const std::string& why);
    void sent_away(const std::string& why, const Opt<uint32_t>& frequency_khz);
    void start_ranging(const std::string& why);
    void forget_network();
    bool lost_or_late();
    void repeat_messages();
    void authorize();
    void begin_registration(const std::string& why);
    void run_set_up();
    void await_flows();
    void send_request();

    const SubscriberConfig& config_;
    const Dependencies to_;

    SsState state_ = SsState::scanning;
    int attempts_ = 0;    ///< of the message the state waits for
    bool muted_ = false;  ///< DREG-CMD 1
    Samples blocked_until_ = INT64_MIN;
    TimerGroup<TimerId, kTimers> timers_;
    EntryFigures figures_;
};

}  // namespace wimax::mac
