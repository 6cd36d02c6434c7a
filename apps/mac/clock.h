/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What time it is for the parts of a station: the frame being worked on, as the PHY counts it. Only the station itself
 * moves it on.
 */
#pragma once

#include "mac/sample_time.h"

#include <gnuradio/wimax/phy/base/frame_number.h>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

struct FrameClock {
    Samples now = 0;  ///< start of the frame
    int64_t sample_rate_hz = 1;
    phy::FrameNumber frame;  ///< the PHY's number of it

    Samples from_ms(int64_t ms) const { return ms * sample_rate_hz / 1000; }
};

}  // namespace wimax::mac
