// SPDX-License-Identifier: GPL-3.0-or-later
// Input of a simulation: a base station, its stations with their radio paths, the packets of their users, durations.
#pragma once

#include "common/config.h"
#include "macd/privacy_options.h"
#include "sim/cell.h"
#include "sim/traffic_flow.h"

namespace wimax::sim {

inline constexpr uint32_t kMostStations = 5000;

/// An entry of `traffic`: packets that each of its stations gets or sends, in a separate service flow.
struct TrafficEntry : TrafficConfig {
    std::vector<uint32_t> stations;  ///< numbers from 1; empty: all
    mac::SchedulingType service = mac::SchedulingType::best_effort;
    uint32_t max_rate_bps = 0, min_rate_bps = 0, max_burst_bytes = 0;
    uint32_t weight = 0;                     ///< weight of its stations; 0: not given, 1
    std::vector<TracePoint> trace_points{};  ///< as written; `trace` has them for all flows
    bool arq = true;                         ///< the service flow has the scenario's ARQ
    uint32_t same_flow_as = 0;  ///< number from 1 of an entry before it, whose service flow it uses; 0: none
    bool removed = false;       ///< while the scenario runs: it has no service flow and sends nothing any more

    /// `station`: from 0.
    bool is_of(size_t station) const;
    /// Its service flow exists, and its packets are sent.
    bool serves(size_t station) const { return !removed && is_of(station); }
    /// Offered rate; 0: as much as the service flow accepts.
    double offered_bps() const;
    bool operator==(const TrafficEntry&) const = default;

private:
    double trace_bps() const;
};

struct Scenario {
    uint32_t stations = 10, half_duplex_stations = 0;  ///< the first ones are half-duplex, in FDD
    double seconds = 10;                               ///< measured
    uint64_t seed = 1;
    std::vector<double> snr_db{30};             ///< of each station, or one for all
    std::vector<SnrPoint> snr_series;           ///< instead
    std::vector<uint32_t> snr_series_stations;  ///< numbers from 1 of those that follow it; empty: all
    double snr_period_s = 0;                    ///< the series begins again after this time; 0: never
    double snr_stagger_s = 0;                   ///< each station follows the series this much later than the one before
    RadioPathConfig path;                       ///< the same for all stations, without the SNR
    std::optional<uint8_t> rate = 6;            ///< empty: as the CINR has it
    double pdu_loss = 0;
    mac::ArqConfig arq;  ///< of all service flows
    std::vector<TrafficEntry> traffic;
    double warmup_s = 0, drain_s = 1, interval_s = 1;
    double enter_limit_s = 0;  ///< 0: by the number of stations
    PhyConfig phy;
    std::string profile = "5MHz-10ms";
    mac::BaseStationConfig bs;  ///< `stations` as provisioned, once the scenario is read
    mac::SubscriberConfig ss;
    macd::PrivacyOptions privacy;
    std::string keys;  ///< folder of certificates, made by `wimax keys`; empty: no privacy
    std::vector<mac::SubscriberPrivacy> credentials;  ///< of each station, where there is privacy
    bool has_default_traffic = false;                 ///< the scenario has no key `traffic`
    std::string json;                                 ///< empty: a table on a terminal, else JSON on standard output
    std::string csv, pcap, plot, archive;             ///< empty: none
    bool events = false;
    bool status = false;  ///< the result has the status of all MACs at the end

    /// For the table or the JSON result; empty: none, since the standard output is another file's.
    std::string figures_file() const;
    /// `station`: from 0.
    bool follows_series(size_t station) const;
    /// `station`: from 0.
    double snr_db_of(size_t station) const { return snr_db[snr_db.size() == 1 ? 0 : station]; }
    /// The cell with its stations, as configured and provisioned.
    CellConfig cell() const;
};

void declare(config::Schema& schema, Scenario& scenario);

}  // namespace wimax::sim
