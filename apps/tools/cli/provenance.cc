// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/cli/provenance.h"
#include "common/safe_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

namespace wimax::cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string>& command_line() {
    static std::vector<std::string> words;
    return words;
}

/// Texts of files, by path.
Json& configuration() {
    static Json files = Json::object();
    return files;
}

Json with_valid_texts(const Json& json) {
    return Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The word as a shell reads it.
std::string shell_word(const std::string& word) {
    constexpr const char* kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:=@%+";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
    return "unknown processor";
}

}  // namespace

std::string version() { return std::string(WIMAX_VERSION " (") + commit() + ")"; }

std::string machine() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return std::string(host.data()) + ", " + processor() + ", " + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) +
           " cores";
}

std::string utc_text(std::time_t time) {
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::string now_utc() { return utc_text(std::time(nullptr)); }

std::string file_time_utc(const std::string& path) {
    struct stat file {};
    return ::stat(path.c_str(), &file) == 0 ? utc_text(file.st_mtime) : "";
}

void remember_command(int argc, char** argv) { command_line().assign(argv, argv + argc); }

void remember_configuration(const std::string& path) {
    if (const auto text = read_regular(path, kMostConfigurationBytes)) configuration()[path] = *text;
}

nlohmann::ordered_json provenance(const std::string& program, std::optional<uint64_t> seed) {
    std::string command = program;
    for (size_t i = 1; i < command_line().size(); ++i) command += " " + shell_word(command_line()[i]);
    Json json{{"program", program}, {"version", WIMAX_VERSION}, {"commit", commit()},
              {"command", command}, {"machine", machine()},     {"date", now_utc()}};
    if (seed) json["seed"] = *seed;
    if (!configuration().empty()) json["configuration"] = configuration();
    return with_valid_texts(json);
}

}  // namespace wimax::cli
