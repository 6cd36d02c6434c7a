// SPDX-License-Identifier: GPL-3.0-or-later
// Downlink rates, and reports of the stations (clauses 6.3.10 and 6.3.17). A station asks for another burst profile
// with DBPC-REQ, or without a grant with RNG-REQ. A more robust profile is used from the next frame on, a less robust
// one from the frame after the response. Repeated requests are answered again, so that a lost response costs no more
// than the station's repetition.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/bs/station_table.h"
#include "mac/clock.h"

namespace wimax::mac {

class LinkService {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        BaseStationAir& air;
    };
    LinkService(const LinkAdaptationConfig& config, const StcConfig& stc, const Dependencies& dependencies);

    /// Call once per frame, before its bursts are built.
    void begin_frame();
    /// When to ask the station for a report; INT64_MAX: never.
    Samples next_report(const Subscriber& station) const;
    void on_profile_request(Subscriber& station, const DbpcReq& request);
    /// `proven`: the request was received in the station's grant. Otherwise any station may have sent it, and the rate
    /// may only fall.
    void on_ranging_request(Subscriber& station, const RngReq& request, bool proven);
    /// For requests in an open region. If another station sent it, the named station learns of it and asks for the old
    /// profile. False: the profile would not be more robust, or the rate is fixed.
    bool lower(Subscriber& station, const RngReq& request);
    /// Changes limits while the station is served: its rates move within them, a higher downlink rate after it was
    /// announced.
    void limit(Subscriber& station, const RateLimits& limits);
    void on_capabilities(Subscriber& station, const SbcReq& request);
    void on_report(Subscriber& station, const RepRsp& report);

private:
    void change(Subscriber& station, ProfileId asked, bool may_rise);
    void tell(Subscriber& station);
    void ask_for_report(Subscriber& station);
    void choose_zone(Subscriber& station) const;

    const LinkAdaptationConfig config_;
    const StcConfig stc_;
    const BaseStationAir& air_;
    const Samples frame_samples_;
    const FrameClock& clock_;
    StationTable& stations_;
    const Descriptors& descriptors_;
};

}  // namespace wimax::mac
