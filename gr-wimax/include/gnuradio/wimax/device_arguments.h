// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of UHD device arguments. UHD ignores unknown keys, so a misspelt key silently selects another device. Here
// an unknown key is an error.
#pragma once

#include <gnuradio/wimax/api.h>

#include <string>
#include <vector>

namespace gr::wimax {

/// Keys of `args` ("type=b200,serial=...") that no UHD device of the given type knows.
WIMAX_API std::vector<std::string> unknown_device_arguments(const std::string& args);

/// "b200" of "type=b200,serial=..."; empty: any device.
WIMAX_API std::string device_type(const std::string& args);

/// Throws std::runtime_error naming the unknown keys and those allowed.
WIMAX_API void check_device_arguments(const std::string& args);

/// Text for the user: whether UHD finds a device by `args`, without opening it, and what to type if not. The virtual
/// radio is not searched for.
WIMAX_API std::string look_for_device(const std::string& args);

}  // namespace gr::wimax
