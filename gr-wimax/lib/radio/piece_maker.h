// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of signal at a device's rate, with the zeros that edges of bursts, filters and an amplifier's line need around
// them. No thread, no device calls.
#pragma once

#include "radio/radio_device.h"
#include "radio/resampler.h"

#include <gnuradio/wimax/transmit_path.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace gr::wimax {

struct DevicePiece {
    int64_t start = 0;  ///< channel sample of the signal's first sample
    int64_t tick = 0;   ///< of samples[0]; before `start` by edge and ringing
    double level_dbfs = 0;
    /// One vector per channel, equally long; they keep their capacity: no allocation in the steady state.
    std::array<std::vector<std::complex<float>>, kMaxTxChannels> samples;

    size_t length() const { return samples[0].size(); }
    int64_t end_tick() const { return tick + static_cast<int64_t>(length()); }
};

class PieceMaker {
public:
    /// `device` must outlive the object.
    PieceMaker(const RadioDevice& device, const RadioConfig& config);

    /// Fills a piece at the device's rate; all channels have the length of the first. Pieces are made in the order of
    /// time.
    void fill(DevicePiece& piece, int64_t start, const TransmitPiece& from);
    /// Number of leading samples of a piece whose time is already used: by edge and ringing of the previous piece,
    /// which ends at tick `sent_until`, or, in lock-step, by the promise that everything before `promised` is sent.
    /// Any thread.
    size_t overlap(const DevicePiece& piece, int64_t promised, int64_t sent_until) const;
    /// Time from an amplifier line's start, which is also the start of the transmitted zeros, to that of the piece.
    int64_t lead_samples() const { return lead_samples_; }
    /// Zeros in front of a piece, and after the last one of a burst.
    size_t front() const { return front_; }
    size_t behind() const { return behind_; }

private:
    size_t tail_of(int64_t start, const TransmitPiece& piece);
    int64_t append(int64_t start, TransmitPiece::Samples samples, std::vector<std::complex<float>>& to);

    const RadioDevice& device_;
    const int64_t lead_samples_;          // lead of an amplifier's line, at the channel's rate
    const size_t edge_, front_, behind_;  // zeros of an edge; around a piece: for its edge and an amplifier's line
    const bool joined_;                   // pieces follow each other in one burst, which ends separately
    std::optional<TransmitResampler> to_device_;
    std::vector<std::complex<float>> resampled_, second_;      // of a piece; the second channel's part of one
    int64_t last_end_ = 0;                                     // end of the previous piece, in samples
    int64_t usual_gap_ = std::numeric_limits<int64_t>::max();  // gap after pieces whose successor was unknown
    bool last_unknown_ = false;
};

}  // namespace gr::wimax
