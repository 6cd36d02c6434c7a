// SPDX-License-Identifier: GPL-3.0-or-later
// Interface to an external search for long preambles (clause 8.3.3.6), such as a radio's FPGA, which replaces the
// receiver's search.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <cstdint>
#include <optional>

namespace gr::wimax::phy {

/// Largest carrier offset of the search: 20 ppm at 5.8 GHz plus the estimate's noise.
inline constexpr double kMaxCarrierOffsetHz = 118e3;

struct DetectedPreamble {
    int64_t start_sample = 0;  ///< first sample of the first cyclic prefix, by the strongest path
    CyclicPrefix cp = CyclicPrefix::g1_8;
    double cycles_per_sample = 0;  ///< frequency offset
};

class PreambleDetector {
public:
    /// Samples after a preamble's start within which it has to be reported. A later report may still be
    /// usable.
    static constexpr int64_t kLatencySamples = 1024;

    virtual ~PreambleDetector() = default;
    /// The next preamble in the order of their starts; nothing: no new one.
    virtual std::optional<DetectedPreamble> next() = 0;
};

}  // namespace gr::wimax::phy
