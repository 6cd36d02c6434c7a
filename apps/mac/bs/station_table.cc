/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mac/bs/station_table.h"

#include <algorithm>

namespace wimax::mac {

void StationTable::clear() {
    stations_.clear();
    basic_by_transport_.clear();
}

Subscriber* StationTable::find(const MacAddress& mac, bool established) const {
    for (const auto& [cid, station] : stations_)
        if (station->mac == mac && station->established() == established && !station->leaving) return station.get();
    return nullptr;
}

Subscriber* StationTable::find(uint16_t basic_or_primary_cid) const {
    const uint16_t basic = cid::is_primary(basic_or_primary_cid, basic_cids_)
                               ? static_cast<uint16_t>(basic_or_primary_cid - basic_cids_)
                               : basic_or_primary_cid;
    const auto found = stations_.find(basic);
    return found == stations_.end() ? nullptr : found->second.get();
}

Subscriber* StationTable::owner_of(uint16_t transport_cid) const {
    const auto found = basic_by_transport_.find(transport_cid);
    return found == basic_by_transport_.end() ? nullptr : stations_.at(found->second).get();
}

size_t StationTable::established() const {
    return static_cast<size_t>(std::count_if(stations_.begin(), stations_.end(),
                                             [](const auto& entry) { return entry.second->established(); }));
}

Subscriber* StationTable::add(std::unique_ptr<Subscriber> station) {
    for (uint16_t tries = 0; tries < basic_cids_; ++tries) {
        const uint16_t basic = next_basic_;
        next_basic_ = static_cast<uint16_t>(next_basic_ % basic_cids_ + 1);
        if (stations_.contains(basic)) continue;
        station->basic_cid = basic;
        station->primary_cid = static_cast<uint16_t>(basic + basic_cids_);
        station->management.may_fragment_on(station->primary_cid);
        return (stations_[basic] = std::move(station)).get();
    }
    return nullptr;
}

void StationTable::erase(uint16_t basic_cid) {
    const auto found = stations_.find(basic_cid);
    if (found == stations_.end()) return;
    for (const auto& flow : found->second->flows) basic_by_transport_.erase(flow->cid);
    stations_.erase(found);
}

uint16_t StationTable::new_transport_cid(const Subscriber& station) {
    const auto after = [this](uint16_t cid) {
        return cid >= cid::kLastTransport ? first_transport() : static_cast<uint16_t>(cid + 1);
    };
    while (basic_by_transport_.contains(next_transport_)) next_transport_ = after(next_transport_);
    const uint16_t result = next_transport_;
    next_transport_ = after(result);
    basic_by_transport_[result] = station.basic_cid;
    return result;
}

}  // namespace wimax::mac
