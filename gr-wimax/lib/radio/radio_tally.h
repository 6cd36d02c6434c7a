// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of sender, receiver and the threads that pass samples, without a lock.
#pragma once

#include "radio/answer_clock.h"

#include <gnuradio/wimax/radio_frontend.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

namespace gr::wimax {

/// The clock before the first sample: early enough that nothing is late, late enough that differences do not overflow.
inline constexpr int64_t kNothingReceived = std::numeric_limits<int64_t>::min() / 2;

struct RadioTally {
    using Count = std::atomic<uint64_t>;
    Count pieces{0}, late{0}, underflows{0}, overflows{0}, sequence_errors{0}, lost_samples{0}, clipped_samples{0};
    std::atomic<int64_t> least_slack_samples{INT64_MAX};  ///< written by the sender alone
    Arrivals arrivals;                                    ///< written by the receiver alone
    AnswerTally answers;                                  ///< written by the sender alone

    void note_slack(int64_t samples) {
        if (samples < least_slack_samples) least_slack_samples = samples;
    }
    RadioCounters counters() const {
        RadioCounters c;
        c.pieces = pieces;
        c.late = late;
        c.underflows = underflows;
        c.overflows = overflows;
        c.sequence_errors = sequence_errors;
        c.clipped_samples = clipped_samples;
        c.lost_samples = lost_samples;
        c.least_slack_samples = least_slack_samples;
        return c;
    }

    bool is_lost() const { return lost_; }
    /// Only the first reason is kept.
    void lose(const std::string& why) {
        const std::lock_guard guard(mutex_);
        if (!lost_) why_ = why;
        lost_ = true;
    }
    std::optional<std::string> lost() const {
        const std::lock_guard guard(mutex_);
        return lost_ ? std::optional(why_) : std::nullopt;
    }

private:
    mutable std::mutex mutex_;
    std::atomic<bool> lost_{false};
    std::string why_;
};

}  // namespace gr::wimax
