// SPDX-License-Identifier: GPL-3.0-or-later
// One schema per program: it reads the YAML file and the command line, validates, prints the effective configuration
// and writes the commented reference file, so that none of these can disagree.
//
//     Config cfg;
//     config::Schema s("wimax-macd", "MAC of a base or subscriber station");
//     s.choice("role", cfg.role, {"bs", "ss"}, "which end of the air interface").required();
//     s.number("phy.bandwidth_hz", cfg.bandwidth_hz, {1.25e6, 28e6}, "Hz", "channel bandwidth");
//     s.list("stations", cfg.stations, [](config::Schema& item, StationConfig& st) {
//         item.text("mac", st.mac, "MAC address").required();
//     }, "provisioned stations");
//     s.check([&](auto& f) { if (...) f.add("phy.bandwidth_hz", "5000000", "3500000 with this frame"); });
//     if (auto done = config::configure(argc, argv, s, [&] { return derived_numbers(cfg); })) return *done;
//
// Dotted keys are nested YAML maps. The values of the targets at declaration are the defaults. Every fault is reported
// as "file:line: key: value X: allowed ...". Targets are only meaningful without faults.
#pragma once

#include "common/faults.h"
#include "common/rotating_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace wimax::config {

struct YamlNode;  // a parsed YAML value with its origin
struct Entry;     // one declared key

/// Closed interval; the limits of the target's own type apply as well.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

/// Argument of check functions: has the place of each key in file or command line.
class LocatedFaults {
public:
    /// `key` relative to the schema of the check; `value` as the user would write it; `allowed`: what would be right.
    void add(std::string_view key, std::string_view value, std::string_view allowed);
    /// Key relative to the schema; of a fault that has no file yet it is found by the key.
    void add(Fault fault);

    /// Whether the key was written, in file or command line. Also relative to the schema.
    bool given(std::string_view key) const;

private:
    friend class Schema;
    void locate(Fault& fault) const;

    Faults all_;
    std::string prefix_;
    std::string file_;
    std::map<std::string, std::pair<std::string, int>, std::less<>> origins_;  // full key -> file, line
};

/// Handle returned by each declaration.
class Key {
public:
    explicit Key(Entry& entry) : entry_(&entry) {}
    Key& required();
    /// Short command line option besides `--<key>`, for instance "--device".
    Key& option(std::string name);
    Key& unit(std::string name);

private:
    Entry* entry_;
};

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;

/// Whole text must be a number (decimal, 0x, 5e6 also for integers if exact) within `range` and T's limits.
template <Number T> bool parse_number(std::string_view text, Range range, T& value);
template <Number T> std::string print_number(T value);
std::string describe(Range range, double type_low, double type_high, bool integer);

class Schema {
public:
    explicit Schema(std::string program = "", std::string summary = "");
    ~Schema();
    Schema(Schema&&) noexcept;

    template <Number T> Key number(std::string key, T& target, Range range, std::string unit, std::string help) {
        return value(
            std::move(key), [&target, range](std::string_view text) { return parse_number(text, range, target); },
            [&target] { return print_number(target); }, allowed<T>(range), std::move(unit), std::move(help));
    }
    /// Absent or null: stays empty.
    template <Number T>
    Key number(std::string key, std::optional<T>& target, Range range, std::string unit, std::string help) {
        return value(
            std::move(key),
            [&target, range](std::string_view text) {
                if (text.empty() || text == "null") {
                    target.reset();
                    return true;
                }
                return parse_number(text, range, target.emplace());
            },
            [&target] { return target ? print_number(*target) : std::string("null"); }, allowed<T>(range) + " or null",
            std::move(unit), std::move(help));
    }
    Key text(std::string key, std::string& target, std::string help);
    Key flag(std::string key, bool& target, std::string help);
    Key choice(std::string key, std::string& target, std::vector<std::string> names, std::string help);
    /// Enumeration by name.
    template <typename E>
    Key choice(std::string key, E& target, std::vector<std::pair<std::string, E>> names, std::string help) {
        std::string all;
        for (const auto& name : names) all += (all.empty() ? "" : ", ") + name.first;
        return value(
            std::move(key),
            [&target, names](std::string_view text) {
                const auto named =
                    std::ranges::find(names, text, [](const auto& pair) { return std::string_view(pair.first); });
                if (named == names.end()) return false;
                target = named->second;
                return true;
            },
            [&target, names] {
                for (const auto& [name, v] : names)
                    if (v == target) return name;
                return std::string("?");
            },
            all, "", std::move(help));
    }
    /// Anything written as one scalar. `parse` gets the text and returns false if it is not allowed; `print` returns
    /// the YAML text (quoted with quote() where it is free text).
    Key value(std::string key, std::function<bool(std::string_view)> parse, std::function<std::string()> print,
              std::string allowed, std::string unit, std::string help);
    /// List of anything: `bind` declares the keys of one element. An element that is itself a scalar or a list is
    /// declared with the empty key "".
    template <typename T, typename Bind>
    Key list(std::string key, std::vector<T>& target, Bind bind, std::string help, size_t min_size = 0,
             size_t max_size = 10'000) {
        static_assert(!std::is_same_v<T, bool>);
        return add_list(
            std::move(key), [&target](size_t n) { target.assign(n, T{}); }, [&target] { return target.size(); },
            [&target, bind](Schema& item, size_t i) { bind(item, target[i]); },
            [bind](Schema& item) -> std::shared_ptr<void> {
                auto example = std::make_shared<T>();
                bind(item, *example);
                return example;
            },
            std::move(help), min_size, max_size);
    }
    /// List of exactly N scalars or structures.
    template <typename T, size_t N, typename Bind>
    Key list(std::string key, std::array<T, N>& target, Bind bind, std::string help) {
        return add_list(
            std::move(key), [](size_t) {}, [] { return N; },
            [&target, bind](Schema& item, size_t i) { bind(item, target[i]); },
            [](Schema&) -> std::shared_ptr<void> { return nullptr; }, std::move(help), N, N);
    }
    /// One word may replace a group's keys or a list's elements, which are declared as usual. `parse` takes the word or
    /// refuses it. `print` returns the current one, empty with keys or elements. `allowed`: the possible words.
    Key word(std::string key, std::function<bool(std::string_view)> parse, std::function<std::string()> print,
             std::string allowed);
    /// Comment above a group of keys ("phy") in the reference file.
    void group(std::string key, std::string help);
    /// Cross-field rule, run after all values are read; in a list element's schema, once per element.
    void check(std::function<void(LocatedFaults&)> rule);

    /// A renamed key: a file with `old` is refused, and the error names `now` and the line. In a list element's schema
    /// both are relative to the element.
    void renamed(std::string old, std::string now) { renamed_.emplace(std::move(old), std::move(now)); }

    /// Reads YAML text, then assignments "key=value" (the command line), into the targets.
    Faults load(std::string_view yaml, const std::string& file, const std::vector<std::string>& assignments = {});
    /// Effective configuration as YAML; with `comments`, the reference file.
    std::string print(bool comments = false) const;

    /// Option under which configure() takes the file, and its help text.
    void file_option(std::string names, std::string help) { file_option_ = {std::move(names), std::move(help)}; }
    const std::pair<std::string, std::string>& file_option() const { return file_option_; }

    /// Source of the values, to read it again.
    struct Source {
        std::string file;  ///< empty: none
        std::vector<std::string> assignments;
    };
    void remember(Source source) { source_ = std::move(source); }
    const Source& source() const { return source_; }
    /// Full dotted keys and values as in print(); a list is one value.
    std::map<std::string, std::string> values() const;

    const std::string& program() const { return program_; }
    const std::string& summary() const { return summary_; }
    /// Full dotted keys of all scalars outside lists, and of what may be one word, with their help text and short
    /// option.
    struct OptionInfo {
        std::string key, help, option;
    };
    std::vector<OptionInfo> options() const;
    /// Former names, for the command line to refuse as a file does.
    const std::map<std::string, std::string, std::less<>>& former_keys() const { return renamed_; }

private:
    template <Number T> static std::string allowed(Range range) {
        return describe(range, static_cast<double>(std::numeric_limits<T>::lowest()),
                        static_cast<double>(std::numeric_limits<T>::max()), std::is_integral_v<T>);
    }
    Key add_list(std::string key, std::function<void(size_t)> resize, std::function<size_t()> size,
                 std::function<void(Schema&, size_t)> bind, std::function<std::shared_ptr<void>(Schema&)> example,
                 std::string help, size_t min_size, size_t max_size);
    Entry& declare(const std::string& key);
    class Reader;
    class Printer;
    bool is_scalar() const;

    Source source_;
    std::string program_, summary_;
    std::pair<std::string, std::string> file_option_{"-c,--config", "YAML configuration file"};
    std::unique_ptr<Entry> root_;
    std::vector<std::function<void(LocatedFaults&)>> checks_;
    std::string prefix_;  ///< path of the list element of this schema
    std::map<std::string, std::string, std::less<>> renamed_;
};

/// YAML double-quoted form of free text.
std::string quote(std::string_view text);

/// Version of this build, as --version prints it.
const char* version();

/// Name and value of each number that follows from the configuration (shown by --dry-run).
using Derived = std::vector<std::pair<std::string, std::string>>;

/// Declares `prefix`max_bytes and `prefix`files of a file that a program writes.
void declare(Schema& schema, const std::string& prefix, RotationLimits& limits);
/// Reads a file and assignments as configure() does: the file that it read again (Schema::source()), or another
/// program's. A file that cannot be read is a fault of the key "--config".
Faults read(Schema& schema, const Schema::Source& source);

/// Handles --config FILE (or the schema's own file_option()), --set KEY=VALUE, --<key> VALUE, --dry-run,
/// --write-reference, --help and --version. nullopt: continue. Otherwise all output is done and the value is the exit
/// status (0, or 2 after faults).
std::optional<int> configure(int argc, char** argv, Schema& schema, const std::function<Derived()>& derived = {});

}  // namespace wimax::config
