// SPDX-License-Identifier: GPL-3.0-or-later
// Subscriber station MAC: wires its components together, and defines their order within a frame. Each component's
// header documents its state: SubscriberAir and DownlinkReader for reception, EntryProcedure and Ranging for network
// entry, ServiceFlowAgent and FlowTable for the flows, UplinkBuilder and RequestContention for transmission.
#pragma once

#include "mac/flow/queue_management.h"
#include "mac/policy/loaded_policies.h"
#include "mac/ss/channel_search.h"
#include "mac/ss/downlink_reader.h"
#include "mac/ss/own_bursts.h"
#include "mac/ss/uplink_builder.h"

namespace wimax::mac {

struct SubscriberFigures;

class SubscriberStation final : public SubscriberMac {
public:
    explicit SubscriberStation(const SubscriberConfig& config);

    sap::ConfigRequest phy_config() const override;
    void on_phy_start(const sap::ConfigConfirm& confirm) override;
    void on_phy_refusal() override { entry_.on_phy_refusal(); }
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override;
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override;
    bool on_read_burst(const sap::RxBurst& burst, ReadBurst& reading, sap::RxExpect& expect) override;
    void on_error(const sap::ErrorIndication& error) override;
    bool profiles_changed(sap::ProfilesRequest& profiles) override { return air_->profiles_changed(profiles); }
    bool phy_config_changed(sap::ConfigRequest& request) override;
    bool push_sdu(Octets packet) override { return flows_.push(packet); }
    size_t waiting_octets(Octets packet) override { return flows_.waiting_octets(packet); }
    bool describe(FlowCommand& command) const override;
    Outcome change_flow(const FlowCommand& command) override;
    SubscriberFigures figures() const;
    nlohmann::json status() const override;
    void report(FigureReader& reader) const override;
    bool operational() const override { return entry_.operational(); }

private:
    void count_missed_maps();
    bool deaf_to(const sap::RxBurst& broadcast) const;
    void build_uplink(const SubscriberUplink& uplink, sap::TxFrame& tx);

    const SubscriberConfig config_;
    FrameClock clock_;
    EventSink event_;
    LoadedPolicies policies_;
    Backoff::Random random_;
    BurstStore bursts_;
    ManagementConnections management_;

    ChannelSearch channels_;
    const std::unique_ptr<SubscriberAir> air_;
    PrivacyAgent privacy_;  ///< outlives the flows
    QueueManagement queues_;
    FlowClassifier classifier_;
    FlowTable flows_;
    ServiceFlowAgent agent_;
    Ranging ranging_;
    DownlinkProfileControl profile_;
    RequestContention contention_;
    ManagedEntry managed_;
    EntryProcedure entry_;
    UplinkBuilder uplink_;
    DownlinkReader receiver_;
    ReadBurst reading_;  ///< of the burst being received

    OwnBursts own_bursts_;

    bool granted_ = false;  ///< in the last frame
    struct {
        uint64_t frames = 0, late = 0, errors = 0;
        uint64_t missed_for_grants = 0;  ///< frames whose maps were sent while the station transmitted
    } counts_;
};

}  // namespace wimax::mac
