// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/wimax/phy/transmit/transmit_shape.h>
#include <gnuradio/wimax/radio_frontend.h>
#include "common/daemon.h"
#include "common/realtime.h"
#include "sap/messages.h"

#include <optional>
#include <string>

namespace wimax::phyd {

enum class TransmitSwitch : uint8_t { off, on, virtual_only };

/// Settings of the operator; channel, frequency and gains are set by the MAC.
struct PhydConfig {
    PhydConfig() { radio.digital_range_db = 12; }

    sap::Role role = sap::Role::base_station;
    std::string sap_endpoint = "ipc://{run}/bs.sap";
    gr::wimax::RadioConfig radio;                                 ///< but for limits.enable: see transmit_limits()
    bool rx_agc = false;                                          ///< SS
    std::optional<double> rx_lowest_gain_db, rx_highest_gain_db;  ///< of it
    std::string calibration_file;                                 ///< read into radio.calibration
    TransmitSwitch tx_enable = TransmitSwitch::off;
    gr::wimax::phy::TransmitShape transmit;
    int tick_lead_us = 2000, turnaround_us = 2000, deadline_lead_us = 1000, response_us = 1000;
    double capture_length_ms = 100;
    RealtimeOptions realtime;
    DaemonOptions daemon;
};

void declare(config::Schema& schema, PhydConfig& config);
/// Limits for this device: the meaning of `tx_enable` for it, and the operator's limits.
gr::wimax::TransmitLimits transmit_limits(const PhydConfig& config);
config::Derived derived(const PhydConfig& config);

}  // namespace wimax::phyd
