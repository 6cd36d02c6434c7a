/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What time it is for the parts of a station: the frame being worked on, as the PHY counts it. Only the station itself
 * moves it on.
 */
#pragma once

#include "mac/time.h"

namespace wimax::mac {

struct FrameClock {
    Samples now = 0;  ///< start of the frame
    int64_t sample_rate_hz = 1;
    uint32_t frame = 0;  ///< the PHY's number of it, 24 bits

    Samples from_ms(int64_t ms) const { return ms * sample_rate_hz / 1000; }
};

}  // namespace wimax::mac
