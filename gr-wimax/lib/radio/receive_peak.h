// SPDX-License-Identifier: GPL-3.0-or-later
// Level of the strongest received sample of the last second against the converter's full scale. Own transmissions are
// ignored: the gain is chosen for the other side's signal. Time is counted in samples of the device.
#pragma once

#include <gnuradio/wimax/radio_frontend.h>

#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <span>

namespace gr::wimax {

class ReceivePeak {
public:
    /// Longest delay of own transmissions to the receiver, due to both chains' filters, in samples.
    static constexpr int64_t kOwnDelay = 128;

    explicit ReceivePeak(double rate_hz) : part_samples_(static_cast<int64_t>(rate_hz / kParts)) {}

    /// Called by one thread, the sender's, before these samples are received.
    void sends(int64_t from, int64_t to);
    /// Samples from `first` on; the larger of I and Q counts, 1 is full scale. Returns that of all samples, own
    /// transmissions included.
    float take(int64_t first, std::span<const std::complex<float>> samples);
    /// Any thread.
    double dbfs() const { return dbfs_; }

private:
    static constexpr int kParts = 10;  ///< of a second
    /// Harmless if read during a write: `to` is 0 meanwhile, and a new `from` is after an old `to`.
    struct Own {
        std::atomic<int64_t> from{0}, to{0};
    };
    void advance(int64_t part);
    float highest_of_others(int64_t first, std::span<const std::complex<float>> samples) const;
    void raise(float highest);

    const int64_t part_samples_;
    std::array<Own, 64> own_{};          ///< the last ones
    std::atomic<int64_t> own_until_{0};  ///< end of the last one
    size_t sent_ = 0;
    std::array<float, kParts + 1> highest_{};  ///< of each part of the last second, and of the current part
    int64_t part_ = 0;
    float shown_ = 0;  ///< as dbfs_
    std::atomic<double> dbfs_{kNoPeakDbfs};
};

}  // namespace gr::wimax
