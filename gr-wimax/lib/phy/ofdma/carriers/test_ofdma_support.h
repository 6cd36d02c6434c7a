// SPDX-License-Identifier: GPL-3.0-or-later
// Golden vectors of tests/vectors/phy_ofdma.json for the unit tests.
#pragma once

#include "phy/base/test_vectors.h"

#include <span>

namespace gr::wimax::phy::ofdma::test {

using phy::test::from_hex, phy::test::hex_at, phy::test::to_bits, phy::test::to_bytes;

inline const nlohmann::json& cases() {
    static const auto json = nlohmann::json::parse(std::ifstream(WIMAX_VECTORS "/phy_ofdma.json"));
    return json.at("cases");
}
inline const nlohmann::json& inputs(const std::string& name) { return cases().at(name).at("inputs"); }
inline const nlohmann::json& outputs(const std::string& name) { return cases().at(name).at("outputs"); }

/// Names of the cases that begin with `start`.
inline std::vector<std::string> cases_of(const std::string& start) {
    std::vector<std::string> names;
    for (const auto& item : cases().items())
        if (item.key().starts_with(start)) names.push_back(item.key());
    return names;
}

template <class T, class Range> std::vector<T> list(const Range& values) {
    return std::vector<T>(std::begin(values), std::end(values));
}

/// Sums over samples as the vectors give them.
struct SampleSums {
    std::complex<double> sum, sum_n;
    double power = 0;
};
inline SampleSums sums(std::span<const Complex> samples) {
    SampleSums s;
    for (size_t n = 0; n < samples.size(); ++n) {
        const std::complex<double> x(samples[n]);
        s.sum += x;
        s.sum_n += static_cast<double>(n) * x;
        s.power += std::norm(x);
    }
    return s;
}

}  // namespace gr::wimax::phy::ofdma::test
