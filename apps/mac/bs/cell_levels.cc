// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/cell_levels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace wimax::mac {
namespace {

/// Distance of a burst's mean from the receiver's full scale: 3 dB for its preamble, 12 dB for OFDM peaks.
constexpr float kReceiveHeadroomDb = 15;

/// With one decimal place.
std::string tenths(double value) {
    const long n = std::lround(10 * value);
    return (n < 0 ? "-" : "") + std::to_string(std::labs(n) / 10) + "." + std::to_string(std::labs(n) % 10);
}

}  // namespace

void CellLevels::start(const sap::ConfigConfirm& confirm) {
    eirp_dbm_ = config_.eirp_dbm.value_or(confirm.tx_reference_dbm);
    rx_reference_dbm_ = confirm.rx_reference_dbm;
    rx_gain_db_ = config_.rx_gain_db;
    changed_ = false;
    aim_below_full_scale(confirm.rx_reference_dbm);
    announce(0);
}

/// Keeps a burst at the target below the receiver's full scale: preambles and peaks are above the mean, and stations
/// differ by the tolerance of power control.
void CellLevels::aim_below_full_scale(float rx_reference_dbm) {
    const float highest = rx_reference_dbm - kReceiveHeadroomDb;
    config_.target_rssi_dbm = std::min(wanted_rssi_dbm_, highest);
    if (config_.target_rssi_dbm == wanted_rssi_dbm_) return;
    to_.event(EventSource::own(), "phy",
              "bs.target_rssi_dbm " + tenths(wanted_rssi_dbm_) + " is " + tenths(wanted_rssi_dbm_ - rx_reference_dbm) +
                  " dBFS at air.rx_gain_db " + tenths(rx_gain_db_) + ": " + tenths(highest) +
                  " dBm is aimed at; a gain lower by " + tenths(wanted_rssi_dbm_ - highest) + " dB would do for it");
}

void CellLevels::follow(const sap::FrameTick& tick) {
    if (const float eirp = config_.eirp_dbm.value_or(tick.tx_reference_dbm);
        tick.tx_reference_dbm > sap::kNoReferenceDbm && eirp != eirp_dbm_) {
        eirp_dbm_ = eirp;
        changed_ = true;
    }
    if (const float rx = tick.rx_reference_dbm; rx > sap::kNoReferenceDbm && rx != rx_reference_dbm_) {
        rx_gain_db_ += rx_reference_dbm_ - rx;
        rx_reference_dbm_ = rx;
        aim_below_full_scale(rx);
        for (const auto& [cid, station] : to_.stations.stations()) station->ranging.aim_at(config_.target_rssi_dbm);
        changed_ = true;
    }
    if (changed_ && to_.descriptors.change_power(eirp_dbm_, config_.target_rssi_dbm, tick.frame_start_sample))
        changed_ = false;
}

}  // namespace wimax::mac
