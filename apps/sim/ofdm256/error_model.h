// SPDX-License-Identifier: GPL-3.0-or-later
// How often a receiver fails, by rate and SNR: the measured curves of docs/curves (docs/error-rates.md), as block error
// probabilities between and beyond their points.
#pragma once

#include "common/faults.h"
#include "sim/direction.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace wimax::sim {

namespace phy = gr::wimax::phy;

class ErrorModel {
public:
    /// Texts of curve files (docs/curves/*.json); every rate must have two points in both directions. A point counts
    /// if at least kLeastErrors blocks were wrong in it and the receiver was the real one.
    static tl::expected<ErrorModel, Fault> parse(std::initializer_list<std::string_view> curves);
    /// White noise at 5 MHz: docs/curves/awgn-downlink.json and -uplink.json, as they were when this was built.
    static const ErrorModel& white_noise();

    static constexpr int kLeastErrors = 20;

    /// Probability that a block (one symbol's data) is wrong. `snr_db`: Es/N0 of a data carrier. Below kNever: 0.
    double block_error(uint8_t rate_id, Direction direction, double snr_db) const {
        const Curve& curve = curves_[static_cast<size_t>(direction)][rate_id];
        return snr_db > curve.never_db ? 0 : curve.probability_at(snr_db);
    }
    /// No run is long enough to see an error as rare as that.
    static constexpr double kNever = 1e-15;

private:
    struct Point {
        double snr_db = 0;
        double logit = 0;  ///< ln(p / (1 - p)): nearly straight, at both ends
    };
    /// Curves are extrapolated on either side from this many of their last points.
    static constexpr size_t kSlopePoints = 3;
    struct Curve {
        std::vector<Point> points;  ///< in order of rising SNR and falling probability
        double never_db = 0;        ///< SNR above which the probability counts as 0

        void keep_falling();
        double probability_at(double snr_db) const { return 1 / (1 + std::exp(-logit_at(snr_db))); }
        double logit_at(double snr_db) const;
        /// SNR after the last point at which the logit falls to this value.
        double end_db(double logit) const;

    private:
        /// Points on either side that the curve is extrapolated from, without the last of them.
        size_t reach() const { return std::min(kSlopePoints - 1, points.size() - 1); }
        double slope(size_t from, size_t to) const;
        double logit_on(size_t from, size_t to, const Point& through, double snr_db) const;
    };

    std::array<std::array<Curve, phy::kRates>, kDirections> curves_;
};

}  // namespace wimax::sim
