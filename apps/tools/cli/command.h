// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the command-line tools: exit codes, complaints of one line, numbers that are checked, the file of
// the result.
#pragma once

#include "common/config.h"
#include "common/faults.h"
#include "common/output_stream.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <functional>
#include <string>

namespace wimax::cli {

inline constexpr int kDone = 0, kFailed = 1, kWrongInput = 2;
/// Ended by the user; what was done is kept.
inline constexpr int kInterrupted = 130;

/// Writes "program: line" to standard error and returns `code`.
int complain(const std::string& program, const std::string& line, int code);
inline int complain(const std::string& program, const Fault& fault, int code) {
    return complain(program, fault.str(), code);
}

/// The whole text of an option must be a number of type T in this range. Unlike CLI::Range it refuses nan, and a seed
/// of -1 or of thirty digits; whole numbers may be written as 5e6. For Option::transform().
template <config::Number T> CLI::Validator checked(config::Range range, const std::string& allowed) {
    return CLI::Validator(
        [range, allowed](std::string& text) {
            T value{};
            if (!config::parse_number(text, range, value)) return "'" + text + "'; allowed: " + allowed;
            text = config::print_number(value);
            return std::string();
        },
        allowed);
}
template <config::Number T> CLI::Validator within(T low, T high) {
    const config::Range range{static_cast<double>(low), static_cast<double>(high)};
    return checked<T>(range, config::describe(range, range.low, range.high, std::is_integral_v<T>));
}
inline CLI::Validator seed() { return checked<uint64_t>({}, "integers from 0, 64 bits"); }

/// A file, or standard output for "-". Opened before the work begins, so that a wrong path costs none. A file is there
/// when it is whole: until close() its place has what was there before.
class ResultFile {
public:
    ResultFile() = default;
    ~ResultFile();
    ResultFile(const ResultFile&) = delete;
    ResultFile& operator=(const ResultFile&) = delete;

    /// `option` is the key of its faults.
    Outcome open(const std::string& path, const std::string& option);
    Outcome add(const std::string& text);
    Outcome close();
    /// All at once.
    Outcome write(const std::string& text) {
        return add(text).and_then([this] { return close(); });
    }

private:
    tl::unexpected<Fault> failed(const std::string& reason = {}) const {
        return tl::unexpected(Fault{option_, "", "cannot be written" + (reason.empty() ? "" : ": " + reason), name_});
    }

    std::string name_, option_;
    std::string place_;  ///< name in its folder; "": written in place
    OutputStream file_;
    std::ofstream device_;
    bool standard_output_ = false;
};

/// To be called before options are added: one style of help for all tools (common/command_line.h). `examples`: a
/// command on each line, below the options.
void begin(CLI::App& app, const std::string& program, const std::string& examples);

/// The body of main(): parses, runs, turns every fault into one line on standard error and an exit code.
int run(CLI::App& app, const std::string& program, int argc, char** argv, const std::function<int()>& work);

}  // namespace wimax::cli
