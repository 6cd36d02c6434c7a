/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Current time of a station's components: the frame being processed, as the PHY counts it. Only the station itself
 * advances it.
 */
#pragma once

#include "mac/sample_time.h"

#include <gnuradio/wimax/phy/base/frame_number.h>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

struct FrameClock {
    Samples now = 0;  ///< start of the frame
    int64_t sample_rate_hz = 1;
    phy::FrameNumber frame;  ///< its number in the PHY

    Samples from_ms(int64_t ms) const { return ms * sample_rate_hz / 1000; }
};

}  // namespace wimax::mac
