// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <complex>

namespace gr::wimax::phy::test {

/// Draws an imaginary and then a real part: the arguments of one call are drawn in another order on each processor.
template <class Distribution, class Random>
std::complex<typename Distribution::result_type> complex_of(Distribution& part, Random& random) {
    const auto imaginary = part(random);
    return {part(random), imaginary};
}

}  // namespace gr::wimax::phy::test
