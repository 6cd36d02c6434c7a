/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a driver says when a device cannot be opened, told apart: what may be otherwise in a second, and what needs
 * somebody to type something.
 */
#pragma once

#include <string>

namespace gr::wimax {

struct OpeningFault {
    bool again = true;   ///< worth another try by itself
    std::string advice;  ///< what to look at, or the line to type
};

/// Of the text of UHD's exception. What is not known is worth another try.
OpeningFault opening_fault(const std::string& driver_text, const std::string& device_args);

}  // namespace gr::wimax
