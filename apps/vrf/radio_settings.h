// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a virtual radio in force, settings that its host has timed, and the levels that follow from them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "vrf/tuning.h"

namespace wimax::vrf {

/// Any thread.
class RadioSettings {
public:
    /// Changes settings at once, or from the chunk that contains `tick` on, if that is after `now`.
    void tune(std::function<void(Tuning&)> change, std::optional<int64_t> tick, int64_t now);
    Tuning tuning() const;
    /// The settings of a chunk that ends before `end`.
    Tuning before(int64_t end);

    /// Levels of the channel's converters at the highest transmit and no receive gain.
    void use(const Welcome& welcome);
    double tx_reference_dbm() const;
    double rx_reference_dbm() const;

private:
    mutable std::mutex mutex_;
    Tuning tuning_;
    std::multimap<int64_t, std::function<void(Tuning&)>> timed_;
    double tx_power_dbm_ = 0, rx_full_scale_dbm_ = 0;
};

}  // namespace wimax::vrf
