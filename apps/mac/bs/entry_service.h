// SPDX-License-Identifier: GPL-3.0-or-later
// Network entry after ranging, as the base station sees it (clauses 6.3.9.7 and 6.3.9.9): basic capabilities,
// registration, and the timers that end a station's stay.
#pragma once

#include "mac/bs/managed_stations.h"
#include "mac/bs/narrow_grants.h"
#include "mac/bs/privacy_service.h"
#include "mac/bs/ranging_service.h"
#include "mac/bs/service_flow_manager.h"

namespace wimax::mac {

class EntryService {
public:
    struct Config {
        uint32_t t17_ms = 10'000;   ///< registration after SBC-RSP
        uint32_t t13_ms = 900'000;  ///< TFTP-CPLT of a managed station
        uint32_t station_lost_ms = 1500;
        Edition edition = Edition::cor1;
        bool one_carrier = true;  ///< TDD
        bool half_duplex_stations = false;
    };
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        const BaseStationAir& air;
        StationTable& stations;
        Admission& admission;
        RangingService& ranging;
        ServiceFlowManager& flows;
        const NarrowGrants& narrow;
        PrivacyService& privacy;
        ManagedStations& managed;
    };
    EntryService(const Config& config, const Dependencies& dependencies);

    void on_capabilities(Subscriber& station, const SbcReq& request);
    void on_registration(Subscriber& station, const RegReq& request);
    /// TFTP-CPLT of a managed station: its service flows are set up.
    void on_file_complete(Subscriber& station);
    /// Runs the timers of all stations, once per frame; may delete some.
    void run_timers();

    uint64_t lost_stations() const { return lost_stations_; }

private:
    bool on_duplex(Subscriber& station, const SbcReq& request, SbcRsp& rsp);
    void check(Subscriber& station);
    bool lost(const Subscriber& station) const;

    const Config config_;
    const FrameClock& clock_;
    EventSink& event_;
    const BaseStationAir& air_;
    StationTable& stations_;
    Admission& admission_;
    RangingService& ranging_;
    ServiceFlowManager& flows_;
    const NarrowGrants& narrow_;
    PrivacyService& privacy_;
    ManagedStations& managed_;
    uint64_t lost_stations_ = 0;
};

}  // namespace wimax::mac
