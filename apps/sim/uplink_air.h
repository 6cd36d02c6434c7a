// SPDX-License-Identifier: GPL-3.0-or-later
// The uplink of simulated frames: what stations send, and what the base station's PHY receives of it and when.
#pragma once

#include "sim/air_model.h"
#include "sim/radio_path.h"

#include <functional>

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

/// The base station's MAC, to which bursts and codes are reported.
struct UplinkReports {
    std::function<void(const sap::RxBurst& burst, Samples at)> burst;
    std::function<void(const sap::RxContention& contention)> contention;
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
    UplinkAir(const Dependencies& dependencies, uint16_t basic_cids, UplinkReports reports);

    /// A station's frame, which stays as it is until receive(). `snr_db`: of the downlink.
    void send(const sap::TxFrame& tx, const RadioPathConfig& path, double snr_db);
    /// Receives what was sent in this frame. Bursts that end after the base station's next tick are reported later.
    void receive(const sap::FrameTick& frame, const sap::RxExpect& expect);
    /// Reports what receive() left, after that tick.
    void report_late();

private:
    struct OnAir {
        const sap::TxBurst* burst;
        double rssi_dbm, cinr_db;
        int timing_samples;
        float frequency_hz;
        phy::Slot end;
        bool used;
    };
    /// In an allocation.
    struct Heard {
        size_t aimed = 0;        ///< bursts meant for it
        bool disturbed = false;  ///< and others at the same time
        bool right = false;      ///< one of the bursts was received without a wrong octet
    };

    void receive(const sap::RxAllocation& allocation, sap::RxBurst& r);
    bool decode(const OnAir& burst, double interference, const sap::RxAllocation& allocation, sap::RxBurst& r);
    void count(const sap::RxAllocation& allocation, const Heard& heard);
    void receive_codes(const sap::FrameTick& frame, const sap::RxExpect& expect);

    const Dependencies with_;
    const uint16_t basic_cids_;
    const UplinkReports report_;
    std::vector<OnAir> air_;
    std::vector<CodeArrival> codes_;
    std::vector<std::pair<Samples, size_t>> order_;  ///< ends of the allocations
    sap::RxBurst received_;
    std::vector<sap::RxBurst> late_;
    std::vector<Samples> late_at_;
    size_t late_count_ = 0;
};

}  // namespace wimax::sim
