// SPDX-License-Identifier: GPL-3.0-or-later
// Frame timing of a base station: a grid of frames in received samples. It decides when each tick is due, which
// responses to await, and up to which sample the radio may assume that nothing more is sent. Decisions only: no
// samples, no messages, no radio. Times and lengths are samples.
#pragma once

#include <gnuradio/wimax/phy/base/frame_number.h>

#include <cstdint>
#include <optional>

namespace gr::wimax {

class BaseStationClock {
public:
    struct Config {
        int64_t frame_samples = 0;
        int64_t grid_delay = 0;     ///< first sample to first frame: programs are still starting
        int64_t tick_lead = 0;      ///< tick to frame start
        int64_t commit_lead = 0;    ///< from a commit to the frame after it
        int64_t deadline_lead = 0;  ///< responses are due this time before the frame; at most tick_lead
        phy::FrameNumber first_frame;
    };
    struct Frame {
        phy::FrameNumber number;
        int64_t start = 0, deadline = 0;
    };
    static constexpr uint32_t kOldestFrame = 16;  ///< largest age of expectations, frames

    explicit BaseStationClock(const Config& config) : config_(config), next_number_(config.first_frame) {}

    /// The first sample has number `sample`, or a clock was set back to it: starts a new grid. Frame numbers continue.
    void begin(int64_t sample);
    /// Samples were lost up to `sample`. Frames whose tick is among them are skipped and counted.
    void skip_to(int64_t sample);

    int64_t tick_at() const { return start_of(next_frame_) - config_.tick_lead; }
    /// Moves to the next frame, whose tick is due.
    Frame tick();
    phy::FrameNumber number() const { return last_number_; }  ///< of the frame ticked last
    /// Start of a recently ticked frame on the present grid.
    std::optional<int64_t> start_of(phy::FrameNumber number) const;
    /// Sets the number of the next tick.
    void set_next_number(phy::FrameNumber number) { next_number_ = number; }

    /// Sets whether a MAC responds to ticks. After detaching no response is awaited.
    void attach(bool attached);
    bool attached() const { return attached_; }
    /// True while the response to the last tick is missing.
    bool waits() const { return waits_; }
    /// The transmitter has finished this frame. False: it was not awaited.
    bool answered(phy::FrameNumber number);
    /// Everything to be sent before this sample has been issued. It stays at the start of the first frame without a
    /// response, or `commit_lead` before.
    int64_t commit() const { return commit_; }

private:
    int64_t start_of(int64_t k) const { return grid_ + k * config_.frame_samples; }

    const Config config_;
    bool attached_ = false, waits_ = false;
    int64_t grid_ = 0;                          ///< start of frame 0 of the grid
    int64_t next_frame_ = 0, last_frame_ = -1;  ///< on the grid; the last one with a tick, -1: none
    int64_t commit_ = 0;
    phy::FrameNumber next_number_, last_number_;
};

}  // namespace gr::wimax
