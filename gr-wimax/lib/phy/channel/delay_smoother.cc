// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/channel/delay_smoother.h"

#include "phy/base/decibels.h"
#include "phy/channel/cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace gr::wimax::phy {
namespace {

constexpr int kGrid = kGridCarriers;
constexpr int kTailTaps = 8;
constexpr std::array<int, 6> kSpans{1, 6, 14, 32, 68, 119};
/// Signal-to-noise ratios that the estimators are built for, dB. The next higher one is taken: too little smoothing
/// costs less than a biased estimate.
constexpr std::array<double, 5> kSnrsDb{0, 10, 20, 30, 40};

using Table = std::vector<DelaySmoother>;

Table make_table(PreambleGrid grid) {
    Table all;
    all.reserve(kSpans.size() * kSnrsDb.size());
    for (const int span : kSpans)
        for (const double snr_db : kSnrsDb) all.emplace_back(grid, span, power_of_db(snr_db));
    return all;
}

const Table& table(PreambleGrid grid) {
    static const Table even = make_table(PreambleGrid::even), even_twice = make_table(PreambleGrid::even_twice);
    if (grid == PreambleGrid::even) return even;
    if (grid == PreambleGrid::even_twice) return even_twice;
    static const Table odd = make_table(PreambleGrid::odd);
    return odd;
}

}  // namespace

DelaySmoother::DelaySmoother(PreambleGrid grid, int span, double snr)
    : taps_(kLeadTaps + 2 * span + kTailTaps + 1), rows_(static_cast<size_t>(taps_) * kGrid) {
    // Posterior mean of taps a ~ CN(0, 1/taps) seen as h_k = sum_t a_t exp(-j 2 pi k t / 512) in noise of variance
    // 1 / (weight_k * snr): (F^H W F snr + taps I)^-1 F^H W snr.
    const auto n = static_cast<size_t>(taps_);
    const double step = 2 * std::numbers::pi / 512;
    std::array<double, kGrid> weight{};
    for (int i = 0; i < kGrid; ++i)
        weight[static_cast<size_t>(i)] =
            snr * (grid == PreambleGrid::even_twice && grid_offset(grid, i) % 4 == 0 ? 12.0 : 4.0);

    std::vector<double> lag(n);  // the normal matrix is Toeplitz, and real because grids are symmetric
    for (size_t t = 0; t < n; ++t)
        for (int i = 0; i < kGrid; ++i)
            lag[t] += weight[static_cast<size_t>(i)] * std::cos(step * grid_offset(grid, i) * static_cast<double>(t));
    std::vector<double> normal(n * n);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j <= i; ++j) normal[i * n + j] = lag[i - j];
        normal[i * n + i] += static_cast<double>(taps_);
    }
    const Cholesky factor(std::move(normal), n);
    std::vector<double> re(n), im(n), turn_re(n), turn_im(n);
    double absorbed = 0;
    for (int i = 0; i < kGrid; ++i) {
        const double w = weight[static_cast<size_t>(i)];
        for (size_t t = 0; t < n; ++t) {
            const double angle = step * grid_offset(grid, i) * (static_cast<double>(t) - kLeadTaps);
            turn_re[t] = std::cos(angle);
            turn_im[t] = std::sin(angle);
            re[t] = w * turn_re[t];
            im[t] = w * turn_im[t];
        }
        factor.solve(re);
        factor.solve(im);
        double own = 0;
        for (size_t t = 0; t < n; ++t) own += re[t] * turn_re[t] + im[t] * turn_im[t];
        // P_2x128 contributes a third of the information on carriers that both symbols have.
        absorbed += own * snr * 4.0 / w;
        for (size_t t = 0; t < n; ++t) rows_[t * kGrid + static_cast<size_t>(i)] = Complex(std::complex(re[t], im[t]));
    }
    absorbed_ = static_cast<float>(absorbed / kGrid);
}

void DelaySmoother::prepare(PreambleGrid grid) { table(grid); }

const DelaySmoother& DelaySmoother::get(PreambleGrid grid, float span, float snr) {
    size_t span_class = 0;
    while (span_class + 1 < kSpans.size() && static_cast<float>(kSpans[span_class]) < span) ++span_class;
    size_t snr_class = 0;
    const double snr_db = decibels(static_cast<double>(snr));
    while (snr_class + 1 < kSnrsDb.size() && kSnrsDb[snr_class] < snr_db) ++snr_class;
    return table(grid)[span_class * kSnrsDb.size() + snr_class];
}

}  // namespace gr::wimax::phy
