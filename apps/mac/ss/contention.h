// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidth requests in contention (clauses 6.3.6 and 6.3.8): which connection asks, when, and when a request counts as
// lost. In a region for codes a code is sent first; the request follows where the map answers it.
#pragma once

#include "mac/air/subscriber_air.h"
#include "mac/burst_store.h"
#include "mac/ss/backoff.h"
#include "mac/ss/flow_table.h"
#include "mac/ss/management_connections.h"

#include <optional>

namespace wimax::mac {

struct ContentionCounters {
    uint64_t requests = 0, lost = 0;
    uint64_t codes = 0, answered = 0;
};

class RequestContention {
public:
    struct Config {
        uint32_t t16_ms = 100;
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        FlowTable& flows;
        ManagementConnections& management;
        Backoff::Random& random;
        BurstStore& bursts;
    };
    RequestContention(const Config& config, const Dependencies& dependencies);

    /// Sends a request if a connection has something to request and the backoff has expired. `terms`: the newest.
    void add_request(const SubscriberUplink& uplink, const ContentionTerms& terms, uint16_t basic_cid,
                     sap::TxFrame& tx);
    /// A map was received, possibly with the requested grant.
    void on_map(uint16_t basic_cid);
    /// A grant had room for requests: there is no need to contend.
    void spare() { forget(); }
    void forget() {
        contending_ = false;
        answer_awaited_ = 0;
        code_.reset();
    }
    const ContentionCounters& counters() const { return counters_; }

private:
    struct Contender {
        uint16_t cid = 0;
        size_t backlog = 0;
        RequestRecord* record = nullptr;
        SubscriberFlow* flow = nullptr;  ///< null: management
    };
    Contender contender(uint16_t basic_cid);
    bool may_try(const Contender& asker, const ContentionTerms& terms);
    void send(const SubscriberUplink& uplink, const Opportunity& region, uint32_t opportunity,
              const ContentionTerms& terms, const Contender& asker, sap::TxFrame& tx);
    void use_answer(const SubscriberUplink& uplink, const ContentionTerms& terms, uint16_t basic_cid, sap::TxFrame& tx);
    void await_answer(const ContentionTerms& terms, uint16_t cid);

    const Config config_;
    const FrameClock& clock_;
    FlowTable& flows_;
    ManagementConnections& management_;
    Backoff::Random& random_;
    BurstStore& bursts_;
    Backoff backoff_;
    bool contending_ = false;             ///< a request waits for its opportunity
    uint32_t answer_awaited_ = 0;         ///< UL-MAPs until a request counts as lost
    uint16_t asked_cid_ = 0;              ///< CID in that request
    std::optional<ContentionCode> code_;  ///< sent, without a response so far
    ContentionCounters counters_;
};

}  // namespace wimax::mac
