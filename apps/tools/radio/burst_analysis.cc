// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/burst_analysis.h"

#include "phy/base/decibels.h"
#include "phy/channel/preamble_observation.h"
#include "tools/radio/power_spectrum.h"

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace wimax::radio {
namespace {

using Wide = std::complex<double>;
using Window = std::array<Complex, phy::kFftSize>;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr size_t kSegment = 32;      // samples of coherent correlation in the search
constexpr int kSearchedSymbols = 4;  // enough to be unique, few enough to be quick
constexpr int kRefinements = 4;
constexpr float kFullScale = 0.99996F;  // of 16 bits, the largest value or the next to it
// Below half a turn over the burst, what transmitter and receiver add cannot be separated.
constexpr double kSeparableTurns = 0.5;

Wide correlate(std::span<const Complex> a, std::span<const Complex> b) {
    Complex sum{};  // short sums: float does
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * std::conj(b[i]);
    return sum;
}

double power(std::span<const Complex> samples) {
    double sum = 0;
    for (const auto& s : samples) sum += std::norm(s);
    return sum / static_cast<double>(samples.size());
}

/// Offsets that carry something, rising; neighbours of each other but across carrier 0.
const std::vector<int>& used_offsets() {
    static const std::vector<int> all = [] {
        std::vector<int> offsets;
        for (int k = -phy::kEdgeCarrier; k <= phy::kEdgeCarrier; ++k)
            if (k != 0) offsets.push_back(k);
        return offsets;
    }();
    return all;
}

/// One burst under the microscope: grid position, frequency and response, refined in turns.
class Microscope {
public:
    Microscope(const KnownBurst& burst, std::span<const Complex> received, const FoundBurst& found)
        : burst_(burst),
          received_(received.begin(), received.end()),
          grid_(found.start),
          frequency_(found.cycles_per_sample),
          sent_(count()),
          heard_(count()),
          phase_(count()),
          response_{} {
        for (size_t s = 0; s < count(); ++s) transform(burst_.samples, window_start(s), sent_[s]);
    }

    bool inside() const {
        return grid_ - kMargin >= 0 &&
               grid_ + static_cast<int64_t>(burst_.samples.size()) + kMargin <= static_cast<int64_t>(received_.size());
    }

    /// Grid, delay and frequency, then response and phases.
    bool focus() {
        for (int i = 0; i < kRefinements; ++i) {
            if (!inside()) return false;
            hear();
            refine_delay();
            refine_frequency();
        }
        if (!inside()) return false;
        hear();
        estimate();
        delay_ += residual_delay();
        return true;
    }

    double start() const { return static_cast<double>(grid_) + delay_; }
    double cycles_per_sample() const { return frequency_; }
    double drift() const { return slope_ * static_cast<double>(count() - 1); }

    std::vector<double> errors() const {
        // The response was taken from these symbols: so much of each error went into it.
        const double freedom = 1 - 1 / static_cast<double>(count());
        std::vector<double> all(count());
        for (size_t s = 0; s < count(); ++s) {
            double error = 0, whole = 0;
            for (const int k : used_offsets()) {
                const Wide expected = model(s, k);
                error += std::norm(Wide(at(heard_[s], k)) - expected);
                whole += std::norm(expected);
            }
            all[s] = error / whole / freedom;
        }
        return all;
    }

    /// Images and constants: what the residual has in common with the conjugate signal and with a constant, on the
    /// transmitter's frequency and on the receiver's.
    void measure_additions(BurstAnalysis& out) {
        Sums image_tx, image_rx, constant_tx, constant_rx;
        double carrier_power = 0;
        phy::OfdmTransform ofdm;
        for (size_t s = 0; s < count(); ++s) {
            Window direct, mirrored, residual;
            render(ofdm, s, false, direct);
            render(ofdm, s, true, mirrored);
            window(s, residual);
            for (size_t n = 0; n < residual.size(); ++n) {
                const Wide rotation = std::polar(1.0, -kTurn * frequency_ * position(s, n));
                const Wide u = direct[n], e = Wide(residual[n]) - u;
                carrier_power += std::norm(u);
                image_tx.add(mirrored[n], e);
                image_rx.add(std::conj(u) * rotation * rotation, e);
                constant_tx.add(1, e);
                constant_rx.add(rotation, e);
            }
        }
        const double length = static_cast<double>(burst_.samples.size());
        const bool separable = std::abs(frequency_) * length > kSeparableTurns;
        const double freedom = 1 - 1 / static_cast<double>(count());
        const double mean = carrier_power / static_cast<double>(count() * phy::kFftSize);
        out.image = (image_tx.squared() + (separable ? image_rx.squared() : 0)) / (freedom * freedom);
        out.carrier = (constant_tx.squared() + (separable ? constant_rx.squared() : 0)) / mean;
        if (separable) receiver_constant_ = constant_rx.value();
    }

    /// Takes the receiver's constant off; true if that changes anything.
    bool clean() {
        if (std::norm(receiver_constant_) == 0) return false;
        for (auto& s : received_) s -= Complex(receiver_constant_);
        receiver_constant_ = 0;
        return true;
    }

private:
    static constexpr int64_t kMargin = 2;

    struct Sums {
        Wide product = 0;
        double weight = 0;
        void add(Wide basis, Wide value) {
            product += std::conj(basis) * value;
            weight += std::norm(basis);
        }
        Wide value() const { return product / weight; }
        double squared() const { return std::norm(value()); }
    };

    size_t count() const { return static_cast<size_t>(burst_.symbols); }
    static Complex at(const Window& w, int offset) { return w[static_cast<size_t>(phy::bin_of(offset))]; }

    /// Start of a receiver's FFT, in samples from the burst's start.
    int64_t window_start(size_t s) const {
        const int cp = burst_.numerology.cp_samples();
        return static_cast<int64_t>(s) * burst_.numerology.symbol_samples() + cp - phy::window_backoff(cp);
    }
    double position(size_t s, size_t n) const { return static_cast<double>(window_start(s)) + static_cast<double>(n); }

    void window(size_t s, Window& out) const {
        const auto from = static_cast<size_t>(grid_ + window_start(s));
        for (size_t n = 0; n < out.size(); ++n)
            out[n] = received_[from + n] * Complex(std::polar(1.0, -kTurn * frequency_ * position(s, n)));
    }

    static void transform(std::span<const Complex> samples, int64_t from, Window& out) {
        phy::OfdmTransform().demodulate(samples.subspan(static_cast<size_t>(from)).first<phy::kFftSize>(), out);
    }

    void hear() {
        phy::OfdmTransform ofdm;
        Window samples;
        for (size_t s = 0; s < count(); ++s) {
            window(s, samples);
            ofdm.demodulate(samples, heard_[s]);
        }
    }

    Wide matched(size_t s, int k) const { return Wide(at(heard_[s], k)) * std::conj(Wide(at(sent_[s], k))); }

    void refine_delay() {
        Wide sum = 0;
        for (size_t s = 0; s < count(); ++s)
            for (const int k : used_offsets())
                if (k != -1 && k != phy::kEdgeCarrier) sum += matched(s, k + 1) * std::conj(matched(s, k));
        delay_ = -std::arg(sum) / kTurn * phy::kFftSize;
        const int64_t step = std::llround(delay_);
        grid_ += step;
        delay_ -= static_cast<double>(step);
        if (step != 0) hear();
    }

    void refine_frequency() {
        Wide sum = 0;
        for (size_t s = 0; s + 1 < count(); ++s)
            for (const int k : used_offsets()) sum += matched(s + 1, k) * std::conj(matched(s, k));
        frequency_ += std::arg(sum) / kTurn / burst_.numerology.symbol_samples();
    }

    /// Response common to all symbols; phase and delay of each. In turns, since each needs the others.
    void estimate() {
        slope_ = 0;
        std::fill(phase_.begin(), phase_.end(), 0.0);
        for (size_t s = 1; s < count(); ++s) {
            Wide sum = 0;
            for (const int k : used_offsets()) sum += matched(s, k) * std::conj(matched(0, k));
            phase_[s] = std::arg(sum);
        }
        for (int turn = 0; turn < 3; ++turn) {
            for (const int k : used_offsets()) {
                Wide sum = 0;
                double weight = 0;
                for (size_t s = 0; s < count(); ++s) {
                    sum += matched(s, k) * std::conj(turn_of(s, k));
                    weight += std::norm(Wide(at(sent_[s], k)));
                }
                response_[static_cast<size_t>(phy::bin_of(k))] = sum / weight;
            }
            double moment = 0, places = 0;
            for (size_t s = 0; s < count(); ++s) {
                Wide common = 0;
                double tilt = 0, tilts = 0;
                for (const int k : used_offsets()) {
                    const Wide difference = Wide(at(heard_[s], k)) * std::conj(model(s, k));
                    common += difference;
                    tilt += k * difference.imag();
                    tilts += double(k) * k * std::abs(difference);
                }
                phase_[s] += std::arg(common);
                const double place = static_cast<double>(s) - middle();
                moment += place * -tilt / tilts * phy::kFftSize / kTurn;
                places += place * place;
            }
            if (places > 0) slope_ += moment / places;
        }
    }

    double middle() const { return static_cast<double>(count() - 1) / 2; }
    Wide turn_of(size_t s, int k) const {
        return std::polar(1.0, phase_[s] - kTurn * slope_ * (static_cast<double>(s) - middle()) * k / phy::kFftSize);
    }
    Wide model(size_t s, int k) const {
        return response_[static_cast<size_t>(phy::bin_of(k))] * Wide(at(sent_[s], k)) * turn_of(s, k);
    }

    /// Delay that refine_delay() has left, by least squares on the phase of the response.
    double residual_delay() const {
        Wide mean = 0;
        for (const int k : used_offsets()) mean += flat(k);
        double tilt = 0, tilts = 0;
        for (const int k : used_offsets()) {
            tilt += k * std::arg(flat(k) * std::conj(mean)) * std::norm(flat(k));
            tilts += double(k) * k * std::norm(flat(k));
        }
        return -tilt / tilts * phy::kFftSize / kTurn;
    }
    Wide flat(int k) const {
        return response_[static_cast<size_t>(phy::bin_of(k))] * std::polar(1.0, kTurn * delay_ * k / phy::kFftSize);
    }

    /// Samples of symbol s as the model has them; `mirrored`: of the conjugate of what was sent.
    void render(phy::OfdmTransform& ofdm, size_t s, bool mirrored, Window& out) const {
        const auto carriers = ofdm.carriers();
        std::fill(carriers.begin(), carriers.end(), Complex{});
        for (const int k : used_offsets()) {
            const Wide value = mirrored ? response_[static_cast<size_t>(phy::bin_of(k))] * turn_of(s, k) *
                                              std::conj(Wide(at(sent_[s], -k)))
                                        : model(s, k);
            carriers[static_cast<size_t>(phy::bin_of(k))] = Complex(value);
        }
        ofdm.modulate(0, out);
    }

    const KnownBurst& burst_;
    std::vector<Complex> received_;
    int64_t grid_;
    double frequency_, delay_ = 0, slope_ = 0;
    std::vector<Window> sent_, heard_;
    std::vector<double> phase_;
    std::array<Wide, phy::kFftSize> response_;
    Wide receiver_constant_ = 0;
};

/// Margin to the mask of 8.3.10 within the sample rate, dB.
double mask_margin(const KnownBurst& burst, std::span<const Complex> received) {
    const auto density = power_spectrum(received, phy::kFftSize);
    const double step = burst.numerology.carrier_spacing_hz() / static_cast<double>(burst.numerology.bandwidth_hz);
    double inside = 0, margin = 200;
    for (const int k : used_offsets())
        inside += density[static_cast<size_t>(k + phy::kFftSize / 2)] / phy::kUsedCarriers;
    for (int k = -phy::kFftSize / 2; k < phy::kFftSize / 2; ++k) {
        const double place = std::abs(k) * step;
        const auto after = std::find_if(phy::kTransmitMask.begin(), phy::kTransmitMask.end(),
                                        [&](const auto& point) { return point.bandwidths >= place; });
        if (after == phy::kTransmitMask.begin() || after == phy::kTransmitMask.end()) continue;
        const auto before = std::prev(after);
        const double share = (place - before->bandwidths) / (after->bandwidths - before->bandwidths);
        const double allowed = std::lerp(before->level_db, after->level_db, share);
        margin =
            std::min(margin, allowed - phy::decibels(density[static_cast<size_t>(k + phy::kFftSize / 2)] / inside));
    }
    return margin;
}

}  // namespace

FoundBurst find_burst(const KnownBurst& burst, std::span<const Complex> received, int64_t from, int64_t to) {
    const size_t length =
        std::min(burst.samples.size(), static_cast<size_t>(kSearchedSymbols * burst.numerology.symbol_samples())) /
        kSegment * kSegment;
    from = std::max<int64_t>(from, 0);
    to = std::min(to, static_cast<int64_t>(received.size()) - static_cast<int64_t>(length) + 1);
    const std::span<const Complex> sent(burst.samples.data(), length);
    FoundBurst best;
    double highest = 0;
    for (int64_t start = from; start < to; ++start) {
        double sum = 0;
        const auto part = received.subspan(static_cast<size_t>(start), length);
        for (size_t n = 0; n < length; n += kSegment)
            sum += std::abs(correlate(part.subspan(n, kSegment), sent.subspan(n, kSegment)));
        if (sum <= highest) continue;
        highest = sum;
        best.start = start;
    }
    if (highest == 0) return best;
    const auto part = received.subspan(static_cast<size_t>(best.start), length);
    const double scale = static_cast<double>(length) * std::sqrt(power(part) * power(sent));
    best.correlation = scale > 0 ? highest / scale : 0;
    Wide turning = 0, before = 0;
    for (size_t n = 0; n < length; n += kSegment) {
        const Wide now = correlate(part.subspan(n, kSegment), sent.subspan(n, kSegment));
        turning += now * std::conj(before);
        before = now;
    }
    best.cycles_per_sample = std::arg(turning) / kTurn / kSegment;
    return best;
}

std::optional<BurstAnalysis> analyse_burst(const KnownBurst& burst, std::span<const Complex> received,
                                           const FoundBurst& found) {
    if (found.correlation < kLeastCorrelation) return std::nullopt;
    Microscope microscope(burst, received, found);
    if (!microscope.focus()) return std::nullopt;
    BurstAnalysis out;
    microscope.measure_additions(out);
    if (microscope.clean() && !microscope.focus()) return std::nullopt;
    out.start = microscope.start();
    out.frequency_hz = microscope.cycles_per_sample() * static_cast<double>(burst.numerology.sample_rate_hz);
    out.drift_samples = microscope.drift();
    out.error = microscope.errors();
    const auto part =
        received.subspan(static_cast<size_t>(std::max<int64_t>(0, std::llround(out.start))), burst.samples.size());
    out.level_dbfs = phy::decibels(power(part));
    out.clipped_samples = static_cast<size_t>(std::count_if(part.begin(), part.end(), [](const Complex& s) {
        return std::abs(s.real()) >= kFullScale || std::abs(s.imag()) >= kFullScale;
    }));
    out.mask_margin_db = mask_margin(burst, part);
    return out;
}

double evm_db(const BurstAnalysis& analysis) {
    const double sum = std::accumulate(analysis.error.begin(), analysis.error.end(), 0.0);
    return phy::decibels(sum / static_cast<double>(analysis.error.size()));
}

}  // namespace wimax::radio
