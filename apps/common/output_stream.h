// SPDX-License-Identifier: GPL-3.0-or-later
// A stream into a checked file, for programs that write results: std::ofstream with the rules of common/safe_files.h.
#pragma once

#include "common/safe_files.h"

#include <array>
#include <ostream>
#include <streambuf>
#include <string>

namespace wimax {

class OutputStream : public std::ostream {
public:
    OutputStream() : std::ostream(nullptr) { rdbuf(&buffer_); }

    /// Truncates the file. The stream fails until then, and after a fault.
    Outcome open(const std::string& path, mode_t mode = OutputFile::kGroupReads);
    bool is_open() const { return buffer_.file.fd() >= 0; }
    /// False: an earlier write could not be stored.
    bool close();
    OutputFile& file() { return buffer_.file; }

private:
    struct Buffer : std::streambuf {
        Buffer() { setp(octets.data(), octets.data() + octets.size()); }
        ~Buffer() override { sync(); }
        int sync() override;
        int_type overflow(int_type next) override;

        OutputFile file;
        std::array<char, 16384> octets;
    };
    Buffer buffer_;
};

}  // namespace wimax
