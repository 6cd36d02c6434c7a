// SPDX-License-Identifier: GPL-3.0-or-later
// Admits stations: creates contexts for stations that range, and deletes them after notifying the station. A RNG-REQ
// proves nothing. It gets a separate context even if a station with the same address is served, and few resources until
// its SBC-REQ is received. Then the base station decides which of the two exists.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/bs/admission_control.h"
#include "mac/bs/downlink_router.h"
#include "mac/policy/guarded_rate.h"
#include "mac/report/events.h"

namespace wimax::mac {

struct AdmissionCounters {
    uint64_t evicted_stations = 0, duplicate_addresses = 0, refused_stations = 0;
};

class Admission {
public:
    /// All outlive the object.
    struct Dependencies {
        EventSink& event;
        StationTable& stations;
        DownlinkRouter& router;
        SourceAddresses& sources;
        BaseStationAir& air;
        AdmissionControl& control;
        LoadedPolicies& policies;
        ManagementQueue& broadcast_replies;  ///< sent in burst #1
    };
    Admission(const BaseStationConfig& config, const Dependencies& dependencies);

    /// Context for a station that has begun to range. Null: it may not enter, or not now.
    /// `cinr_db`: of its RNG-REQ.
    Subscriber* admit(const MacAddress& mac, float cinr_db);
    /// RNG-RSP abort.
    void refuse(const MacAddress& mac);
    /// Handles the SBC-REQ of a ranged station. False: it waits, or is sent away as another station has its address.
    bool takes_over(Subscriber& newcomer);
    /// Sends RNG-RSP abort to a ranged station; its context is deleted with the next tick.
    void send_away(Subscriber& station, const char* why);
    void remove(uint16_t basic_cid, const char* why);

    const AdmissionCounters& counters() const { return counters_; }

private:
    std::optional<StationConfig> provisioned(const MacAddress& mac) const;
    void make_room();

    const BaseStationConfig& config_;
    EventSink& event_;
    StationTable& stations_;
    DownlinkRouter& router_;
    SourceAddresses& sources_;
    BaseStationAir& air_;
    AdmissionControl& control_;
    LinkAdaptation uplink_rates_;
    std::string refusal_;  ///< why the policy did not admit the last station
    ManagementQueue& broadcast_replies_;
    AdmissionCounters counters_;
};

}  // namespace wimax::mac
