// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/phase_noise.h"
#include "channel/draw.h"

#include <fmt/format.h>
#include "phy/base/decibels.h"
#include "phy/base/simd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace wimax::channel {
namespace {

using Complex = std::complex<float>;
using Wide = std::complex<double>;
using gr::wimax::phy::power_of_db;

constexpr std::array<size_t, 2> kLengths{1 << 18, 177'147};  // 2^18 and 3^11
constexpr const char* kAllowed =
    "OFFSET_HZ:DBC_PER_HZ with commas between, 1 to 32 ascending offsets of 10 to 1e9 Hz, -250 to 0 dBc/Hz";

/// Sums of e^(j 2 pi k n / N) over the bins, N a product of small primes. Not FFTW's, whose last bits depend on the
/// processor.
class Transform {
public:
    explicit Transform(size_t length) : roots_(length) {
        for (size_t i = 0; i < length; ++i) roots_[i] = std::polar(1.0, kTurn * double(i) / double(length));
    }
    std::vector<Wide> operator()(const std::vector<Wide>& bins) const {
        std::vector<Wide> out(bins.size()), scratch(bins.size());
        part(bins.data(), 1, out.data(), scratch.data(), bins.size());
        return out;
    }

private:
    void part(const Wide* in, size_t stride, Wide* out, Wide* scratch, size_t length) const {
        if (length == 1) {
            *out = *in;
            return;
        }
        const size_t radix = length % 2 == 0 ? 2 : 3, rest = length / radix;
        for (size_t r = 0; r < radix; ++r)
            part(in + r * stride, stride * radix, scratch + r * rest, out + r * rest, rest);
        for (size_t k = 0; k < length; ++k) {
            Wide sum = scratch[k % rest];
            for (size_t r = 1; r < radix; ++r) sum += scratch[r * rest + k % rest] * roots_[r * k % length * stride];
            out[k] = sum;
        }
    }
    std::vector<Wide> roots_;
};

double density(const PhaseMask& mask, double hz) {
    if (hz < mask.front().offset_hz) return 0;
    const auto above = std::ranges::upper_bound(mask, hz, {}, &PhasePoint::offset_hz);
    if (above == mask.end()) return power_of_db(mask.back().dbc_per_hz);
    const auto below = above - 1;
    const double part = std::log(hz / below->offset_hz) / std::log(above->offset_hz / below->offset_hz);
    return power_of_db(below->dbc_per_hz + part * (above->dbc_per_hz - below->dbc_per_hz));
}

/// Phase powers of the bins of one sum, half of the total power. The bin in which a mask begins counts in part.
std::vector<double> bin_powers(const PhaseMask& mask, size_t length, double rate_hz) {
    constexpr int kPieces = 16;
    const double step = rate_hz / double(length);
    std::vector<double> powers((length + 1) / 2);
    for (size_t k = 1; k < powers.size(); ++k) {
        const double hz = step * double(k);
        if (hz > 64 * mask.front().offset_hz && hz > 64 * step) {
            powers[k] = density(mask, hz) * step;
            continue;
        }
        for (int i = 0; i < kPieces; ++i)
            powers[k] += density(mask, hz + step * ((i + 0.5) / kPieces - 0.5)) * step / kPieces;
    }
    return powers;
}

WIMAX_SIMD_BODY void turn_body(size_t count, const Complex* a, const Complex* b, Complex* samples) {
    for (size_t i = 0; i < count; ++i) {
        const float re = a[i].real() * b[i].real() - a[i].imag() * b[i].imag();
        const float im = a[i].real() * b[i].imag() + a[i].imag() * b[i].real();
        samples[i] = {samples[i].real() * re - samples[i].imag() * im, samples[i].real() * im + samples[i].imag() * re};
    }
}

}  // namespace

struct PhaseNoise::Sums {
    Sums(const PhaseMask& mask, std::optional<double> degrees, double rate_hz) {
        std::array<std::vector<double>, 2> powers;
        double power = 0;
        for (size_t i = 0; i < kLengths.size(); ++i) {
            powers[i] = bin_powers(mask, kLengths[i], rate_hz);
            for (const double p : powers[i]) power += p;
        }
        rms_degrees = degrees.value_or(std::sqrt(power) * 360 / kTurn);
        const double scale = power > 0 ? std::pow(rms_degrees * kTurn / 360, 2) / power : 0;
        Draw draw(0x7068617365);
        for (size_t i = 0; i < kLengths.size(); ++i) {
            std::vector<Wide> bins(kLengths[i]);
            for (size_t k = 1; k < powers[i].size(); ++k)
                bins[k] = std::polar(std::sqrt(2 * powers[i][k] * scale), draw.uniform(0, kTurn));
            turns[i].reserve(kLengths[i]);
            for (const auto& sum : Transform(kLengths[i])(bins)) {
                const double phase = sum.real();
                turns[i].emplace_back(float(std::cos(phase)), float(std::sin(phase)));
            }
        }
    }
    std::array<std::vector<Complex>, 2> turns;
    double rms_degrees;
};

const PhaseMask& default_phase_mask() {
    static const PhaseMask mask{{100, -80}, {1e3, -85}, {1e4, -90}, {1e5, -95}, {1e6, -118}, {1e7, -138}};
    return mask;
}

tl::expected<PhaseMask, gr::wimax::phy::Fault> parse_phase_mask(const std::string& text) {
    PhaseMask mask;
    const auto refused = [&] { return tl::unexpected(gr::wimax::phy::Fault{"phase_noise_mask", text, kAllowed}); };
    for (const char* at = text.c_str(); *at != 0;) {
        PhasePoint point;
        char* end = nullptr;
        point.offset_hz = std::strtod(at, &end);
        if (end == at || *end != ':') return refused();
        at = end + 1;
        point.dbc_per_hz = std::strtod(at, &end);
        const bool fits = point.offset_hz >= kMinPhaseOffsetHz && point.offset_hz <= kMaxPhaseOffsetHz &&
                          point.dbc_per_hz >= -250 && point.dbc_per_hz <= 0 &&
                          (mask.empty() || point.offset_hz > mask.back().offset_hz);
        if (end == at || !fits || mask.size() == kMaxPhasePoints) return refused();
        mask.push_back(point);
        at = end;
        if (*at == 0) break;
        if (*at != ',' || at[1] == 0) return refused();
        ++at;
    }
    return mask;
}

std::string print_phase_mask(const PhaseMask& mask) {
    std::string text;
    for (const auto& p : mask) text += fmt::format("{}{:g}:{:g}", text.empty() ? "" : ",", p.offset_hz, p.dbc_per_hz);
    return text;
}

PhaseNoise::PhaseNoise(const PhaseMask& mask, std::optional<double> degrees, double sample_rate_hz, uint64_t seed)
    : sums_(std::make_shared<Sums>(mask.empty() ? default_phase_mask() : mask, degrees, sample_rate_hz)),
      begin_(mix64(seed ^ 0x7068617365ULL) >> 8) {}

double PhaseNoise::rms_degrees() const { return sums_->rms_degrees; }

void PhaseNoise::turn(int64_t index, std::span<Complex> samples) const {
    static constexpr gr::wimax::phy::simd::Dispatched<turn_body> kTurnSamples;
    const auto& [a, b] = sums_->turns;
    size_t done = 0;
    while (done < samples.size()) {
        const uint64_t at = begin_ + static_cast<uint64_t>(index) + done;
        const size_t in_a = at % a.size(), in_b = at % b.size();
        const size_t count = std::min({samples.size() - done, a.size() - in_a, b.size() - in_b});
        kTurnSamples(count, &a[in_a], &b[in_b], samples.data() + done);
        done += count;
    }
}

}  // namespace wimax::channel
