// SPDX-License-Identifier: GPL-3.0-or-later
// Adds, changes and deletes service flows of stations (clause 6.3.14). Provisioned flows are set up with DSA when a
// station has registered; the user changes them while they run. A station may add flows, and change its flows within
// what is provisioned, as far as they are admitted (AdmissionControl). If so provisioned, an idle flow is taken down,
// and brought up again for the next packet. A multicast flow is a member of its connection (MulticastConnections) at
// each station; its parameters stay. A flow with a separate security association waits until the station has asked for
// its keys.
#pragma once

#include "mac/bs/admission_control.h"
#include "mac/bs/downlink_router.h"
#include "mac/report/events.h"
#include "mac/report/flow_results.h"

namespace wimax::mac {

class ServiceFlowManager {
public:
    struct Config {
        ServiceTransactions::Config transactions;
        double frame_ms = 10;
        SduQueueConfig queue;                                             ///< except the limits, which are per flow
        const std::vector<ServiceFlowConfig>* service_classes = nullptr;  ///< by name; null: none
        FeedbackTypes arq_feedback = FeedbackTypes::all;
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        StationTable& stations;
        DownlinkRouter& router;
        Reservations& reservations;
        AdmissionControl& admission;
        MulticastConnections& multicast;
    };
    ServiceFlowManager(const Config& config, SduPool& pool, const Dependencies& dependencies);

    /// Sets up all flows of a station that has just registered; without any, one best effort flow each way.
    void create(Subscriber& station);
    void receive(Subscriber& station, const DsxMessage& message);
    void run_timers(Subscriber& station);
    /// Its flows pause or continue; packets wait meanwhile.
    void restriction_changed(Subscriber& station);

    /// The user's commands. `id` finds the result. Fault: why not now. It is not registered, has too many flows,
    /// has no such flow, the flow is changing, or there is no room for what would be promised.
    Outcome add(Subscriber& station, const ServiceFlowConfig& flow, FlowState state, uint64_t id);
    Outcome change(Subscriber& station, uint32_t sfid, const ServiceFlowConfig& to, FlowState state, uint64_t id);
    Outcome remove(Subscriber& station, uint32_t sfid, uint64_t id);

    /// Adds a flow provisioned later, as create() does. Fault: why not now.
    Outcome provide(Subscriber& station, const ServiceFlowConfig& flow);
    /// Parameters of the flow as sent to this station: its addresses, and what both ends support. A multicast flow is
    /// the same for all stations; one without rules is the existing one of its name.
    ServiceFlowConfig prepared(const Subscriber& station, const ServiceFlowConfig& config) const;

    const FlowResults& results() const { return results_; }

private:
    class Keeper;
    ArqConfig arq_for(const Subscriber& station, ArqConfig arq) const;
    FlowContext* make(Subscriber& station, AgreedFlow flow);
    void erase(Subscriber& station, uint32_t sfid);
    void begin_waiting(Subscriber& station);
    void give_up_waiting(Subscriber& station);
    bool ask(Subscriber& station, FlowContext& flow, Keeper& keeper);
    void set_up(const Subscriber& station, FlowContext& flow);
    void put_in_force(Subscriber& station, FlowContext& flow);
    void settle(Subscriber& station);
    void watch_use(Subscriber& station, Keeper& keeper);
    void tell_refusal(const Subscriber& station, FlowContext& flow, const std::string& why);
    bool has_room(const Subscriber& station, const ServiceFlowConfig& wanted, FlowContext& flow);
    bool begin_change(Subscriber& station, FlowContext& flow, const ServiceFlowConfig& to, FlowState state,
                      bool provisioned, Keeper& keeper);

    const Config config_;
    SduPool& pool_;
    const FrameClock& clock_;
    EventSink& event_;
    StationTable& stations_;
    DownlinkRouter& router_;
    Reservations& reservations_;
    AdmissionControl& admission_;
    MulticastConnections& multicast_;
    FlowResults results_;
    uint32_t next_sfid_ = 1;
};

}  // namespace wimax::mac
