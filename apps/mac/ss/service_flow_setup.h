/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dynamic service messages as a subscriber station answers them (clause 6.3.14): DSA-REQ and DSD-REQ of the base
 * station, each answer kept until it is acknowledged (T8) and for repeated requests (T10).
 */
#pragma once

#include "mac/flow/management_queue.h"
#include "mac/ss/flow_table.h"

namespace wimax::mac {

class ServiceFlowSetup {
public:
    struct Config {
        uint32_t t8_ms = 300, t10_ms = 3000;
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        FlowTable& flows;
        ManagementQueue& management;
    };
    ServiceFlowSetup(const Config& config, const Dependencies& dependencies);

    /// `registered`: REG-RSP has come; before that only what was answered already is answered again.
    void on_request(const DsaReq& request, uint16_t primary_cid, bool registered, Samples frame_samples);
    void on_acknowledge(const DsaAck& ack);
    void on_delete(const DsdReq& request, uint16_t primary_cid);
    void run_timers(uint16_t primary_cid);
    void forget() { transactions_.clear(); }

private:
    struct Transaction {
        uint16_t tid = 0;
        DsaRsp response;
        Timer t8, t10;
        int sent = 0;
        bool acknowledged = false;
    };
    bool add(const ServiceFlow& parameters, FlowDirection direction, Samples frame_samples, DsaRsp& response);

    const Config config_;
    const FrameClock& clock_;
    FlowTable& flows_;
    ManagementQueue& management_;
    std::vector<Transaction> transactions_;
};

}  // namespace wimax::mac
