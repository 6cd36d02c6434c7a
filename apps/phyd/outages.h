/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long reception fails at a time: frames from the first in which something expected was not decoded to the next
 * good one, without those that put nothing to the test. Whatever the radio does, a station that recovers within two
 * frames has no longer outage.
 */
#pragma once

#include "sap/messages.h"

#include <cstdint>
#include <optional>

namespace wimax::phyd {

struct OutageFigures {
    uint64_t count = 0, frames = 0;  ///< that have ended, and how long they were together
    uint32_t longest = 0, last = 0;  ///< frames
};

class Outages {
public:
    /// `every_frame`: something comes in each frame, so that one without a result is bad (subscriber station); else
    /// only frames that have results count: a burst that is lost with the request in it is followed by some without.
    explicit Outages(bool every_frame) : every_frame_(every_frame) {}

    /// Of one burst that was expected, in the order of frames; a frame is good when all of its bursts are.
    void result(sap::FrameNumber frame, bool good);
    /// Another radio, another time: what was begun does not count.
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

template <class V>
void visit(V& v, const OutageFigures& o) {
    v("outages", o.count);
    v("outage_frames", o.frames);
    v("longest_outage_frames", o.longest);
    v("last_outage_frames", o.last);
}

}  // namespace wimax::phyd
