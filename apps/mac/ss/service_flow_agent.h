// SPDX-License-Identifier: GPL-3.0-or-later
// Adds, changes and deletes service flows of a subscriber station (clause 6.3.14): it applies the base station's DSA,
// DSC and DSD, requests flows on the user's command, and requests activation of a flow for which packets wait.
#pragma once

#include "mac/flow/management_queue.h"
#include "mac/report/flow_results.h"
#include "mac/ss/flow_table.h"

namespace wimax::mac {

class ServiceFlowAgent {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        FlowTable& flows;
        ManagementQueue& management;
    };
    ServiceFlowAgent(const ServiceTransactions::Config& config, const Dependencies& dependencies);

    /// Registered: transactions are possible from now on. `frame_samples`: of the base station's frames.
    void start(uint16_t primary_cid, Samples frame_samples);
    void receive(const DsxMessage& message);
    void run_timers();
    /// The network is left, or entered again.
    void forget();
    /// The base station does not even answer DSD; stays true until forget().
    bool base_station_lost() const { return lost_; }

    /// The user's commands. `id` finds the result. False: not now (not registered, no such flow, or it is changing).
    bool add(const ServiceFlowConfig& flow, FlowState state, uint64_t id);
    bool change(uint32_t sfid, const ServiceFlowConfig& flow, FlowState state, uint64_t id);
    bool remove(uint32_t sfid, uint64_t id);

    const FlowResults& results() const { return results_; }
    const ServiceTransactions& transactions() const { return transactions_; }

private:
    class Keeper;
    void bring_up(Keeper& keeper);
    bool begin(DsxKind kind, FlowChange request, uint64_t id);

    const FrameClock& clock_;
    EventSink& event_;
    FlowTable& flows_;
    ManagementQueue& management_;
    ServiceTransactions transactions_;
    FlowResults results_;
    uint16_t primary_cid_ = 0;  ///< 0: not registered
    Samples frame_samples_ = 0;
    bool lost_ = false;
};

}  // namespace wimax::mac
