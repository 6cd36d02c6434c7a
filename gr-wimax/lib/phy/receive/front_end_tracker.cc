// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/front_end_tracker.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

/// An estimate is used if its square is kCertain times its variance; noise alone reaches that once in 160 000. It must
/// also be kLeast over the signal: less costs nothing.
constexpr float kCertain = 12, kLeast = 1e-6F;
/// Two unknowns that are hard to separate reach this together equally rarely. Then each that is more likely present
/// than not is used: its error is small where it matters.
constexpr double kCertainTogether = 15;
constexpr float kLikely = 2;
/// Over the signal, -45 dB: 64-QAM 3/4 tolerates about 400 times as much noise.
constexpr float kFelt = 3e-5F;
/// Images are worth another symbol if their variance exceeds this share of a carrier's noise and is significant. One
/// preamble measures a single image with a 300th.
constexpr float kDoubt = 5e-3F;
/// The residual of symbols is assumed to have at least this noise over the signal.
constexpr float kLeastNoise = 1e-6F, kTinyPower = 1e-20F;
/// A value this far from the known one, in squares of its deviation, is a new situation: other gain, other frequency.
constexpr float kSurprise = 25;
/// Change of front ends between two measured symbols; for DC over the signal's power.
constexpr float kImageWalk = 1e-9F, kDcWalk = 1e-7F;
/// Squares assumed of an unknown sender: its image, and its leaking carrier over the signal.
constexpr float kSenderImage = 3e-4F, kSenderCarrier = 1e-2F;
/// Carriers around the DC offset that are used despite a strong signal there: that signal is the unknown.
constexpr double kDcReach = 1.5;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

/// Product without checks for NaN.
Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Sum of a * conj(b).
template <class Body> Complex product(const Body& a, const Body& b) {
    lv_32fc_t sum;
    volk_32fc_x2_conjugate_dot_prod_32fc(&sum, a.data(), b.data(), kFftSize);
    return sum;
}

template <class Body> void subtract(const Body& what, Complex factor, Body& from) {
    const float re = factor.real(), im = factor.imag();
    for (size_t n = 0; n < kFftSize; ++n) {
        const float x = what[n].real(), y = what[n].imag();
        from[n] = {from[n].real() - re * x + im * y, from[n].imag() - re * y - im * x};
    }
}

/// The estimate if its square is `limit` times its variance, else 0.
Complex usable(const FrontEndTracker::Estimate& estimate, float limit, float scale = 1) {
    const float square = norm(estimate.value);
    return square > limit * estimate.variance && square > kLeast * scale ? estimate.value : Complex{};
}

using Wide = std::complex<double>;  // if two unknowns look alike, the determinant is nearly 0

/// A Hermitian matrix of two rows.
struct Matrix {
    double first = 0, second = 0;
    Wide both{};

    double determinant() const { return std::max(first * second - std::norm(both), 1e-9 * first * second); }
    Matrix inverse() const {
        const double over = 1 / determinant();
        return {second * over, first * over, -both * over};
    }
};

/// Information on an estimate without covariance: the inverse of its variance.
double information(float variance) { return variance < FrontEndTracker::kUnknown ? 1 / double{variance} : 0; }

Matrix information(const FrontEndTracker::Estimate& first, const FrontEndTracker::Estimate& second, Wide both) {
    if (both == Wide{}) return {information(first.variance), information(second.variance)};
    return Matrix{first.variance, second.variance, both}.inverse();
}

/// Squared distance from 0, over its variance, that each of the two needs to be used.
float limit_of(const FrontEndTracker::Estimate& first, const FrontEndTracker::Estimate& second, Wide both) {
    const Wide x(first.value), y(second.value);
    const Matrix known = Matrix{first.variance, second.variance, both}.inverse();
    const double together =
        known.first * std::norm(x) + known.second * std::norm(y) + 2 * (std::conj(x) * known.both * y).real();
    return together > kCertainTogether ? kLikely : kCertain;
}

/// The first one under the assumption that the second is 0; `both`: its covariance with the second.
FrontEndTracker::Estimate alone(const FrontEndTracker::Estimate& first, const FrontEndTracker::Estimate& second,
                                Wide both) {
    const Wide share = both / double{second.variance};
    return {first.value - Complex(share * Wide(second.value)),
            static_cast<float>(first.variance - std::norm(share) * second.variance)};
}

}  // namespace

FrontEndTracker::FrontEndTracker() { ones_.fill(1); }

void FrontEndTracker::reset() { now_ = kept_ = State(); }

void FrontEndTracker::suggest_dc(Complex value, float variance) {
    if (value == Complex{}) return;
    if (now_.in_use.dc != Complex{} && norm(value - now_.in_use.dc) <= kSurprise * variance) return;
    now_.dc = {value, variance};
    now_.in_use.dc = value;
    now_.felt = true;
}

/// Least squares of two unknowns with their known values; some of the first has already been subtracted.
void FrontEndTracker::explain(const Sums& sums, float noise, Complex taken_off, Estimate& first, Estimate& second,
                              Covariance& both) {
    const Estimate first_before = first, second_before = second;
    const double over = 1.0 / noise;
    const auto solve = [&](const Matrix& known) {
        const Wide first_known(first_before.value - taken_off), second_known(second_before.value);
        const Matrix variance = Matrix{sums.first * over + known.first, sums.second * over + known.second,
                                       over * Wide(sums.both) + known.both}
                                    .inverse();
        const Wide x = over * Wide(sums.first_lacking) + known.first * first_known + known.both * second_known;
        const Wide y =
            over * Wide(sums.second_lacking) + std::conj(known.both) * first_known + known.second * second_known;
        first = {Complex(variance.first * x + variance.both * y) + taken_off, static_cast<float>(variance.first)};
        second = {Complex(std::conj(variance.both) * x + variance.second * y), static_cast<float>(variance.second)};
        both = variance.both;
    };
    solve(information(first_before, second_before, both));
    if (norm(first.value - first_before.value) > kSurprise * (first_before.variance - first.variance))
        solve({0, information(second_before.variance)});
}

/// Fills turn_, sent_ and lacking_.
void FrontEndTracker::load(const Symbol& symbol) {
    derotate(ones_.data(), turn_.data(), kFftSize,
             symbol.cycles_per_sample * static_cast<double>(symbol.turned_samples), symbol.cycles_per_sample);
    auto bins = to_samples_.in();
    std::fill(bins.begin(), bins.end(), Complex{});
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
        bins[static_cast<size_t>(bin_of(k))] = times(symbol.response[k], symbol.sent[k]);
    to_samples_.execute();
    std::copy_n(to_samples_.out().begin(), kFftSize, sent_.begin());

    const double dc_carrier = -symbol.cycles_per_sample * kFftSize;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        const auto bin = static_cast<size_t>(bin_of(k));
        const bool use = symbol.channel.purity[k] > 0.5F || std::abs(k - dc_carrier) < kDcReach;
        bins[bin] = use ? symbol.carriers[k] - bins[bin] : Complex{};
    }
    to_samples_.execute();
    std::copy_n(to_samples_.out().begin(), kFftSize, lacking_.begin());
}

/// Scale from a sum over the samples of a body to one sample.
float FrontEndTracker::noise_of(const Symbol& symbol) const {
    const float seen = product(lacking_, lacking_).real() / kCarrierSpan;
    return std::max({seen, kLeastNoise * kFftSize * symbol.channel.power, kTinyPower});
}

/// The offset of this receiver, and the carrier of the sender, which is the unused one.
void FrontEndTracker::learn_dc(const Symbol& symbol) {
    // Sums of carriers: a sample's value times the root of the number of used ones.
    const float power = kUsedCarriers * symbol.channel.power, scale = std::sqrt(float{kUsedCarriers});
    const float noise = noise_of(symbol);
    Sums sums{kFftSize, kFftSize, std::conj(product(turn_, ones_)), product(lacking_, turn_), product(lacking_, ones_)};
    Estimate offset{now_.dc.value * scale, now_.dc.variance * kUsedCarriers + kDcWalk * power};
    Estimate leak{{}, kSenderCarrier * power};
    Covariance both{};
    explain(sums, noise, symbol.taken_off.dc * scale, offset, leak, both);
    const Complex rest = offset.value - symbol.taken_off.dc * scale;
    subtract(turn_, rest, lacking_);
    subtract(ones_, leak.value, lacking_);
    now_.dc = {offset.value / scale, offset.variance / kUsedCarriers};
    now_.in_use.dc = usable(now_.dc, limit_of(offset, leak, both), symbol.channel.power);
}

/// Noise as the sums of an image see it. Crest reduction puts a symbol's errors on its largest samples, whose products
/// weigh most: then it is above noise_of().
float FrontEndTracker::noise_on_peaks(const Symbol& symbol) const {
    float weighted = 0, weights = 0;
    for (size_t n = 0; n < kFftSize; ++n) {
        weighted += norm(sent_[n]) * norm(lacking_[n]);
        weights += norm(sent_[n]);
    }
    const float seen = weights > kTinyPower ? weighted / weights * (float{kFftSize} / kCarrierSpan) : 0;
    return std::max(noise_of(symbol), seen);
}

void FrontEndTracker::learn_images(const Symbol& symbol) {
    auto bins = to_samples_.in();
    std::fill(bins.begin(), bins.end(), Complex{});
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k)
        bins[static_cast<size_t>(bin_of(k))] = times(symbol.response[k], std::conj(symbol.sent[-k]));
    to_samples_.execute();
    std::copy_n(to_samples_.out().begin(), kFftSize, mirrored_.begin());
    // The image of the received samples, with the same frequency correction.
    volk_32fc_x2_multiply_32fc(turn_.data(), turn_.data(), turn_.data(), kFftSize);
    volk_32fc_x2_multiply_conjugate_32fc(sent_.data(), turn_.data(), sent_.data(), kFftSize);
    const float noise = noise_on_peaks(symbol);
    // The channel's estimate has absorbed some of both, but nothing of an image between the carriers.
    const float left = 1 - symbol.absorbed;
    const double beside = std::cos(std::numbers::pi * kFftSize * symbol.cycles_per_sample);
    const float image_left = 1 - symbol.absorbed * static_cast<float>(beside * beside);
    const Sums sums{image_left * product(sent_, sent_).real(), left * product(mirrored_, mirrored_).real(),
                    left * product(mirrored_, sent_), product(lacking_, sent_), product(lacking_, mirrored_)};
    now_.image.variance += kImageWalk;
    if (symbol.known_sender && now_.sender.variance < kSenderImage) {
        now_.sender.variance += kImageWalk;
    } else {
        now_.sender = {{}, kSenderImage};
        now_.images = {};
    }
    explain(sums, noise, symbol.taken_off.image, now_.image, now_.sender, now_.images);
}

/// Chooses each separately; else the one that alone explains the observation, the receiver's before the sender's.
void FrontEndTracker::choose_images() {
    const float limit = limit_of(now_.image, now_.sender, now_.images);
    Complex image = usable(now_.image, limit), sender = usable(now_.sender, limit);
    if (image == Complex{} && sender != Complex{})
        sender = usable(alone(now_.sender, now_.image, std::conj(now_.images)), limit);
    else if (sender == Complex{}) image = usable(alone(now_.image, now_.sender, now_.images), limit);
    now_.in_use.image = image;
    now_.sender_in_use = sender;
}

bool FrontEndTracker::doubts(const ChannelEstimate& channel) const {
    return std::max(now_.image.variance, now_.sender.variance) * channel.power >
           std::max(kDoubt * channel.noise_variance, kFelt * channel.power);
}

void FrontEndTracker::see(const Symbol& symbol) {
    load(symbol);
    if (!std::isfinite(product(lacking_, lacking_).real())) return;
    learn_dc(symbol);
    learn_images(symbol);
    if (!std::isfinite(norm(now_.dc.value) + norm(now_.image.value) + norm(now_.sender.value))) reset();
    choose_images();
    now_.felt = norm(now_.in_use.dc) > kFelt * symbol.channel.power || norm(now_.in_use.image) > kFelt;
}

}  // namespace gr::wimax::phy
