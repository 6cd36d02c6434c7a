// SPDX-License-Identifier: GPL-3.0-or-later
// Points of an error-rate curve: trials on several threads until enough blocks or errors are seen. The result of a
// point depends on setup, rate, SNR and seed alone, not on the number of threads or on other points.
#pragma once

#include "tools/simulation/link_trial.h"

#include <functional>
#include <optional>
#include <vector>

namespace wimax::link {

struct StopRule {
    int64_t blocks = 10'000;  ///< at least 1
    int64_t errors = 300;     ///< wrong blocks, at least 1
};

struct Point {
    int rate_id = 0;
    double snr_db = 0;
    int64_t blocks = 0, block_errors = 0;
    int64_t missed = 0;                  ///< trials
    int64_t failed = 0, undetected = 0;  ///< blocks, see TrialResult
    int64_t bits = 0, bit_errors = 0;

    double per() const { return static_cast<double>(block_errors) / static_cast<double>(blocks); }
    double ber() const { return static_cast<double>(bit_errors) / static_cast<double>(bits); }
};

struct Interval {
    double low, high;
};
/// 95 % Wilson score interval of a proportion; `count` > 0.
Interval wilson(int64_t hits, int64_t count);

/// Runs trials of one setup; receivers and workspaces are made once for all points.
class Simulator {
public:
    /// Throws std::invalid_argument if the setup's bandwidth is impossible.
    Simulator(const LinkSetup& setup, int threads);

    /// Whole trials are counted, in order of their numbers, until one of the limits is reached. `rate_id` suits the
    /// setup (link_trial.h).
    Point measure(int rate_id, double snr_db, const StopRule& stop, uint64_t seed) {
        return *measure(rate_id, snr_db, stop, seed, [](double) { return true; });
    }
    /// The same. `go_on` gets the finished share of the point now and then; if it returns false, the result is nullopt.
    using GoOn = std::function<bool(double)>;
    std::optional<Point> measure(int rate_id, double snr_db, const StopRule& stop, uint64_t seed, const GoOn& go_on);

private:
    void run_batch(int rate_id, double snr_db, uint64_t seed, uint64_t first);

    LinkSetup setup_;
    std::vector<std::unique_ptr<TrialRunner>> runners_;  ///< one a thread
    std::vector<TrialResult> results_;                   ///< of a batch
};

}  // namespace wimax::link
