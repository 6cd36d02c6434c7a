// SPDX-License-Identifier: GPL-3.0-or-later
// Provisioning that is read again while stations are served: {"set": {"reload": true}} to the control socket, or
// SIGHUP.
#pragma once

#include "common/config.h"
#include "mac/station.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace wimax::macd {

class Reload {
public:
    /// Both outlive the object. `running`: schema of a MacdConfig, as read at the start. `cell`: null at a subscriber
    /// station, which refuses to read again.
    Reload(const config::Schema& running, mac::CellOperator* cell) : running_(running), cell_(cell) {}

    /// Reads the file and the command line again. Returns all faults; with faults nothing has changed.
    Faults again();
    /// Result of the last successful reload: keys that differ from the start and keep their old value.
    const std::vector<std::string>& unchanged() const { return unchanged_; }
    uint64_t done() const { return done_; }
    uint64_t refused() const { return refused_; }

private:
    const config::Schema& running_;
    mac::CellOperator* cell_;
    std::vector<std::string> unchanged_;
    std::optional<std::string> stations_;  ///< that are provisioned now, as the file has them
    uint64_t done_ = 0, refused_ = 0;
};

}  // namespace wimax::macd
