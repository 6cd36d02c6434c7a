/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <channel/fading.h>
#include <channel/noise_source.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace wimax::channel {
namespace {

constexpr int kBlock = 64;
constexpr size_t kTable = 65536;  // complex values: half a megabyte stays in the second-level cache

// Interleaved re, im; mean exactly 0 and mean square 1/2 each, with the first block repeated behind the end.
const std::vector<float>& table() {
    static const std::vector<float> values = [] {
        std::vector<double> g(2 * kTable);
        for (size_t i = 0; i < kTable; ++i) {
            const double u = (static_cast<double>(mix64(2 * i) >> 11) + 0.5) * 0x1p-53;
            const double angle = 2.0 * std::numbers::pi * (static_cast<double>(mix64(2 * i + 1) >> 11) * 0x1p-53);
            const double radius = std::sqrt(-2.0 * std::log(u));
            g[2 * i] = radius * std::cos(angle);
            g[2 * i + 1] = radius * std::sin(angle);
        }
        for (size_t part = 0; part < 2; ++part) {
            double mean = 0.0, square = 0.0;
            for (size_t i = part; i < g.size(); i += 2) mean += g[i] / kTable;
            for (size_t i = part; i < g.size(); i += 2) square += (g[i] - mean) * (g[i] - mean) / kTable;
            for (size_t i = part; i < g.size(); i += 2) g[i] = (g[i] - mean) / std::sqrt(2.0 * square);
        }
        std::vector<float> out(g.begin(), g.end());
        out.insert(out.end(), g.begin(), g.begin() + 2 * kBlock);
        return out;
    }();
    return values;
}

struct Turn {
    float a, b;  // multiply by a + jb, one of 1, j, -1, -j, and the scale
};
Turn quarter_turn(unsigned quarter, float scale) {
    switch (quarter & 3) {
        case 0: return {scale, 0.0F};
        case 1: return {0.0F, scale};
        case 2: return {-scale, 0.0F};
        default: return {0.0F, -scale};
    }
}

}  // namespace

NoiseSource::NoiseSource(uint64_t seed, double variance) : seed_(mix64(seed ^ 0x6E6F697365ULL)) {
    set_variance(variance);
    table();
}

void NoiseSource::set_variance(double variance) {
    scale_ = static_cast<float>(std::sqrt(std::max(variance, 0.0) / 2.0));
}

void NoiseSource::add(int64_t index, std::span<std::complex<float>> out) const {
    if (scale_ == 0.0F) return;
    const float* values = table().data();
    size_t done = 0;
    while (done < out.size()) {
        const int64_t at = index + static_cast<int64_t>(done);
        const auto within = static_cast<size_t>(at & (kBlock - 1));
        const size_t count = std::min(out.size() - done, kBlock - within);
        const uint64_t hash = mix64(seed_ + static_cast<uint64_t>(at >> 6));
        const float* first = values + 2 * ((hash & (kTable - 1)) + within);
        const float* second = values + 2 * (((hash >> 16) & (kTable - 1)) + within);
        const Turn p = quarter_turn(static_cast<unsigned>(hash >> 32), scale_);
        const Turn q = quarter_turn(static_cast<unsigned>(hash >> 34), scale_);
        auto* to = reinterpret_cast<float*>(out.data() + done);
        for (size_t i = 0; i < count; ++i) {
            const float xr = first[2 * i], xi = first[2 * i + 1], yr = second[2 * i], yi = second[2 * i + 1];
            to[2 * i] += p.a * xr - p.b * xi + (q.a * yr - q.b * yi);
            to[2 * i + 1] += p.a * xi + p.b * xr + (q.a * yi + q.b * yr);
        }
        done += count;
    }
}

double thermal_noise_variance(double sample_rate_hz, double noise_figure_db, double reference_dbm) {
    return std::pow(10.0, (-174.0 + noise_figure_db - reference_dbm) / 10.0) * sample_rate_hz;
}

}  // namespace wimax::channel
