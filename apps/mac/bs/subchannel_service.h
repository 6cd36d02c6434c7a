/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which stations get grants on some subchannels only, from what their bursts and reports say: those
 * whose highest power does not hold their most robust rate on all of them. Together with its first narrower grant such
 * a station is told to send stronger, up to where its whole power lies on the fewer carriers.
 */
#pragma once

#include "mac/bs/subscriber.h"
#include "mac/clock.h"
#include "mac/rate_thresholds.h"

namespace wimax::mac {

class SubchannelService {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        const RateThresholds& thresholds;  ///< in force
    };
    SubchannelService(const SubchannelizationConfig& config, const Dependencies& dependencies)
        : config_(config), clock_(dependencies.clock), thresholds_(dependencies.thresholds) {}

    /// What the station has said of itself in SBC-REQ.
    void on_capabilities(Subscriber& station, const SbcReq& request) const;
    /// Of a burst in its grant; `station.last` has the measurement.
    void heard(Subscriber& station, bool delivered) const;
    /// Nothing was found in its grant.
    void missed(Subscriber& station) const;

    /// CINR with all of the station's power on all subchannels; what it would not send for it has reached the level
    /// that is wanted does not count. Nullopt: its power is not known.
    static std::optional<float> full_power_cinr_db(const Subscriber& station);

private:
    bool considers(const Subscriber& station) const;
    void changed(Subscriber& station) const;

    const SubchannelizationConfig config_;
    const FrameClock& clock_;
    const RateThresholds& thresholds_;
};

}  // namespace wimax::mac
