// SPDX-License-Identifier: GPL-3.0-or-later
// Which stations get grants on a part of the band, from their bursts and reports: those whose highest power does not
// reach their most robust rate on the whole band. With its first narrower grant such a station is commanded to send
// stronger, up to its full power there.
#pragma once

#include "mac/bs/subscriber.h"
#include "mac/clock.h"
#include "mac/rate_thresholds.h"

namespace wimax::mac {

class NarrowGrants {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        const RateThresholds& thresholds;  ///< in force
    };
    NarrowGrants(const SubchannelizationConfig& config, const Dependencies& dependencies)
        : config_(config), clock_(dependencies.clock), thresholds_(dependencies.thresholds) {}

    /// `narrow`: the station can send on a part of the band, by its SBC-REQ.
    void on_capabilities(Subscriber& station, bool narrow) const;
    /// A burst in its grant was heard; `station.uplink.last` has the measurement.
    void heard(Subscriber& station, bool delivered) const;
    /// Nothing was found in its grant.
    void missed(Subscriber& station) const;

    /// CINR with the station's full power on the whole band, or less if the target level needs less. Nullopt: its
    /// power is not known.
    static std::optional<float> full_power_cinr_db(const Subscriber& station);

private:
    bool considers(const Subscriber& station) const;
    void changed(Subscriber& station) const;

    const SubchannelizationConfig config_;
    const FrameClock& clock_;
    const RateThresholds& thresholds_;
};

}  // namespace wimax::mac
