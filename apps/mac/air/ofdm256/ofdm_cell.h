// SPDX-License-Identifier: GPL-3.0-or-later
// A base station's cell on OFDM-256, and the parts that plan and compose its frames.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/air/ofdm256/downlink_plan.h"
#include "mac/air/ofdm256/uplink_planner.h"

namespace wimax::mac {

class OfdmFrames final : public AirFrames {
public:
    /// `config` may change in its profile. All outlive the object.
    OfdmFrames(const BaseStationConfig& config, const FrameLayout& layout, Broadcasts& broadcasts,
               const BaseStationAir::Users& users);

    void restart() override { planner_.restart(); }
    void forget() override { plan_.forget(); }
    void plan_uplink() override { planner_.plan(); }
    DownlinkFrame& downlink() override { return frame_; }
    void expect(sap::RxExpect& expect) const override;
    UplinkReception& reception() override { return planner_; }
    void heard(const sap::RxContention& contention) override { focused_.heard(contention); }
    void use_windows(const BaseStationProfile& profile) override { planner_.use_windows(profile); }
    void report(AirCellFigures& figures, uint32_t registered) const override;

private:
    const BaseStationConfig& config_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    FrameAccount dl_symbols_;
    UplinkPlaces places_;
    UplinkPlan plan_;
    FocusedContentionService focused_;
    UplinkPlanner planner_;
    BroadcastBurst broadcast_;
    DownlinkPlan frame_;
};

class OfdmCell final : public BaseStationAir {
public:
    /// `config` has a layout, outlives the object, and may change in its profile.
    explicit OfdmCell(const BaseStationConfig& config);

    const FrameLayout& layout() const { return layout_; }
    const FrameTiming& timing() const override { return timing_; }
    const ResourceGrid& grid() const override;
    Broadcasts& descriptors() override { return broadcasts_; }
    StationMeans means(const SbcReq& request) const override;
    void answer(const SbcReq& request, SbcRsp& response) const override;
    std::unique_ptr<GrantTraining> make_training() const override;
    FrameRoom room(const FrameLoad& load) const override;
    GroupRoom group_room(const FrameLoad& load, const StationTurn& station) const override;
    void configure(sap::ConfigRequest& request) const override;
    std::unique_ptr<AirFrames> make_frames(const Users& users) override;
    void tap_sent(PduTap& tap, const FrameClock& clock, std::span<const sap::TxBurst> bursts) const override;
    void tap_received(PduTap& tap, const FrameClock& clock, const sap::RxBurst& burst) const override;

private:
    const BaseStationConfig& config_;
    const FrameLayout layout_;
    const FrameTiming timing_;
    Broadcasts broadcasts_;
};

}  // namespace wimax::mac
