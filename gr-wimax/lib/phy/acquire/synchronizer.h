// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the long preamble (clause 8.3.3.6: P_4x64 then P_2x128) in a stream of unknown timing, frequency and cyclic
// prefix. A sliding autocorrelation at lag 64 runs on all samples; cross-correlations run at its peaks only.
#pragma once

#include "phy/carriers/fft_plan.h"
#include "phy/carriers/symbol_reader.h"

#include <gnuradio/wimax/phy/acquire/preamble_detector.h>

#include <array>
#include <optional>

namespace gr::wimax::phy {

/// Estimated position of a preamble: good for the first FFT windows, refined by the channel estimator.
struct Acquisition {
    int64_t start_sample = 0;  ///< first sample of the first cyclic prefix, by the strongest path
    CyclicPrefix cp = CyclicPrefix::g1_8;
    double cycles_per_sample = 0;  ///< frequency offset
};

class PreambleSearch {
public:
    /// `max_offset_carriers`: largest integer frequency offset that is tried, in carriers; multiples of four.
    PreambleSearch(std::optional<CyclicPrefix> cp, int max_offset_carriers);
    /// Searches up to kMaxCarrierOffsetHz.
    PreambleSearch(std::optional<CyclicPrefix> cp, const Numerology& numerology);

    /// Restarts at the given sample.
    void restart(int64_t sample);

    /// scan() has work when samples up to this one are available.
    int64_t needed() const { return block_start_ + kBatchSamples + kLag; }
    /// First sample that scan() still needs.
    int64_t keep_from() const { return block_start_ - kKeepSamples; }

    /// Scans the available samples; returns the middle of an autocorrelation plateau after its end. acquire() needs
    /// kAcquireSamples from there on.
    std::optional<int64_t> scan(const SampleView& samples);

    std::optional<Acquisition> acquire(const SampleView& samples, int64_t plateau);

    /// DC offset of the samples, 0 if none is certain. It is measured before the last plateau; until that is certain,
    /// set_known_offset() is used.
    struct Offset {
        Complex value{};
        float variance = 0;
    };
    Offset offset() const { return plateau_offset_; }
    void set_known_offset(Complex value) { known_offset_ = value; }

    static constexpr int kAcquireSamples = 736;
    static constexpr int kKeepSamples = 1024;

private:
    static constexpr int kLag = 64;
    static constexpr int kHop = 32;
    static constexpr int kWindowHops = 6;  // with the lag: the 256 samples of a body
    static constexpr int kBatchSamples = 256;
    static constexpr int kMaxPlateauHops = 20;
    static constexpr int kBackgroundDelay = 16;  // hops: longer than a preamble correlates

    struct Hop {
        Complex correlation{}, sum{};
        float energy = 0;
        float window_energy = 0;  ///< energy of the kWindowHops hops that end with this one
    };
    Hop& hop(int64_t number) { return ring_[static_cast<size_t>(number & (2 * kBackgroundDelay - 1))]; }
    const Hop& hop(int64_t number) const { return ring_[static_cast<size_t>(number & (2 * kBackgroundDelay - 1))]; }
    bool above_threshold(Complex correlation, Complex offset) const;
    Complex window_correlation(Complex offset) const;
    float square_energy(Complex offset) const;
    Offset learned_offset() const;
    SampleView without_offset(const SampleView& samples, int64_t from);
    void take_block(const SampleView& samples);
    void sum_window(int64_t number);
    void learn_background();
    Complex window_background(Complex offset) const;
    std::optional<int64_t> follow_plateau(float magnitude, bool above);
    double fine_frequency(const SampleView& samples, int64_t from) const;
    int integer_frequency(double cycles_per_sample, const SampleView& samples, int64_t from);
    void correlate_second_symbol(const SampleView& samples, int64_t from, double cycles_per_sample);
    float agreement(CyclicPrefix cp, int& strongest) const;

    std::optional<CyclicPrefix> cp_;
    int max_steps_;

    int64_t block_start_ = 0;  // first sample of the next block
    int64_t hops_ = 0;         // blocks since restart
    std::array<Hop, 2 * kBackgroundDelay> ring_{};
    std::array<float, kMaxPlateauHops> plateau_{};
    int plateau_hops_ = 0;
    Hop background_{};              // mean over all hops except the last kBackgroundDelay
    Complex plateau_background_{};  // of a window, at the plateau
    Complex known_offset_{};
    Offset plateau_offset_;
    std::array<Complex, kAcquireSamples> clean_{};

    FftPlan fold_forward_{64, FftPlan::Sign::forward}, fold_inverse_{64, FftPlan::Sign::inverse};
    FftPlan forward_{512, FftPlan::Sign::forward}, inverse_{512, FftPlan::Sign::inverse};
    alignas(64) std::array<Complex, 512> work_{}, second_reference_{};
    std::array<Complex, 64> first_reference_{};  // by carrier/4 modulo 64
    std::array<Complex, 64> first_response_{};   // channel seen by P_4x64, delay modulo 64 from the plateau
    std::array<Complex, 257> second_response_{};
};

}  // namespace gr::wimax::phy
