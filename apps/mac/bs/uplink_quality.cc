// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/uplink_quality.h"

#include "mac/flow/link_aim.h"

#include <algorithm>

namespace wimax::mac {
namespace {

// If all bursts of a station fail in that many frames, wherever they are, the places are not the cause.
constexpr uint32_t kFramesToBlame = 32;
constexpr uint32_t kMissesToRange = 3;  // in a row: the bursts may arrive at another time

}  // namespace

UplinkQuality::UplinkQuality(const Dependencies& dependencies)
    : clock_(dependencies.clock),
      ranging_(dependencies.ranging),
      reception_(dependencies.reception),
      narrow_(dependencies.narrow),
      fast_power_(dependencies.fast_power),
      adaptation_(dependencies.adaptation) {}

void UplinkQuality::missed(Subscriber& station, const sap::RxBurst& burst) {
    station.health.grant_missed();
    ++station.counters.ul_missed;
    if (station.health.misses() == kMissesToRange) ranging_.range_in_place(station);
    narrow_.missed(station);
    judge_place(station, burst, false);
}

void UplinkQuality::heard(Subscriber& station, const sap::RxBurst& burst, bool delivered, bool whole) {
    if (delivered) {
        station.health.delivered(clock_.now);
        if (station.established()) station.invitations.stop();
    } else {
        station.health.unreadable();
    }
    if (station.registered()) correct(station, delivered, burst.frame_number);
    // Deficit that the loop is about to correct, limited by the station's power on the whole band.
    const float spare_db = station.link.power.below_maximum_db().value_or(1000);
    const float left_db = std::min(station.ranging.missing_db(station.uplink.last), std::max(0.0F, spare_db));
    const float denser_db = station.uplink.width.adapts() ? std::max(0.0F, -spare_db) : 0;
    const ProfileId profile = reception_.profile_of(burst);
    const auto fate = burst_fate(profile, burst.payload.size(), burst.failed_blocks, delivered && whole);
    station.uplink.rate.set_aim(link_aim(station.flows, adaptation_.target_loss));
    station.uplink.rate.on_burst(profile, fate, station.uplink.last.cinr_db - denser_db, left_db,
                                 station.ranging.exhausted(), clock_.now);
    narrow_.heard(station, delivered);
    if (station.registered() && station.uplink.training)
        station.uplink.training->on_burst(station.uplink.last.cinr_db, whole, burst.frame_number);
    judge_place(station, burst, whole);
}

void UplinkQuality::correct(Subscriber& station, bool delivered, phy::FrameNumber frame) {
    const auto correction = delivered ? station.ranging.on_data(station.uplink.last, clock_.now)
                                      : station.ranging.on_failed(station.uplink.last, clock_.now);
    if (!correction) return;
    ++station.counters.corrections;
    station.link.power.corrected(static_cast<float>(correction->power_qdb) / 4);
    if (correction->power_alone) {
        fast_power_.add(station.basic_cid, correction->power_qdb, frame);
        return;
    }
    RngRsp rsp;
    correction->put_into(rsp);
    station.management.push(station.basic_cid, rsp);
}

/// Rates the place of a granted burst by its outcome.
void UplinkQuality::judge_place(Subscriber& station, const sap::RxBurst& burst, bool whole) {
    if (!station.established()) return;  // the station may not exist
    if (!reception_.planned(burst)) return;
    StationHealth& health = station.health;
    if (health.judge(burst.frame_number, whole) && health.failed_frames() == kFramesToBlame) reception_.mistaken();
    if (health.failed_frames() >= kFramesToBlame) return;
    reception_.judge(burst, whole, health.failed_frames());
}

}  // namespace wimax::mac
