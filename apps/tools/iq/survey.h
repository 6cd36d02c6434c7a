// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of a recording, with or without frames: power over time and the part with most energy. Where nothing was
// found in it, also the likely reasons.
#pragma once

#include "tools/iq/decode.h"

namespace wimax::iq {

class Survey {
public:
    struct Bin {
        double energy = 0;
        float peak = 0;  ///< of a sample's power
    };
    static constexpr size_t kMostBins = 4096;

    explicit Survey(const Spec& spec);
    void add(std::span<const Complex> samples);

    int64_t samples() const { return total_; }
    /// Equal stretches of bin_samples() each, the last one of less.
    std::span<const Bin> bins() const { return bins_; }
    int64_t bin_samples() const { return bin_samples_; }
    double mean_power() const;
    double peak_power() const;
    /// Power of the quietest twentieth of the bins.
    double quiet_power() const;

    /// Two frames or more with the most energy.
    std::span<const Complex> excerpt() const { return energy_ > best_energy_ ? current_ : best_; }
    int64_t excerpt_start() const { return energy_ > best_energy_ ? current_start_ : best_start_; }

private:
    void add_to_bins(std::span<const Complex> samples);
    void keep_best();

    int64_t total_ = 0, bin_samples_;
    std::vector<Bin> bins_;
    size_t excerpt_samples_;
    std::vector<Complex> current_, best_;
    int64_t current_start_ = 0, best_start_ = 0;
    double energy_ = 0, best_energy_ = -1;
};

/// How alike the signal is to itself 64 and 128 samples later (long and short preambles repeat so), 0..1, the largest
/// of every kHop samples of the excerpt.
struct Repetition {
    static constexpr int kHop = 64;
    std::vector<float> long_preamble, short_preamble;
};
Repetition repetition(std::span<const Complex> samples);

/// Why nothing was found, most certain first; at least one line.
std::vector<std::string> why_nothing(const Spec& spec, const Survey& survey, const Repetition& repetition);

}  // namespace wimax::iq
