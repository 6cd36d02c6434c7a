// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/test_air.h"

#include "mac/report/events.h"

#include <algorithm>

namespace wimax::mac::test {

Air::Air(BaseStationConfig config) : bs_config(std::move(config)) {
    layout = *FrameLayout::make(bs_config);
    restart_bs();
}

BaseStationConfig Air::with_stations(size_t count, BaseStationConfig config) {
    for (size_t i = 0; i < count; ++i) {
        StationConfig station;
        station.mac = mac_of(i);
        station.ip_addresses = {{station_address(i), 0xFFFFFF00}};
        config.stations.push_back(station);
    }
    return config;
}

Air::Terminal& Air::add(Link link) {
    auto& t = *terminals.emplace_back(std::make_unique<Terminal>());
    t.config.bandwidth_hz = bs_config.bandwidth_hz;
    t.config.mac = mac_of(terminals.size() - 1);
    t.link = link;
    restart(t);
    return t;
}

void Air::restart(Terminal& t) {
    t.mac = make_subscriber_station(t.config);
    t.mac->on_sdu = [&t, this](Octets p) {
        t.dl_bytes += p.size();
        ++t.dl_packets;
        if (keep_numbers) t.dl_numbers.push_back(number_of(p));
    };
    t.mac->on_event = [&t](uint32_t number, const Event& event) {
        t.events.push_back(std::to_string(number) + " " + event.text);
    };
    restart_phy(t);
}

void Air::restart_phy(Terminal& t) {
    t.mac->on_phy_start(confirm());
    t.synchronised = t.profiles = false;
    t.heard = t.silent = 0;
    t.diuc_rates.fill(-1);
}

void Air::restart_bs() {
    bs = make_base_station(bs_config);
    bs->on_sdu = [this](Octets p) {
        ul_bytes[source_of(p)] += p.size();
        ++ul_packets;
        if (keep_numbers) ul_numbers.push_back(number_of(p));
    };
    bs->on_event = [this](uint32_t number, const Event& event) {
        events.push_back(std::to_string(number) + " " + event.text);
    };
    restart_bs_phy();
}

void Air::restart_bs_phy() {
    bs->on_phy_start(confirm());
    late_.clear();
}

void Air::step() {
    const int64_t start = static_cast<int64_t>(ticks_) * layout.frame_samples();
    sap::FrameTick tick;
    tick.frame_number = frame;
    tick.frame_start_sample = start;
    tick.sample_rate_hz = static_cast<uint32_t>(layout.sample_rate_hz());
    if (before_tick) before_tick();
    tick.rx_reference_dbm = bs_rx_reference_dbm;
    tick.tx_reference_dbm = bs_tx_reference_dbm;
    bs->on_tick(tick, tx_, expect_);
    for (const auto& burst : late_) deliver(burst);
    late_.clear();
    check_downlink();
    air_.clear();
    for (auto& terminal : terminals) step(*terminal, tick);
    receive_uplink();
    frame = frame + 1;
    ++ticks_;
}

sap::ConfigConfirm Air::confirm() const {
    sap::ConfigConfirm c;
    c.sample_rate_hz = static_cast<uint32_t>(layout.sample_rate_hz());
    c.tx_reference_dbm = kReferenceDbm;
    c.rx_reference_dbm = static_cast<float>(kFullScaleDbm - bs_config.rx_gain_db);
    c.tx_antennas = static_cast<uint8_t>(antennas);
    return c;
}

void Air::check_downlink() {
    phy::Slot end = layout.downlink.slot(kFirstBurstSymbol);
    bool zone = false;
    for (const auto& b : tx_.bursts) {
        const auto& f = b.format;
        if (f.stc && !std::exchange(zone, true)) end = end.after(phy::kStcFirstBurstSymbol, layout.symbol_slots);
        if (b.start_slot < end || f.stc != zone || (zone && (antennas < 2 || f.data_symbols % 2 != 0))) ++overlaps;
        end = b.start_slot.after(f.total_symbols(), layout.symbol_slots);
        if (b.payload.size() > bytes_in(f.rate_id, f.data_symbols)) ++oversized;
    }
    if (end > layout.downlink.slot(layout.downlink.symbols)) ++overlaps;
    if (tx_.bursts.empty() || layout.maps_next_frame || expect_.allocations.empty()) return;
    const auto map_end = layout.downlink.slot(tx_.bursts[0].format.data_symbols + kFirstBurstSymbol);
    const int64_t lead = phy::samples_in_slots(layout.uplink.first - map_end) * 1'000'000 / layout.sample_rate_hz();
    if (lead < kTprocUs) ++too_late_maps;
}

sap::RxBurst Air::received(const sap::TxBurst& b, uint8_t index, Terminal& t, const sap::FrameTick& tick) {
    sap::RxBurst r;
    r.frame_number = sap::FrameNumber(tick.frame_number.value() &
                                      0xFFFF);  // a station's PHY has its own count, right in the low four bits
    r.index = index;
    r.start_slot = b.start_slot;
    r.rate_id = b.format.rate_id;
    r.iuc = b.format.iuc;
    r.measured.rssi_dbm = kReferenceDbm - t.link.path_loss_db;
    r.measured.cinr_db = r.measured.rssi_dbm - kNoiseDbm;
    r.detected = true;
    r.fec_ok = r.measured.cinr_db > phy::kRateTable[b.format.rate_id].snr_db - 3 && !chance(t.link.downlink_loss);
    r.frame_start_sample = tick.frame_start_sample;
    r.prefix = composed(tick).prefix();
    r.cp_denominator = static_cast<uint8_t>(layout.numerology.cp);
    r.frame_samples = static_cast<uint32_t>(layout.frame_samples());
    r.payload = b.payload;
    r.payload.resize(bytes_in(b.format.rate_id, b.format.data_symbols), 0xFF);
    spoil(r, t);
    return r;
}

phy::FrameComposer Air::composed(const sap::FrameTick& tick) const {
    phy::FrameComposer frame_of_bursts;
    frame_of_bursts.begin({0, tick.frame_number.lsb(), 0});
    for (const auto& b : tx_.bursts) {
        frame_of_bursts.add(b.format, b.start_slot.symbol(layout.symbol_slots), {});
    }
    return frame_of_bursts;
}

std::vector<phy::AnnouncedBurst> Air::announced(const Terminal& t, const sap::FrameTick& tick) const {
    std::vector<phy::AnnouncedBurst> all;
    const auto sent = composed(tick);
    const auto add = [&](const phy::PrefixContent& content) {
        for (int i = 0; i < content.count; ++i)
            if (!content.items[static_cast<size_t>(i)].zone) all.push_back(content.items[static_cast<size_t>(i)].burst);
    };
    const auto plain = phy::read_prefix(sent.prefix(), t.diuc_rates);
    add(plain);
    if (!sent.has_zone()) return all;
    const int start = sent.zone_start();
    const bool known = std::any_of(plain.items.begin(), plain.items.begin() + plain.count,
                                   [&](const auto& item) { return item.zone && item.burst.start_symbol == start; }) ||
                       std::count(t.expect.stc_zone_slots.begin(), t.expect.stc_zone_slots.end(),
                                  phy::Slot::of_symbol(start, layout.symbol_slots)) > 0;
    if (known) add(phy::read_prefix(sent.zone_prefix(), t.diuc_rates, 1, start));
    return all;
}

void Air::spoil(sap::RxBurst& r, const Terminal& t) {
    if (!r.fec_ok || chance(t.link.damage)) {
        r.fec_ok = false;
        const size_t from = total_damage ? 0 : r.payload.size() / 3;
        const size_t count = std::min<size_t>(r.payload.size() - from, total_damage ? SIZE_MAX : 100);
        for (size_t i = 0; i < count; ++i) r.payload[from + i] = static_cast<uint8_t>(random_());
    }
    if (tamper) tamper(r);
}

void Air::step(Terminal& t, sap::FrameTick tick) {
    const bool on_air = !tx_.bursts.empty() && t.link.connected && bs_air;
    t.heard = on_air ? t.heard + 1 : 0;
    t.silent = on_air ? 0 : t.silent + 1;
    if (t.heard >= 2) t.synchronised = true;
    if (t.silent >= 5) t.synchronised = false;
    tick.synchronised = t.synchronised;
    tick.frame_number = sap::FrameNumber(tick.frame_number.value() & 0xFFFF);
    tick.rssi_dbm = kReferenceDbm - t.link.path_loss_db;
    tick.rx_reference_dbm = sap::kNoReferenceDbm;
    tick.tx_reference_dbm = t.tx_reference_dbm;
    tick.cp_denominator = static_cast<uint8_t>(layout.numerology.cp);
    sap::RxExpect& expect = t.expect;
    expect.allocations.clear();
    expect.first_uplink_slot = expect.next_uplink_slot = {};
    const bool listens = t.synchronised && on_air;
    if (listens && deliver(t, received(tx_.bursts[0], 1, t, tick), expect)) take_profiles(t);
    sap::TxFrame& tx = t.tx;
    t.mac->on_tick(tick, tx, expect_unused_);
    const auto foretold = std::exchange(t.next_uplink_slot, expect.next_uplink_slot);
    uint32_t most = 1;  // subchannels that the power is divided among
    for (const auto& burst : tx.bursts) most = std::max(most, subchannels_in(burst.format.subchannel_index));
    if (tx.power_dbm > kReferenceDbm + density_gain_db(tx.codes.empty() ? most : 16) + 0.01F) ++too_strong;
    for (const auto& burst : tx.bursts) {
        if (expect.first_uplink_slot == 0 || burst.start_slot < expect.first_uplink_slot) ++stray_bursts;
        if (layout.maps_next_frame && (foretold == 0 || burst.start_slot < foretold)) ++stray_bursts;
        const auto& f = burst.format;
        if (burst.payload.size() > bytes_in(f.rate_id, f.data_symbols, f.subchannel_index)) ++oversized;
        if (t.link.connected)
            air_.push_back({&t, burst, tx.power_dbm, 2 * t.link.delay_samples - tx.timing_advance_samples,
                            t.link.carrier_offset_hz + tx.frequency_adjust_hz});
    }
    for (const auto& code : tx.codes) {
        if (expect.first_uplink_slot == 0 || code.start_slot < expect.first_uplink_slot) ++stray_bursts;
        if (t.link.connected) codes_.push_back(code);
    }
    if (!listens) return;
    sap::RxExpect none;
    const auto found = announced(t, tick);
    for (size_t i = 1; i < tx_.bursts.size(); ++i) {
        const auto& b = tx_.bursts[i];
        const auto same = [&](const phy::BurstFormat& f) {
            return f.rate_id == b.format.rate_id && f.data_symbols == b.format.data_symbols && f.stc == b.format.stc;
        };
        const bool in_prefix = std::any_of(found.begin(), found.end(), [&](const auto& a) {
            return phy::Slot::of_symbol(a.start_symbol, layout.symbol_slots) == b.start_slot && same(a.format);
        });
        const bool expected = std::any_of(expect.allocations.begin(), expect.allocations.end(), [&](const auto& a) {
            return a.start_slot == b.start_slot && a.format.iuc == b.format.iuc && same(a.format);
        });
        if (!in_prefix && !expected) continue;
        zone_bursts += b.format.stc;
        deliver(t, received(b, static_cast<uint8_t>(b.format.stc ? phy::kStcZoneIndex + i : i + 1), t, tick), none);
    }
    take_profiles(t);
}

bool Air::deliver(Terminal& t, const sap::RxBurst& burst, sap::RxExpect& expect) {
    if (on_received) on_received(&t, burst);
    return t.mac->on_burst(burst, expect);
}

void Air::deliver(const sap::RxBurst& burst) {
    if (on_received) on_received(nullptr, burst);
    sap::RxExpect none;
    bs->on_burst(burst, none);
}

void Air::take_profiles(Terminal& t) {
    sap::ProfilesRequest profiles;
    if (t.mac->profiles_changed(profiles)) t.diuc_rates = profiles.diuc_rates;
}

void Air::receive_uplink() {
    // The next tick is sent 2 ms before its frame, a burst is reported 1 ms after its end.
    const int64_t tick_slot = layout.frame_slots - phy::slots_in_samples(layout.samples_from_ms(3));
    std::vector<bool> used(air_.size(), false);
    max_ul_bursts = std::max(max_ul_bursts, expect_.allocations.size());
    for (size_t index = 0; index < expect_.allocations.size(); ++index) {
        const auto& a = expect_.allocations[index];
        sap::RxBurst r;
        r.frame_number = frame;
        r.kind = a.kind;
        r.index = static_cast<uint8_t>(index);
        r.start_slot = a.start_slot;
        r.rate_id = a.format.rate_id;
        r.iuc = a.format.iuc;
        r.cid = a.cid;
        std::vector<size_t> hits;
        for (size_t i = 0; i < air_.size(); ++i)
            if (at(air_[i].burst, a)) {
                used[i] = true;
                hits.push_back(i);
            }
        if (!hits.empty()) decode(r, a, hits);
        const auto end = a.start_slot.after(a.format.total_symbols(), layout.symbol_slots);
        if (end.value() <= tick_slot) deliver(r);
        else late_.push_back(std::move(r));
    }
    for (const bool was : used) stray_bursts += was ? 0 : 1;
    hear_codes();
}

void Air::hear_codes() {
    for (const auto slot : expect_.contention_slots) {
        std::map<uint8_t, std::set<uint8_t>> heard;  // by channel
        for (const auto& code : codes_)
            if (code.start_slot == slot) heard[code.what.channel].insert(code.what.code);
        stray_codes_ -=
            std::count_if(codes_.begin(), codes_.end(), [&](const auto& c) { return c.start_slot == slot; });
        sap::RxContention contention;
        contention.frame_number = frame;
        contention.start_slot = slot;
        for (const auto& [channel, these] : heard)
            if (these.size() == 1) contention.codes.push_back({{channel, *these.begin()}, 20, -80, 1});
        codes += contention.codes.size();
        bs->on_contention(contention);
    }
    stray_codes_ += static_cast<int64_t>(codes_.size());
    stray_bursts += static_cast<uint64_t>(std::exchange(stray_codes_, 0));
    codes_.clear();
}

bool Air::at(const sap::TxBurst& burst, const sap::RxAllocation& a) {
    const int64_t later = burst.start_slot - a.start_slot;
    if (!share_carriers(burst.format.subchannel_index, a.format.subchannel_index)) return false;
    return later == 0 || (a.kind == sap::BurstKind::ranging && burst.format.iuc == a.format.iuc && later > 0 &&
                          later < a.search_slots);
}

void Air::decode(sap::RxBurst& r, const sap::RxAllocation& a, const std::vector<size_t>& hits) {
    const auto& b = air_[hits.front()];
    r.measured.rssi_dbm = b.power_dbm - b.from->link.path_loss_db - b.from->link.uplink_offset_db;
    r.measured.cinr_db = r.measured.rssi_dbm - kNoiseDbm;
    const int timing_samples =
        b.timing_samples + static_cast<int>(phy::samples_in_slots(b.burst.start_slot - a.start_slot));
    r.measured.timing_offset_samples = static_cast<float>(timing_samples);
    r.measured.frequency_offset_hz = b.frequency_hz;
    const int cp = layout.numerology.cp_samples();
    const int latest =
        a.kind == sap::BurstKind::ranging ? static_cast<int>(phy::samples_in_slots(a.search_slots)) : cp / 2;
    const bool in_window = timing_samples >= -cp / 2 && timing_samples <= latest;
    const bool in_tune = std::abs(b.frequency_hz) < layout.numerology.carrier_spacing_hz() / 2;
    r.detected = in_window && in_tune && r.measured.cinr_db > 0;
    if (!r.detected) return;
    const bool same = b.burst.format.iuc == a.format.iuc && b.burst.format.rate_id == a.format.rate_id &&
                      b.burst.format.data_symbols == a.format.data_symbols &&
                      b.burst.format.frame_lsb == a.format.frame_lsb && b.burst.format.preamble == a.format.preamble &&
                      b.burst.format.subchannel_index == a.format.subchannel_index;
    subchannel_bursts += same && a.format.subchannel_index != kAllSubchannels;
    if (!same) ++stray_bursts;
    r.fec_ok =
        same && r.measured.cinr_db > phy::kRateTable[a.format.rate_id].snr_db - 3 && !chance(b.from->link.uplink_loss);
    r.payload = b.burst.payload;
    r.payload.resize(bytes_in(a.format.rate_id, a.format.data_symbols, a.format.subchannel_index), 0xFF);
    if (hits.size() > 1) {
        ++collisions;
        r.fec_ok = a.format.rate_id == 0;  // BPSK has no Reed-Solomon code to notice it
        for (auto& octet : r.payload) octet = static_cast<uint8_t>(random_());
    }
    spoil(r, *b.from);
}

}  // namespace wimax::mac::test
