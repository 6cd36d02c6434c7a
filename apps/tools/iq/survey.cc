// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/survey.h"

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace wimax::iq {
namespace {

/// Below, there is nothing: 16 bits reach down to about -96 dBFS.
constexpr double kSilenceDbfs = -100;
/// A preamble at 0 dB repeats with 0.5; noise reaches 0.35 now and then.
constexpr float kPreambleLikely = 0.5F;
/// Share of windows that repeat: lower with preambles, higher with a carrier.
constexpr double kCarrierShare = 0.5;
/// Share of the energy that cyclic prefixes must make, and how far above that of other delays.
constexpr double kPrefixShare = 0.02, kPrefixContrast = 3;
/// Channel bandwidths of profiles and of common receivers, Hz.
constexpr std::array<int64_t, 13> kBandwidths{1'500'000,  1'750'000,  2'500'000, 3'000'000, 3'500'000,
                                              5'000'000,  5'500'000,  6'000'000, 7'000'000, 8'750'000,
                                              10'000'000, 14'000'000, 20'000'000};

double power_db(double power) { return 10 * std::log10(std::max(power, 1e-20)); }

std::string text(const char* format, double value) {
    char out[64];
    std::snprintf(out, sizeof out, format, value);
    return out;
}

/// Sum of x[n + lag] * conj(x[n]).
Complex lagged(std::span<const Complex> x, size_t lag) {
    if (x.size() <= lag) return {};
    lv_32fc_t sum;
    volk_32fc_x2_conjugate_dot_prod_32fc(&sum, x.data() + lag, x.data(), static_cast<unsigned>(x.size() - lag));
    return sum;
}

double energy_of(std::span<const Complex> x) { return lagged(x, 0).real(); }

/// How alike `length` samples are to those `lag` later, each hop.
std::vector<float> likeness(std::span<const Complex> x, size_t lag, size_t length) {
    std::vector<float> found;
    for (size_t at = 0; at + lag + length <= x.size(); at += Repetition::kHop) {
        const auto part = x.subspan(at, lag + length);
        const double energy = std::sqrt(energy_of(part.first(length)) * energy_of(part.subspan(lag)));
        found.push_back(energy > 1e-20 ? static_cast<float>(std::abs(lagged(part, lag)) / energy) : 0.0F);
    }
    return found;
}

float most(const std::vector<float>& values) {
    return values.empty() ? 0.0F : *std::max_element(values.begin(), values.end());
}

double share_above(const std::vector<float>& values, float level) {
    const auto above = std::count_if(values.begin(), values.end(), [level](float v) { return v > level; });
    return static_cast<double>(above) / static_cast<double>(std::max<size_t>(1, values.size()));
}

/// OFDM symbols repeat their ends after a useful time: which bandwidth has that; 0: none.
int64_t bandwidth_by_prefixes(const Spec& spec, std::span<const Complex> x) {
    const auto rate = static_cast<double>(spec.numerology().sample_rate_hz);
    const double energy = std::max(energy_of(x), 1e-20);
    const auto share = [&](size_t lag) { return std::abs(lagged(x, lag)) / energy; };
    std::vector<std::pair<double, int64_t>> shares;
    for (const int64_t bandwidth : kBandwidths) {
        const auto other = phy::Numerology::make(bandwidth, phy::CyclicPrefix::g1_8);
        const double lag = phy::kFftSize * rate / static_cast<double>(other->sample_rate_hz);
        shares.emplace_back(std::max(share(static_cast<size_t>(lag)), share(static_cast<size_t>(std::ceil(lag)))),
                            bandwidth);
    }
    auto sorted = shares;
    std::sort(sorted.begin(), sorted.end());
    const double best = sorted.back().first, usual = sorted[sorted.size() / 2].first;
    if (best < kPrefixShare || best < kPrefixContrast * usual) return 0;
    // Preambles repeat after a half and a quarter, too: the narrowest of what stands out.
    const double enough = std::max({kPrefixShare, kPrefixContrast * usual, best / 8});
    return std::find_if(shares.begin(), shares.end(), [=](const auto& s) { return s.first >= std::min(enough, best); })
        ->second;
}

bool found_in(Spec spec, std::span<const Complex> samples) {
    spec.start_sample.reset();
    const auto frames = decode(spec, samples);
    return std::any_of(frames.begin(), frames.end(), [&spec](const DecodedFrame& f) {
        return spec.direction == phy::Direction::downlink ? f.sync.fch_ok : !f.bursts.empty() && f.bursts[0].fec_ok;
    });
}

/// Tries the same receivers with one parameter changed.
void try_others(const Spec& spec, std::span<const Complex> samples, std::vector<std::string>& reasons) {
    if (spec.contention) return;
    if (spec.direction == phy::Direction::uplink && spec.start_sample && found_in(spec, samples))
        reasons.push_back("the burst is there, but not at start_sample; leave it out to search");
    Spec searching = spec;
    searching.cp.reset();
    if (spec.cp && found_in(searching, samples))
        reasons.push_back("found with another cyclic prefix than cp " + std::string(phy::to_string(*spec.cp)) +
                          "; leave cp out to search");
    std::vector<Complex> mirrored(samples.begin(), samples.end());
    for (auto& sample : mirrored) sample = std::conj(sample);
    if (found_in(searching, mirrored))
        reasons.push_back("found with the spectrum inverted: I and Q seem to be swapped");
}

void look_at_repetition(const Spec& spec, const Survey& survey, const Repetition& seen,
                        std::vector<std::string>& reasons) {
    const float by_64 = most(seen.long_preamble), by_128 = most(seen.short_preamble);
    if (share_above(seen.long_preamble, kPreambleLikely) > kCarrierShare) {
        reasons.push_back("a carrier or another narrow signal makes most of the energy");
        return;
    }
    const int64_t bandwidth = bandwidth_by_prefixes(spec, survey.excerpt());
    if (bandwidth != 0 && bandwidth != spec.bandwidth_hz)
        reasons.push_back("OFDM symbols of another bandwidth: about " +
                          text("%g MHz", static_cast<double>(bandwidth) / 1e6) + " if these are " +
                          text("%g MS/s", static_cast<double>(spec.numerology().sample_rate_hz) / 1e6));
    const bool downlink = spec.direction == phy::Direction::downlink;
    if (by_64 > kPreambleLikely && downlink)
        reasons.push_back(
            "something repeats as a long preamble does (" + text("%.2f", by_64) +
            "), but it could not be confirmed: a carrier offset beyond 118 kHz, another standard, or too short");
    else if (by_64 > kPreambleLikely)
        reasons.push_back("long preambles: a downlink, or a ranging burst (\"ranging\": true)");
    else if (by_128 > kPreambleLikely && downlink) reasons.push_back("short preambles alone: an uplink");
    else if (bandwidth == spec.bandwidth_hz) reasons.push_back("OFDM symbols of this bandwidth, but no preamble");
    if (reasons.empty())
        reasons.push_back("energy, but no preamble correlation (" + text("%.2f", std::max(by_64, by_128)) +
                          " at most, a preamble has 0.5 and more): noise, another signal or another sample rate");
}

}  // namespace

Survey::Survey(const Spec& spec)
    : bin_samples_(phy::kFftSize),
      // Twice the longest frame.
      excerpt_samples_(static_cast<size_t>(2 * spec.numerology().frame_samples(phy::kFrameDurationUs.size() - 1))) {}

void Survey::add_to_bins(std::span<const Complex> samples) {
    int64_t at = total_;
    while (!samples.empty()) {
        const auto bin = static_cast<size_t>(at / bin_samples_);
        if (bin == kMostBins) {  // half as fine
            for (size_t i = 0; i < kMostBins / 2; ++i)
                bins_[i] = {bins_[2 * i].energy + bins_[2 * i + 1].energy,
                            std::max(bins_[2 * i].peak, bins_[2 * i + 1].peak)};
            bins_.resize(kMostBins / 2);
            bin_samples_ *= 2;
            continue;
        }
        if (bin == bins_.size()) bins_.emplace_back();
        const auto now =
            samples.first(std::min<size_t>(samples.size(), static_cast<size_t>(bin_samples_ - at % bin_samples_)));
        float peak = bins_[bin].peak, sum = 0;
        for (const auto& x : now) {
            const float power = x.real() * x.real() + x.imag() * x.imag();
            peak = std::max(peak, power);
            sum += power;
        }
        bins_[bin].peak = peak;
        bins_[bin].energy += sum;
        energy_ += sum;
        at += static_cast<int64_t>(now.size());
        samples = samples.subspan(now.size());
    }
}

void Survey::keep_best() {
    if (energy_ > best_energy_) {
        std::swap(best_, current_);
        best_energy_ = energy_;
        best_start_ = current_start_;
    }
    current_.clear();
    current_start_ = total_;
    energy_ = 0;
}

void Survey::add(std::span<const Complex> samples) {
    while (!samples.empty()) {
        const auto part = samples.first(std::min(samples.size(), excerpt_samples_ - current_.size()));
        add_to_bins(part);
        current_.insert(current_.end(), part.begin(), part.end());
        total_ += static_cast<int64_t>(part.size());
        samples = samples.subspan(part.size());
        if (current_.size() == excerpt_samples_) keep_best();
    }
}

double Survey::mean_power() const {
    double energy = 0;
    for (const auto& bin : bins_) energy += bin.energy;
    return energy / static_cast<double>(std::max<int64_t>(1, total_));
}

double Survey::peak_power() const {
    float peak = 0;
    for (const auto& bin : bins_) peak = std::max(peak, bin.peak);
    return peak;
}

double Survey::quiet_power() const {
    std::vector<double> energies;
    for (const auto& bin : bins_) energies.push_back(bin.energy);
    if (energies.size() > 1) energies.pop_back();  // of less samples
    const auto at = energies.begin() + static_cast<std::ptrdiff_t>(energies.size() / 20);
    if (energies.empty()) return 0;
    std::nth_element(energies.begin(), at, energies.end());
    return *at / static_cast<double>(bin_samples_);
}

Repetition repetition(std::span<const Complex> samples) {
    // Three of the four quarters of a long preamble's first symbol, and the halves of a short one's.
    return {likeness(samples, 64, 192), likeness(samples, 128, 128)};
}

std::vector<std::string> why_nothing(const Spec& spec, const Survey& survey, const Repetition& seen) {
    std::vector<std::string> reasons;
    if (survey.samples() == 0) return {"no samples"};
    const int shortest = spec.direction == phy::Direction::downlink ? phy::kFirstBurstSymbol : 2;
    if (survey.samples() < shortest * int64_t{phy::kFftSize})
        reasons.push_back(std::to_string(survey.samples()) + " samples are less than the shortest frame has");
    const double peak_dbfs = power_db(survey.peak_power());
    if (peak_dbfs < kSilenceDbfs) {
        reasons.push_back("no energy: " +
                          (survey.peak_power() == 0 ? "all samples are 0" : text("never above %.0f dBFS", peak_dbfs)));
        return reasons;
    }
    try_others(spec, survey.excerpt(), reasons);
    if (reasons.empty()) look_at_repetition(spec, survey, seen, reasons);
    reasons.push_back("power: mean " + text("%.1f", power_db(survey.mean_power())) + ", peak " +
                      text("%.1f", peak_dbfs) + ", quietest " + text("%.1f dBFS", power_db(survey.quiet_power())));
    return reasons;
}

}  // namespace wimax::iq
