// SPDX-License-Identifier: GPL-3.0-or-later
// Console lines of a running station, once per second: rates by name and their required CINR, goodput, losses and their
// causes; a dash for unknown values. docs/running.md explains the words.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace wimax::macd {

class Console {
public:
    static constexpr size_t kMostStations = 8;  ///< stations of a base station that have a separate line

    /// `status`: as {"get": "status"} has it. Goodput and losses are those since the last call.
    std::string text(const nlohmann::json& status);

private:
    /// Counters of one station and direction when they were last looked at.
    struct Mark {
        double octets = 0, packets = 0;
        std::map<std::string, double> lost;
    };
    std::string base_station(const nlohmann::json& status);
    std::string subscriber_station(const nlohmann::json& status);
    std::string station_line(const nlohmann::json& station);
    std::string flow_of(const std::string& name, const nlohmann::json& flows, const char* direction, double octets,
                        bool sent);

    std::map<std::string, Mark> marks_, before_;
    double seconds_ = 0, at_s_ = 0;
};

}  // namespace wimax::macd
