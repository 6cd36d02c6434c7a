/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Long preambles (clause 8.3.3.6) found elsewhere, by a radio's FPGA for instance, in place of the receiver's own
 * search.
 */
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <cstdint>
#include <optional>

namespace gr::wimax::phy {

/// Largest carrier offset searched: 20 ppm at 5.8 GHz on both sides of the estimate's noise.
inline constexpr double kMaxCarrierOffsetHz = 118e3;

struct DetectedPreamble {
    int64_t start_sample = 0;  ///< first sample of the first cyclic prefix, by the strongest path
    CyclicPrefix cp = CyclicPrefix::g1_8;
    double cycles_per_sample = 0;  ///< frequency offset
};

class PreambleDetector {
public:
    /// A preamble is told before the receiver has more samples than these behind its start. One that is told later may
    /// still do.
    static constexpr int64_t kLatencySamples = 1024;

    virtual ~PreambleDetector() = default;
    /// The next one, in the order of their starts; nothing: none has been found since.
    virtual std::optional<DetectedPreamble> next() = 0;
};

}  // namespace gr::wimax::phy
