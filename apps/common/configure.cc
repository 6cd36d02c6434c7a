// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/command_line.h"
#include "common/config.h"
#include "common/exit_status.h"
#include "common/safe_files.h"
#include "common/yaml_tree.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

namespace wimax::config {
namespace {

constexpr int kFaulty = static_cast<int>(ExitStatus::configuration_refused);

const std::string kReadable = "a readable YAML file; this one: ";

void say(std::FILE* to, const std::string& text) {
    std::fputs(text.c_str(), to);
    std::fflush(to);
}

std::string reference(const Schema& schema) {
    return "---\n# SPDX-License-Identifier: GPL-3.0-or-later\n# " + schema.program() + ": " + schema.summary() +
           ".\n# Every key with its default; written by " + schema.program() + " --write-reference.\n" +
           schema.print(true) + "...\n";
}

std::string effective(const Schema& schema, const std::function<Derived()>& derived) {
    std::string out = "# effective configuration of " + schema.program() + "\n" + schema.print();
    if (!derived) return out;
    out += "# derived\n";
    for (const auto& [name, value] : derived()) out += "#   " + name + ": " + value + "\n";
    return out;
}

/// Contents of the configuration file.
tl::expected<std::string, Fault> contents(const std::string& file) {
    if (file.empty()) return std::string();
    return read_regular(file, kMostConfigurationBytes);
}

const std::string& name_of(const Schema::Source& source) {
    static const std::string kCommandLine = "command line";
    return source.file.empty() ? kCommandLine : source.file;
}

/// A file without keys, or a truncated one: a file that begins as a YAML document (---) has to end as one (...).
std::optional<Fault> incomplete(const std::string& yaml, const std::string& file) {
    std::istringstream lines(yaml);
    std::string line, first, last;
    bool empty = true;
    while (std::getline(lines, line)) {
        line.erase(line.find_last_not_of(" \t\r") + 1);
        if (line.find_first_not_of(" \t") == std::string::npos || line[line.find_first_not_of(" \t")] == '#') continue;
        empty = empty && (line == "---" || line == "...");
        if (first.empty()) first = line;
        last = line;
    }
    if (empty) return Fault{"", "(nothing)", "a file with at least one key; was it cut?", file, 0};
    if (first == "---" && last != "...")
        return Fault{"", shorten(last),
                     "a last line of three dots (...) after a first one of three dashes; was it cut?", file, 0};
    return std::nullopt;
}

/// A key of no group has hyphens on the command line; the others are written as in the file.
std::string option_of(const std::string& key) {
    std::string name = "--" + key;
    if (key.find('.') == std::string::npos) std::ranges::replace(name, '_', '-');
    return name;
}

std::string group_of(const std::string& key) {
    const size_t end = key.find('.');
    return "keys of the configuration file" + (end == std::string::npos ? "" : ": " + key.substr(0, end));
}

std::string examples(const std::string& command, const std::string& file_names) {
    const std::string with_file = "  " + command + " " + file_names.substr(file_names.find("--"));
    return "examples:\n" + with_file + " FILE\n" + with_file + " FILE --set KEY=VALUE --dry-run\n  " + command +
           " --write-reference > FILE";
}

/// Program of a file, by its name as `wimax up` expects it: NAME.macd.yml, NAME.phyd.yml, channeld.yml.
std::string program_of(const std::string& file) {
    const std::string stem = std::filesystem::path(file).stem();
    const std::string kind = stem.substr(stem.rfind('.') + 1);
    return kind == "macd" || kind == "phyd" || kind == "channeld" ? "wimax-" + kind : "";
}

Faults load_whole(Schema& schema, const std::string& yaml) {
    const auto& source = schema.source();
    if (const auto fault = source.file.empty() ? std::nullopt : incomplete(yaml, source.file)) return *fault;
    return schema.load(yaml, name_of(source), source.assignments);
}

}  // namespace

void declare(Schema& schema, const std::string& prefix, RotationLimits& limits) {
    schema.number(prefix + "max_bytes", limits.max_bytes, {0, 1e15}, "B",
                  "size at which FILE becomes FILE.1 and a new one begins; 0: never. Lower it for a small disk");
    schema.number(prefix + "files", limits.files, {1, 1000}, "",
                  "files that are kept, the present one included; raise it to look further back");
}

Faults read(Schema& schema, const Schema::Source& source) {
    const auto yaml = contents(source.file);
    if (!yaml) return Fault{"--config", source.file, kReadable + yaml.error().allowed};
    schema.remember(source);
    return load_whole(schema, *yaml);
}

const char* version() { return WIMAX_VERSION; }

std::optional<int> configure(int argc, char** argv, Schema& schema, const std::function<Derived()>& derived) {
    CLI::App app(schema.summary());
    command_line::style(app, schema.program());
    app.footer(examples(app.get_name(), schema.file_option().first));
    app.set_version_flag("--version", schema.program() + " " + version());
    std::string file;
    std::vector<std::string> assignments;
    bool dry_run = false, write_reference = false;
    const auto& [file_names, file_help] = schema.file_option();
    const std::string option = file_names.substr(file_names.find("--"));
    app.add_option(option.substr(2) + "," + file_names, file, file_help)->type_name("FILE");
    app.add_option("--set", assignments,
                   "set one key of the configuration file, for instance --set log.level=debug; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    app.add_flag("--dry-run", dry_run, "check the configuration, print it with the values derived from it, and end");
    app.add_flag("--write-reference", write_reference,
                 "print a commented configuration file with every key and its default, and end");

    // Every key is an option too; its value counts as --set, in the order of the command line.
    for (const auto& info : schema.options()) {
        std::string names = option_of(info.key);
        if (!info.option.empty()) names += "," + info.option;
        app.add_option_function<std::string>(
               names, [&assignments, key = info.key](const std::string& v) { assignments.push_back(key + "=" + v); },
               info.help)
            ->type_name("VALUE")
            ->group(group_of(info.key));
    }
    for (const auto& former : schema.former_keys()) {
        if (app.get_option_no_throw(option_of(former.first)) != nullptr) continue;
        app.add_option_function<std::string>(
               option_of(former.first),
               [&assignments, key = former.first](const std::string& v) { assignments.push_back(key + "=" + v); })
            ->group("");
    }
    const auto parsed = command_line::parse(app, argc, argv);
    if (!parsed) {
        say(stderr, schema.program() + ": " + parsed.error().str() + "\n");
        return kFaulty;
    }
    if (!*parsed) return 0;
    if (write_reference) {
        say(stdout, reference(schema));
        return 0;
    }

    const auto yaml = contents(file);
    if (!yaml) {
        say(stderr, schema.program() + ": " + option + " " + file + ": cannot be read, allowed: " + kReadable +
                        yaml.error().allowed + "\n");
        return kFaulty;
    }
    schema.remember({file, assignments});
    const auto faults = load_whole(schema, *yaml);
    if (!faults.empty()) {
        const std::string other = program_of(file);
        if (!other.empty() && other != schema.program())
            say(stderr,
                file + ": this file is for " + other + " by its name; this program is " + schema.program() + "\n");
        for (const auto& line : faults.lines()) say(stderr, line + "\n");
        return kFaulty;
    }
    if (dry_run) {
        say(stdout, effective(schema, derived));
        return 0;
    }
    return std::nullopt;
}

}  // namespace wimax::config
