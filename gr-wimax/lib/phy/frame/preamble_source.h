/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a frame begins while none is followed (internal): what a detector tells, or the receiver's own search finds.
 */
#pragma once

#include "phy/acquire/synchronizer.h"

#include <memory>
#include <optional>

namespace gr::wimax::phy {

class PreambleSource {
public:
    /// Without a detector the search does all.
    PreambleSource(std::optional<CyclicPrefix> cp, const Numerology& numerology,
                   std::shared_ptr<PreambleDetector> detector);

    /// Begins anew with the sample given: what the detector has of before is nobody's.
    void restart(int64_t sample);
    /// Goes on from there, the way that found the last one.
    void go_on(int64_t sample);
    void set_known_offset(Complex value) { search_.set_known_offset(value); }

    /// Asks the detector, as of a sample. What it has of frames that are followed goes by.
    void ask(int64_t now, bool followed);
    /// Before this sample look() is of no use; INT64_MAX: nobody knows.
    int64_t due() const;
    /// The next preamble, if there is one in the samples that are due.
    std::optional<Acquisition> look(const SampleView& samples);
    /// Of the samples in which the search found the last preamble; a detector tells of none.
    std::optional<PreambleSearch::Offset> offset() const {
        return by_search() ? std::optional(search_.offset()) : std::nullopt;
    }
    /// The first sample that look() still wants, as of a sample.
    int64_t keep_from(int64_t now) const;
    /// That were looked at, monotone.
    uint64_t detections() const { return detections_; }

    /// A detector that has told of nothing for so long may be deaf, as a strong carrier makes it: the search takes its
    /// place until it tells of something, or a restart. Ten of the longest frames.
    static constexpr double kPatienceS = 0.2;
    static constexpr int64_t kHistorySamples = 8192;  ///< the farthest that a detector's preamble may lie behind

private:
    bool by_search() const { return !detector_ || deaf_; }

    const std::shared_ptr<PreambleDetector> detector_;
    const int64_t patience_samples_;
    PreambleSearch search_;
    std::optional<int64_t> plateau_;            ///< passed, waits to be looked at
    std::optional<DetectedPreamble> detected_;  ///< likewise
    int64_t from_ = 0;                          ///< of the detector's, earlier ones are nobody's
    std::optional<int64_t> silent_since_;
    bool deaf_ = false;
    uint64_t detections_ = 0;
};

}  // namespace gr::wimax::phy
