// SPDX-License-Identifier: GPL-3.0-or-later
// A policy's file: a shared library, or a Python file, which the library of the Python host runs. That library is
// loaded only for Python policies, so that programs do not depend on Python.
#pragma once

#include "common/faults.h"
#include "mac/station_config.h"
#include "policy/wimax_policy.h"

#include <string>

namespace wimax::policy {

/// Valid until the program ends: libraries are never unloaded.
struct PolicyLibrary {
    const wimax_policy_api* api = nullptr;
    std::string argument;  ///< argument of api->make()
};

/// Keys of faults are those of the file: "python" or "library".
tl::expected<PolicyLibrary, Fault> open_library(const mac::PolicyFile& file);

}  // namespace wimax::policy
