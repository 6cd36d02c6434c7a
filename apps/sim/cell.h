// SPDX-License-Identifier: GPL-3.0-or-later
// A base station and its subscriber stations on one carrier: the real MACs over a model of the PHY, in the loop of
// mac/burst_loop.h, in virtual time.
#pragma once

#include "mac/burst_loop.h"
#include "mac/pdu/read_burst.h"
#include "mac/station_config.h"
#include "sim/air_digest.h"
#include "sim/uplink_air.h"

#include <deque>
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

class Cell : private mac::BurstLoop {
public:
    /// Pre: the configurations are valid.
    Cell(CellConfig config, Users& users);

    /// Receives what the base station sends and expects in each frame; may be null. Outlives the cell.
    class FrameTap {
    public:
        virtual ~FrameTap() = default;
        virtual void on_frame(const sap::TxFrame& downlink, const sap::RxExpect& uplink) = 0;
    };
    FrameTap* tap = nullptr;

    /// Basic CIDs are 1 to this; the same number of primary management CIDs follows.
    const uint16_t basic_cids;

    /// One frame. `measured_from`: when the measurement began, for paths that change in time.
    void step();
    void measured_from(Samples at) { measured_from_ = at; }

    const AirModel& air() const { return *air_model_; }
    const mac::FrameTiming& timing() const { return air_model_->timing(); }
    mac::BaseStationMac& base_station() { return *bs_; }
    const mac::Station& base_station() const { return *bs_; }
    /// A station's path; changes hold from the next frame on.
    RadioPath& path(size_t i) { return terminals_[i].path; }
    const RadioPath& path(size_t i) const { return terminals_[i].path; }
    /// From the next burst on.
    void set_drop(const DropConfig& drop) { config_.drop = drop; }
    size_t stations() const { return terminals_.size(); }
    mac::Station& station(size_t i) { return *terminals_[i].mac; }
    const mac::Station& station(size_t i) const { return *terminals_[i].mac; }
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
    struct Terminal : Listener {
        Terminal(RadioPath way, size_t number) : path(std::move(way)), node(number) {}
        RadioPath path;
        size_t node;
    };

    void prepare_downlink();

    void ask_base_station(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override;
    phy::Slot burst_end(phy::Slot start, const phy::BurstFormat& format) const override;
    bool hears(Listener& listener, sap::FrameTick& tick) override;
    bool finds(const Listener& listener, size_t i) override;
    void deliver(Listener& listener, size_t i, Samples at, sap::RxExpect& expect) override;
    void ask(Listener& listener, const sap::FrameTick& tick, Samples at) override;
    void receive(const sap::RxAllocation& a, sap::RxBurst& burst) override { uplink_.receive(a, burst); }
    void receive_codes(sap::RxContention& contention) override { uplink_.receive(contention); }
    void report(const sap::RxBurst& burst, Samples at) override;
    void report(const sap::RxContention& contention) override;

    CellConfig config_;
    Users& users_;
    const std::unique_ptr<AirModel> air_model_;
    Random random_;
    std::unique_ptr<mac::BaseStationMac> bs_;
    std::deque<Terminal> terminals_;
    CellCounters counters_;
    AirDigest digest_;
    UplinkAir uplink_;
    std::optional<Samples> on_air_since_;
    Samples measured_from_ = INT64_MAX / 2;
    double frame_measured_s_ = 0, frame_air_s_ = 0;  ///< the frame's start, as RadioPath has it
    Samples delivered_at_ = 0;                       ///< time of the packets that a station delivers now
    phy::FrameNumber frame_;
    std::vector<sap::RxBurst> sent_;        ///< the frame's downlink bursts as a station gets them without errors
    std::vector<mac::ReadBurst> readings_;  ///< of these
    sap::RxBurst damaged_;
    sap::RxExpect unused_;
    double base_station_spent_us_ = 0;
    CellTimes times_;
};

/// Number of stations that are registered and have their service flows.
size_t operational(const Cell& cell);

}  // namespace wimax::sim
