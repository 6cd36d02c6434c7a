/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frame timing of a base station: a grid of frames on the received samples' count, which frame's tick is due when,
 * which answers are waited for, and up to where the radio may be told that nothing more will be sent. Decisions alone:
 * no samples, no messages, no radio. Times and lengths are samples.
 */
#pragma once

#include <gnuradio/wimax/phy/base/frame_number.h>

#include <cstdint>
#include <optional>

namespace gr::wimax {

class BaseStationClock {
public:
    struct Config {
        int64_t frame_samples = 0;
        int64_t grid_delay = 0;     ///< first sample to first frame: programs still start
        int64_t tick_lead = 0;      ///< tick to frame start
        int64_t deadline_lead = 0;  ///< answers are due that long before the frame; at most tick_lead
        phy::FrameNumber first_frame;
    };
    struct Frame {
        phy::FrameNumber number;
        int64_t start = 0, deadline = 0;
    };
    static constexpr uint32_t kOldestFrame = 16;  ///< frames that expectations may be late

    explicit BaseStationClock(const Config& config) : config_(config), next_number_(config.first_frame) {}

    /// The first sample of all is number `sample`, or a clock was set back to it: a new grid. Frame numbers go on.
    void begin(int64_t sample);
    /// Samples were lost up to `sample`. Frames whose tick's sample is among them are left out and counted.
    void skip_to(int64_t sample);

    int64_t tick_at() const { return start_of(next_frame_) - config_.tick_lead; }
    /// Goes on to the next frame, whose tick is due.
    Frame tick();
    phy::FrameNumber number() const { return last_number_; }  ///< of the frame ticked last
    /// Start of a frame that was ticked lately on the present grid.
    std::optional<int64_t> start_of(phy::FrameNumber number) const;
    /// The next tick's.
    void set_next_number(phy::FrameNumber number) { next_number_ = number; }

    /// Whether somebody answers ticks. Whoever goes is not waited for.
    void attach(bool attached);
    bool attached() const { return attached_; }
    /// The last tick's answer is still to come.
    bool waits() const { return waits_; }
    /// The transmitter is done with this frame. False: it was not waited for.
    bool answered(phy::FrameNumber number);
    /// Everything to be sent before this sample has been issued. Stays at the start of the first frame that has had no
    /// answer.
    int64_t commit() const { return commit_; }

private:
    int64_t start_of(int64_t k) const { return grid_ + k * config_.frame_samples; }

    const Config config_;
    bool attached_ = false, waits_ = false;
    int64_t grid_ = 0;                          ///< start of frame 0 of the grid
    int64_t next_frame_ = 0, last_frame_ = -1;  ///< on the grid; the last one ticked, -1: none
    int64_t commit_ = 0;
    phy::FrameNumber next_number_, last_number_;
};

}  // namespace gr::wimax
