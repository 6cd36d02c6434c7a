// SPDX-License-Identifier: GPL-3.0-or-later
// DCD and UCD of a base station as its services see them (clause 6.3.11): values in force, codes of the burst profiles,
// and changes. The air interface writes the messages.
#pragma once

#include "mac/burst_profiles.h"
#include "mac/rate_thresholds.h"
#include "mac/sample_time.h"
#include "mac/station_config.h"

#include <optional>

namespace wimax::mac {

/// Descriptor values that may change while stations are served. Announced thresholds include the protection margin.
struct DescriptorValues {
    RateThresholds thresholds;                                    ///< DCD
    std::array<uint8_t, 2> ranging_backoff{}, request_backoff{};  ///< UCD: exponents of 2, first and last window
    uint8_t reservation_timeout_maps = 0;                         ///< UCD
    bool operator==(const DescriptorValues&) const = default;
};
inline DescriptorValues descriptor_values(const BaseStationProfile& profile, float margin_db) {
    DescriptorValues values;
    for (size_t rate = 0; rate < kRateCount; ++rate) {
        values.thresholds.exit_db[rate] = profile.exit_db[rate] + margin_db;
        values.thresholds.entry_db[rate] = profile.entry_db[rate] + margin_db;
    }
    values.ranging_backoff = {profile.ranging_backoff_start, profile.ranging_backoff_end};
    values.request_backoff = {profile.request_backoff_start, profile.request_backoff_end};
    values.reservation_timeout_maps = profile.reservation_timeout;
    return values;
}

class Descriptors {
public:
    /// The base station begins to transmit and serves no station: announced values take effect.
    virtual void restart(Samples now, float eirp_dbm, float target_dbm) = 0;
    /// Call once per frame, before its maps.
    virtual void begin_frame(Samples now) = 0;
    /// Announces thresholds, windows and reservation timeout of the profile. False: a change is still under way.
    virtual bool change_profile(const BaseStationProfile& profile, Samples now) = 0;
    /// Announces other levels. False: a change is still under way.
    virtual bool change_power(float eirp_dbm, float target_dbm, Samples now) = 0;

    /// Change count of the DCD in force.
    virtual uint8_t dcd_count() const = 0;
    /// In force, with the protection margin. Outlive every station.
    virtual const RateThresholds& thresholds() const = 0;
    virtual uint8_t diuc_of(ProfileId profile) const = 0;
    /// Nullopt: no burst profile of the base station has this DIUC.
    virtual std::optional<ProfileId> profile_of_diuc(uint8_t diuc) const = 0;

protected:
    ~Descriptors() = default;
};

}  // namespace wimax::mac
