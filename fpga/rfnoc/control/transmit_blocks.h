/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Controllers of the blocks before a transmitter. Bursts enter the gate with their time in ticks and end with an end of
 * burst; the back end takes packets of 200 carriers (fpga/model/ofdm_backend.h).
 */
#pragma once

#include "fpga/rfnoc/control/block_control.h"

namespace wimax::rfnoc {

class BurstGateControl : public BlockControl {
public:
    /// A packet goes on when it is whole: they are short, so that they come to the radio in time.
    static constexpr uint32_t kPacketWords = 256;

    explicit BurstGateControl(make_args_ptr args) : BlockControl(std::move(args), kBurstGate, kPacketWords) {}

    void set_ticks_per_sample(int ticks) { write_ticks_per_sample(ticks); }
    /// Samples from the gate to the air: at least those of a packet and what lies between gate and radio, at most 2047
    /// (uhd::value_error beyond). A burst has to be at the gate earlier by them.
    void set_advance(int samples);

    /// Samples, as the registers have them; after a reset there is no limit, no edge and no lead.
    struct Settings {
        uint8_t edge = 0;
        uint16_t lead = 0, lag = 0;
        uint32_t longest = 0xFFFFFF;
        uint32_t part = 2, share = 0x3FFFFFF;
        uint32_t patience = 0x3FFFFFF;
    };
    void set(const Settings& settings);
    /// Nothing leaves before this; and nothing any more when the block's controller ends.
    void enable(bool on);
    void heartbeat() { write(fpga::burst_gate::kHeartbeat, 1); }

    struct Counts {  ///< of bursts, modulo 2^16
        uint16_t bursts = 0, late = 0, too_long = 0, too_often = 0, silenced = 0, underflows = 0;
        uint32_t late_by_samples = 0;
        uint64_t late_time_samples = 0;
    };
    Counts counts();

protected:
    void deinit() override { enable(false); }
};

class OfdmBackendControl : public BlockControl {
public:
    explicit OfdmBackendControl(make_args_ptr args) : BlockControl(std::move(args), kOfdmBackend) {}

    /// 8, 16, 32 or 64 samples, of symbols that begin from now on; uhd::value_error else.
    void set_prefix(int samples);
    /// 0 .. 1: carriers are multiplied with it.
    void set_gain(double gain);

    struct Counts {
        uint32_t symbols = 0, saturated_samples = 0;
        uint16_t bad_lengths = 0;
    };
    Counts counts();
};

}  // namespace wimax::rfnoc
