// SPDX-License-Identifier: GPL-3.0-or-later
#include "timing/subscriber_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gr::wimax {

SubscriberClock::SubscriberClock(const Config& config)
    : config_(config),
      max_advance_(config.sample_rate_hz * kMaxAdvanceUs / 1'000'000),
      listening_response_(std::max(config.response, config.chunk)),
      tick_lead_(std::max(config.turnaround, listening_response_ + max_advance_)) {}

// --- events of the receiver ------------------------------------------------------------------------------------------

void SubscriberClock::jump(int64_t sample) {
    sync_lost();
    wait_ = Wait::nothing;
    last_tick_ = sample;
}

void SubscriberClock::frame_begins(const Frame& frame) {
    attached_ = attach_wanted_;
    synchronised_ = true;
    // 24 bits of our counter: the frame prefix has only the low four, the MAC learns the others.
    const int64_t passed = frame.samples > 0 ? (frame.start - frame_.start + frame.samples / 2) / frame.samples : 1;
    number_ = number_ + passed;
    if (frame.lsb) number_ = number_.next_with(*frame.lsb);
    frame_ = frame;
    frame_open_ = true;
    tick_at_.reset();
    const bool foretold = next_uplink_ && next_uplink_->number == number_;
    ticked_ = foretold && next_uplink_->ticked;
    uplink_start_ = foretold ? std::optional(next_uplink_->sample) : std::nullopt;
    next_uplink_.reset();
}

void SubscriberClock::sync_lost() {
    synchronised_ = frame_open_ = ticked_ = false;
    tick_at_.reset();
    uplink_start_.reset();
    next_uplink_.reset();
}

bool SubscriberClock::maps_missing() {
    owed_ = !ticked_;
    return owed_;
}

bool SubscriberClock::maps_heard() {
    if (!attached_) return maps_missing();
    if (may_wait()) wait_ = Wait::maps_answer;
    return waits();
}

// --- events of the MAC and the transmitter ---------------------------------------------------------------------------

void SubscriberClock::attach(bool wanted, int64_t position) {
    attach_wanted_ = wanted;
    if (wanted && synchronised_) return;  // from the next frame on
    attached_ = wanted;
    if (attached_) return;
    if (wait_ == Wait::maps_answer && !ticked_) tick_at_ = position;
    wait_ = Wait::nothing;
}

void SubscriberClock::uplinks(int64_t first, int64_t next, int64_t position) {
    if (next > 0 && frame_.samples > 0) next_uplink_ = {number_ + 1, frame_.start + frame_.samples + next, false};
    uplink_start_.reset();
    if (ticked_) return;
    if (first > 0) uplink_start_ = frame_.start + first;
    tick_at_ = uplink_start_ ? std::min(*uplink_start_ - tick_lead_, latest_tick()) : position;
}

bool SubscriberClock::maps_answered(std::optional<phy::FrameNumber> number, int64_t position) {
    if (wait_ != Wait::maps_answer || (number && *number != number_)) return false;
    wait_ = Wait::nothing;
    if (!tick_at_ && !ticked_) tick_at_ = position;
    return true;
}

bool SubscriberClock::tick_answered(phy::FrameNumber number) {
    if (wait_ != Wait::tick_answer || number != ticked_number_) return false;
    wait_ = Wait::nothing;
    return true;
}

// --- due ticks -------------------------------------------------------------------------------------------------------

/// Latest time of a tick without any reception: MAC timers count samples.
int64_t SubscriberClock::silent_tick() const {
    const int64_t frames = synchronised_ ? 2 * frame_.samples : 0;
    return last_tick_ + std::max(frames, config_.sample_rate_hz * kSilentTickMs / 1000);
}

/// Latest tick of the present frame: the next begins after it. An uplink of FDD may be later.
int64_t SubscriberClock::latest_tick() const {
    return config_.one_carrier || frame_.samples == 0 ? std::numeric_limits<int64_t>::max()
                                                      : frame_.start + frame_.samples - frame_.symbol_samples;
}

/// Due time of the coming frame's tick if a map of this frame has described its uplink. It may be before its maps are
/// received, or even before it begins.
int64_t SubscriberClock::tick_ahead_at() const {
    const bool open = frame_open_ && !ticked_;  // one after the other
    return next_uplink_ && !next_uplink_->ticked && !open ? next_uplink_->sample - tick_lead_
                                                          : std::numeric_limits<int64_t>::max();
}

int64_t SubscriberClock::next_due() const {
    return std::min({tick_at_.value_or(silent_tick()), silent_tick(), tick_ahead_at()});
}

std::optional<SubscriberClock::Tick> SubscriberClock::due(int64_t position) {
    if (std::min(tick_at_.value_or(silent_tick()), silent_tick()) <= position)
        return tick(frame_open_ && !ticked_, position);
    if (tick_ahead_at() <= position) return tick_ahead(position);
    return std::nullopt;
}

std::optional<SubscriberClock::Tick> SubscriberClock::owed(int64_t position) {
    if (!owed_) return std::nullopt;
    owed_ = false;
    return tick(true, position);
}

SubscriberClock::Tick SubscriberClock::tick(bool of_frame, int64_t position) {
    if (!of_frame) attached_ = attach_wanted_;
    const auto result = publish(of_frame, number_, of_frame ? frame_.start : position, uplink_start_, position);
    uplink_start_.reset();
    frame_open_ = false;
    return result;
}

SubscriberClock::Tick SubscriberClock::tick_ahead(int64_t position) {
    const double length = static_cast<double>(frame_.samples) * (1 + 1e-6 * frame_.clock_offset_ppm);
    next_uplink_->ticked = true;
    return publish(true, next_uplink_->number, frame_.start + std::llround(length + frame_.start_fraction),
                   next_uplink_->sample, position);
}

SubscriberClock::Tick SubscriberClock::publish(bool of_frame, phy::FrameNumber number, int64_t start,
                                               std::optional<int64_t> uplink, int64_t position) {
    ticked_number_ = number;
    ticked_start_ = start;
    tick_at_.reset();
    last_tick_ = position;
    wait_ = may_wait() ? Wait::tick_answer : Wait::nothing;
    const int64_t deadline = std::max(uplink.value_or(0), position + config_.turnaround) - config_.deadline_lead;
    return {number, start, deadline, of_frame, attached_, of_frame && synchronised_};
}

// --- commits ---------------------------------------------------------------------------------------------------------

int64_t SubscriberClock::before_next_uplink(int64_t sample) const {
    return next_uplink_ && !next_uplink_->ticked ? std::min(sample, next_uplink_->sample - max_advance_) : sample;
}

int64_t SubscriberClock::commit(int64_t position) const {
    // The tick of a known uplink is still to come: nothing is sent before that uplink.
    const int64_t uplink = tick_at_ ? uplink_start_.value_or(0) - max_advance_ : 0;
    return before_next_uplink(std::max(position + listening_response_, uplink));
}

std::optional<int64_t> SubscriberClock::commit_behind_answer() const {
    if (!synchronised_ || frame_.samples == 0) return std::nullopt;
    // A map of the next frame describes its uplink no earlier than the header's end and needs a response; a map of this
    // frame may place the uplink there.
    const bool foretold = next_uplink_ && next_uplink_->number == ticked_number_;
    const int64_t next_frame = ticked_start_ + frame_.samples;
    const int64_t header = next_frame + kHeaderSymbols * frame_.symbol_samples;
    const int64_t first_slot = config_.one_carrier ? header : next_frame;
    return before_next_uplink(foretold ? first_slot - max_advance_ : header + config_.response);
}

}  // namespace gr::wimax
