// SPDX-License-Identifier: GPL-3.0-or-later
// Known bursts from one radio to another, or to itself, one after the other.
#pragma once

#include "tools/radio/bench_radio.h"
#include "tools/radio/burst_analysis.h"

namespace wimax::radio {

class Exchange {
public:
    /// Both live longer; `from` and `to` may be one. Radios that share no clock have sample counts that begin anywhere:
    /// then a delay is one of the counts.
    Exchange(BenchRadio& from, BenchRadio& to, const KnownBurst& burst);

    /// Sends the burst once. What was heard, with BurstAnalysis::start as samples after the start by the sender's
    /// count; nullopt: it was too late, or nothing was found. Fault: a radio has failed.
    tl::expected<std::optional<BurstAnalysis>, Fault> once();
    /// Start of the newest burst by the sender's count.
    int64_t sent_at() const { return sent_at_; }

private:
    Outcome advance();

    BenchRadio& from_;
    BenchRadio& to_;
    const KnownBurst& burst_;
    int64_t sent_at_ = 0;
    std::optional<int64_t> apart_;  ///< what the receiver's count is ahead of the sender's, about
};

}  // namespace wimax::radio
