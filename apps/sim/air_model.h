// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulated air knows of an air interface: how much bursts carry, which of them disturb each other, how often
// receivers fail, and how stations find the bursts of the downlink.
#pragma once

#include "mac/station_config.h"
#include "sap/messages.h"
#include "sim/error_model.h"

#include <gnuradio/wimax/phy/frame/frame_reader.h>

#include <memory>
#include <span>

namespace wimax::sim {

class AirModel {
public:
    virtual ~AirModel() = default;

    /// Octets that a burst carries, padding included.
    virtual size_t octets(const phy::BurstFormat& format) const = 0;
    /// Do these bursts use common carriers at the same time?
    virtual bool share_carriers(const phy::BurstFormat& a, const phy::BurstFormat& b) const = 0;
    /// How much stronger a station may send than on the whole band, dB.
    virtual double power_gain_db(const sap::TxFrame& tx) const = 0;
    /// Probability that a block of a burst is wrong.
    virtual double block_error(uint8_t rate_id, Direction direction, double snr_db) const = 0;
    /// Probability that a station does not find the beginning of a downlink frame.
    virtual double start_error(double snr_db) const = 0;
    /// Sets what announces the bursts of the frame: `received` are those that stations get.
    virtual void announce(const sap::TxFrame& tx, std::span<sap::RxBurst> received) = 0;
    /// Does a station's PHY find the burst, by the announcement or by what its MAC has read in the DL-MAP?
    virtual bool finds(const sap::TxBurst& burst, const phy::DiucRates& rates, const sap::RxExpect& expect) const = 0;
};

/// That of the base station's air interface.
std::unique_ptr<AirModel> make_air_model(const mac::BaseStationConfig& config, uint32_t symbol_slots);

}  // namespace wimax::sim
