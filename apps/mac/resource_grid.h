// SPDX-License-Identifier: GPL-3.0-or-later
// The resource that schedulers divide, counted in units. The air interface defines a unit, how many octets units carry
// and what a burst costs in addition to its units.
#pragma once

#include "mac/burst_profiles.h"
#include "phy/base/decibels.h"

#include <algorithm>
#include <array>

namespace wimax::mac {

/// The whole band, in sixteenths.
inline constexpr uint8_t kWholeBand = 16;
/// Parts of the band that a burst may use.
constexpr bool is_width(uint32_t sixteenths) {
    return sixteenths >= 1 && sixteenths <= kWholeBand && (sixteenths & (sixteenths - 1)) == 0;
}
/// Power density gain of a station that puts all its power on a part of the band, dB.
inline float density_gain_db(uint32_t sixteenths) {
    static const auto kGainsDb = [] {
        std::array<float, kWholeBand + 1> gains_db{};
        for (uint32_t part = 1; part <= kWholeBand; ++part)
            gains_db[part] = static_cast<float>(gr::wimax::phy::decibels(double(kWholeBand) / part));
        return gains_db;
    }();
    return kGainsDb[std::clamp<uint32_t>(sixteenths, 1, kWholeBand)];
}

/// How a burst uses its units.
struct BurstShape {
    ProfileId profile{};
    uint8_t width = kWholeBand;  ///< part of the band in sixteenths: 1, 2, 4, 8 or 16
    uint8_t training = 0;        ///< known units among those with data, coded by the air interface; 0: none
};

/// Cost of bursts in addition to the units that carry their data.
struct BurstCost {
    uint32_t overhead_units = 0;       ///< of each burst
    uint32_t most_units = UINT32_MAX;  ///< of a burst, without the overhead

    /// Bursts that carry `units`. Each needs an element of the map.
    constexpr uint32_t bursts(uint32_t units) const { return (units + most_units - 1) / most_units; }
    constexpr uint32_t total(uint32_t units) const { return units + bursts(units) * overhead_units; }
};

class ResourceGrid {
public:
    constexpr ResourceGrid(BurstProfiles profiles, BurstCost grant) : profiles_(profiles), grant_(grant) {}
    constexpr const BurstProfiles& profiles() const { return profiles_; }
    /// Cost of a grant in the uplink.
    constexpr const BurstCost& grant() const { return grant_; }
    /// Octets that a unit of the whole band carries.
    constexpr double octets_per_unit(ProfileId profile) const { return profiles_[profile].octets_per_unit; }
    /// Units of a burst that carries `octets` of PDUs, at least 1; the burst's overhead is not included.
    virtual constexpr uint32_t units_for(const BurstShape& shape, size_t octets) const = 0;
    /// Octets of PDUs that `units` of a burst carry.
    virtual constexpr size_t octets_in(const BurstShape& shape, uint32_t units) const = 0;

protected:
    constexpr ~ResourceGrid() = default;

private:
    BurstProfiles profiles_;
    BurstCost grant_;
};

}  // namespace wimax::mac
