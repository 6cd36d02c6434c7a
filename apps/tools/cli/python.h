// SPDX-License-Identifier: GPL-3.0-or-later
// The tools' other half: modules of the Python package wimax_tools, which measure, draw and write pages.
#pragma once

#include "common/faults.h"

#include <string>

namespace wimax::cli {

/// Runs a module with one argument and `input` on its standard input; its output is sent to standard error, since
/// standard output may be the result. A fault reports what was tried and which packages it needs.
Outcome run_python(const std::string& module, const std::string& argument, const std::string& input = {});

/// Whether a picture can be drawn there, .png or .svg: found before the work, so that a wrong path costs none. `option`
/// is the key of its faults.
Outcome check_picture(const std::string& path, const std::string& option);
/// The same for an archive, .tar.gz.
Outcome check_archive(const std::string& path, const std::string& option);

}  // namespace wimax::cli
