// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/tone_finder.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// A tone's power over the noise of a carrier. Noise reaches it on one of 201 carriers, at any position between them,
/// in one preamble of a million.
constexpr float kCertain = 20;
/// From this power on a tone is possible if it appears repeatedly; at the position of a known tone the second suffices.
constexpr float kPossible = 9, kOfKnown = 4;
/// No search this close to the front ends' carriers.
constexpr double kKeptClear = 2;
/// Carriers on either side of a tone that locate it, and positions tried between two carriers.
constexpr int kReach = 6, kPlaces = 8;
/// Least visible share of a tone beyond the band's edge.
constexpr float kLeastSeen = 0.4F;
/// Resolution of a position; halfway between two carriers each has this share of a tone's power.
constexpr double kExact = 0.002;
constexpr float kHalfWay = 0.4F;
/// Powers over the noise below this are ignored, and smaller growths than these.
constexpr float kLeast = 0.02F, kGrowth = 1.5F, kStep = 0.5F;
/// Variances times the power over the noise: of the measured position in carriers, of a phase, of a level.
constexpr float kPlaceVariance = 0.152F, kPhaseVariance = 0.5F, kLevelVariance = 1;
/// Oscillators of other radios drift. A position off by this many variances is another tone.
constexpr float kLeastVariance = 1e-7F, kSurprise = 25;
/// A tone is forgotten after kForget preambles without it, a possible one after kSuspect. A possible tone is known
/// after kEnough preambles with it at the same position.
constexpr int kForget = 200, kSuspect = 16, kEnough = 4;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }
Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Complex turn_of(double turns) { return Complex(std::polar(1.0, kTurn * (turns - std::round(turns)))); }

/// Spectrum of a tone of power 1 over successive carriers: e^(-j pi x 255/256) sin(pi x) / (256 sin(pi x / 256)) at a
/// distance of x.
class Spread {
public:
    Spread(double carrier, int first)
        : distance_(first - carrier),
          slow_(std::polar(1.0, std::numbers::pi / kFftSize * distance_)),
          fast_(std::polar(1.0, -std::numbers::pi * distance_)) {}
    Complex next() {
        const double level = -fast_.imag() / kFftSize, divisor = slow_.imag();
        const Complex value =
            std::abs(distance_) < kHere ? Complex(1) : Complex(product(fast_, slow_) * (level / divisor));
        distance_ += 1;
        fast_ = -fast_;
        slow_ = product(slow_, kStep);
        return value;
    }

private:
    using Wide = std::complex<double>;
    static constexpr double kHere = 1e-6;
    inline static const Wide kStep = std::polar(1.0, std::numbers::pi / kFftSize);
    static Wide product(Wide a, Wide b) {
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    }
    double distance_;
    Wide slow_, fast_;
};

void subtract(double carrier, Complex level, Carriers& from) {
    Spread spread(carrier, -kEdgeCarrier);
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) from[k] -= times(level, spread.next());
}

}  // namespace

void ToneFinder::load(const Symbol& symbol, const ChannelEstimate& channel) {
    const auto known = preamble_carriers(symbol.kind);
    const int step = symbol.kind == PreambleSymbol::p_4x64 ? 4 : 2;
    lacking_ = symbol.carriers;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; k += step)
        lacking_[k] -= times(symbol.turn, times(channel.response[k], known[static_cast<size_t>(bin_of(k))]));
}

/// Least squares over some carriers; `seen` is their share of the tone's energy.
Complex ToneFinder::amplitude(double carrier, int first, int last, float* seen) const {
    Complex sum{};
    float energy = 0;
    first = std::max(first, -kEdgeCarrier);
    Spread spread(carrier, first);
    for (int k = first; k <= std::min(last, kEdgeCarrier); ++k) {
        const Complex shape = spread.next();
        sum += times(lacking_[k], std::conj(shape));
        energy += norm(shape);
    }
    if (seen != nullptr) *seen = energy;
    return energy > 0 ? sum / energy : Complex{};
}

float ToneFinder::power_at(double carrier, int around) const {
    float seen = 0;
    const float power = norm(amplitude(carrier, around - kReach, around + kReach, &seen));
    return seen > kLeastSeen ? power * seen : 0;
}

bool ToneFinder::is_kept_clear(double carrier) const {
    return std::abs(carrier) < kKeptClear || std::abs(carrier + taken_off_) < kKeptClear;
}

/// The carrier with the largest residual; its limit includes noise and errors of the channel's estimate.
ToneFinder::Peak ToneFinder::strongest(float noise) const {
    std::array<float, 2> sum{};
    Peak peak;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        const float power = norm(lacking_[k]);
        sum[static_cast<size_t>(k & 1)] += power;
        if (power < peak.power || is_kept_clear(k)) continue;
        peak.power = power;
        peak.carrier = k;
    }
    peak.limit = kCertain * std::max(noise, std::max(sum[0], sum[1]) / kEdgeCarrier);
    return peak;
}

/// Locates the peak between the carriers, too.
void ToneFinder::place(Peak& peak) const {
    const int at = static_cast<int>(peak.carrier);
    peak.power = 0;
    double middle = at;
    for (double step = 1.0 / kPlaces; step > kExact; step /= kPlaces / 2.0, middle = peak.carrier)
        for (int i = -kPlaces; i <= kPlaces; ++i) {
            const float power = power_at(middle + i * step, at);
            if (power <= peak.power) continue;
            peak.power = power;
            peak.carrier = middle + i * step;
        }
}

/// At the position of a known tone less power is sufficient.
std::optional<ToneFinder::Peak> ToneFinder::of_known_place(float limit) {
    for (auto& known : known_.span()) {
        const double carrier = known.carrier - taken_off_;
        if (known.seen < kEnough || known.met || is_kept_clear(carrier) || std::abs(carrier) > kEdgeCarrier) continue;
        const float power = power_at(carrier, static_cast<int>(std::lround(carrier)));
        if (power > kOfKnown / kCertain * limit) return Peak{carrier, power, limit};
    }
    return std::nullopt;
}

void ToneFinder::begin(double taken_off) {
    taken_off_ = taken_off;
    known_ = kept_;
    for (auto& known : known_.span()) {
        ++known.unseen;
        known.met = false;
    }
    const auto gone = std::remove_if(known_.span().begin(), known_.span().end(), [](const Known& known) {
        return known.unseen > (known.seen < kEnough ? kSuspect : kForget);
    });
    known_.count = static_cast<size_t>(gone - known_.span().begin());
}

std::optional<Tone> ToneFinder::find(const Symbol& symbol, const ChannelEstimate& channel) {
    load(symbol, channel);
    Peak peak = strongest(channel.noise_variance);
    if (peak.power > kHalfWay * peak.limit) {  // noise gets here in one preamble of fifteen
        // It may be a skirt of the front ends' carriers.
        for (const double own : {-taken_off_, 0.0})
            subtract(own, amplitude(own, -kEdgeCarrier, kEdgeCarrier), lacking_);
        peak = strongest(channel.noise_variance);
        place(peak);
        if (is_kept_clear(peak.carrier)) peak.power = 0;
    }
    if (peak.power > peak.limit) return describe(peak, symbol.window);
    if (const auto again = of_known_place(peak.limit)) return describe(*again, symbol.window);
    if (peak.power > kPossible / kCertain * peak.limit) {
        Tone possible = describe(peak, symbol.window);
        remember(possible);
    }
    return std::nullopt;
}

Tone ToneFinder::describe(const Peak& peak, int64_t window) const {
    const int at = static_cast<int>(std::lround(peak.carrier));
    Tone tone;
    tone.carrier = peak.carrier;
    tone.over_noise = peak.power / peak.limit * kCertain;
    tone.variance = kPlaceVariance / tone.over_noise;
    tone.level = amplitude(peak.carrier, at - kReach, at + kReach);
    tone.window = window;
    return tone;
}

void ToneFinder::place_again(const Symbol& symbol, const ChannelEstimate& channel, Tone& tone) {
    load(symbol, channel);
    Peak peak{std::round(tone.carrier), 0, kCertain * channel.noise_variance};
    place(peak);
    tone = describe(peak, symbol.window);
}

void ToneFinder::refine(const Symbol& before, const ChannelEstimate& channel, Tone& tone) {
    load(before, channel);
    const int at = static_cast<int>(std::lround(tone.carrier));
    const Complex level = amplitude(tone.carrier, at - kReach, at + kReach);
    const double bodies = static_cast<double>(tone.window - before.window) / kFftSize;
    const Complex expected = level * turn_of(tone.carrier * bodies);
    const double off = std::arg(times(tone.level, std::conj(expected))) / (kTurn * bodies);
    const auto variance = static_cast<float>(2 * kPhaseVariance / tone.over_noise / std::pow(kTurn * bodies, 2));
    if (off * off > kSurprise * (variance + tone.variance)) return;  // it has only just begun
    tone.carrier += off * tone.variance / (variance + tone.variance);
    tone.variance *= variance / (variance + tone.variance);
}

void ToneFinder::take_off(const Tone& tone, const Symbol& symbol, const ChannelEstimate& channel) {
    load(symbol, channel);
    const int at = static_cast<int>(std::lround(tone.carrier));
    subtract(tone.carrier, amplitude(tone.carrier, at - kReach, at + kReach), symbol.carriers);
}

void ToneFinder::remember(Tone& tone) {
    const bool certain = tone.over_noise > kCertain;
    const auto near = [&](const Known& known) {
        const double off = tone.carrier + taken_off_ - known.carrier;
        return !known.met && off * off < kSurprise * (tone.variance + known.variance);
    };
    auto all = known_.span();
    auto at = std::find_if(all.begin(), all.end(), near);
    if (at != all.end()) {
        const float sum = tone.variance + at->variance;
        tone.carrier += (at->carrier - tone.carrier - taken_off_) * tone.variance / sum;
        tone.variance = std::max(tone.variance * at->variance / sum, kLeastVariance);
    } else if (known_.count < known_.all.size()) {
        at = known_.span().begin() + static_cast<std::ptrdiff_t>(known_.count++);
        *at = {};
    } else {
        at = std::max_element(all.begin(), all.end(),
                              [](const Known& a, const Known& b) { return a.unseen < b.unseen; });
        *at = {};
    }
    *at = {tone.carrier + taken_off_, tone.variance, certain ? std::max(at->seen + 1, kEnough) : at->seen + 1, 0, true};
}

void ToneFinder::keep() { kept_ = known_; }
void ToneFinder::forget() { known_ = kept_; }

float Tone::left(int64_t at) const {
    const double phase = kTurn * static_cast<double>(at - window) / kFftSize;
    return std::min(over_noise, kLevelVariance + static_cast<float>(phase * phase) * variance * over_noise);
}

void Tones::take_off(int64_t window, Carriers& symbol) const {
    for (const auto& tone : std::span(all).first(count)) {
        if (tone.left(window) > 0.5F * tone.over_noise) continue;
        const double bodies = static_cast<double>(window - tone.window) / kFftSize;
        subtract(tone.carrier, times(tone.level, turn_of(tone.carrier * bodies)), symbol);
    }
}

bool Tones::weigh(int64_t window, ChannelEstimate& channel) {
    bool grown = false;
    for (auto& tone : span()) {
        const float left = tone.left(window), more = left - tone.counted;
        if (left < kGrowth * tone.counted + kStep) continue;
        tone.counted = left;
        grown = true;
        Spread spread(tone.carrier, -kEdgeCarrier);
        for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
            const float disturbance = more * norm(spread.next());
            if (disturbance > kLeast) channel.purity[k] = 1 / (1 / channel.purity[k] + disturbance);
        }
    }
    return grown;
}

}  // namespace gr::wimax::phy
