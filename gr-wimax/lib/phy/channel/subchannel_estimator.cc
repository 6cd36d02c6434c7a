// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/subchannel_estimator.h"

#include "phy/base/decibels.h"
#include "phy/base/simd.h"
#include "phy/channel/cholesky.h"

#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace gr::wimax::phy {
namespace {

constexpr float kTurn = 2 * std::numbers::pi_v<float>;
constexpr float kTinyPower = 1e-20F;
constexpr int kLanes = 16;
constexpr int padded(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

/// Models: spans of delay in samples, and ratios of carrier to noise in the preamble (6 dB above the data's), dB.
constexpr std::array<float, 4> kSpans{1.5F, 8, 24, 60};
constexpr std::array<float, 5> kSnrsDb{0, 8, 16, 24, 34};
constexpr int kFirstSnr = 2;  // where the search begins
/// The strongest path is at least this far inside its range.
constexpr float kEdge = 0.75F;

/// Noise alone exceeds this in 3 of 10 000 symbols on one subchannel, more rarely on larger groups (by simulation).
constexpr float kMinEvidence = 9;

/// A model of one group of carriers: covariance R + I / snr of the received values per unit of channel power.
struct ModelTable {
    std::vector<float> inverse;  ///< rows padded to whole vectors
    float log_determinant = 0;
    float freedom = 0;  ///< carriers minus their noise as estimated by the posterior mean
};

std::vector<int> carriers_of(int index) {
    const auto& set = carrier_set(index);
    std::vector<int> offsets(set.data().begin(), set.data().end());
    for (const auto pilot : set.pilot_indices()) offsets.push_back(kPilotOffsets[pilot]);
    std::sort(offsets.begin(), offsets.end());
    return offsets;
}

ModelTable make_table(const std::vector<int>& offsets, float span, float snr_db) {
    const size_t n = offsets.size();
    const double noise = power_of_db(-static_cast<double>(snr_db));
    std::vector<double> m(n * n);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            const double x = std::numbers::pi * (offsets[i] - offsets[j]) * static_cast<double>(span) / kFftSize;
            m[i * n + j] = i == j ? 1 + noise : std::sin(x) / x;
        }
    const Cholesky covariance(std::move(m), n);
    const auto inverse = covariance.inverse();
    ModelTable table;
    table.log_determinant = static_cast<float>(covariance.log_determinant());
    const auto stride = static_cast<size_t>(padded(static_cast<int>(n)));
    table.inverse.resize(n * stride);
    double trace = 0;
    for (size_t i = 0; i < n; ++i) {
        trace += inverse[i * n + i];
        for (size_t j = 0; j < n; ++j) table.inverse[i * stride + j] = static_cast<float>(inverse[i * n + j]);
    }
    table.freedom = static_cast<float>(trace * noise);
    return table;
}

struct Tables {
    std::array<std::array<ModelTable, kSpans.size() * kSnrsDb.size()>, 32> all;

    Tables() {
        for (int index = 1; index < 32; ++index) {
            if (index == kFullSubchannel) continue;
            const auto offsets = carriers_of(index);
            for (size_t span = 0; span < kSpans.size(); ++span)
                for (size_t snr = 0; snr < kSnrsDb.size(); ++snr)
                    all[static_cast<size_t>(index)][span * kSnrsDb.size() + snr] =
                        make_table(offsets, kSpans[span], kSnrsDb[snr]);
        }
    }
};
const ModelTable& table_of(int index, int span, int snr) {
    static const Tables tables;
    return tables
        .all[static_cast<size_t>(index)][static_cast<size_t>(span) * kSnrsDb.size() + static_cast<size_t>(snr)];
}

/// out = M x for planar complex x and a symmetric real matrix of padded rows.
WIMAX_SIMD_BODY void multiply_body(const float* m, int n, const float* re, const float* im, float* out_re,
                                   float* out_im) {
    const int stride = padded(n);
    std::fill_n(out_re, stride, 0.0F);
    std::fill_n(out_im, stride, 0.0F);
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < stride; ++i) {
            out_re[i] += m[k * stride + i] * re[k];
            out_im[i] += m[k * stride + i] * im[k];
        }
}
constexpr simd::Dispatched<multiply_body> multiply;

}  // namespace

SubchannelEstimator::SubchannelEstimator() { table_of(1, 0, 0); }

void SubchannelEstimator::load(const Carriers& symbol, int subchannel_index) {
    const auto sent = subchannel_preamble_carriers(subchannel_index);
    index_ = subchannel_index;
    count_ = 0;
    power_ = 0;
    for (int k = -kEdgeCarrier; k <= kEdgeCarrier; ++k) {
        const Complex reference = sent[static_cast<size_t>(bin_of(k))];
        if (reference == Complex{}) continue;
        const auto n = static_cast<size_t>(count_++);
        const Complex seen = symbol[k] / reference;
        offsets_[n] = static_cast<int16_t>(k);
        raw_re_[n] = seen.real();
        raw_im_[n] = seen.imag();
        power_ += std::norm(seen);
    }
}

float SubchannelEstimator::strongest_delay(DelayRange range) {
    const auto in = delays_.in();
    std::fill(in.begin(), in.end(), Complex{});
    for (size_t n = 0; n < static_cast<size_t>(count_); ++n)
        in[static_cast<size_t>(offsets_[n] & 511)] = {raw_re_[n], raw_im_[n]};
    delays_.execute();
    const auto power_at = [this](int half) { return std::norm(delays_.out()[static_cast<size_t>(half & 511)]); };
    int best = static_cast<int>(std::floor(2 * range.earliest));
    for (int half = best; half <= static_cast<int>(std::ceil(2 * range.latest)); ++half)
        if (power_at(half) > power_at(best)) best = half;
    const float a = power_at(best - 1), b = power_at(best), c = power_at(best + 1), bend = a - 2 * b + c;
    const float vertex = bend < 0 ? std::clamp(0.5F * (a - c) / bend, -0.5F, 0.5F) : 0.0F;
    return 0.5F * (static_cast<float>(best) + vertex);
}

void SubchannelEstimator::turn(float delay) {
    for (size_t n = 0; n < static_cast<size_t>(count_); ++n) {
        const Complex z = Complex(raw_re_[n], raw_im_[n]) * std::polar(1.0F, kTurn * delay * offsets_[n] / kFftSize);
        re_[n] = z.real();
        im_[n] = z.imag();
    }
}

void SubchannelEstimator::try_model(int span, int snr, float centre, Model& best) {
    const ModelTable& table = table_of(index_, span, snr);
    turn(centre);
    multiply(table.inverse.data(), count_, re_.data(), im_.data(), weighted_re_.data(), weighted_im_.data());
    float form = 0;
    for (size_t n = 0; n < static_cast<size_t>(count_); ++n)
        form += re_[n] * weighted_re_[n] + im_[n] * weighted_im_[n];
    const auto count = static_cast<float>(count_);
    const float likelihood = -count * std::log(std::max(form, kTinyPower) / count) - table.log_determinant;
    if (likelihood > best.likelihood) best = {span, snr, centre, likelihood};
}

SubchannelEstimator::Model SubchannelEstimator::likeliest(float delay) {
    Model best;
    const auto try_spans = [&](int snr) {
        for (int span = 0; span < static_cast<int>(kSpans.size()); ++span) {
            const float reach = 0.5F * kSpans[static_cast<size_t>(span)] - kEdge;
            try_model(span, snr, delay, best);
            if (span == 0) continue;
            try_model(span, snr, delay + reach, best);
            try_model(span, snr, delay - reach, best);
        }
    };
    try_spans(kFirstSnr);
    const Model first = best;
    for (int snr = 0; snr < static_cast<int>(kSnrsDb.size()); ++snr)
        if (snr != kFirstSnr) try_model(first.span, snr, first.centre, best);
    if (best.snr != kFirstSnr) try_spans(best.snr);
    return best;
}

bool SubchannelEstimator::estimate(const Carriers& symbol, int subchannel_index, DelayRange range,
                                   ChannelEstimate& out) {
    load(symbol, subchannel_index);
    if (power_ <= kTinyPower) return false;  // digital silence: any model would fit it
    const float delay = strongest_delay(range);
    Model model = likeliest(delay);
    const auto count = static_cast<float>(count_);
    evidence_ = model.likelihood + count * std::log(std::max(power_, kTinyPower) / count);
    if (!(evidence_ > kMinEvidence)) return false;

    // The posterior mean is the received value minus its noise: (R + I/s)^-1 received / s.
    const float noise_share = static_cast<float>(power_of_db(-double{kSnrsDb[static_cast<size_t>(model.snr)]}));
    Model again;
    try_model(model.span, model.snr, model.centre, again);
    std::fill_n(out.response.data(), kCarrierSpan, Complex{});
    float residual = 0;
    for (size_t n = 0; n < static_cast<size_t>(count_); ++n) {
        const Complex seen(re_[n], im_[n]), noise = noise_share * Complex(weighted_re_[n], weighted_im_[n]);
        residual += std::norm(noise);
        out.response[offsets_[n]] = (seen - noise) * std::polar(1.0F, -kTurn * model.centre * offsets_[n] / kFftSize);
    }
    const float freedom = table_of(index_, model.span, model.snr).freedom;
    const float sent_power = 2 * kSubchannelPreambleAmplitude * kSubchannelPreambleAmplitude;
    out.noise_variance = std::max(sent_power * residual / freedom, kTinyPower);
    const float edge = model.centre - 0.5F * kSpans[static_cast<size_t>(model.span)] + kEdge;
    out.first_path = model.span == 0 ? delay : std::min(delay, edge);
    out.complete();
    out.power *= static_cast<float>(kUsedCarriers) / count;
    return true;
}

}  // namespace gr::wimax::phy
