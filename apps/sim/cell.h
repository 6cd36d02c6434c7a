// SPDX-License-Identifier: GPL-3.0-or-later
// A base station and its subscriber stations on one carrier: the real MACs over a PHY that moves bursts instead of
// samples. Frame by frame in virtual time, without threads or a clock.
//
// In the order in which real PHYs report and ask: the base station is asked for a frame `tick_lead_us` before it, so
// that uplink bursts near the end of the frame before are read later; a station is asked when its own uplink is
// `turnaround_us` away, but not before it has the maps.
#pragma once

#include "mac/station.h"
#include "mac/station_config.h"
#include "sim/air_digest.h"
#include "sim/uplink_air.h"

#include <memory>

namespace wimax::sim {

using mac::Octets;

/// Source and sink of a station's packets. Node 0 is the base station, the i-th station is i + 1.
class Users {
public:
    virtual ~Users() = default;
    /// Gives the station its packets up to `now`.
    virtual void send(size_t node, mac::PacketService& station, Samples now) = 0;
    virtual void receive(size_t node, Octets packet, Samples now) = 0;
};

struct StationSetup {
    mac::SubscriberConfig mac;
    RadioPathConfig path;
};

struct CellConfig {
    mac::BaseStationConfig bs;
    std::vector<StationSetup> stations;
    PhyConfig phy;
    DropConfig drop;
    uint64_t seed = 1;
};

class Cell {
public:
    /// Pre: the configurations are valid.
    Cell(CellConfig config, Users& users);

    /// One frame. `measured_from`: when the measurement began, for paths that change in time.
    void step();
    void measured_from(Samples at) { measured_from_ = at; }

    const AirModel& air() const { return *air_model_; }
    const mac::FrameTiming& timing() const { return air_model_->timing(); }
    mac::Station& base_station() { return *bs_; }
    const mac::Station& base_station() const { return *bs_; }
    size_t stations() const { return terminals_.size(); }
    mac::Station& station(size_t i) { return *terminals_[i].mac; }
    const mac::Station& station(size_t i) const { return *terminals_[i].mac; }
    /// Number of stations that are registered and have their service flows.
    size_t operational() const;
    /// Start of the first frame that the base station sent; before it: of the next one.
    Samples on_air_since() const { return on_air_since_.value_or(now()); }
    /// Start of the next frame.
    Samples now() const { return static_cast<Samples>(counters_.frames) * timing().frame_samples; }
    double seconds(Samples samples) const {
        return static_cast<double>(samples) / static_cast<double>(timing().sample_rate_hz);
    }
    const CellCounters& counters() const { return counters_; }
    /// Digest of everything sent since the first frame.
    const AirDigest& sent() const { return digest_; }
    const CellTimes& times() const { return times_; }
    void restart_times() { times_ = {}; }

    /// Events of stations (node > 0) and the base station.
    std::function<void(size_t node, uint32_t frame, const mac::Event& event)> on_event;

private:
    struct Terminal {
        Terminal(std::unique_ptr<mac::SubscriberMac> station, RadioPath way, size_t number)
            : mac(std::move(station)), path(std::move(way)), node(number) {
            profiles.diuc_rates.fill(-1);
        }
        std::unique_ptr<mac::SubscriberMac> mac;
        RadioPath path;
        size_t node;
        double snr_db = 0;  ///< of this frame
        bool synchronised = false;
        int heard = 0, silent = 0;
        sap::ProfilesRequest profiles;
        phy::Slot next_uplink_slot;  ///< announced in the last frame
        sap::TxFrame tx;
        sap::RxExpect expect;
    };

    sap::ConfigConfirm confirm() const;
    uint16_t basic_cids() const { return static_cast<uint16_t>(config_.bs.basic_cids); }
    void tick_base_station();
    void report_to_base_station(const sap::RxBurst& burst, Samples at);
    void report_to_base_station(const sap::RxContention& contention);
    void prepare_downlink();

    void step_terminal(Terminal& t);
    void listen(Terminal& t, const sap::FrameTick& tick);
    void tell(Terminal& t, size_t burst, Samples at, sap::RxExpect& expect);
    void tick_terminal(Terminal& t, const sap::FrameTick& tick, Samples at);
    void take_profiles(Terminal& t);

    CellConfig config_;
    Users& users_;
    const std::unique_ptr<AirModel> air_model_;
    Random random_;
    std::unique_ptr<mac::BaseStationMac> bs_;
    std::vector<Terminal> terminals_;
    CellCounters counters_;
    AirDigest digest_;
    UplinkAir uplink_;
    std::optional<Samples> on_air_since_;
    Samples measured_from_ = INT64_MAX / 2;
    Samples delivered_at_ = 0;  ///< time of the packets that a station delivers now
    phy::FrameNumber frame_;
    sap::FrameTick tick_;
    // Of this frame
    sap::TxFrame tx_;
    sap::RxExpect expect_, unused_;
    std::vector<sap::RxBurst> sent_;  ///< the downlink's bursts as a station gets them without errors
    std::vector<Samples> ends_;       ///< when each is reported
    sap::RxBurst damaged_;
    double base_station_spent_us_ = 0;
    CellTimes times_;
};

}  // namespace wimax::sim
