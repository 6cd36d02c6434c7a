// SPDX-License-Identifier: GPL-3.0-or-later
// Controllers of the blocks before a transmitter. Bursts enter the gate with their time in ticks and end with an end of
// burst; the back end takes packets of 200 carriers (fpga/model/ofdm_backend.h).
#pragma once

#include "fpga/rfnoc/control/block_control.h"

namespace wimax::rfnoc {

/// fpga/host/burst_gate_driver.h accesses the core's registers.
class BurstGateControl : public BlockControl {
public:
    explicit BurstGateControl(make_args_ptr args);

    void set_ticks_per_sample(int ticks) { write_ticks_per_sample(ticks); }
    /// Samples from the gate to the air: at least a packet and the delay between gate and radio, at most 2047
    /// (uhd::value_error beyond). A burst must be at the gate earlier by this number. Default kAdvance.
    void set_advance(int samples);
    static constexpr int kAdvance = 512;

protected:
    /// Stops transmission when the controller ends.
    void deinit() override;
};

class OfdmBackendControl : public BlockControl {
public:
    explicit OfdmBackendControl(make_args_ptr args) : BlockControl(std::move(args), kOfdmBackend) {}

    /// 8, 16, 32 or 64 samples, for symbols that begin from now on; otherwise uhd::value_error.
    void set_prefix(int samples);
    /// 0 .. 1: factor of the carriers.
    void set_gain(double gain);

    struct Counts {
        uint32_t symbols = 0, saturated_samples = 0;
        uint16_t bad_lengths = 0;
    };
    Counts counts();
};

}  // namespace wimax::rfnoc
