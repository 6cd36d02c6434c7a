// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/calibration.h>

#include <algorithm>
#include <map>

namespace gr::wimax {
namespace {

using Curve = std::map<double, double>;  // full scale by gain
using Place = CalibrationPlace;

bool of_place(const CalibrationPoint& p, const Place& at) {
    return p.transmit == at.transmit && (p.serial.empty() || p.serial == at.serial) &&
           (p.antenna.empty() || p.antenna == at.antenna);
}

double between(double x, double x0, double y0, double x1, double y1) { return y0 + (y1 - y0) * (x - x0) / (x1 - x0); }

double at_gain(const Curve& curve, const Place& at) {
    const double slope = at.transmit ? 1 : -1;
    const auto above = curve.lower_bound(at.gain_db);
    if (above == curve.end()) return curve.rbegin()->second + slope * (at.gain_db - curve.rbegin()->first);
    if (above == curve.begin()) return above->second + slope * (at.gain_db - above->first);
    const auto below = std::prev(above);
    return between(at.gain_db, below->first, below->second, above->first, above->second);
}

}  // namespace

std::optional<double> full_scale_dbm(std::span<const CalibrationPoint> points, const Place& at) {
    std::map<double, Curve> curves;       // by frequency
    for (const bool own : {false, true})  // values measured on this radio replace those for any radio
        for (const auto& p : points)
            if (of_place(p, at) && p.serial.empty() != own) curves[p.frequency_hz][p.gain_db] = p.full_scale_dbm;
    if (curves.empty()) return std::nullopt;
    const auto above = curves.lower_bound(at.frequency_hz);
    if (above == curves.end()) return at_gain(curves.rbegin()->second, at);
    if (above == curves.begin()) return at_gain(above->second, at);
    const auto below = std::prev(above);
    return between(at.frequency_hz, below->first, at_gain(below->second, at), above->first, at_gain(above->second, at));
}

}  // namespace gr::wimax
