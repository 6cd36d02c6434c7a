// SPDX-License-Identifier: GPL-3.0-or-later
// Reports an impossible setting of a device as an exception, because RadioFrontend::open() reports faults like that.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace gr::wimax {

[[noreturn]] inline void refuse(const std::string& what) { throw std::runtime_error(what); }

inline std::string number_text(double v) {
    std::ostringstream o;
    o.precision(12);
    o << v;
    return o.str();
}

}  // namespace gr::wimax
