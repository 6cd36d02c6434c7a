/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What sender, receiver and the threads that hand samples over count, without a lock.
 */
#pragma once

#include <gnuradio/wimax/radio_frontend.h>

#include <atomic>
#include <cstdint>
#include <limits>

namespace gr::wimax {

/// The clock before the first sample: so far back that nothing is late, not so far that differences overflow.
inline constexpr int64_t kNothingReceived = std::numeric_limits<int64_t>::min() / 2;

struct RadioTally {
    using Count = std::atomic<uint64_t>;
    Count pieces{0}, late{0}, underflows{0}, overflows{0}, lost_samples{0};
    std::atomic<int64_t> least_slack_samples{INT64_MAX};  ///< written by the sender alone

    void note_slack(int64_t samples) {
        if (samples < least_slack_samples) least_slack_samples = samples;
    }
    RadioCounters counters() const {
        RadioCounters c;
        c.pieces = pieces;
        c.late = late;
        c.underflows = underflows;
        c.overflows = overflows;
        c.lost_samples = lost_samples;
        c.least_slack_samples = least_slack_samples;
        return c;
    }
};

}  // namespace gr::wimax
