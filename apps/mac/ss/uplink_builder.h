// SPDX-License-Identifier: GPL-3.0-or-later
// Fills a subscriber station's grants: UGS data, management messages, other flows, and requests for the data that found
// no room (clause 6.3.6).
#pragma once

#include "mac/air/subscriber_air.h"
#include "mac/burst_store.h"
#include "mac/ss/flow_table.h"
#include "mac/ss/management_connections.h"

namespace wimax::mac {

struct UplinkCounters {
    uint64_t grants = 0, grants_unusable = 0, capacity_bytes = 0, payload_bytes = 0;
    uint64_t aggregate_requests = 0, piggyback_requests = 0;
};

class UplinkBuilder {
public:
    struct Config {
        uint32_t t16_ms = 100;
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        FlowTable& flows;
        ManagementConnections& management;
        BurstStore& bursts;
    };
    UplinkBuilder(const Config& config, const Dependencies& dependencies);

    struct Result {
        bool granted = false;    ///< the station has grants in this frame
        bool could_ask = false;  ///< there was room for at least one request
    };
    /// Fills the station's own grants.
    Result build(const SubscriberUplink& uplink, uint16_t basic_cid, sap::TxFrame& tx);

    const UplinkCounters& counters() const { return counters_; }

private:
    using Flow = SubscriberFlow;

    void collect_grants(const SubscriberUplink& uplink, uint16_t basic_cid, sap::TxFrame& tx);
    void fill_flows(PduWriter& writer, bool ugs, size_t kept);
    void add_requests(PduWriter& writer, bool last, uint16_t basic_cid);
    size_t reserve(Flow& flow, size_t room);
    size_t flows_with_ugs() const;
    void plan_ugs();
    void tell_slips();
    void tell_polls();
    void watch_slips();
    void plan_others(size_t room);
    size_t plan_group(size_t first, size_t end, size_t room);
    void plan_request(Flow& flow, size_t backlog);
    void note_granted(size_t left);
    size_t management_demand() const;
    void fill_grant(PduWriter& writer, bool last, uint16_t basic_cid);
    Samples t16() const { return clock_.from_ms(config_.t16_ms); }

    const Config config_;
    const FrameClock& clock_;
    std::vector<std::unique_ptr<Flow>>& flows_;
    ManagementConnections& management_;
    BurstStore& bursts_;
    bool could_not_ask_ = false;  ///< in the last frame with grants
    ArqFeedbackPayload feedback_;
    size_t header_octets_ = 0;  ///< for requests that no data carry, in the frame being built
    UplinkCounters counters_;
};

}  // namespace wimax::mac
