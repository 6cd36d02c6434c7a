// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/cli/command.h"
#include "common/command_line.h"
#include "common/suggestion.h"
#include "tools/cli/provenance.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <vector>

namespace wimax::cli {
namespace {

constexpr mode_t kEverybodyReads = 0644;  // a result is no capture; the umask decides

/// In place of the parser's fault, where no subcommand was named.
std::string missing_subcommand(const CLI::App& app, int argc, char** argv) {
    std::vector<std::string> names;
    for (const auto* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(subcommand->get_name());
    const std::string first = argc > 1 ? argv[1] : "";
    const auto near = nearest(first, names);
    std::string text = first.empty() ? "a subcommand is missing" : "'" + first + "' is no subcommand";
    text += (near.empty() ? "" : " (did you mean " + near + "?)") + std::string("; allowed:");
    for (const auto& name : names) text += " " + name;
    return text;
}

}  // namespace

int complain(const std::string& program, const std::string& line, int code) {
    const bool colours = code != 0 && command_line::shows_colours(STDERR_FILENO);
    std::cerr << (colours ? "\033[1;31m" : "") << program << ":" << (colours ? "\033[0m " : " ") << line << "\n";
    return code;
}

Outcome ResultFile::open(const std::string& path, const std::string& option) {
    namespace fs = std::filesystem;
    standard_output_ = path == "-";
    name_ = standard_output_ ? "standard output" : path;
    option_ = option;
    if (standard_output_) return {};
    std::error_code none;
    if (fs::exists(path, none) && !fs::is_regular_file(path, none)) {
        device_.open(path, std::ios::binary);
        return device_ ? Outcome() : failed();
    }
    const auto place = follow_trusted_links(path);
    if (!place) return failed(place.error().allowed);
    // A file that may not be written, or another user's, is not replaced either.
    if (fs::exists(*place, none))
        if (const auto now = OutputFile::open(*place, OutputFile::Existing::append, kEverybodyReads); !now)
            return failed(now.error().allowed);
    if (const auto opened = file_.open(*place + ".part", kEverybodyReads); !opened)
        return failed(opened.error().allowed);
    place_ = fs::path(*place).filename().string();
    return {};
}

Outcome ResultFile::add(const std::string& text) {
    std::ostream& out = standard_output_ ? std::cout : device_.is_open() ? static_cast<std::ostream&>(device_) : file_;
    out << text << std::flush;
    return out ? Outcome() : failed();
}

Outcome ResultFile::close() {
    if (standard_output_) return {};
    if (device_.is_open()) {
        device_.close();
        return device_ ? Outcome() : failed();
    }
    if (!file_.close()) return failed();
    if (const auto renamed = file_.file().rename(place_); !renamed) return failed(renamed.error().allowed);
    place_.clear();
    return {};
}

ResultFile::~ResultFile() {
    if (!place_.empty()) file_.file().remove();
}

void begin(CLI::App& app, const std::string& program, const std::string& examples) {
    command_line::style(app, program);
    app.footer("examples:\n" + examples);
}

int run(CLI::App& app, const std::string& program, int argc, char** argv, const std::function<int()>& work) {
    remember_command(argc, argv);
    app.set_version_flag("--version", program + " " + version());
    const auto parsed = command_line::parse(app, argc, argv);
    if (!parsed) {
        const bool lost = app.get_require_subcommand_min() > 0 && app.get_subcommands().empty();
        return complain(program, lost ? missing_subcommand(app, argc, argv) : parsed.error().str(), kWrongInput);
    }
    if (!*parsed) return kDone;
    try {
        return work();
    } catch (const std::exception& error) {
        return complain(program, error.what(), kFailed);
    }
}

}  // namespace wimax::cli
