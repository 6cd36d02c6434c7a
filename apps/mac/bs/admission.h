/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who may be a station of this base station: contexts are made for those that range, and deleted with word to the
 * station. A RNG-REQ proves nothing: it gets a context of its own, beside that of a station which is served under the
 * same address, and little is spent on it until its SBC-REQ comes. Then it is seen which of the two is there.
 */
#pragma once

#include "mac/bs/broadcasts.h"
#include "mac/bs/downlink_router.h"
#include "mac/report/events.h"

namespace wimax::mac {

struct AdmissionCounters {
    uint64_t evicted_stations = 0, duplicate_addresses = 0, refused_stations = 0;
};

class Admission {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        StationTable& stations;
        DownlinkRouter& router;
        SourceAddresses& sources;
        const Broadcasts& broadcasts;
        ManagementQueue& broadcast_replies;  ///< go out in burst #1
    };
    Admission(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies);

    /// A context for one that has begun to range. Null: it may not enter, or not now.
    Subscriber* admit(const MacAddress& mac);
    /// RNG-RSP abort.
    void refuse(const MacAddress& mac);
    /// An SBC-REQ of one that has ranged. False: it has to wait, or is sent away, as another one has its address.
    bool takes_over(Subscriber& newcomer);
    /// RNG-RSP abort to one that has ranged; its context goes with the next tick.
    void send_away(Subscriber& station, const char* why);
    void remove(uint16_t basic_cid, const char* why);

    const AdmissionCounters& counters() const { return counters_; }

private:
    std::optional<StationConfig> provisioned(const MacAddress& mac) const;
    void make_room();

    const BaseStationConfig& config_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    EventSink& event_;
    StationTable& stations_;
    DownlinkRouter& router_;
    SourceAddresses& sources_;
    const Broadcasts& broadcasts_;
    ManagementQueue& broadcast_replies_;
    AdmissionCounters counters_;
};

}  // namespace wimax::mac
