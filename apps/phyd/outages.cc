// SPDX-License-Identifier: GPL-3.0-or-later
#include "phyd/outages.h"

#include <algorithm>

namespace wimax::phyd {
namespace {
// Frame numbers with a larger or negative step are of another cell or of a restarted one.
constexpr uint32_t kMostFrames = 10'000;
}  // namespace

void Outages::result(sap::FrameNumber frame, bool good) {
    if (current_ && current_->number == frame) {
        current_->good = current_->good && good;
        return;
    }
    close();
    current_ = Frame{frame, good};
}

void Outages::restart() {
    current_.reset();
    last_good_.reset();
    bad_frames_ = 0;
}

/// The frame at hand is complete.
void Outages::close() {
    if (!current_ || (!current_->good && !last_good_)) return;
    if (!current_->good) {
        ++bad_frames_;
        return;
    }
    if (last_good_) end_outage(every_frame_ ? current_->number.since(*last_good_ + 1) : bad_frames_);
    bad_frames_ = 0;
    last_good_ = current_->number;
}

void Outages::end_outage(uint32_t frames) {
    if (frames == 0 || frames > kMostFrames) return;
    ++figures_.count;
    figures_.frames += frames;
    figures_.last = frames;
    figures_.longest = std::max(figures_.longest, frames);
}

}  // namespace wimax::phyd
