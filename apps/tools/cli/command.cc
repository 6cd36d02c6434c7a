/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/cli/command.h"

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
    standard_output_ = path == "-";
    name_ = standard_output_ ? "standard output" : path;
    option_ = option;
    if (!standard_output_) file_.open(path);
    return standard_output_ || file_ ? Outcome() : failed();
}

Outcome ResultFile::write(const std::string& text) {
    std::ostream& out = standard_output_ ? std::cout : file_;
    out << text << std::flush;
    return out ? Outcome() : failed();
}

int run(CLI::App& app, const std::string& program, int argc, char** argv, const std::function<int()>& work) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // help
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
