// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/cli/python.h"

#include <boost/process.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>

namespace wimax::cli {
namespace {

namespace fs = std::filesystem;
namespace process = boost::process;

/// The interpreter that GNU Radio was built for; another one may come first on PATH.
constexpr const char* kPython = WIMAX_PYTHON;

/// Folder of wimax_tools: next to an installed program, else in the source tree.
std::string package_folder() {
    std::error_code ignored;
    const fs::path installed =
        fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / WIMAX_PYTHON_INSTALLED;
    return fs::exists(installed, ignored) ? installed : fs::path(WIMAX_PYTHON_SOURCE);
}

Outcome check_folder(const std::string& path, const std::string& option) {
    const fs::path file(path), folder = file.has_parent_path() ? file.parent_path() : ".";
    if (access(folder.c_str(), W_OK) != 0) return failure(option, path + " cannot be written");
    return {};
}

}  // namespace

Outcome run_python(const std::string& module, const std::string& argument, const std::string& input) {
    process::environment environment = boost::this_process::environment();
    const auto known = environment.find("PYTHONPATH");
    environment["PYTHONPATH"] = package_folder() + (known == environment.end() ? "" : ":" + known->to_string());
    std::signal(SIGPIPE, SIG_IGN);  // a module that failed does not read
    std::error_code fault;
    process::opstream to_module;
    process::child child(kPython, process::args({"-B", "-m", module, argument}), process::std_out > stderr,
                         process::std_in < to_module, environment, fault);
    if (!fault) {
        to_module << input << std::flush;
        to_module.pipe().close();
        child.wait(fault);
    }
    if (!fault && child.exit_code() == 0) return {};
    return failure(std::string(kPython) + " -m " + module,
                   "failed; it needs python3-numpy, python3-matplotlib and python3-jinja2");
}

Outcome check_picture(const std::string& path, const std::string& option) {
    const std::string ending = fs::path(path).extension();
    if (ending != ".png" && ending != ".svg") return tl::unexpected(Fault{option, path, ".png or .svg"});
    return check_folder(path, option);
}

Outcome check_archive(const std::string& path, const std::string& option) {
    if (!path.ends_with(".tar.gz")) return tl::unexpected(Fault{option, path, ".tar.gz"});
    return check_folder(path, option);
}

}  // namespace wimax::cli
