// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of an air interface, for both stations: one object of AirFactory per kind.
#pragma once

#include "mac/air/base_station_air.h"
#include "mac/air/subscriber_air.h"

namespace wimax::mac {

struct AirFactory {
    const ResourceGrid& grid;
    /// Why a base station cannot have this configuration. Keys are those of validate().
    Faults (*check)(const BaseStationConfig& config);
    DerivedValues (*describe)(const BaseStationConfig& config, bool cell);  ///< as derived_values()
    /// Pre: check() found nothing. `config` outlives the cell; its profile may change.
    std::unique_ptr<BaseStationAir> (*make)(const BaseStationConfig& config);
    /// `bsid`: accept only this base station. `clock` outlives the object.
    std::unique_ptr<SubscriberAir> (*make_subscriber)(std::optional<uint64_t> bsid, Edition edition,
                                                      const FrameClock& clock);
};
/// Defined in the folder of the air interface.
extern const AirFactory kOfdm256;
/// The only places that choose.
inline const AirFactory& air_of(const BaseStationConfig&) { return kOfdm256; }
inline const AirFactory& air_of(const SubscriberConfig&) { return kOfdm256; }

}  // namespace wimax::mac
