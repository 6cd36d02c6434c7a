// SPDX-License-Identifier: GPL-3.0-or-later
// Origin of a result: program, version and commit of its tree, command line, configuration files, seed, machine, date.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace wimax::cli {

/// Commit of the source tree; the build writes it.
const char* commit();
/// "0.1.0 (819ad21)", with a + after the commit where files differ from it.
std::string version();
/// "host, processor, 4 cores".
std::string machine();
/// ISO 8601 with the time zone UTC.
std::string utc_text(std::time_t time);
std::string now_utc();
/// When the file was written; "" if that is unknown.
std::string file_time_utc(const std::string& path);
/// For the key "provenance" of a result. The command is the one that run() was called with. Texts are UTF-8: octets
/// that are none are replaced.
nlohmann::ordered_json provenance(const std::string& program, std::optional<uint64_t> seed = std::nullopt);

/// Kept for provenance(); run() does it.
void remember_command(int argc, char** argv);
/// Records the text of a configuration file for provenance(), so that `wimax repeat` and archives need no other file.
/// `path` is as on the command line. Names that are no regular file, or larger than a configuration, are ignored.
void remember_configuration(const std::string& path);

}  // namespace wimax::cli
