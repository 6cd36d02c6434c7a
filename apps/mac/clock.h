// SPDX-License-Identifier: GPL-3.0-or-later
// Time of a station's components: the frame being processed, as the PHY counts it, which only the station itself
// advances; and the durations of a cell's frames, whatever the air interface does within them.
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

struct FrameTiming {
    int64_t sample_rate_hz = 0, frame_samples = 0;
    int guard_samples = 0;          ///< cyclic prefix: bursts may be that late without loss
    double carrier_spacing_hz = 0;  ///< between neighbouring carriers

    int64_t samples_from_ms(int64_t ms) const { return ms * sample_rate_hz / 1000; }
    double frame_seconds() const { return static_cast<double>(frame_samples) / static_cast<double>(sample_rate_hz); }
};

}  // namespace wimax::mac
