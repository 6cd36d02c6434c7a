// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulated air knows of an air interface: how much bursts carry, which of them disturb each other, what
// receivers hear and how often they fail, and how stations find the bursts of the downlink.
#pragma once

#include "mac/clock.h"
#include "mac/station_config.h"
#include "sap/messages.h"
#include "sim/cell_figures.h"
#include "sim/direction.h"
#include "sim/random.h"

#include <memory>
#include <span>

namespace wimax::sim {

namespace phy = gr::wimax::phy;

/// An uplink burst at the base station.
struct Arrival {
    double sinr_db = 0;
    int late_samples = 0;  ///< after the begin of its allocation
    float frequency_hz = 0;
};

/// A contention code at the base station.
struct CodeArrival {
    phy::TransmitCode code;
    double rssi_dbm = 0;
};

class AirModel {
public:
    virtual ~AirModel() = default;

    virtual const mac::FrameTiming& timing() const = 0;
    /// Resource units of a frame, gaps included.
    virtual uint32_t frame_units() const = 0;
    /// What receivers measure of the frame's form.
    virtual void describe(sap::FrameTick& tick) const = 0;
    /// Slot after a burst.
    virtual phy::Slot end_of(phy::Slot start, const phy::BurstFormat& format) const = 0;
    /// Octets that a burst carries, padding included.
    virtual size_t octets(const phy::BurstFormat& format) const = 0;
    /// Do these bursts use common carriers at the same time?
    virtual bool share_carriers(const phy::BurstFormat& a, const phy::BurstFormat& b) const = 0;
    /// How much stronger a station may send than on the whole band, dB.
    virtual double power_gain_db(const sap::TxFrame& tx) const = 0;

    /// Probability that a block of a burst is wrong.
    virtual double block_error(uint8_t rate_id, Direction direction, double snr_db) const = 0;
    /// Decodes with errors of independent blocks: sets fec_ok and failed_blocks, and spoils the octets of wrong blocks.
    /// Returns how many these are.
    virtual int decode(sap::RxBurst& burst, double block_error, Random& random) const = 0;
    /// Makes the whole burst wrong.
    virtual void spoil(sap::RxBurst& burst, Random& random) const = 0;

    /// Probability that a station does not find the beginning of a downlink frame.
    virtual double start_error(double snr_db) const = 0;
    /// Sets what announces the bursts of the frame: `received` are those that stations get.
    virtual void announce(const sap::TxFrame& tx, std::span<sap::RxBurst> received) = 0;
    /// Does a station's PHY find the burst, by the announcement or by what its MAC has read in the DL-MAP?
    virtual bool finds(const sap::TxBurst& burst, const sap::ProfilesRequest& profiles,
                       const sap::RxExpect& expect) = 0;

    /// Does the base station detect the burst in this allocation?
    virtual bool detects(const Arrival& arrival, const sap::RxAllocation& allocation) const = 0;
    /// Was the burst sent as its receiver expects it?
    virtual bool as_expected(const phy::BurstFormat& sent, const phy::BurstFormat& expected) const = 0;
    /// Adds what the base station receives of the codes in contention.start_slot, and counts the attempts.
    virtual void receive_codes(std::span<const CodeArrival> codes, sap::RxContention& contention,
                               CellContentionCounters& counters) const = 0;
};

/// That of the cell's air interface. Pre: the configuration is valid.
std::unique_ptr<AirModel> make_air_model(const mac::BaseStationConfig& config);

}  // namespace wimax::sim
