// SPDX-License-Identifier: GPL-3.0-or-later
// The stations of a base station, by their connections and addresses; the CIDs of new ones; and which of them a frame
// has to visit. Most of a thousand stations have nothing to do in most frames, and finding that out takes longer than
// serving the others. A resting station is not visited until its time has come, or a message or command concerns it.
// Looking up a station to change it wakes it.
#pragma once

#include "mac/bs/subscriber.h"
#include "mac/pdu/cid.h"

#include <map>

namespace wimax::mac {

class StationTable {
public:
    using Map = std::map<uint16_t, std::unique_ptr<Subscriber>>;  ///< by basic CID

    /// `basic_cids`: basic CIDs are 1..basic_cids; the same number of primary CIDs follows, then transport CIDs.
    explicit StationTable(uint32_t basic_cids = cid::kBasicMax);

    void clear();
    /// No basic CID is left.
    bool full() const { return stations_.size() >= basic_cids_; }
    const Map& stations() const { return stations_; }
    size_t size() const { return stations_.size(); }
    bool contains(uint16_t basic_cid) const { return stations_.contains(basic_cid); }

    /// One that is entering, or one that is served under this address; leaving ones are not found. Wakes it.
    Subscriber* find(const MacAddress& mac, bool established);
    Subscriber* find(uint16_t basic_or_primary_cid);
    Subscriber* find_basic(uint16_t basic_cid);
    /// Station that owns the transport connection; null: none, or several. Wakes it.
    Subscriber* owner_of(uint16_t transport_cid);
    /// Pre: contains().
    Subscriber& at(uint16_t basic_cid) const { return *seats_[basic_cid].station; }
    size_t established() const;

    /// Stations that do not rest, by basic CID.
    const std::vector<Subscriber*>& awake() const { return awake_; }
    /// A frame begins: wakes stations that are due or had an event, and `more` in turn, which may be awake already.
    void wake_due(Samples now, size_t more);
    void wake_all() {
        for (auto& seat : seats_) seat.due = INT64_MIN;
    }
    void wake(uint16_t basic_cid) { seats_[basic_cid].due = INT64_MIN; }
    /// No frame needs to look at it before `due`. It stays among awake() until the next frame begins.
    void rest(const Subscriber& station, Samples due);
    /// Resting stations in this frame; all of them are operational.
    size_t resting() const { return resting_; }
    size_t resting_without_codes() const { return resting_without_codes_; }

    /// Gives it a basic and a primary CID. Null: there are none left. Numbers are not reused at once: a deleted station
    /// may still listen to its old one.
    Subscriber* add(std::unique_ptr<Subscriber> station);
    void erase(uint16_t basic_cid);
    /// A transport CID for the station; free again when it is released, or the station is deleted.
    uint16_t new_transport_cid(const Subscriber& station);
    /// A CID that belongs to no single station.
    uint16_t new_shared_cid() { return take_transport_cid(kShared); }
    void release_transport_cid(uint16_t cid) { basic_by_transport_.erase(cid); }

private:
    struct Seat {
        Subscriber* station = nullptr;
        Samples due = INT64_MIN;
        uint64_t rested_from = 0;  ///< the last frame that looked at it; 0: it is awake
        bool knows_codes = false;
    };
    static constexpr uint16_t kShared = 0;  ///< no basic CID
    uint16_t take_transport_cid(uint16_t basic_cid);
    Subscriber* woken(Subscriber& station) {
        wake(station.basic_cid);
        return &station;
    }
    uint16_t first_transport() const { return static_cast<uint16_t>(2 * basic_cids_ + 1); }

    uint16_t basic_cids_;
    Map stations_;
    std::vector<Seat> seats_;  ///< in the order of basic CIDs; contiguous because each frame visits all
    std::vector<Subscriber*> awake_;
    size_t resting_ = 0, resting_without_codes_ = 0;
    bool all_awake_ = true;
    uint64_t frames_ = 0;
    size_t turn_ = 0;  ///< the CID whose turn it is to be woken
    std::map<uint16_t, uint16_t> basic_by_transport_;
    uint16_t next_basic_ = 1, next_transport_;
};

}  // namespace wimax::mac
