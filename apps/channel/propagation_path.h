// SPDX-License-Identifier: GPL-3.0-or-later
// One direction from one transmitter to one receiver: gain, delay, carrier and clock offset, fading multipath.
//
// The output is a function of (configuration, seed, receiver sample index, transmitter samples) alone: processing in
// chunks of any size gives the same bits. Receiver sample n is the transmitter's signal at
//
//     tx_epoch + (n - rx_epoch - delay_samples) / (1 + clock_offset_ppm * 1e-6)
//
// convolved with the taps, times the gain, rotated by carrier_offset_hz in receiver time. Fidelity over the used 78 %
// of the sample rate: better than 60 dB up to 100 ppm (50 dB with fast fading). A whole-sample delay without multipath,
// fading or clock offset is exact.
//
// Not here: noise (NoiseSource), and the sum over transmitters (accumulate() adds to its output).
#pragma once

#include "channel/channel_profile.h"
#include "channel/fading.h"

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace wimax::channel {

using Complex = std::complex<float>;

/// Samples on each side that the interpolator uses.
inline constexpr int kKernelHalfWidth = 10;

/// With a delay of at least this, and no clock offset, receiver sample n needs no transmitter sample after n: two
/// radios in lock-step can run without look-ahead.
inline constexpr double kMinCausalDelaySamples = 16.0;

/// Limits of PathConfig; the constructor clamps to them.
inline constexpr double kMaxClockOffsetPpm = 500.0;
inline constexpr double kMaxDelaySamples = 1e9;

struct PathConfig {
    double sample_rate_hz = 5'760'000.0;  ///< nominal, of both ends
    double gain_db = 0.0;
    double delay_samples = 0.0;      ///< receiver samples, fractions allowed; see kMinCausalDelaySamples
    double carrier_offset_hz = 0.0;  ///< positive: the receiver sees the spectrum too high
    double clock_offset_ppm = 0.0;  ///< receiver's sampling clock against the transmitter's, positive: receiver is fast
    int64_t rx_epoch = 0;           ///< counts rx_epoch and tx_epoch of the clocks are the same instant
    int64_t tx_epoch = 0;
    ChannelProfile profile{};
    uint64_t seed = 1;  ///< seed of the fading; each link and direction needs a different one
};

/// Known samples of the transmitter, from absolute index `first` on. All others are silence; an empty span is "all
/// silent" and costs nothing.
struct TxWindow {
    int64_t first = 0;
    std::span<const Complex> samples;
};

class PropagationPath {
public:
    explicit PropagationPath(const PathConfig& config);

    const PathConfig& config() const { return config_; }
    /// Power control, antenna switching: valid from the next accumulate() on.
    void set_gain_db(double gain_db);
    /// Retuning: the phase follows the new frequency from sample 0 on, so it jumps at the change.
    void set_carrier_offset_hz(double offset_hz);

    /// Adds this path's contribution to receiver samples [rx_index, rx_index + out.size()).
    void accumulate(int64_t rx_index, std::span<Complex> out, const TxWindow& tx);

    /// The first transmitter sample needed for receiver sample `rx_index` and later.
    int64_t tx_first_needed(int64_t rx_index) const;
    /// One past the last transmitter sample needed for receiver samples before `rx_end`.
    int64_t tx_end_needed(int64_t rx_end) const;
    /// Receiver samples [first, second) that depend on transmitter samples [tx_first, tx_end).
    std::pair<int64_t, int64_t> rx_affected(int64_t tx_first, int64_t tx_end) const;

private:
    struct Segment {    ///< run of neighbouring FIR taps
        int first = 0;  ///< first tap's delay after the block's whole-sample delay
        int count = 0;
        int offset = 0;  ///< of its coefficients
    };
    struct Lag {  ///< whole and fractional samples by which the receiver lags the transmitter's count
        int64_t whole;
        double fraction;
    };

    Lag lag_at(int64_t rx_index) const;
    void set_grid();
    void copy_direct(int64_t rx_index, std::span<Complex> out, const TxWindow& tx);
    void load_planar(int64_t first, size_t count, const TxWindow& tx);
    void prepare_block(int64_t block);
    void plan_segments(double fraction_low, double fraction_high);
    void fill_coefficients(double fraction, int64_t rx_index, std::vector<float>& re, std::vector<float>& im);
    const std::vector<std::complex<double>>& gains_at(int64_t rx_index);
    void filter_block(int64_t rx_index, std::span<Complex> out);
    void rotate_add(int64_t rx_index, const float* re, const float* im, std::span<Complex> out) const;
    Complex block_phasor(int64_t rx_index) const;

    PathConfig config_;
    bool direct_ = false;
    bool moving_ = false;       ///< coefficients change with time
    double clock_drift_ = 0.0;  ///< transmitter samples per receiver sample, minus 1
    __int128 drift_q60_ = 0;    ///< the same, and the delay, in 2^-60 samples: exact for any index
    __int128 delay_q60_ = 0;
    uint64_t phase_step_ = 0;  ///< turns per sample in 2^-64
    float amplitude_ = 1.0F;
    int grid_ = 1024;  ///< receiver samples between exact coefficients

    std::vector<FadingTap> fading_;
    std::vector<std::complex<double>> gains_;  ///< of the taps at gains_index_
    int64_t gains_index_ = 0;
    std::vector<Complex> rotation_;  ///< gain and rotation inside a rotation block
    std::vector<Segment> segments_;
    int64_t block_ = INT64_MIN;  ///< block that the coefficients belong to
    int64_t block_lag_ = 0;
    std::vector<float> start_re_, start_im_, end_re_, end_im_, now_re_, now_im_;
    int64_t planar_first_ = 0;
    std::vector<float> planar_re_, planar_im_;
};

}  // namespace wimax::channel
