// SPDX-License-Identifier: GPL-3.0-or-later
// The detector of the FPGA as a receiver of wimax-acquisition, where FPGA cores are part of the build (WIMAX_FPGA).
#pragma once

#include "tools/simulation/acquisition_trial.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace wimax::acquisition {

/// What is measured of a receiver.
struct MeasuredReceiver {
    /// One frame, of an SNR and a seed.
    std::function<Outcome(double snr_db, uint64_t seed)> trial;
    /// False alarms of the number of symbols, for as long as `go_on` returns true.
    std::function<FalseAlarms(Idle idle, int64_t symbols, uint64_t seed, const std::function<bool(int64_t)>& go_on)>
        count_alarms;
};

enum class FpgaDetector : uint8_t { model, rtl };

/// nullopt: this build has no FPGA cores.
std::optional<MeasuredReceiver> make_fpga_receiver(FpgaDetector detector, const Setup& setup);

}  // namespace wimax::acquisition
