// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/station_reader.h"

#include "macd/text_values.h"
#include "sim/packet.h"

namespace wimax::sim {
namespace {

std::optional<size_t> station_of(std::string_view mac) {
    const auto address = macd::parse_mac(mac);
    if (!address) return std::nullopt;
    const size_t number = static_cast<size_t>((*address)[4] << 8 | (*address)[5]);
    return mac_of(number) == *address ? std::optional(number) : std::nullopt;
}

}  // namespace

void StationReader::text(std::string_view path, const char* key, std::string_view value) {
    if (place() == Place::station && path.empty() && std::string_view(key) == "mac") {
        station_ = station_of(value);
        began(Place::station);
    }
    if (path.empty()) named(place(), key, value);
}

void StationReader::begin(const char* list) {
    const std::string_view name(list);
    const bool of_node = places_.empty();
    if (of_node && name == "stations") places_.push_back(Place::station);
    else if (name == "flows" && (of_node || place() == Place::station)) places_.push_back(Place::flow);
    else places_.push_back(Place::other);
    if (place() == Place::flow) began(Place::flow);
}

void StationReader::end() { places_.pop_back(); }

}  // namespace wimax::sim
