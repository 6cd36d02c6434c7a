/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stations of a base station, by their connections and addresses, and the numbers that are given to new ones.
 */
#pragma once

#include "mac/bs/subscriber.h"
#include "mac/pdu/cid.h"

#include <map>

namespace wimax::mac {

class StationTable {
public:
    using Map = std::map<uint16_t, std::unique_ptr<Subscriber>>;  ///< by basic CID

    /// `basic_cids`: basic CIDs are 1..basic_cids, primary management CIDs as many behind them, then transport CIDs.
    explicit StationTable(uint32_t basic_cids = cid::kBasicMax)
        : basic_cids_(static_cast<uint16_t>(basic_cids)), next_transport_(first_transport()) {}

    void clear();
    /// No basic CID is left.
    bool full() const { return stations_.size() >= basic_cids_; }
    Map& stations() { return stations_; }
    const Map& stations() const { return stations_; }
    size_t size() const { return stations_.size(); }
    bool contains(uint16_t basic_cid) const { return stations_.contains(basic_cid); }

    /// One that is on its way in, or one that is served under this address; leaving ones are not found.
    Subscriber* find(const MacAddress& mac, bool established) const;
    Subscriber* find(uint16_t basic_or_primary_cid) const;
    /// Whose transport connection it is.
    Subscriber* owner_of(uint16_t transport_cid) const;
    size_t established() const;

    /// Gives it a basic and a primary CID. Null: there are none left. Numbers are not used again at once: a station
    /// that was deleted may still listen to its old one.
    Subscriber* add(std::unique_ptr<Subscriber> station);
    void erase(uint16_t basic_cid);
    /// A transport CID for the station; it is free again when it is released, or the station goes.
    uint16_t new_transport_cid(const Subscriber& station);
    void release_transport_cid(uint16_t cid) { basic_by_transport_.erase(cid); }

private:
    uint16_t first_transport() const { return static_cast<uint16_t>(2 * basic_cids_ + 1); }

    uint16_t basic_cids_;
    Map stations_;
    std::map<uint16_t, uint16_t> basic_by_transport_;
    uint16_t next_basic_ = 1, next_transport_;
};

}  // namespace wimax::mac
