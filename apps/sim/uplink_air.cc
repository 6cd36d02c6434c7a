// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/uplink_air.h"

#include "mac/burst_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wimax::sim {
namespace {

/// Share of a burst's power up to which the sum of the other bursts is a rounding error.
constexpr double kNothing = 1e-9;

double power_of(double snr_db) { return std::pow(10, snr_db / 10); }

}  // namespace

void UplinkAir::put_on_air(const sap::TxFrame& tx, const RadioPathConfig& path, double downlink_snr_db) {
    // The power is that of all carriers; on fewer carriers the transmitter can send this much stronger.
    const double highest = with_.phy.reference_dbm + with_.model.power_gain_db(tx);
    const double below = with_.phy.reference_dbm - std::min(static_cast<double>(tx.power_dbm), highest);
    const double snr_db = downlink_snr_db + path.uplink_offset_db - below;
    const double rssi_dbm = with_.phy.noise_dbm + snr_db;
    const auto rate_hz = static_cast<double>(with_.model.timing().sample_rate_hz);
    const auto delay = static_cast<int>(2 * path.delay_us * 1e-6 * rate_hz);
    for (const auto& burst : tx.bursts)
        air_.push_back({&burst, rssi_dbm, snr_db, delay - tx.timing_advance_samples,
                        static_cast<float>(path.carrier_offset_hz) + tx.frequency_adjust_hz, burst.start_slot,
                        with_.model.end_of(burst.start_slot, burst.format), false});
    for (const auto& code : tx.codes) codes_.push_back({code, rssi_dbm});
}

/// Of all bursts in the allocation, against the noise.
double UplinkAir::power(const sap::RxAllocation& a, phy::Slot end) const {
    double sum = 0;
    for (const auto& b : air_)
        if (overlaps(b, a, end)) sum += power_of(b.cinr_db);
    return sum;
}

void UplinkAir::receive(const sap::RxAllocation& a, sap::RxBurst& r) {
    const auto end = with_.model.end_of(a.start_slot, a.format) + a.search_slots;
    const OnAir* best = nullptr;
    size_t aimed = 0, bursts = 0;
    for (auto& b : air_) {
        if (!overlaps(b, a, end)) continue;
        ++bursts;
        if (!mac::aims(*b.burst, a)) continue;
        ++aimed;
        b.used = true;
        if (!best || b.cinr_db > best->cinr_db) best = &b;
    }
    // Most bursts are alone and received: powers are not needed.
    const double others = best && bursts > 1 ? power(a, end) - power_of(best->cinr_db) : 0;
    const bool disturbed = others > 0 && others > power_of(best->cinr_db) * kNothing;
    const bool right = best && decode(*best, disturbed ? others : 0, a, r);
    if (!r.detected) r.measured.rssi_dbm = static_cast<float>(with_.phy.noise_dbm + 10 * std::log10(1 + power(a, end)));
    count(a, {aimed, disturbed, right});
}

/// True: without a wrong octet.
bool UplinkAir::decode(const OnAir& b, double interference, const sap::RxAllocation& a, sap::RxBurst& r) {
    const int late = b.timing_samples + static_cast<int>(phy::samples_in_slots(b.burst->start_slot - a.start_slot));
    const double sinr_db = interference > 0 ? b.cinr_db - 10 * std::log10(1 + interference) : b.cinr_db;
    r.measured.cinr_db = static_cast<float>(sinr_db);
    r.measured.timing_offset_samples = static_cast<float>(late);
    r.measured.frequency_offset_hz = b.frequency_hz;
    r.detected = with_.model.detects({sinr_db, late, b.frequency_hz}, a);
    if (!r.detected) return false;
    r.measured.rssi_dbm = static_cast<float>(b.rssi_dbm);
    r.payload = b.burst->payload;
    r.payload.resize(with_.model.octets(a.format), 0xFF);
    const bool drowned = interference > 0 && b.cinr_db - 10 * std::log10(interference) < with_.phy.capture_db;
    if (drowned || !with_.model.as_expected(b.burst->format, a.format)) {
        with_.model.spoil(r, with_.random);
        return false;
    }
    if (with_.drop.any() && a.kind == sap::BurstKind::data)
        drop_pdus(r, with_.drop, basic_cids_, with_.random, with_.counters.drops);
    const double block_error = with_.model.block_error(a.format.rate_id, Direction::uplink, sinr_db);
    return with_.model.decode(r, block_error, with_.random) == 0;
}

void UplinkAir::count(const sap::RxAllocation& a, const Heard& heard) {
    if (a.kind == sap::BurstKind::data) {
        ++with_.counters.ul_grants;
        with_.counters.ul_granted_symbols += static_cast<uint64_t>(a.format.total_symbols());
        with_.counters.ul_bursts += heard.aimed > 0;
        with_.counters.ul_bursts_wrong += heard.aimed > 0 && !heard.right;
        with_.counters.ul_collisions += heard.disturbed;
        return;
    }
    auto& c = a.kind == sap::BurstKind::ranging ? with_.counters.ranging : with_.counters.requests;
    ++c.opportunities;
    c.attempts += heard.aimed;
    c.collisions += heard.aimed > 1;
    c.collided += heard.aimed > 1 ? heard.aimed : 0;
    c.successes += heard.right;
    c.captured += heard.right && heard.aimed > 1;
}

void UplinkAir::receive(sap::RxContention& contention) {
    with_.model.receive_codes(codes_, contention, with_.counters.codes);
    ++with_.counters.codes.opportunities;
}

void UplinkAir::end() {
    for (const auto& burst : air_) with_.counters.stray_bursts += !burst.used;
    air_.clear();
    codes_.clear();
}

}  // namespace wimax::sim
