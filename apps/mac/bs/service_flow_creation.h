/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Provisioned service flows of a station are set up with DSA when it has registered (clause 6.3.14): DSA-REQ, repeated
 * by T7, DSA-RSP, DSA-ACK.
 */
#pragma once

#include "mac/bs/downlink_router.h"
#include "mac/report/events.h"

namespace wimax::mac {

class ServiceFlowCreation {
public:
    struct Config {
        uint32_t t7_ms = 1000;
        double frame_ms = 10;
        SduQueueConfig queue;  ///< its byte limit is each flow's own
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        const EventSink& event;
        StationTable& stations;
        DownlinkRouter& router;
    };
    ServiceFlowCreation(const Config& config, SduPool& pool, const Dependencies& dependencies);

    /// Asks for all flows of a station that has just registered; without any, for one best effort flow each way.
    void create(Subscriber& station);
    void on_response(Subscriber& station, const DsaRsp& response);
    /// A station's own wish is answered at once and refused: flows are provisioned here.
    static void refuse(Subscriber& station, const DsaReq& request);
    void run_timers(Subscriber& station);

private:
    void send_request(Subscriber& station, FlowContext& flow);
    void activate(const Subscriber& station, FlowContext& flow);
    void settle(Subscriber& station);

    const Config config_;
    SduPool& pool_;
    const FrameClock& clock_;
    const EventSink& event_;
    StationTable& stations_;
    DownlinkRouter& router_;
    uint16_t next_tid_ = 0x8000;
    uint32_t next_sfid_ = 1;
};

}  // namespace wimax::mac
