// SPDX-License-Identifier: GPL-3.0-or-later
// Samples around an event as a SigMF pair, with the event as an annotation: what `wimax radio capture` and a running
// PHY write.
#pragma once

#include "recording/iq_file.h"

#include <span>
#include <string>

namespace wimax::iq {

struct CaptureFile {
    std::string path;  ///< a name of a SigMF pair
    double sample_rate_hz = 0;
    std::string description, trigger, generator;
    size_t event = 0;  ///< its sample within the recording
};

Outcome write_capture(const CaptureFile& file, std::span<const std::span<const Complex>> parts);

}  // namespace wimax::iq
