/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/cli/command.h"
#include "tools/cli/provenance.h"

#include <filesystem>
#include <iostream>

namespace wimax::cli {
namespace {

constexpr mode_t kEverybodyReads = 0644;  // a result is no capture; the umask decides

std::string missing_subcommand(const CLI::App& app, int argc, char** argv) {
    std::string text = argc > 1 ? "'" + std::string(argv[1]) + "' is no subcommand" : "subcommand missing";
    text += "; allowed:";
    for (const auto* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
        text += " " + subcommand->get_name();
    return text;
}

}  // namespace

int complain(const std::string& program, const std::string& line, int code) {
    std::cerr << program << ": " << line << "\n";
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

int run(CLI::App& app, const std::string& program, int argc, char** argv, const std::function<int()>& work) {
    remember_command(argc, argv);
    app.set_version_flag("--version", program + " " + version());
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // help, version
        const bool lost = app.get_require_subcommand_min() > 0 && app.get_subcommands().empty();
        return complain(program, lost ? missing_subcommand(app, argc, argv) : error.what(), kWrongInput);
    }
    try {
        return work();
    } catch (const std::exception& error) {
        return complain(program, error.what(), kFailed);
    }
}

}  // namespace wimax::cli
