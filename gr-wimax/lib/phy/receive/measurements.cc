// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/receive/measurements.h"
#include "phy/base/decibels.h"

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {
namespace {

/// Above these CINRs nearly all decisions are correct (error rate below 1e-2), so that errors against them are noise.
/// Below, only known symbols (pilots, preamble) give a measurement without bias.
constexpr double reliable_cinr_db(int bits_per_carrier) {
    switch (bits_per_carrier) {
        case 1: return 5;
        case 2: return 9;
        case 4: return 16.5;
        default: return 23;
    }
}

}  // namespace

void QualityMeter::reset(int bits_per_carrier) {
    *this = QualityMeter();
    bits_per_carrier_ = bits_per_carrier;
}

void QualityMeter::add_data(float reference, float error, float point_error, float point_reference, int carriers) {
    reference_ += reference;
    error_ += error;
    point_error_ += point_error;
    point_reference_ += point_reference;
    carriers_ += carriers;
}

void QualityMeter::add_pilots(float error, int count) {
    pilot_error_ += error;
    pilots_ += count;
}

void QualityMeter::report(float preamble_noise, int preamble_carriers, BurstMeasurement& out) const {
    if (carriers_ == 0) return;
    const double signal = reference_ / static_cast<double>(carriers_);
    const double known_noise = (preamble_noise * static_cast<double>(preamble_carriers) + pilot_error_) /
                               static_cast<double>(preamble_carriers + pilots_);
    const double decided_noise = error_ / static_cast<double>(carriers_);
    const double known_db = decibels(signal / std::max(known_noise, 1e-15));
    const bool reliable = known_db > reliable_cinr_db(bits_per_carrier_);
    out.cinr_db = static_cast<float>(reliable ? decibels(signal / std::max(decided_noise, 1e-15)) : known_db);
    out.rssi_dbfs = static_cast<float>(decibels(signal));
    out.evm_db = static_cast<float>(decibels(point_error_ / std::max(point_reference_, 1e-15)));
}

}  // namespace gr::wimax::phy
