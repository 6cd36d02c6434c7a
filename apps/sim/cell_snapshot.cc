// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cell_snapshot.h"

#include "macd/text_values.h"
#include "sim/packet.h"

#include <nlohmann/json.hpp>

#include <unordered_map>

namespace wimax::sim {

CellSnapshot::CellSnapshot(const Cell& cell) {
    const size_t n = cell.stations();
    dl_rate_id.assign(n, -1);
    ul_rate_id.assign(n, -1);
    for (auto* octets : {&dl_backlog_octets, &ul_backlog_octets, &dl_octets, &ul_octets}) octets->assign(n, 0);
    read_base_station(cell);
    read_stations(cell);
}

void CellSnapshot::read_base_station(const Cell& cell) {
    std::unordered_map<std::string, size_t> numbers;
    for (size_t n = 0; n < cell.stations(); ++n) numbers[macd::print_mac(mac_of(n))] = n;
    const auto status = cell.base_station().status();
    for (const auto& station : status.at("stations")) {
        const auto number = numbers.find(station.at("mac").get_ref<const std::string&>());
        if (number == numbers.end()) continue;
        const size_t n = number->second;
        dl_rate_id[n] = station.at("dl_rate_id").get<int32_t>();
        ul_rate_id[n] = station.at("ul_rate_id").get<int32_t>();
        dl_backlog_octets[n] = station.at("dl").at("backlog_bytes").get<uint64_t>();
        dl_octets[n] = station.at("dl").at("bytes").get<uint64_t>();
        ul_octets[n] = station.at("ul").at("bytes").get<uint64_t>();
    }
}

void CellSnapshot::read_stations(const Cell& cell) {
    for (size_t n = 0; n < cell.stations(); ++n) {
        snr_db.push_back(cell.path(n).frame_snr_db());
        operational.push_back(cell.station(n).operational());
        ul_backlog_octets[n] = cell.station(n).status().at("ul").at("backlog_bytes").get<uint64_t>();
    }
}

}  // namespace wimax::sim
