// SPDX-License-Identifier: GPL-3.0-or-later
// For tests: paths of files and sockets that no other run of the same test uses, of this or another user.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace wimax {

/// A folder of this process below TMPDIR, or below /tmp if the address of a UNIX socket (107 characters) would be too
/// long. Removed at a regular end of the process.
class Scratch {
public:
    static std::string path(const std::string& name) {
        static const Scratch folder;
        return (folder.path_ / name).string();
    }

private:
    Scratch() {
        constexpr size_t kMaxFolder = 80;
        std::error_code missing;
        std::string name = (std::filesystem::temp_directory_path(missing) / "wimax-test-XXXXXX").string();
        if (missing || name.size() > kMaxFolder) name = "/tmp/wimax-test-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path path_;
};

}  // namespace wimax
