/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Base station MAC: wires its components together, and defines their order within a frame: timers, uplink plan (UL-MAP
 * and what the PHY shall receive), downlink. What arrives between ticks updates requests, queues and the stations'
 * states. Each component's header documents its state.
 */
#pragma once

#include "mac/air/ofdm256/downlink_plan.h"
#include "mac/air/ofdm256/uplink_planner.h"
#include "mac/bs/downlink_builder.h"
#include "mac/bs/station_commands.h"
#include "mac/bs/station_rest.h"
#include "mac/bs/uplink_reader.h"
#include "mac/bs/uplink_stations.h"

namespace wimax::mac {

struct BaseStationFigures;
struct BaseStationCounters {
    uint64_t frames = 0, silent_frames = 0, late = 0, errors = 0, time_jumps = 0;
};

class BaseStation final : public BaseStationMac {
public:
    BaseStation(const BaseStationConfig& config, const FrameLayout& layout);

    sap::ConfigRequest phy_config() const override;
    void on_phy_start(const sap::ConfigConfirm& confirm) override;
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override;
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override;
    void on_contention(const sap::RxContention& contention) override { focused_.heard(contention); }
    void on_error(const sap::ErrorIndication& error) override;
    bool push_sdu(Octets packet) override { return router_.push(packet); }
    size_t waiting_octets(Octets packet) override { return router_.waiting_octets(packet); }
    bool describe(FlowCommand& command) const override;
    Outcome change_flow(const FlowCommand& command) override;
    Outcome command_station(const StationCommand& command) override { return commands_.carry_out(command); }
    tl::expected<std::vector<std::string>, Faults> reprovision(const BaseStationConfig& config) override;
    Faults change_profile(const BaseStationProfile& profile) override;
    BaseStationFigures figures() const;
    nlohmann::json status() const override;
    bool operational() const override;

private:
    Subscriber* owner(const FlowCommand& command) const;
    void reprovision(Subscriber& station, const StationConfig& config);
    void reprovision_settled();
    void aim_below_full_scale(float rx_reference_dbm);
    void follow_gains(const sap::FrameTick& tick);
    bool silent_frame(const sap::FrameTick& tick);

    BaseStationConfig config_;     ///< initial configuration; provisioning, profile and target level may change
    const float wanted_rssi_dbm_;  ///< target level of each station, unless the receiver requires less
    const FrameLayout layout_;
    FrameClock clock_;
    EventSink event_;
    bool started_ = false, silent_ = true;
    Samples silence_until_ = 0;
    float eirp_dbm_ = 0, rx_reference_dbm_ = 0;
    double rx_gain_db_ = 0;       ///< present gain
    bool power_changed_ = false;  ///< not announced yet

    SduPool pool_;
    BurstStore bursts_;
    ManagementQueue broadcast_replies_;  ///< messages to stations without a connection, and final ones
    SymbolAccount dl_symbols_;
    UplinkPlaces places_;

    Broadcasts broadcasts_;
    MulticastConnections multicast_;  ///< outlives the stations, whose flows belong to it
    StationTable stations_;
    SourceAddresses sources_;
    DownlinkRouter router_;
    LinkService links_;
    Admission admission_;
    RangingService ranging_;
    Reservations reservations_;
    ServiceFlowManager flows_;
    SubchannelService subchannels_;
    PrivacyService privacy_;
    EntryService entry_;
    StationCommands commands_;
    UplinkDemand demand_;
    StationRest rest_;
    UplinkPlan plan_;
    FocusedContentionService focused_;
    PollingGroups polling_;
    UplinkStations uplink_users_;
    UplinkPlanner planner_;
    BroadcastBurst broadcast_;
    DownlinkPlan frame_;
    DownlinkBuilder downlink_;
    ManagementReceiver management_;
    UplinkQuality quality_;
    UplinkReader receiver_;

    BaseStationCounters counters_;
};

}  // namespace wimax::mac
