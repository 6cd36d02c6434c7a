// SPDX-License-Identifier: GPL-3.0-or-later
// Work that takes a while and yields points one after the other: a table as they come, or a JSON file at the end;
// progress meanwhile; and if the user ends it, the points so far.
#pragma once

#include "common/stop.h"
#include "tools/cli/command.h"
#include "tools/cli/progress.h"

#include <nlohmann/json.hpp>

namespace wimax::cli {

class LongRun {
public:
    /// `json`: file for the result, "-" for standard output, "" for a table there.
    LongRun(std::string program, std::string json, size_t points);

    /// Before the work, so that a wrong path costs none.
    Outcome open();
    bool stopped() const { return stop_.raised(); }
    /// Shows the progress within a point: `share` is 0..1, `what` names the work. False: stop.
    bool go_on(double share, const std::string& what);
    /// A line of the table; nothing where there is none.
    void line(const std::string& text);
    void point_done(const std::string& table_line);

    /// Adds provenance and completeness to the result, writes it, and reports to the user what is missing.
    /// An interrupted run without a point leaves a former result alone.
    int finish(nlohmann::ordered_json& result, uint64_t seed);

private:
    std::string program_, json_;
    size_t points_, done_ = 0;
    StopSignal stop_;
    Progress progress_;
    ResultFile file_;
};

}  // namespace wimax::cli
