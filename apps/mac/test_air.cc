// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/test_air.h"

#include "mac/report/events.h"

#include <algorithm>

namespace wimax::mac::test {
namespace {

/// A station's PHY has its own count, right in the low four bits.
phy::FrameNumber station_count(phy::FrameNumber frame) { return phy::FrameNumber(frame.value() & 0xFFFF); }

}  // namespace

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
    t.config.carriers = bs_config.carriers;
    t.config.mac = mac_of(terminals.size() - 1);
    t.link = link;
    join(t);
    restart(t);
    return t;
}

void Air::restart(Terminal& t) {
    t.half_duplex = t.config.half_duplex && !t.config.carriers.shared()
                        ? std::optional(HalfDuplexGaps{t.config.ssttg_us, t.config.ssrtg_us})
                        : std::nullopt;
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
    t.forget();
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
    forget_late();
}

void Air::step() {
    sap::FrameTick tick;
    tick.frame_number = frame;
    tick.frame_start_sample = static_cast<int64_t>(ticks_) * layout.frame_samples();
    tick.sample_rate_hz = static_cast<uint32_t>(layout.sample_rate_hz());
    if (before_tick) before_tick();
    air_.clear();
    codes_.clear();
    BurstLoop::step(tick, {layout.frame_samples(), layout.samples_from_ms(2), layout.samples_from_ms(1), {}});
    stray_bursts += static_cast<uint64_t>(std::ranges::count_if(air_, [](const auto& b) { return !b.used; }));
    max_ul_bursts = std::max(max_ul_bursts, uplink().allocations.size());
    const auto& slots = uplink().contention_slots;
    for (const auto& code : codes_) stray_bursts += std::ranges::count(slots, code.start_slot) == 0;
    frame = frame + 1;
    ++ticks_;
}

void Air::ask_base_station(const sap::FrameTick& frame_begin, sap::TxFrame& tx, sap::RxExpect& expect) {
    auto tick = frame_begin;
    tick.rx_reference_dbm = bs_rx_reference_dbm;
    tick.tx_reference_dbm = bs_tx_reference_dbm;
    bs->on_tick(tick, tx, expect);
    check_downlink(tx, expect);
}

sap::ConfigConfirm Air::confirm() const {
    sap::ConfigConfirm c;
    c.sample_rate_hz = static_cast<uint32_t>(layout.sample_rate_hz());
    c.tx_reference_dbm = kReferenceDbm;
    c.rx_reference_dbm = static_cast<float>(kFullScaleDbm - bs_config.rx_gain_db);
    c.tx_antennas = static_cast<uint8_t>(antennas);
    return c;
}

void Air::check_downlink(const sap::TxFrame& tx, const sap::RxExpect& expect) {
    phy::Slot end = layout.downlink.slot(kFirstBurstSymbol);
    bool zone = false;
    for (const auto& b : tx.bursts) {
        const auto& f = b.format;
        if (f.stc && !std::exchange(zone, true)) end = end.after(phy::kStcFirstBurstSymbol, layout.symbol_slots);
        if (b.start_slot < end || f.stc != zone || (zone && (antennas < 2 || f.data_symbols % 2 != 0))) ++overlaps;
        end = burst_end(b.start_slot, f);
        if (b.payload.size() > bytes_in(f.rate_id, f.data_symbols)) ++oversized;
    }
    if (end > layout.downlink.slot(layout.downlink.symbols)) ++overlaps;
    if (tx.bursts.empty() || layout.maps_next_frame || expect.allocations.empty()) return;
    const auto map_end = layout.downlink.slot(tx.bursts[0].format.data_symbols + kFirstBurstSymbol);
    const int64_t lead = phy::samples_in_slots(layout.uplink.first - map_end) * 1'000'000 / layout.sample_rate_hz();
    if (lead < kTprocUs) ++too_late_maps;
}

sap::RxBurst Air::received(const sap::TxBurst& b, uint8_t index, Terminal& t) {
    sap::RxBurst r;
    r.frame_number = station_count(frame);
    r.index = index;
    r.start_slot = b.start_slot;
    r.rate_id = b.format.rate_id;
    r.iuc = b.format.iuc;
    r.measured.rssi_dbm = kReferenceDbm - t.link.path_loss_db;
    r.measured.cinr_db = r.measured.rssi_dbm - kNoiseDbm;
    r.detected = true;
    r.fec_ok = r.measured.cinr_db > phy::kRateTable[b.format.rate_id].snr_db - 3 && !chance(t.link.downlink_loss);
    r.frame_start_sample = BurstLoop::frame().frame_start_sample;
    r.prefix = composed().prefix();
    r.cp_denominator = static_cast<uint8_t>(layout.numerology.cp);
    r.frame_samples = static_cast<uint32_t>(layout.frame_samples());
    r.payload = b.payload;
    r.payload.resize(bytes_in(b.format.rate_id, b.format.data_symbols), 0xFF);
    spoil(r, t);
    return r;
}

phy::FrameComposer Air::composed() const {
    phy::FrameComposer frame_of_bursts;
    frame_of_bursts.begin({0, frame.lsb(), 0});
    for (const auto& b : downlink().bursts) {
        frame_of_bursts.add(b.format, b.start_slot.symbol(layout.symbol_slots), {});
    }
    return frame_of_bursts;
}

std::vector<phy::AnnouncedBurst> Air::announced(const Listener& t) const {
    std::vector<phy::AnnouncedBurst> all;
    const auto sent = composed();
    const auto add = [&](const phy::PrefixContent& content) {
        for (int i = 0; i < content.count; ++i)
            if (!content.items[static_cast<size_t>(i)].zone) all.push_back(content.items[static_cast<size_t>(i)].burst);
    };
    const auto plain = phy::read_prefix(sent.prefix(), t.profiles.diuc_rates);
    add(plain);
    if (!sent.has_zone()) return all;
    const int start = sent.zone_start();
    const bool known = std::any_of(plain.items.begin(), plain.items.begin() + plain.count,
                                   [&](const auto& item) { return item.zone && item.burst.start_symbol == start; }) ||
                       std::count(t.expect.stc_zone_slots.begin(), t.expect.stc_zone_slots.end(),
                                  phy::Slot::of_symbol(start, layout.symbol_slots)) > 0;
    if (known) add(phy::read_prefix(sent.zone_prefix(), t.profiles.diuc_rates, 1, start));
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

bool Air::hears(Listener& listener, sap::FrameTick& tick) {
    const auto& t = static_cast<Terminal&>(listener);
    tick.frame_number = station_count(frame);
    tick.rssi_dbm = kReferenceDbm - t.link.path_loss_db;
    tick.tx_reference_dbm = t.tx_reference_dbm;
    tick.cp_denominator = static_cast<uint8_t>(layout.numerology.cp);
    return !downlink().bursts.empty() && t.link.connected && bs_air;
}

void Air::ask(Listener& listener, const sap::FrameTick& tick, Samples) {
    auto& t = static_cast<Terminal&>(listener);
    sap::RxExpect unused;
    t.mac->on_tick(tick, t.tx, unused);
    check_uplink(t);
    found_ = t.heard > 0 ? announced(t) : std::vector<phy::AnnouncedBurst>();
    if (!t.link.connected) return;
    for (const auto& burst : t.tx.bursts)
        air_.push_back({&t, burst, t.tx.power_dbm, 2 * t.link.delay_samples - t.tx.timing_advance_samples,
                        t.link.carrier_offset_hz + t.tx.frequency_adjust_hz, false});
    codes_.insert(codes_.end(), t.tx.codes.begin(), t.tx.codes.end());
}

void Air::check_uplink(const Terminal& t) {
    uint32_t most = 1;  // subchannels that the power is divided among
    for (const auto& burst : t.tx.bursts) most = std::max(most, subchannels_in(burst.format.subchannel_index));
    if (t.tx.power_dbm > kReferenceDbm + density_gain_db(most) + 0.01F) ++too_strong;
    const auto first = t.expect.first_uplink_slot;
    for (const auto& burst : t.tx.bursts) {
        if (first == 0 || burst.start_slot < first) ++stray_bursts;
        if (layout.maps_next_frame && (t.foretold == 0 || burst.start_slot < t.foretold)) ++stray_bursts;
        const auto& f = burst.format;
        if (burst.payload.size() > bytes_in(f.rate_id, f.data_symbols, f.subchannel_index)) ++oversized;
    }
    for (const auto& code : t.tx.codes) stray_bursts += first == 0 || code.start_slot < first;
}

bool Air::finds(const Listener& t, size_t i) {
    const auto& b = downlink().bursts[i];
    const auto same = [&](const phy::BurstFormat& f) {
        return f.rate_id == b.format.rate_id && f.data_symbols == b.format.data_symbols && f.stc == b.format.stc;
    };
    return std::ranges::any_of(found_,
                               [&](const auto& a) {
                                   return phy::Slot::of_symbol(a.start_symbol, layout.symbol_slots) == b.start_slot &&
                                          same(a.format);
                               }) ||
           std::ranges::any_of(t.expect.allocations, [&](const auto& a) {
               return a.start_slot == b.start_slot && a.format.iuc == b.format.iuc && same(a.format);
           });
}

void Air::deliver(Listener& listener, size_t i, Samples, sap::RxExpect& expect) {
    auto& t = static_cast<Terminal&>(listener);
    const auto& b = downlink().bursts[i];
    zone_bursts += b.format.stc;
    const auto burst = received(b, static_cast<uint8_t>(b.format.stc ? phy::kStcZoneIndex + i : i + 1), t);
    if (on_received) on_received(&t, burst);
    t.mac->on_burst(burst, expect);
}

void Air::report(const sap::RxBurst& burst, Samples) {
    if (on_received) on_received(nullptr, burst);
    sap::RxExpect none;
    bs->on_burst(burst, none);
}

void Air::receive(const sap::RxAllocation& a, sap::RxBurst& r) {
    std::vector<const OnAir*> hits;
    for (auto& b : air_) {
        if (!share_carriers(b.burst.format.subchannel_index, a.format.subchannel_index) || !aims(b.burst, a)) continue;
        b.used = true;
        hits.push_back(&b);
    }
    if (!hits.empty()) decode(r, a, hits);
}

void Air::receive_codes(sap::RxContention& contention) {
    std::map<uint8_t, std::set<uint8_t>> heard;  // by channel
    for (const auto& code : codes_)
        if (code.start_slot == contention.start_slot) heard[code.what.channel].insert(code.what.code);
    for (const auto& [channel, these] : heard)
        if (these.size() == 1) contention.codes.push_back({{channel, *these.begin()}, 20, -80, 1});
    codes += contention.codes.size();
}

void Air::decode(sap::RxBurst& r, const sap::RxAllocation& a, const std::vector<const OnAir*>& hits) {
    const auto& b = *hits.front();
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
