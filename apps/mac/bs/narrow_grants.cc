// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/narrow_grants.h"

#include "mac/resource_grid.h"

#include <algorithm>

namespace wimax::mac {
namespace {

constexpr int64_t kPatienceMs = 500;
constexpr float kAtLimitDb = 1;     // less power than that is left: none
constexpr float kReserveDb = 1.4F;  // at the edge of the cell, beyond what the receiver needs

}  // namespace

void NarrowGrants::on_capabilities(Subscriber& station, bool narrow) const {
    if (!narrow) {
        station.uplink.width = UplinkWidth();
        return;
    }
    if (const auto fixed = station.config.ul_subchannels) station.uplink.width = UplinkWidth(*fixed);
    else if (config_.enable && !station.uplink.width.adapts())
        station.uplink.width = UplinkWidth({config_.fewest, config_.hysteresis_db, clock_.from_ms(kPatienceMs)});
    station.link.power.allow_above(density_gain_db(station.uplink.width.count()));
}

bool NarrowGrants::considers(const Subscriber& station) const {
    return station.uplink.width.adapts() && station.entry.operational();
}

std::optional<float> NarrowGrants::full_power_cinr_db(const Subscriber& station) {
    const auto spare_db = station.link.power.below_maximum_db();
    if (!spare_db) return std::nullopt;
    const float cinr_db = station.uplink.last.cinr_db;
    if (*spare_db < 0) return cinr_db + *spare_db;
    return cinr_db + std::min(*spare_db, station.ranging.below_target_db(station.uplink.last));
}

void NarrowGrants::heard(Subscriber& station, bool delivered) const {
    if (!considers(station)) return;
    if (delivered) station.uplink.width.on_delivery();
    const auto cinr_db = full_power_cinr_db(station);
    if (!cinr_db) return;
    const size_t lowest = row_of(station.uplink.rate.lowest());
    const float needed_db = std::max(thresholds_.entry_db[lowest], kReceiverNeedsDb[lowest] + kReserveDb);
    if (station.uplink.width.on_burst(*cinr_db, needed_db, clock_.now)) return changed(station);
    if (!delivered) missed(station);
}

void NarrowGrants::missed(Subscriber& station) const {
    if (!considers(station)) return;
    const auto left_db = station.link.power.left_db();
    const bool at_limit = left_db && (*left_db < kAtLimitDb || station.ranging.deaf());
    if (station.uplink.width.on_loss(at_limit, clock_.now)) changed(station);
}

/// Changes the power with the width. Commands the additional power that the station may use, up to its deficit. When
/// its limit falls, the station reduces its power without a command.
void NarrowGrants::changed(Subscriber& station) const {
    station.link.power.allow_above(density_gain_db(station.uplink.width.count()));
    station.ranging.power_changes(clock_.now);
    const float more_db =
        std::min(station.link.power.left_db().value_or(0), station.ranging.below_target_db(station.uplink.last));
    if (more_db < kAtLimitDb) return;
    RangingCorrection correction;
    correction.power_qdb = static_cast<int8_t>(std::min(4 * more_db, 127.0F));
    correction.status = RangingStatus::continue_ranging;
    RngRsp rsp;
    correction.put_into(rsp);
    station.management.push(station.basic_cid, rsp);
    ++station.counters.corrections;
    station.link.power.corrected(static_cast<float>(correction.power_qdb) / 4);
}

}  // namespace wimax::mac
