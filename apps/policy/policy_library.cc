// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/policy_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace wimax::policy {
namespace {

namespace fs = std::filesystem;

/// Set by wimax repeat: the configuration may be another user's, and a policy is a program.
constexpr const char* kNoPolicies = "WIMAX_NO_POLICIES";

/// Reason of the last failure of dlopen() or dlsym().
std::string loader_text() {
    const char* text = dlerror();
    return text != nullptr ? text : "";
}

/// Path to dlopen(): without a slash it would look in the system's folders only.
std::string with_folder(const std::string& path) { return path.find('/') == std::string::npos ? "./" + path : path; }

tl::expected<const wimax_policy_api*, Fault> entry_of(void* library, const char* key, const std::string& path) {
    using Entry = const wimax_policy_api* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(library, "wimax_policy"));
    if (entry == nullptr)
        return tl::unexpected(Fault{key, path, "a library with the function wimax_policy() of wimax_policy.h"});
    const wimax_policy_api* api = entry();
    if (api == nullptr || api->version != WIMAX_POLICY_VERSION)
        return tl::unexpected(
            Fault{key, path,
                  "a library compiled with version " + std::to_string(WIMAX_POLICY_VERSION) + " of wimax_policy.h"});
    return api;
}

tl::expected<PolicyLibrary, Fault> open_shared(const std::string& path) {
    std::error_code unknown;
    if (!fs::exists(path, unknown)) return tl::unexpected(Fault{"library", path, "a file that exists"});
    void* library = dlopen(with_folder(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return tl::unexpected(Fault{"library", path, "a shared library: " + loader_text()});
    return entry_of(library, "library", path).map([](const wimax_policy_api* api) { return PolicyLibrary{api, {}}; });
}

/// Folder of the file that has this function: a program, or a library with the MAC in it.
fs::path own_folder() {
    Dl_info info{};
    static const char kHere = 0;
    if (dladdr(&kHere, &info) == 0 || info.dli_fname == nullptr) return {};
    std::error_code missing;
    fs::path file(info.dli_fname);  // of a program: as it was called
    if (file.has_parent_path()) file = fs::canonical(file, missing);
    if (missing || !file.has_parent_path()) file = fs::read_symlink("/proc/self/exe", missing);
    return file.parent_path();
}

/// The host of Python policies: where the programs have it, next to the extension module of the wheel, or as installed.
fs::path host_file() {
    const fs::path places[] = {own_folder() / WIMAX_POLICY_HOST, own_folder() / fs::path(WIMAX_POLICY_HOST).filename(),
                               WIMAX_POLICY_HOST_INSTALLED};
    for (const auto& place : places) {
        std::error_code missing;
        if (fs::exists(place, missing)) return place;
    }
    return places[0];
}

/// Python's symbols, unless the process has them: those of extension modules are bound to them, too.
Outcome load_interpreter() {
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr) return {};
    if (dlopen(WIMAX_PYTHON_LIBRARY, RTLD_LAZY | RTLD_GLOBAL) != nullptr) return {};
    return failure("python", "needs the package that has " WIMAX_PYTHON_LIBRARY ": " + loader_text());
}

tl::expected<PolicyLibrary, Fault> open_python(const std::string& argument) {
    const size_t colon = argument.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == argument.size())
        return tl::unexpected(Fault{"python", argument, "FILE:CLASS, for instance my_rules.py:MaxWeight"});
    std::error_code unknown;
    if (!fs::is_regular_file(argument.substr(0, colon), unknown))
        return tl::unexpected(Fault{"python", argument, "FILE:CLASS, with a file that exists"});
    if (const auto loaded = load_interpreter(); !loaded) return tl::unexpected(loaded.error());
    const std::string host = host_file();
    void* library = dlopen(host.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return tl::unexpected(
            Fault{"python",
                  {},
                  "this build has no host for Python policies; ./wimax build installs python3-dev and makes it: " +
                      loader_text()});
    return entry_of(library, "python", host).map([&](const wimax_policy_api* api) {
        return PolicyLibrary{api, argument};
    });
}

}  // namespace

tl::expected<PolicyLibrary, Fault> open_library(const mac::PolicyFile& file) {
    if (std::getenv(kNoPolicies) != nullptr)
        return tl::unexpected(Fault{file.python.empty() ? "library" : "python",
                                    file.python.empty() ? file.library : file.python,
                                    "none: wimax repeat loads no policy of a file"});
    if (!file.python.empty() && !file.library.empty())
        return tl::unexpected(Fault{"library", file.library, "empty, with python"});
    return file.python.empty() ? open_shared(file.library) : open_python(file.python);
}

}  // namespace wimax::policy
