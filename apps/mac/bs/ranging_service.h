/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ranging seen from the base station (clauses 6.3.9.5 and 6.3.10): RNG-REQs are answered with corrections and CIDs,
 * stations are invited to opportunities of their own.
 */
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
        const Broadcasts& broadcasts;
        LinkService& links;
        ManagementQueue& broadcast_replies;  ///< go out in burst #1
    };
    RangingService(const Config& config, const Dependencies& dependencies);

    /// In a ranging opportunity of `frame`. False: the CID is nobody's.
    bool on_request(const RngReq& request, uint16_t cid, const UplinkMeasurement& measured, phy::FrameNumber frame);
    /// In an open region, by a served station that has no other way: a more robust downlink. False: nothing is done.
    bool on_profile_request(const RngReq& request, uint16_t basic_cid);
    /// In a data burst. Only some are answered.
    void on_request_in_grant(Subscriber& station, const RngReq& request);
    /// Nothing of a served station arrives where it should: it gets opportunities that are wide enough to find it. Once
    /// it has answered it is not a matter of time.
    void range_in_place(Subscriber& station);
    /// False: it has been invited for too long.
    bool run_timer(Subscriber& station);

private:
    void answer(Subscriber& station, uint16_t cid, const RngReq& request, bool in_grant);
    void succeed(Subscriber& station, RngRsp& rsp);
    void invite_again(Subscriber& station);

    const Config config_;
    const FrameClock& clock_;
    StationTable& stations_;
    Admission& admission_;
    const Broadcasts& broadcasts_;
    LinkService& links_;
    ManagementQueue& broadcast_replies_;
};

}  // namespace wimax::mac
