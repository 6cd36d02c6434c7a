// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/command_line.h"
#include "common/suggestion.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <string_view>
#include <vector>

namespace wimax::command_line {
namespace {

constexpr std::string_view kPrefix = "--";

/// Long options of the program and, where `all`, of each subcommand, else of those on the command line.
std::vector<std::string> options_of(CLI::App& app, bool all) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options())
        for (const auto& name : option->get_lnames()) names.push_back(std::string(kPrefix) + name);
    const auto subcommands = all ? app.get_subcommands([](const CLI::App*) { return true; }) : app.get_subcommands();
    for (auto* subcommand : subcommands) std::ranges::copy(options_of(*subcommand, all), std::back_inserter(names));
    return names;
}

std::string hyphenated(std::string name) {
    std::ranges::replace(name, '_', '-');
    return name;
}

/// The word as the program spells it.
std::string known_spelling(const std::string& word, const std::vector<std::string>& known) {
    if (!word.starts_with(kPrefix)) return word;
    const size_t end = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, end);
    if (std::ranges::find(known, name) != known.end()) return word;
    const auto same = std::ranges::find(known, hyphenated(name), hyphenated);
    return same == known.end() ? word : *same + word.substr(end);
}

/// Also of subcommands, which CLI11 gives another heading.
void put_help_among_options(CLI::App& app) {
    if (auto* help = app.get_help_ptr()) help->group("options");
    for (auto* subcommand : app.get_subcommands([](const CLI::App*) { return true; }))
        put_help_among_options(*subcommand);
}

/// In the order that CLI11 takes: the last word first.
std::vector<std::string> words_of(CLI::App& app, int argc, char** argv) {
    const auto known = options_of(app, true);
    std::vector<std::string> words;
    bool options = true;
    for (int i = 1; i < argc; ++i) {
        options = options && std::string_view(argv[i]) != kPrefix;
        words.push_back(options ? known_spelling(argv[i], known) : argv[i]);
    }
    std::ranges::reverse(words);
    return words;
}

std::string explained(CLI::App& app, const CLI::ParseError& error) {
    const std::string help = app.get_name() + " --help";
    const auto left = app.remaining(true);
    const auto option = std::ranges::find_if(left, [](const auto& word) { return word.size() > 1 && word[0] == '-'; });
    if (option != left.end()) {
        const std::string name = option->substr(0, option->find('='));
        const auto hint = did_you_mean(name, options_of(app, false));
        return "unknown option " + name + (hint.empty() ? "; see " : hint + " See ") + help;
    }
    if (!left.empty() && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        return "'" + left.front() + "' is not expected here; see " + help;
    return error.what() + (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ? "; see " + help : "");
}

}  // namespace

std::string command_of(const std::string& program) {
    std::string name = program;
    if (const size_t hyphen = name.find('-'); hyphen != std::string::npos) name[hyphen] = ' ';
    return name;
}

void style(CLI::App& app, const std::string& program) {
    app.name(command_of(program));
    app.get_formatter()->label("Usage", "usage");
    app.get_formatter()->label("OPTIONS", "options");
    app.option_defaults()->group("options");
}

tl::expected<bool, Fault> parse(CLI::App& app, int argc, char** argv) {
    put_help_among_options(app);
    try {
        app.parse(words_of(app, argc, argv));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) return failure("", explained(app, error));
        app.exit(error);
        return false;
    }
    return true;
}

bool shows_colours(int descriptor) {
    const char *no = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
    const bool able = terminal != nullptr && std::string_view(terminal) != "dumb";
    return able && (no == nullptr || *no == '\0') && ::isatty(descriptor) != 0;
}

}  // namespace wimax::command_line
