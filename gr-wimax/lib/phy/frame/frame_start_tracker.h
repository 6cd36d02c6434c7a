// SPDX-License-Identifier: GPL-3.0-or-later
// When the next downlink frame starts: learns the frame duration (clause 8.3.5, frame duration codes) from decoded
// frame prefixes and follows the base station's clock and carrier (internal).
#pragma once

#include "phy/channel/tracking.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <optional>

namespace gr::wimax::phy {

class FrameStartTracker {
public:
    explicit FrameStartTracker(int64_t sample_rate_hz) : sample_rate_hz_(sample_rate_hz) {}

    void reset();

    /// A frame prefix with correct HCS at the given start. The duration follows from two of them.
    void decoded(double start, uint8_t frame_lsb);
    /// Preamble measured at the predicted place: corrects start and drift.
    void measured(double start, double variance);
    /// Moves to the next frame. Only if locked().
    void advance();

    bool locked() const { return frame_samples_ > 0; }
    /// Nominal length of a frame; 0: not known yet.
    int64_t frame_samples() const { return frame_samples_; }
    /// Predicted (after measured(): corrected) start of the current frame.
    double start() const { return static_cast<double>(grid_) + offset_.value; }
    /// Excess of a span of `samples` nominal samples, in samples, and its variance.
    double drift(double samples) const;
    double drift_variance(double samples) const;
    double clock_offset_ppm() const { return drift(1e6); }

private:
    std::optional<int64_t> legal_duration(double distance, int frames) const;

    int64_t sample_rate_hz_;
    int64_t frame_samples_ = 0;
    int64_t grid_ = 0;      // nominal start of the current frame
    DriftingState offset_;  // from the grid, per frame
    struct Decoded {
        double start;
        uint8_t frame_lsb;
    };
    std::optional<Decoded> last_;
};

}  // namespace gr::wimax::phy
