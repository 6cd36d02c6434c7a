// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/cli/long_run.h"
#include "tools/cli/provenance.h"

#include <iostream>

namespace wimax::cli {
namespace {

constexpr unsigned kStopWithinSeconds = 30;

}  // namespace

LongRun::LongRun(std::string program, std::string json, size_t points)
    : program_(std::move(program)),
      json_(std::move(json)),
      points_(points),
      stop_(kStopWithinSeconds),
      progress_(program_) {}

Outcome LongRun::open() { return json_.empty() ? Outcome() : file_.open(json_, "--json"); }

bool LongRun::go_on(double share, const std::string& what) {
    if (stopped()) return false;
    progress_.show((static_cast<double>(done_) + share) / static_cast<double>(points_),
                   "point " + std::to_string(done_ + 1) + " of " + std::to_string(points_) + " (" + what + ")");
    return true;
}

void LongRun::line(const std::string& text) {
    if (!json_.empty()) return;
    progress_.clear();
    std::cout << text << std::endl;  // seen at once, also through a pipe
}

void LongRun::point_done(const std::string& table_line) {
    ++done_;
    line(table_line);
}

int LongRun::finish(nlohmann::ordered_json& result, uint64_t seed) {
    progress_.clear();
    const bool complete = done_ == points_;
    result["complete"] = complete;
    result["provenance"] = provenance(program_, seed);
    const bool keep = complete || done_ > 0 || json_ == "-";
    if (!json_.empty() && keep) {
        if (const auto written = file_.write(result.dump(2) + "\n"); !written)
            return complain(program_, written.error(), kFailed);
    }
    if (complete) return kDone;
    const std::string where = json_.empty() ? "" : keep ? ", written to " + json_ : "; " + json_ + " is as it was";
    return complain(program_,
                    "stopped: " + std::to_string(done_) + " of " + std::to_string(points_) + " points" + where,
                    kInterrupted);
}

}  // namespace wimax::cli
