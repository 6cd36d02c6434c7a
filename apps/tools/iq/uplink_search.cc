/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/modulator.h>
#include <iq/uplink_search.h>

#include <algorithm>
#include <cmath>

namespace wimax::iq {
namespace {

using gr::wimax::phy::Complex;

constexpr size_t kCandidates = 8;
/// Squared correlation coefficient below which a place is no candidate: noise alone has 1/288 in the mean at CP 1/8.
constexpr float kMinCoefficient = 0.06F;

struct Place {
    float coefficient;
    int64_t start;
};

float squared_correlation(std::span<const Complex> reference, const Complex* x) {
    float re = 0.0F, im = 0.0F;
    for (size_t i = 0; i < reference.size(); ++i) {
        const float a = reference[i].real(), b = reference[i].imag();
        re += x[i].real() * a + x[i].imag() * b;
        im += x[i].imag() * a - x[i].real() * b;
    }
    return re * re + im * im;
}

double energy(std::span<const Complex> samples) {
    double sum = 0.0;
    for (const auto& sample : samples) sum += std::norm(sample);
    return sum;
}

}  // namespace

std::vector<int64_t> subchannel_candidates(const gr::wimax::phy::Numerology& numerology,
                                           const gr::wimax::phy::BurstFormat& format,
                                           std::span<const Complex> samples) {
    const auto length = static_cast<size_t>(numerology.symbol_samples());
    std::vector<Complex> burst(static_cast<size_t>(format.total_symbols()) * length);
    if (gr::wimax::phy::Modulator(numerology).uplink({format, {}}, burst) == 0 || samples.size() < length) return {};
    // The last symbol of the preamble stands right before the data.
    const auto skipped = static_cast<size_t>(preamble_symbols(format.preamble) - 1) * length;
    const auto reference = std::span<const Complex>(burst).subspan(skipped, length);
    const double reference_energy = energy(reference);

    std::vector<Place> places;  // local maxima, best first
    double window = energy(samples.first(length));
    for (size_t at = 0; at + length <= samples.size(); ++at) {
        const auto denominator =
            static_cast<float>(std::max(window, 1e-12 * static_cast<double>(length)) * reference_energy);
        const float coefficient = squared_correlation(reference, samples.data() + at) / denominator;
        const auto start = static_cast<int64_t>(at) - static_cast<int64_t>(skipped);
        if (coefficient >= kMinCoefficient) {
            const bool near_last = !places.empty() && start - places.back().start < static_cast<int64_t>(length) / 2;
            if (!near_last) {
                places.push_back({coefficient, start});
            } else if (coefficient > places.back().coefficient) {
                places.back() = {coefficient, start};
            }
        }
        if (at + length < samples.size()) {
            window +=
                static_cast<double>(std::norm(samples[at + length])) - static_cast<double>(std::norm(samples[at]));
        }
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.coefficient > b.coefficient; });
    std::vector<int64_t> starts;
    for (size_t i = 0; i < std::min(places.size(), kCandidates); ++i) starts.push_back(places[i].start);
    return starts;
}

}  // namespace wimax::iq
