// SPDX-License-Identifier: GPL-3.0-or-later
// The station that the daemon serves, with the roles that only base stations or only subscriber stations have.
#pragma once

#include "mac/station.h"

#include <memory>
#include <utility>

namespace wimax::macd {

class ServedStation {
public:
    ServedStation(std::unique_ptr<mac::BaseStationMac> station)  // NOLINT: a station is served
        : cell(station.get()),
          codes(station.get()),
          management(station.get()),
          changes(nullptr),
          station_(std::move(station)) {}
    ServedStation(std::unique_ptr<mac::SubscriberMac> station)  // NOLINT: a station is served
        : cell(nullptr), codes(nullptr), management(nullptr), changes(station.get()), station_(std::move(station)) {}

    mac::Station& operator*() const { return *station_; }
    mac::Station* operator->() const { return station_.get(); }

    mac::CellOperator* cell;             ///< null: of a subscriber station
    mac::CodeReceiver* codes;            ///< null: of a subscriber station
    mac::ManagementGateway* management;  ///< null: of a subscriber station
    mac::PhyChanges* changes;            ///< null: of a base station

private:
    std::unique_ptr<mac::Station> station_;
};

}  // namespace wimax::macd
