// SPDX-License-Identifier: GPL-3.0-or-later
// The base station's state of one station's link, in addition to uplink measurements: what the station reports.
#pragma once

#include "mac/bs/link_variation.h"
#include "mac/sample_time.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace wimax::mac {

/// Remaining transmit power of a station. Its capabilities give the maximum; its reports and the commands since give
/// the present power. Both apply to the whole band; on a part of it its power allows more
/// (allow_above()).
class PowerHeadroom {
public:
    void maximum(float dbm) { maximum_dbm_ = dbm; }
    void reported(float dbm) { present_dbm_ = dbm; }
    void corrected(float db) {
        if (!present_dbm_) return;
        *present_dbm_ += db;
        bound();
    }
    /// Its grants are narrower, or wider again: its power may be that much above the maximum.
    void allow_above(float db) {
        above_db_ = db;
        bound();
    }
    /// Nullopt: not known.
    std::optional<float> left_db() const {
        if (!maximum_dbm_ || !present_dbm_) return std::nullopt;
        return std::max(0.0F, *maximum_dbm_ + above_db_ - *present_dbm_);
    }
    /// The same on the whole band; negative: its bursts are stronger than they could be there.
    std::optional<float> below_maximum_db() const {
        if (!maximum_dbm_ || !present_dbm_) return std::nullopt;
        return *maximum_dbm_ - *present_dbm_;
    }

private:
    void bound() {
        if (maximum_dbm_ && present_dbm_) present_dbm_ = std::min(*present_dbm_, *maximum_dbm_ + above_db_);
    }

    std::optional<float> maximum_dbm_, present_dbm_;
    float above_db_ = 0;
};

struct LinkState {
    bool lowered_unproven = false;    ///< an unproven request lowered the rate; the next REP-REQ informs the station
    Samples report_at = 0;            ///< next REP-REQ
    std::optional<float> dl_cinr_db;  ///< as reported
    PowerHeadroom power;
    LinkVariation variation;
    bool knows_stc = false, in_zone = false;  ///< it has reported the capability; its bursts are in the zone
    uint64_t zone_changes = 0;
};

}  // namespace wimax::mac
