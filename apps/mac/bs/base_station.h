// SPDX-License-Identifier: GPL-3.0-or-later
// Base station MAC: wires its components together, and defines their order within a frame: timers, uplink plan (UL-MAP
// and what the PHY shall receive), downlink. What arrives between ticks updates requests, queues and the stations'
// states. Each component's header documents its state.
#pragma once

#include "mac/bs/cell_levels.h"
#include "mac/bs/frame_parts.h"

namespace wimax::mac {

struct BaseStationFigures;
struct BaseStationCounters {
    uint64_t frames = 0, silent_frames = 0, late = 0, errors = 0, time_jumps = 0;
};

struct AirFactory;

class BaseStation final : public BaseStationMac {
public:
    /// Pre: validate() found nothing.
    BaseStation(const BaseStationConfig& config, const AirFactory& air);

    sap::ConfigRequest phy_config() const override;
    void on_phy_start(const sap::ConfigConfirm& confirm) override;
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override;
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override;
    void on_contention(const sap::RxContention& contention) override { parts_.air->heard(contention); }
    void on_error(const sap::ErrorIndication& error) override;
    bool push_sdu(Octets packet) override { return services_.router.push(packet); }
    size_t waiting_octets(Octets packet) override { return services_.router.waiting_octets(packet); }
    bool describe(FlowCommand& command) const override;
    Outcome change_flow(const FlowCommand& command) override;
    bool push_management_packet(Octets packet) override { return services_.network.from_network(packet); }
    Outcome command_station(const StationCommand& command) override { return services_.commands.carry_out(command); }
    tl::expected<std::vector<std::string>, Faults> reprovision(const BaseStationConfig& config) override;
    Faults change_profile(const BaseStationProfile& profile) override;
    BaseStationFigures figures() const;
    nlohmann::json status() const override;
    void report(FigureReader& reader) const override;
    bool operational() const override;

private:
    Subscriber* owner(const FlowCommand& command) const;
    void reprovision(Subscriber& station, const StationConfig& config);
    void reprovision_settled();
    void manage_queues();
    bool silent_frame(const sap::FrameTick& tick);

    BaseStationConfig config_;  ///< initial configuration; provisioning, profile and target level may change
    std::unique_ptr<BaseStationAir> air_;
    FrameClock clock_;
    EventSink event_;
    LoadedPolicies policies_;
    bool started_ = false, silent_ = true;
    Samples silence_until_ = 0;

    SduPool pool_;
    BurstStore bursts_;
    ManagementQueue broadcast_replies_;  ///< messages to stations without a connection, and final ones
    StationServices services_;
    FrameParts parts_;
    CellLevels levels_;
    BaseStationCounters counters_;
};

}  // namespace wimax::mac
