/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/cli/command.h"
#include "tools/cli/provenance.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

namespace wimax::cli {
namespace {

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
    const bool link = fs::is_symlink(path, none), there = fs::exists(path, none);
    const bool device = there ? !fs::is_regular_file(path, none) : link;  // a link to nothing makes what it names
    place_ = link && there ? fs::canonical(path, none).string() : path;
    // A file that may not be written is not replaced either.
    if (fs::exists(place_, none) && ::access(place_.c_str(), W_OK) != 0) return failed();
    if (!device) fresh_ = place_ + ".part";
    file_.open(device ? place_ : fresh_, std::ios::binary);
    return file_ ? Outcome() : failed();
}

Outcome ResultFile::add(const std::string& text) {
    std::ostream& out = standard_output_ ? std::cout : file_;
    out << text << std::flush;
    return out ? Outcome() : failed();
}

Outcome ResultFile::close() {
    if (standard_output_) return {};
    file_.close();
    std::error_code error;
    if (file_ && !fresh_.empty()) std::filesystem::rename(fresh_, place_, error);
    if (!file_ || error) return failed();
    fresh_.clear();
    return {};
}

ResultFile::~ResultFile() {
    std::error_code ignored;
    if (!fresh_.empty() && file_.is_open()) std::filesystem::remove(fresh_, ignored);
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
