// SPDX-License-Identifier: GPL-3.0-or-later
// The uplink of simulated frames: what stations send, and what the base station's PHY receives of it.
#pragma once

#include "sim/air_model.h"
#include "sim/radio_path.h"

namespace wimax::sim {

using Samples = int64_t;

inline Samples samples_in_us(uint32_t us, const mac::FrameTiming& timing) {
    return static_cast<Samples>(us) * timing.sample_rate_hz / 1'000'000;
}

struct PhyConfig {
    uint32_t tick_lead_us = 1000, turnaround_us = 2000;  ///< as wimax-phyd has them in lock-step
    uint32_t report_us = 0;                              ///< from a burst's end until the MAC has it
    double reference_dbm = 20;                           ///< highest power of each transmitter
    double noise_dbm = -100;                             ///< in a receiver's bandwidth
    /// The strongest of overlapping bursts is received if it is this much above the sum of the others.
    double capture_db = 10;
};

class UplinkAir {
public:
    /// All outlive the object.
    struct Dependencies {
        const PhyConfig& phy;
        const DropConfig& drop;
        const AirModel& model;
        Random& random;
        CellCounters& counters;
    };
    /// `basic_cids`: m of the base station.
    UplinkAir(const Dependencies& dependencies, uint16_t basic_cids) : with_(dependencies), basic_cids_(basic_cids) {}

    /// A station's frame, which stays as it is until end(). `snr_db`: of the downlink.
    void send(const sap::TxFrame& tx, const RadioPathConfig& path, double snr_db) {
        if (!tx.bursts.empty() || !tx.codes.empty()) put_on_air(tx, path, snr_db);
    }
    /// What was sent for an allocation, or in the slot of the contention.
    void receive(const sap::RxAllocation& allocation, sap::RxBurst& burst);
    void receive(sap::RxContention& contention);
    /// Ends the frame.
    void end();

private:
    struct OnAir {
        const sap::TxBurst* burst;
        double rssi_dbm, cinr_db;
        int timing_samples;
        float frequency_hz;
        phy::Slot start, end;
        bool used;
    };
    /// In an allocation.
    struct Heard {
        size_t aimed = 0;        ///< bursts meant for it
        bool disturbed = false;  ///< and others at the same time
        bool right = false;      ///< one of the bursts was received without a wrong octet
    };

    void put_on_air(const sap::TxFrame& tx, const RadioPathConfig& path, double snr_db);
    /// `end`: of the allocation.
    bool overlaps(const OnAir& burst, const sap::RxAllocation& a, phy::Slot end) const {
        return burst.start < end && burst.end > a.start_slot &&
               with_.model.share_carriers(a.format, burst.burst->format);
    }
    double power(const sap::RxAllocation& allocation, phy::Slot end) const;
    bool decode(const OnAir& burst, double interference, const sap::RxAllocation& allocation, sap::RxBurst& r);
    void count(const sap::RxAllocation& allocation, const Heard& heard);

    const Dependencies with_;
    const uint16_t basic_cids_;
    std::vector<OnAir> air_;
    std::vector<CodeArrival> codes_;
};

}  // namespace wimax::sim
