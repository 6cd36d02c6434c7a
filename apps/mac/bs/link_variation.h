// SPDX-License-Identifier: GPL-3.0-or-later
// Fading of a station's downlink, from its reports of mean and standard deviation of the CINR (REP-RSP). The means show
// variation between two reports, the deviations show faster variation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace wimax::mac {

class LinkVariation {
public:
    /// As reported: dB, the deviation in dB of the linear unit.
    void add(float mean_db, float deviation_db) {
        const double mean = std::pow(10, mean_db / 10), deviation = std::pow(10, deviation_db / 10);
        // The first few have equal weight, later ones a constant weight.
        const double weight = 1.0 / std::min(++reports_, kReportsToAverage);
        mean_ += weight * (mean - mean_);
        square_ += weight * (mean * mean + deviation * deviation - square_);
    }
    bool known() const { return reports_ >= kReportsToKnow; }
    /// Standard deviation over mean: 0 on a constant link, 1 for Rayleigh fading.
    float ratio() const {
        if (mean_ <= 0) return 0;
        return static_cast<float>(std::sqrt(std::max(0.0, square_ - mean_ * mean_)) / mean_);
    }

private:
    static constexpr uint32_t kReportsToAverage = 16, kReportsToKnow = 4;

    uint32_t reports_ = 0;
    double mean_ = 0, square_ = 0;
};

}  // namespace wimax::mac
