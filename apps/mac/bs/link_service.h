/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Downlink rates, and reports of the stations (clauses 6.3.10 and 6.3.17). A station asks for another burst
 * profile with DBPC-REQ, or with RNG-REQ where it has no grant; a more robust one is used from the next frame on, a
 * less robust one from the frame after that which carries the answer. What is asked for again is answered again, so
 * that a lost answer costs no more than the station's repetition.
 */
#pragma once

#include "mac/bs/broadcasts.h"
#include "mac/bs/station_table.h"
#include "mac/clock.h"

namespace wimax::mac {

class LinkService {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        StationTable& stations;
        const Broadcasts& broadcasts;
    };
    LinkService(const LinkAdaptationConfig& config, const StcConfig& stc, Samples frame_samples,
                const Dependencies& dependencies);

    /// Once a frame, before its bursts are built.
    void begin_frame();
    /// When the station is to be asked for a report; INT64_MAX: never.
    Samples next_report(const Subscriber& station) const;
    void on_profile_request(Subscriber& station, const DbpcReq& request);
    /// `proven`: the request came in a grant of its own. Else anybody may have asked in its name, and is given nothing
    /// that fails.
    void on_ranging_request(Subscriber& station, const RngReq& request, bool proven);
    /// In an open region; should it have been somebody else, the station hears of it and asks for the old profile.
    /// False: the profile would not be more robust, or the rate is fixed.
    bool lower(Subscriber& station, const RngReq& request);
    /// Other limits while the station is served: its rates move in between, a higher one in the downlink after it was
    /// told.
    void limit(Subscriber& station, const RateLimits& limits);
    void on_capabilities(Subscriber& station, const SbcReq& request);
    void on_report(Subscriber& station, const RepRsp& report);

private:
    void change(Subscriber& station, uint8_t diuc, bool may_rise);
    void tell(Subscriber& station);
    void ask_for_report(Subscriber& station);
    void choose_zone(Subscriber& station) const;

    const LinkAdaptationConfig config_;
    const StcConfig stc_;
    const Samples frame_samples_;
    const FrameClock& clock_;
    StationTable& stations_;
    const Broadcasts& broadcasts_;
};

}  // namespace wimax::mac
