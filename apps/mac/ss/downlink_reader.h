// SPDX-License-Identifier: GPL-3.0-or-later
// Dispatches PDUs of downlink bursts: broadcast messages, management messages, packets.
#pragma once

#include "mac/flow/arq_exchange.h"
#include "mac/ss/downlink_profile.h"
#include "mac/ss/entry_procedure.h"

namespace wimax::mac {

struct ReceiverCounters {
    uint64_t bursts = 0, undecoded_bursts = 0, stopped_bursts = 0, malformed = 0, foreign_pdus = 0;
    uint64_t maps_unusable = 0;  ///< after the first descriptors
};

class DownlinkReader {
public:
    using Sink = std::function<void(Octets packet)>;
    /// All outlive the object.
    struct Dependencies {
        SubscriberAir& air;
        DownlinkProfileControl& profile;
        EntryProcedure& entry;
        Ranging& ranging;
        ManagementConnections& management;
        FlowTable& flows;
        ServiceFlowAgent& agent;
        RequestContention& contention;
        PrivacyAgent& privacy;
        ManagedEntry& managed;
        const FrameClock& clock;
        EventSink& event;
        const Sink& on_sdu;
    };
    explicit DownlinkReader(const Dependencies& dependencies) : to_(dependencies) {}
    DownlinkReader(const DownlinkReader&) = delete;
    DownlinkReader& operator=(const DownlinkReader&) = delete;

    /// `reading`: of this burst. `broadcast`: it is burst #1.
    void receive(const sap::RxBurst& burst, ReadBurst& reading, bool broadcast);
    /// Timers of ARQ connections; call once per frame.
    void run_timers();
    const ReceiverCounters& counters() const { return counters_; }

private:
    bool for_this_station(const Pdu& pdu) const;
    /// The next PDU that this station must look at, the i-th or later.
    size_t next_own(const ReadBurst& reading, size_t i) const;
    void on_pdu(const Pdu& received, const sap::RxBurst& burst, ReadBurst& reading);
    void on_broadcast_pdu(const Pdu& pdu, const sap::RxBurst& burst, ReadBurst& reading);
    void hand_over(SubscriberFlow& flow, Octets sdu) const;
    void on_broadcast(Octets message, const sap::RxBurst& burst, ReadBurst& reading);
    void on_management(Octets message, uint16_t cid);
    void on_fast_power(Octets message);
    void on_report_request(const RepReq& asked);
    void on_polling_group(const McaReq& request);
    bool on_arq_message(Octets message);
    void take_attached_feedback(const Pdu& pdu, const Subheaders& subheaders);
    ArqContext arq_context() const { return {to_.management.queue, to_.ranging.basic_cid(), to_.clock.now}; }

    const Dependencies to_;
    ReceiverCounters counters_;
    bool own_ = false;  ///< in the burst being read: something for this station
};

}  // namespace wimax::mac
