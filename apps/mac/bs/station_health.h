// SPDX-License-Identifier: GPL-3.0-or-later
// How one station answers its grants: bursts that are missing, that cannot be read, or that fail wherever they lie.
#pragma once

#include "mac/sample_time.h"

#include <gnuradio/wimax/phy/base/frame_number.h>

#include <cstdint>
#include <optional>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

class StationHealth {
public:
    /// No burst arrived in one of its grants.
    void grant_missed() {
        ++misses_;
        ++undelivered_;
    }
    /// A burst of its grants, or a RNG-REQ.
    void heard(Samples now) {
        last_heard_ = now;
        misses_ = 0;
    }
    /// The burst could be read.
    void delivered(Samples now) {
        undelivered_ = 0;
        delivered_at_ = now;
    }
    void unreadable() { ++undelivered_; }
    void registered(Samples now) { delivered_at_ = now; }
    /// Its grants begin or end by command: earlier ones prove nothing.
    void restart(Samples now) {
        heard(now);
        delivered(now);
    }
    /// A complete burst, or not. True: another frame without a complete burst.
    bool judge(phy::FrameNumber frame, bool whole) {
        if (whole) failed_frames_ = 0;
        if (whole || frame == failed_frame_) return false;
        failed_frame_ = frame;
        ++failed_frames_;
        return true;
    }
    /// Another station ranges with its address: a sign of life is wanted soon.
    void challenge() { challenged_ = true; }
    void end_challenge() { challenged_ = false; }

    Samples last_heard() const { return last_heard_; }
    /// When the last burst was received that could be read.
    Samples delivered_at() const { return delivered_at_; }
    /// Grants in a row without a burst.
    uint32_t misses() const { return misses_; }
    /// Grants in a row without a burst that could be read.
    uint32_t undelivered() const { return undelivered_; }
    /// Frames in a row without a complete burst.
    uint32_t failed_frames() const { return failed_frames_; }
    bool challenged() const { return challenged_; }

private:
    Samples last_heard_ = 0, delivered_at_ = 0;
    uint32_t misses_ = 0, undelivered_ = 0, failed_frames_ = 0;
    std::optional<phy::FrameNumber> failed_frame_;  ///< the last of them
    bool challenged_ = false;
};

}  // namespace wimax::mac
