// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the band in one station's grants, in sixteenths. If its power is too low for its most robust rate on the
// whole band, it uses the same power on less: half of it gives 3 dB, a sixteenth gives 12 dB.
//
// It becomes narrower if three bursts in a row require it, as far as necessary, or by half if several grants in a row
// delivered nothing. It becomes one step wider if the mean CINR suffices there with the hysteresis added, after some
// time. After a failed widening, the next attempt waits longer each time.
#pragma once

#include "mac/resource_grid.h"
#include "mac/sample_time.h"

#include <cstdint>

namespace wimax::mac {

class UplinkWidth {
public:
    struct Config {
        uint32_t fewest = 1;  ///< 1, 2, 4, 8; 16: all, always
        float hysteresis_db = 2;
        Samples patience = 0;  ///< before it is made wider, the first time
    };
    /// Always the whole band.
    UplinkWidth() = default;
    /// Fixed.
    explicit UplinkWidth(uint32_t count) : count_(count) {}
    explicit UplinkWidth(const Config& config) : config_(config), patience_(config.patience) {}

    /// 1, 2, 4, 8 or 16.
    uint32_t count() const { return count_; }
    bool narrow() const { return count_ < kAll; }
    bool adapts() const { return config_.fewest < kAll; }
    uint64_t changes() const { return changes_; }

    /// A burst was heard. `cinr_db`: CINR with the station's full power on the whole band. `needed_db`: CINR for the
    /// most robust rate. True: count() has changed.
    bool on_burst(float cinr_db, float needed_db, Samples now);
    /// Nothing was received in a grant. `at_limit`: the station has no more power to send with. True: count() has
    /// changed.
    bool on_loss(bool at_limit, Samples now);
    void on_delivery() { lost_in_a_row_ = 0; }

private:
    static constexpr uint32_t kAll = kWholeBand;

    uint32_t suited(float cinr_db, float needed_db) const;
    bool change(uint32_t count, Samples now);

    Config config_{kAll, 0, 0};
    uint32_t count_ = kAll, weak_count_ = 0, lost_in_a_row_ = 0;
    int weak_in_a_row_ = 0;
    float mean_db_ = 0;
    bool measured_ = false;
    Samples changed_at_ = INT64_MIN / 2, widened_at_ = INT64_MIN / 2, patience_ = 0;
    uint64_t changes_ = 0;
};

}  // namespace wimax::mac
