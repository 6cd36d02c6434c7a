/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "phy/receive/front_end_tracker.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <volk/volk.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

/// An estimate is used where its square is this many times its variance, which one of 160 000 that are nothing but
/// noise reaches, and where it is more than this over the signal: less costs nothing.
constexpr float kCertain = 12, kLeast = 1e-6F;
/// Over the signal, -45 dB: 64-QAM 3/4 bears some 400 times as much noise.
constexpr float kFelt = 3e-5F;
/// What preambles lack is not believed to be less noise than this over the signal.
constexpr float kLeastNoise = 1e-6F, kTinyPower = 1e-20F;
/// A value this far from what was known, in squares of its deviation, is a new situation: other gain, other frequency.
constexpr float kSurprise = 25;
/// What front ends may change from one preamble to the next; for DC over the signal's power.
constexpr float kImageWalk = 1e-9F, kDcWalk = 1e-7F;
/// Squares that a sender may have before anything is known of it: its image, and its own carrier over the signal.
constexpr float kSenderImage = 3e-4F, kSenderCarrier = 1e-2F;
/// Carriers around the DC offset's place that are looked at though something strong is there: it is what is looked for.
constexpr double kDcReach = 1.5;

float norm(Complex z) { return z.real() * z.real() + z.imag() * z.imag(); }

/// Without a look at what is no number.
Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Sum of a * conj(b).
template <class Body>
Complex product(const Body& a, const Body& b) {
    lv_32fc_t sum;
    volk_32fc_x2_conjugate_dot_prod_32fc(&sum, a.data(), b.data(), kFftSize);
    return sum;
}

template <class Body>
void subtract(const Body& what, Complex factor, Body& from) {
    const float re = factor.real(), im = factor.imag();
    for (size_t n = 0; n < kFftSize; ++n) {
        const float x = what[n].real(), y = what[n].imag();
        from[n] = {from[n].real() - re * x + im * y, from[n].imag() - re * y - im * x};
    }
}

Complex certain(const FrontEndTracker::Estimate& estimate, float scale) {
    const float square = norm(estimate.value);
    return square > kCertain * estimate.variance && square > kLeast * scale ? estimate.value : Complex{};
}

using Wide = std::complex<double>;  // where two unknowns look alike, little is left of the determinant

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

/// What is known of one that nothing is known of together with: the inverse of its variance.
double information(float variance) { return variance < FrontEndTracker::kUnknown ? 1 / double{variance} : 0; }

Matrix information(const FrontEndTracker::Estimate& first, const FrontEndTracker::Estimate& second, Wide both) {
    if (both == Wide{}) return {information(first.variance), information(second.variance)};
    return Matrix{first.variance, second.variance, both}.inverse();
}

/// The first one if the second is nothing; `both`: its covariance with the second.
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

/// Least squares of two unknowns with what was known of them; some of the first has been taken off already.
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
void FrontEndTracker::load(const Preamble& preamble) {
    derotate(ones_.data(), turn_.data(), kFftSize,
             preamble.cycles_per_sample * static_cast<double>(preamble.turned_samples), preamble.cycles_per_sample);
    const auto known = preamble_carriers(PreambleSymbol::p_even);
    auto bins = to_samples_.in();
    std::fill(bins.begin(), bins.end(), Complex{});
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; k += 2) {
        const auto bin = static_cast<size_t>(bin_of(k));
        bins[bin] = times(preamble.channel.response[k], known[bin]);
    }
    to_samples_.execute();
    std::copy_n(to_samples_.out().begin(), kFftSize, sent_.begin());

    const double dc_carrier = -preamble.cycles_per_sample * kFftSize;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        const auto bin = static_cast<size_t>(bin_of(k));
        const bool use = preamble.channel.purity[k] > 0.5F || std::abs(k - dc_carrier) < kDcReach;
        bins[bin] = use ? preamble.carriers[k] - bins[bin] : Complex{};
    }
    to_samples_.execute();
    std::copy_n(to_samples_.out().begin(), kFftSize, lacking_.begin());
}

/// Of a sum over the samples of a body, for each sample of it.
float FrontEndTracker::noise_of(const Preamble& preamble) const {
    const float seen = product(lacking_, lacking_).real() / kCarrierSpan;
    return std::max({seen, kLeastNoise * kFftSize * preamble.channel.power, kTinyPower});
}

/// The offset of this receiver, and the carrier of the sender, which is the unused one.
void FrontEndTracker::learn_dc(const Preamble& preamble) {
    // Sums of carriers: a sample's value times the root of the number of used ones.
    const float power = kUsedCarriers * preamble.channel.power, scale = std::sqrt(float{kUsedCarriers});
    const float noise = noise_of(preamble);
    Sums sums{kFftSize, kFftSize, std::conj(product(turn_, ones_)), product(lacking_, turn_), product(lacking_, ones_)};
    Estimate offset{now_.dc.value * scale, now_.dc.variance * kUsedCarriers + kDcWalk * power};
    Estimate leak{{}, kSenderCarrier * power};
    Covariance both{};
    explain(sums, noise, preamble.taken_off.dc * scale, offset, leak, both);
    const Complex rest = offset.value - preamble.taken_off.dc * scale;
    subtract(turn_, rest, lacking_);
    subtract(ones_, leak.value, lacking_);
    now_.dc = {offset.value / scale, offset.variance / kUsedCarriers};
}

void FrontEndTracker::learn_images(const Preamble& preamble) {
    const auto known = preamble_carriers(PreambleSymbol::p_even);
    auto bins = to_samples_.in();
    std::fill(bins.begin(), bins.end(), Complex{});
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; k += 2)
        bins[static_cast<size_t>(bin_of(k))] =
            times(preamble.channel.response[k], std::conj(known[static_cast<size_t>(bin_of(-k))]));
    to_samples_.execute();
    std::copy_n(to_samples_.out().begin(), kFftSize, mirrored_.begin());
    // The image of what was received, its frequency taken off like everything's.
    volk_32fc_x2_multiply_32fc(turn_.data(), turn_.data(), turn_.data(), kFftSize);
    volk_32fc_x2_multiply_conjugate_32fc(sent_.data(), turn_.data(), sent_.data(), kFftSize);
    const float noise = noise_of(preamble);
    // Some of both went into the channel's estimate; of an image that lies between the carriers nothing.
    const float left = 1 - preamble.channel.absorbed;
    const double beside = std::cos(std::numbers::pi * kFftSize * preamble.cycles_per_sample);
    const float image_left = 1 - preamble.channel.absorbed * static_cast<float>(beside * beside);
    const Sums sums{image_left * product(sent_, sent_).real(), left * product(mirrored_, mirrored_).real(),
                    left * product(mirrored_, sent_), product(lacking_, sent_), product(lacking_, mirrored_)};
    now_.image.variance += kImageWalk;
    if (preamble.known_sender && now_.sender.variance < kSenderImage) {
        now_.sender.variance += kImageWalk;
    } else {
        now_.sender = {{}, kSenderImage};
        now_.images = {};
    }
    explain(sums, noise, preamble.taken_off.image, now_.image, now_.sender, now_.images);
}

/// Each where it is certain; else the one that explains what there is alone, the receiver's before the sender's.
void FrontEndTracker::choose_images() {
    Complex image = certain(now_.image, 1), sender = certain(now_.sender, 1);
    if (image == Complex{} && sender != Complex{})
        sender = certain(alone(now_.sender, now_.image, std::conj(now_.images)), 1);
    else if (sender == Complex{})
        image = certain(alone(now_.image, now_.sender, now_.images), 1);
    now_.in_use.image = image;
    now_.sender_in_use = sender;
}

void FrontEndTracker::see(const Preamble& preamble) {
    load(preamble);
    if (!std::isfinite(product(lacking_, lacking_).real())) return;
    learn_dc(preamble);
    learn_images(preamble);
    if (!std::isfinite(norm(now_.dc.value) + norm(now_.image.value) + norm(now_.sender.value))) reset();
    now_.in_use.dc = certain(now_.dc, preamble.channel.power);
    choose_images();
    now_.felt = norm(now_.in_use.dc) > kFelt * preamble.channel.power || norm(now_.in_use.image) > kFelt;
}

}  // namespace gr::wimax::phy
