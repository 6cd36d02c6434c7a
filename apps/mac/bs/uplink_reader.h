// SPDX-License-Identifier: GPL-3.0-or-later
// Receives bursts from the PHY: ranging requests, bandwidth requests in contention, and the bursts of grants with their
// PDUs: packets, management messages, requests.
#pragma once

#include "mac/air/uplink_reception.h"
#include "mac/bs/management_network.h"
#include "mac/bs/management_receiver.h"
#include "mac/bs/uplink_demand.h"
#include "mac/bs/uplink_quality.h"

namespace wimax::mac {

struct UplinkReaderCounters {
    uint64_t ranging_bursts = 0, ranging_undecoded = 0, contention_bursts = 0, contention_undecoded = 0;
    uint64_t unknown_cid = 0, stale_bursts = 0, capacity_bytes = 0, padding_bytes = 0;
};

class UplinkReader {
public:
    using Sink = std::function<void(Octets packet)>;
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        RangingService& ranging;
        ManagementReceiver& management;
        UplinkDemand& demand;
        UplinkReception& reception;
        UplinkQuality& quality;
        SourceAddresses& sources;
        PrivacyService& privacy;
        ManagementNetwork& network;
        const Sink& on_sdu;
        Samples frame_samples;
        const ResourceGrid& grid;
    };
    explicit UplinkReader(const Dependencies& dependencies) : to_(dependencies) {}

    void receive(const sap::RxBurst& burst);
    /// Timers of ARQ connections; call once per frame.
    void run_timers();
    const UplinkReaderCounters& counters() const { return counters_; }

private:
    /// Origin of an SDU, for a callback that may not use the heap.
    struct Arrival {
        Subscriber& station;
        FlowContext& flow;
        Samples frame_start;
    };
    void deliver(const Arrival& arrival, Octets sdu);
    void on_contention_burst(const sap::RxBurst& burst);
    void on_ranging_burst(const sap::RxBurst& burst);
    void on_data_burst(const sap::RxBurst& burst);
    Samples start_of(phy::FrameNumber frame) const;
    void read(Subscriber& station, const sap::RxBurst& burst);
    bool on_own_request(Subscriber& station, const BandwidthRequestHeader& request, phy::FrameNumber frame);
    void on_request(const BandwidthRequestHeader& request, phy::FrameNumber frame, bool proven);
    void on_pdu(Subscriber& station, const Pdu& received, const sap::RxBurst& burst);
    void on_basic(Subscriber& station, Octets message);
    bool on_arq_message(Subscriber& station, Octets message);
    void take_attached_feedback(Subscriber& station, const Pdu& pdu, const Subheaders& subheaders);
    bool tick(Subscriber& station);
    void on_grant_management(Subscriber& station, FlowContext& flow, const GrantManagementSubheader& gm,
                             phy::FrameNumber frame);
    static void settle_request(Subscriber& station, const sap::RxBurst& burst, bool used);

    const Dependencies to_;
    UplinkReaderCounters counters_;
};

}  // namespace wimax::mac
