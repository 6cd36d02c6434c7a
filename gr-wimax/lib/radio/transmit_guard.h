/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last look at what is to be sent, whatever asked for it. Time is the count of samples; no clock, no device.
 *
 * Longest burst: pieces that touch or overlap are one burst; what lies beyond the limit is cut off, and so is all that
 * follows without a pause. Duty cycle: no window of the given length holds more than its share; it is counted in 256ths
 * of the window, which a channel at the very limit may miss by. Power: the mean of 256 samples in a row.
 */
#pragma once

#include <gnuradio/wimax/transmit_limits.h>
#include <gnuradio/wimax/transmit_path.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace gr::wimax {

/// Mean power of the loudest 256 samples in a row, in steps of 256; 1 is 0 dBFS. What is shorter counts as it is.
double loudest_power(TransmitPiece::Samples samples);

class TransmitGuard {
public:
    /// Preambles have twice the power of data symbols.
    static constexpr double kPreambleDb = 3.0103;
    /// By which 256 samples may exceed the limit: data symbols of high rates differ in power.
    static constexpr double kToleranceDb = 1;

    /// `reference_dbm`: at the antenna for samples of mean power 1.
    TransmitGuard(const TransmitLimits& limits, int64_t rate_hz, double reference_dbm);

    /// A new reference, where gains change. Any thread.
    void set_reference(double reference_dbm);
    /// How many samples of the piece may leave, from its first on. Pieces come in the order of time; what does not
    /// counts as of now, but for a clock that goes back by more than the window, which begins anew.
    size_t admit(int64_t start_sample, const TransmitPiece& piece);
    /// Any thread.
    TransmitRefusals refusals() const { return {switched_off_, too_long_, too_often_, too_strong_}; }

private:
    static constexpr int64_t kParts = 256;

    /// Samples sent in each part of the window, and in one part more: then every window lies within the parts.
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
