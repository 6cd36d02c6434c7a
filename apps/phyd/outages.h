// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths of reception failures: frames from the first in which an expected burst was not decoded to the next good one,
// without those in which nothing was expected. A station that recovers within two frames has no longer outage, whatever
// the radio does.
#pragma once

#include "sap/messages.h"

#include <cstdint>
#include <optional>

namespace wimax::phyd {

struct OutageFigures {
    uint64_t count = 0, frames = 0;  ///< ended outages, and their total length
    uint32_t longest = 0, last = 0;  ///< frames
};

class Outages {
public:
    /// `every_frame`: each frame has a burst, so that a frame without a result is bad (subscriber station). Else only
    /// frames with results count: after a lost burst with a request, some frames have no burst.
    explicit Outages(bool every_frame) : every_frame_(every_frame) {}

    /// Result of one expected burst, in the order of frames; a frame is good when all of its bursts are.
    void result(sap::FrameNumber frame, bool good);
    /// Another radio, another time base: an outage that has begun does not count.
    void restart();
    const OutageFigures& figures() const { return figures_; }

private:
    void close();
    void end_outage(uint32_t frames);

    struct Frame {
        sap::FrameNumber number;
        bool good;
    };
    const bool every_frame_;
    std::optional<Frame> current_;
    std::optional<sap::FrameNumber> last_good_;
    uint32_t bad_frames_ = 0;  ///< with results, since the last good one
    OutageFigures figures_;
};

template <class V> void visit(V& v, const OutageFigures& o) {
    v("outages", o.count);
    v("outage_frames", o.frames);
    v("longest_outage_frames", o.longest);
    v("last_outage_frames", o.last);
}

}  // namespace wimax::phyd
