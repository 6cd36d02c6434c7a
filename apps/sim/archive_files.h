// SPDX-License-Identifier: GPL-3.0-or-later
// What an archive of a simulation has in addition to the result: figures of all flows and all PDUs, in a temporary
// folder if the scenario names no files for them, and the pictures.
#pragma once

#include "sim/scenario.h"

#include <nlohmann/json_fwd.hpp>

namespace wimax::sim {

class ArchiveFiles {
public:
    ArchiveFiles() = default;
    ~ArchiveFiles();
    ArchiveFiles(const ArchiveFiles&) = delete;
    ArchiveFiles& operator=(const ArchiveFiles&) = delete;

    /// Names files for what the archive needs. Without an archive it does nothing. Call it before the files are opened.
    Outcome prepare(Scenario& scenario);
    /// Writes the archive; call it once all other files are written.
    Outcome write(const Scenario& scenario, const nlohmann::ordered_json& result) const;

private:
    std::string folder_;
};

}  // namespace wimax::sim
