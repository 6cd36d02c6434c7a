// SPDX-License-Identifier: GPL-3.0-or-later
#include "timing/base_station_clock.h"

namespace gr::wimax {

void BaseStationClock::begin(int64_t sample) {
    grid_ = sample + config_.grid_delay;
    next_frame_ = 0;
    last_frame_ = -1;  // frames already ticked are on the old grid
    commit_ = start_of(next_frame_) - config_.commit_lead;
}

void BaseStationClock::skip_to(int64_t sample) {
    const int64_t behind = sample - tick_at();
    const int64_t missed = behind <= 0 ? 0 : (behind + config_.frame_samples - 1) / config_.frame_samples;
    next_frame_ += missed;
    next_number_ = next_number_ + missed;
    commit_ = start_of(next_frame_) - config_.commit_lead;
}

BaseStationClock::Frame BaseStationClock::tick() {
    const int64_t start = start_of(next_frame_);
    last_number_ = next_number_;
    last_frame_ = next_frame_++;
    next_number_ = next_number_ + 1;
    waits_ = attached_;
    if (!waits_) commit_ = start_of(next_frame_) - config_.commit_lead;
    return {last_number_, start, start - config_.deadline_lead};
}

std::optional<int64_t> BaseStationClock::start_of(phy::FrameNumber number) const {
    const uint32_t age = last_number_.since(number);
    if (age > kOldestFrame || age > last_frame_) return std::nullopt;
    return start_of(last_frame_ - age);
}

void BaseStationClock::attach(bool attached) {
    attached_ = attached;
    if (attached_) return;
    waits_ = false;
    commit_ = start_of(next_frame_) - config_.commit_lead;
}

bool BaseStationClock::answered(phy::FrameNumber number) {
    if (!waits_ || number != last_number_) return false;
    waits_ = false;
    commit_ = start_of(next_frame_) - config_.commit_lead;
    return true;
}

}  // namespace gr::wimax
