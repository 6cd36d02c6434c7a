// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/archive_files.h"
#include "tools/cli/python.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace wimax::sim {
namespace {

namespace fs = std::filesystem;
constexpr const char *kFlows = "flows.csv", *kPdus = "captures/cell.pcap", *kPictures = "pictures";

}  // namespace

ArchiveFiles::~ArchiveFiles() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Outcome ArchiveFiles::prepare(Scenario& scenario) {
    if (scenario.archive.empty()) return {};
    if (const auto fine = cli::check_archive(scenario.archive, "archive"); !fine) return fine;
    std::error_code missing;
    std::string name = (fs::temp_directory_path(missing) / "wimax-archive-XXXXXX").string();
    if (missing || ::mkdtemp(name.data()) == nullptr)
        return tl::unexpected(Fault{"archive", scenario.archive, "a folder for temporary files, see TMPDIR"});
    folder_ = name;
    if (scenario.csv.empty()) scenario.csv = folder_ + "/flows.csv";
    if (scenario.pcap.empty()) scenario.pcap = folder_ + "/cell.pcap";
    return {};
}

Outcome ArchiveFiles::write(const Scenario& scenario, const nlohmann::ordered_json& result) const {
    if (scenario.archive.empty()) return {};
    nlohmann::ordered_json files{{kFlows, scenario.csv}, {kPdus, scenario.pcap}};
    if (!scenario.plot.empty()) files[kPictures] = scenario.plot;
    const nlohmann::ordered_json all{{"result", result}, {"files", files}};
    if (!cli::run_python("wimax_tools.archive", scenario.archive, all.dump()))
        return tl::unexpected(Fault{"archive", scenario.archive, "was not written"});
    return {};
}

}  // namespace wimax::sim
