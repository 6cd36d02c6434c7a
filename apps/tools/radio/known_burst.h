// SPDX-License-Identifier: GPL-3.0-or-later
// A burst of 64-QAM 3/4 whose every sample is known: what a radio is measured with.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <vector>

namespace wimax::radio {

namespace phy = gr::wimax::phy;
using phy::Complex;

struct KnownBurst {
    phy::Numerology numerology;
    int symbols = 0;               ///< full ones; there is no preamble, the first symbol carries data like the last
    std::vector<Complex> samples;  ///< mean power 1

    /// The same `seed` gives the same burst.
    static KnownBurst make(const phy::Numerology& numerology, int symbols, uint64_t seed = 1);
};

}  // namespace wimax::radio
