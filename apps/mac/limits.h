// SPDX-License-Identifier: GPL-3.0-or-later
// Descriptions of configurations: functions visit(visitor, structure) that have key, allowed range, unit and meaning of
// each field once.
//
//   v(key, number or optional number, limits, unit, meaning)
//   v(key, switch, meaning)
//   v.each(key, array, limits, unit, meaning)
//   v.group(key, meaning, structure)
#pragma once

#include <gnuradio/wimax/phy/base/description.h>

#include <limits>

namespace wimax::mac {

using gr::wimax::phy::Is;

/// Inclusive limits; values that the member's type cannot hold are not allowed either.
struct Limits {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

}  // namespace wimax::mac
