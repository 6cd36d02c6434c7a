// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>

#include <stdexcept>

namespace gr::wimax {

/// The edge to GNU Radio: a block that cannot be made throws, and Python shows it as ValueError.
[[noreturn]] inline void refuse(const phy::Fault& fault) { throw std::invalid_argument(fault.str()); }

}  // namespace gr::wimax
