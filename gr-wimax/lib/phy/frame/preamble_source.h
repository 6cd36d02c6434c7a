// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the start of a frame while none is followed (internal), by a detector or the receiver's search.
#pragma once

#include "phy/acquire/synchronizer.h"

#include <memory>
#include <optional>

namespace gr::wimax::phy {

class PreambleSource {
public:
    /// Without a detector the search does everything.
    PreambleSource(std::optional<CyclicPrefix> cp, const Numerology& numerology,
                   std::shared_ptr<PreambleDetector> detector);

    /// Restarts at the given sample; discards earlier detections.
    void restart(int64_t sample);
    /// Continues at the given sample with the method that found the last preamble.
    void go_on(int64_t sample);
    void set_known_offset(Complex value) { search_.set_known_offset(value); }

    /// Polls the detector at sample `now`. Detections in followed frames are discarded.
    void ask(int64_t now, bool followed);
    /// Earliest sample at which look() may find one; INT64_MAX: unknown.
    int64_t due() const;
    /// The next preamble, if the samples contain one.
    std::optional<Acquisition> look(const SampleView& samples);
    /// DC offset of the samples in which the search found the last preamble; none from a detector.
    std::optional<PreambleSearch::Offset> offset() const {
        return by_search() ? std::optional(search_.offset()) : std::nullopt;
    }
    /// The first sample that look() still needs at sample `now`.
    int64_t keep_from(int64_t now) const;
    /// Number of preambles examined, monotone.
    uint64_t detections() const { return detections_; }

    /// A detector without reports for this time may be deafened by a strong carrier. The search then takes its place
    /// until the next report or a restart. Ten of the longest frames.
    static constexpr double kPatienceS = 0.2;
    static constexpr int64_t kHistorySamples = 8192;  ///< largest age of a detector's preamble

private:
    bool by_search() const { return !detector_ || deaf_; }

    const std::shared_ptr<PreambleDetector> detector_;
    const int64_t patience_samples_;
    PreambleSearch search_;
    std::optional<int64_t> plateau_;            ///< passed, not yet examined
    std::optional<DetectedPreamble> detected_;  ///< not yet examined
    int64_t from_ = 0;                          ///< earlier detections are ignored
    std::optional<int64_t> silent_since_;
    bool deaf_ = false;
    uint64_t detections_ = 0;
};

}  // namespace gr::wimax::phy
