// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/station_table.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {

StationTable::StationTable(uint32_t basic_cids)
    : basic_cids_(static_cast<uint16_t>(basic_cids)),
      seats_(basic_cids_ + size_t{1}),
      next_transport_(first_transport()) {
    awake_.reserve(seats_.size());
}

void StationTable::clear() {
    stations_.clear();
    basic_by_transport_.clear();
    awake_.clear();
    all_awake_ = true;
    resting_ = resting_without_codes_ = 0;
    std::fill(seats_.begin(), seats_.end(), Seat{});
    turn_ = 0;
    next_basic_ = 1;
    next_transport_ = first_transport();
}

void StationTable::wake_due(Samples now, size_t more) {
    ++frames_;
    if (all_awake_) return;
    const size_t seats = stations_.empty() ? 1 : stations_.rbegin()->first + size_t{1};
    for (size_t tries = seats; more > 0 && tries > 0; --tries) {
        turn_ = turn_ + 1 < seats ? turn_ + 1 : 0;
        if (!seats_[turn_].station) continue;
        seats_[turn_].due = INT64_MIN;
        --more;
    }
    awake_.clear();
    resting_ = resting_without_codes_ = 0;
    for (size_t cid = 0; cid < seats; ++cid) {
        Seat& seat = seats_[cid];
        if (!seat.station) continue;
        if (seat.due > now) {
            ++resting_;
            resting_without_codes_ += seat.knows_codes ? 0 : 1;
            continue;
        }
        seat.due = INT64_MIN;
        // Counts the frames in which it rested.
        if (seat.rested_from != 0)
            seat.station->requests.rested(static_cast<uint32_t>(frames_ - std::exchange(seat.rested_from, 0) - 1));
        awake_.push_back(seat.station);
    }
    all_awake_ = resting_ == 0;
}

void StationTable::rest(const Subscriber& station, Samples due) {
    if (due == INT64_MIN) return;
    Seat& seat = seats_[station.basic_cid];
    seat.due = due;
    seat.rested_from = frames_;
    seat.knows_codes = station.capabilities.knows_codes;
    all_awake_ = false;
}

Subscriber* StationTable::find(const MacAddress& mac, bool established) {
    for (const auto& [cid, station] : stations_)
        if (station->mac == mac && station->established() == established && !station->entry.leaving())
            return woken(*station);
    return nullptr;
}

Subscriber* StationTable::find(uint16_t basic_or_primary_cid) {
    const uint16_t basic = cid::is_primary(basic_or_primary_cid, basic_cids_)
                               ? static_cast<uint16_t>(basic_or_primary_cid - basic_cids_)
                               : basic_or_primary_cid;
    return find_basic(basic);
}

Subscriber* StationTable::find_basic(uint16_t basic_cid) {
    const bool known = basic_cid < seats_.size() && seats_[basic_cid].station;
    return known ? woken(*seats_[basic_cid].station) : nullptr;
}

Subscriber* StationTable::owner_of(uint16_t transport_cid) {
    const auto found = basic_by_transport_.find(transport_cid);
    const bool owned = found != basic_by_transport_.end() && found->second != kShared;
    return owned ? woken(at(found->second)) : nullptr;
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
        Subscriber* added = (stations_[basic] = std::move(station)).get();
        seats_[basic] = {added};
        const auto by_cid = [](const Subscriber* a, const Subscriber* b) { return a->basic_cid < b->basic_cid; };
        awake_.insert(std::ranges::lower_bound(awake_, added, by_cid), added);
        return added;
    }
    return nullptr;
}

void StationTable::erase(uint16_t basic_cid) {
    const auto found = stations_.find(basic_cid);
    if (found == stations_.end()) return;
    for (const auto& flow : found->second->flows)
        if (!flow->member) basic_by_transport_.erase(flow->cid);
    if (const auto& secondary = found->second->managed.connection) basic_by_transport_.erase(secondary->cid);
    std::erase(awake_, found->second.get());
    seats_[basic_cid] = {};
    stations_.erase(found);
}

uint16_t StationTable::new_transport_cid(const Subscriber& station) { return take_transport_cid(station.basic_cid); }

uint16_t StationTable::take_transport_cid(uint16_t basic_cid) {
    const auto after = [this](uint16_t cid) {
        return cid >= cid::kLastTransport ? first_transport() : static_cast<uint16_t>(cid + 1);
    };
    while (basic_by_transport_.contains(next_transport_)) next_transport_ = after(next_transport_);
    const uint16_t result = next_transport_;
    next_transport_ = after(result);
    basic_by_transport_[result] = basic_cid;
    return result;
}

}  // namespace wimax::mac
