// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/rfnoc/control/transmit_blocks.h"

#include "fpga/rfnoc/control/wrapper_registers.h"

#include <uhd/exception.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

namespace wimax::rfnoc {

BurstGateControl::BurstGateControl(make_args_ptr args) : BlockControl(std::move(args), kBurstGate) {
    set_advance(kAdvance);
    give_core({}, nullptr);
}

void BurstGateControl::set_advance(int samples) {
    if (samples < 0 || samples > 2047)
        throw uhd::value_error("advance: " + std::to_string(samples) + " samples are not 0 .. 2047");
    write(wrapper::kOwn, static_cast<uint32_t>(samples));
}

void BurstGateControl::deinit() { write(fpga::burst_gate::kEnable, 0); }

void OfdmBackendControl::set_prefix(int samples) {
    if (samples < 8 || samples > 64 || !std::has_single_bit(static_cast<unsigned>(samples)))
        throw uhd::value_error("prefix: " + std::to_string(samples) + " samples are not 8, 16, 32 or 64");
    write(fpga::ofdm_backend::kRegisterPrefix,
          static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(samples))) - 3);
}

void OfdmBackendControl::set_gain(double gain) {
    using namespace fpga::ofdm_backend;
    write(kRegisterGain, static_cast<uint32_t>(std::lround(std::clamp(gain, 0.0, 1.0) * kLargestGain)));
}

OfdmBackendControl::Counts OfdmBackendControl::counts() {
    using namespace fpga::ofdm_backend;
    return {.symbols = read(kRegisterSymbols),
            .saturated_samples = read(kRegisterSaturated),
            .bad_lengths = static_cast<uint16_t>(read(kRegisterBadLengths))};
}

}  // namespace wimax::rfnoc
