// SPDX-License-Identifier: GPL-3.0-or-later
// Ranging at the base station (clauses 6.3.9.5 and 6.3.10): RNG-REQs are answered with corrections and CIDs, stations
// are invited to ranging opportunities.
#pragma once

#include "mac/bs/admission.h"
#include "mac/bs/link_service.h"

namespace wimax::mac {

class RangingService {
public:
    struct Config {
        uint32_t t9_ms = 5000;  ///< SBC-REQ after ranging
        Samples frame_samples = 0;
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        Admission& admission;
        const Descriptors& descriptors;
        LinkService& links;
        ManagementQueue& broadcast_replies;  ///< sent in burst #1
    };
    RangingService(const Config& config, const Dependencies& dependencies);

    /// RNG-REQ in a ranging opportunity of `frame`. False: no station has the CID.
    bool on_request(const RngReq& request, uint16_t cid, const UplinkMeasurement& measured, phy::FrameNumber frame);
    /// Request in an open region by a served station without a grant: a more robust downlink. False: nothing is done.
    bool on_profile_request(const RngReq& request, uint16_t basic_cid);
    /// RNG-REQ in a data burst. Only some are answered.
    void on_request_in_grant(Subscriber& station, const RngReq& request);
    /// No burst of a served station arrives where it should. The station gets opportunities wide enough to find it.
    /// Once it has responded, timing is not the cause.
    void range_in_place(Subscriber& station);
    /// False: it has been invited for too long.
    bool run_timer(Subscriber& station);

private:
    void answer(Subscriber& station, uint16_t cid, const RngReq& request, std::optional<phy::FrameNumber> opportunity);
    OperationalProfile downlink_profile(const Subscriber& station) const;
    void succeed(Subscriber& station, RngRsp& rsp);
    void invite_again(Subscriber& station);

    const Config config_;
    const FrameClock& clock_;
    StationTable& stations_;
    Admission& admission_;
    const Descriptors& descriptors_;
    LinkService& links_;
    ManagementQueue& broadcast_replies_;
};

}  // namespace wimax::mac
