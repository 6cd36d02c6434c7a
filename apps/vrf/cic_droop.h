// SPDX-License-Identifier: GPL-3.0-or-later
// Effect of a four-stage CIC filter on the band of the lower rate. It is the only filter of UHD's DDC and DUC at an odd
// decimation or interpolation: sinc^4, 9.2 dB less at carriers +-100 of 256 (within 0.1 dB to there).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "vrf/link.h"

namespace wimax::vrf {

class CicDroop {
public:
    static constexpr size_t kDelay = 6;  ///< samples

    /// Filters consecutive pieces of samples in place; the output lags by kDelay.
    void pass(std::span<Sample> samples);

private:
    std::array<Sample, 2 * kDelay + 1> line_{};
};

}  // namespace wimax::vrf
