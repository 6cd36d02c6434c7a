// SPDX-License-Identifier: GPL-3.0-or-later
// Levels that a base station announces: its EIRP, and the level at which it wants to receive each station. Both follow
// the gains of the PHY.
#pragma once

#include "mac/air/descriptors.h"
#include "mac/bs/station_table.h"
#include "mac/report/events.h"

namespace wimax::mac {

class CellLevels {
public:
    /// All outlive the object.
    struct Dependencies {
        EventSink& event;
        const StationTable& stations;
        Descriptors& descriptors;
    };
    /// Lowers `config.target_rssi_dbm` where the receiver requires it. `config` outlives the object.
    CellLevels(BaseStationConfig& config, const Dependencies& dependencies)
        : config_(config), to_(dependencies), wanted_rssi_dbm_(config.target_rssi_dbm) {}

    /// A PHY has started.
    void start(const sap::ConfigConfirm& confirm);
    /// Descriptors begin at `now` with the present levels.
    void announce(Samples now) { to_.descriptors.restart(now, eirp_dbm_, config_.target_rssi_dbm); }
    /// The PHY's operator may change the gains at any time.
    void follow(const sap::FrameTick& tick);

private:
    void aim_below_full_scale(float rx_reference_dbm);

    BaseStationConfig& config_;
    const Dependencies to_;
    const float wanted_rssi_dbm_;  ///< target level of each station, unless the receiver requires less
    float eirp_dbm_ = 0, rx_reference_dbm_ = 0;
    double rx_gain_db_ = 0;  ///< present gain
    bool changed_ = false;   ///< not announced yet
};

}  // namespace wimax::mac
