// SPDX-License-Identifier: GPL-3.0-or-later
// Classifies a driver's message when a device cannot be opened: temporary faults, and faults that the user has to fix.
#pragma once

#include <string>

namespace gr::wimax {

struct OpeningFault {
    bool again = true;   ///< worth a retry
    std::string advice;  ///< hint, or the command to type
};

/// Classifies the text of UHD's exception. Unknown texts are worth a retry.
OpeningFault opening_fault(const std::string& driver_text, const std::string& device_args);

}  // namespace gr::wimax
