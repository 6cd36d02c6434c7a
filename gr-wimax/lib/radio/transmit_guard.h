// SPDX-License-Identifier: GPL-3.0-or-later
// The last check of all samples before transmission, from any source. Time is the count of samples; no clock, no
// device.
//
// Longest burst: pieces that touch or overlap are one burst. Samples beyond the limit are cut off, and so are all that
// follow without a pause. Duty cycle: no window of the given length contains more than its share. It is counted in
// 256ths of the window, which is the uncertainty at the limit. Power: the mean of 256 consecutive samples.
#pragma once

#include <gnuradio/wimax/transmit_limits.h>
#include <gnuradio/wimax/transmit_path.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace gr::wimax {

/// Mean power of the loudest 256 consecutive samples, in steps of 256; 1 is 0 dBFS. Shorter pieces have their mean.
double loudest_power(TransmitPiece::Samples samples);

class TransmitGuard {
public:
    /// Preambles have twice the power of data symbols.
    static constexpr double kPreambleDb = 3.0103;
    /// Tolerance of the limit for 256 samples: data symbols of high rates differ in power.
    static constexpr double kToleranceDb = 1;

    /// `reference_dbm`: at the antenna for samples of mean power 1.
    TransmitGuard(const TransmitLimits& limits, int64_t rate_hz, double reference_dbm);

    /// Sets a new reference after a change of gain. Any thread.
    void set_reference(double reference_dbm);
    /// Number of samples of the piece, from its first on, that may be sent. Pieces arrive in the order of time; others
    /// count as of now. A clock that is set back by more than the window restarts the count.
    size_t admit(int64_t start_sample, const TransmitPiece& piece);
    /// Any thread.
    TransmitRefusals refusals() const { return {switched_off_, too_long_, too_often_, too_strong_}; }

private:
    static constexpr int64_t kParts = 256;

    /// Samples sent in each part of the window, and in one part more: every window is then within the parts.
    struct Window {
        std::array<int64_t, kParts + 1> sent{};
        int64_t newest = INT64_MIN;  ///< part; 0 begins at sample 0
        int64_t total = 0;
        int64_t& here();
        void advance(int64_t part);
    };

    bool too_strong(const TransmitPiece& piece) const;
    size_t within_burst(int64_t start, size_t samples);
    bool within_duty(int64_t start, int64_t samples);

    const TransmitLimits limits_;
    const int64_t longest_, part_samples_, window_share_;
    std::atomic<double> most_power_{0};  // of samples
    int64_t burst_start_ = 0, burst_end_ = -1;
    Window window_;
    std::atomic<uint64_t> switched_off_{0}, too_long_{0}, too_often_{0}, too_strong_{0};
};

}  // namespace gr::wimax
