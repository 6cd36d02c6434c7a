/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the four stages of a CIC filter do to the band of the lower rate, which is all that an odd decimation or
 * interpolation of UHD's DDC and DUC has: sinc^4, so 9.2 dB less at carriers +-100 of 256
 * (within 0.1 dB to there).
 */
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "vrf/link.h"

namespace wimax::vrf {

class CicDroop {
public:
    static constexpr size_t kDelay = 6;  ///< samples

    /// One stretch of samples behind the other; what leaves lags by kDelay.
    void pass(std::span<Sample> samples);

private:
    std::array<Sample, 2 * kDelay + 1> line_{};
};

}  // namespace wimax::vrf
