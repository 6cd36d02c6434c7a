// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/base/channel_quality.h>

#include "phy/base/decibels.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {
namespace {

uint8_t code(float value, float first, int last_code) {
    const float steps = std::round(value - first);
    return static_cast<uint8_t>(steps > 0 ? std::min(steps, static_cast<float>(last_code)) : 0.0F);
}

}  // namespace

void RunningPower::set_averaging(float alpha) {
    alpha_ = alpha > 0 && alpha <= 1 ? alpha : kDefaultAveraging;
    settled_ = false;
}

void RunningPower::average(float db) {
    if (!std::isfinite(db)) return;
    if (db != last_db_) {
        constexpr double kPowersOfTwoInDb = 0.1 * 3.321928094887362;
        last_db_ = db;
        last_ = std::exp2(kPowersOfTwoInDb * static_cast<double>(db));  // much faster than std::pow
    }
    const double x = last_;
    const double share = measured_ ? alpha_ : 1.0;
    const double mean = (1 - share) * mean_ + share * x;
    const double square = (1 - share) * square_ + share * x * x;
    settled_ = measured_ && mean == mean_ && square == square_;
    mean_ = mean;
    square_ = square;
    measured_ = true;
}

float RunningPower::mean_db() const { return static_cast<float>(decibels(measured_ ? mean_ : 0.0)); }

float RunningPower::deviation_db() const {
    const double variance = measured_ ? std::abs(square_ - mean_ * mean_) : 0.0;
    return static_cast<float>(5 * std::log10(std::max(variance, kNoPower * kNoPower)));
}

uint8_t rssi_mean_code(float dbm) { return code(dbm, -123.0F, 0x53); }
uint8_t cinr_mean_code(float db) { return code(db, -10.0F, 0x3F); }
uint8_t deviation_code(float db) { return code(db, 0.0F, 0xFF); }

}  // namespace gr::wimax::phy
