/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "phy/base/decibels.h"
#include "phy/frame/downlink_receiver_impl.h"

#include <gnuradio/wimax/phy/coding/frame_prefix.h>

#include <algorithm>
#include <cmath>

namespace gr::wimax::phy {
namespace {

/// +-20 ppm on both sides, if nothing is known yet.
constexpr double kMaxClockOffset = 40e-6;
/// A burst requested after its start is received at this many symbols per symbol time, so that no call has to receive
/// all of them. The rest is received at its end.
constexpr int kCatchUpSymbols = 4;

}  // namespace

void DownlinkReceiver::Impl::queue_prefix_bursts(FramePrefix prefix, int zone, int zone_start) {
    if (!config.decode_prefix_bursts) prefix.entry_count = std::min(prefix.entry_count, 1);
    const auto content = read_prefix(prefix, config.diuc_rates, zone, zone_start);
    for (const auto& item : std::span(content.items).first(static_cast<size_t>(content.count))) {
        if (item.zone)
            queue_zone(item.burst.start_symbol);
        else
            queue(item.burst, item.first);
    }
}

void DownlinkReceiver::Impl::queue(const Expected& expected, bool first) {
    const auto& f = expected.format;
    if (f.stc ? !valid_stc_format(f) : !valid_burst_format(f)) return;
    enqueue({f, expected.start_symbol, expected.index, 0, first}, f.total_symbols());
}

void DownlinkReceiver::Impl::enqueue(Pending entry, int symbols) {
    if (!frame_active || pending.size() == pending.capacity()) return;
    const int end = entry.end_symbol = entry.start_symbol + symbols;
    const int64_t span = static_cast<int64_t>(end) * link.symbol_samples;
    if (entry.start_symbol < kFirstBurstSymbol || span > max_frame_samples || end > kMaxFrameSymbols) return;
    // FFT windows end a little before their symbol, or after it if echoes exceed the prefix.
    const int64_t overhang = std::max<int64_t>(0, window_delay - link.cp_samples + kMaxWindowErrorSamples);
    const auto samples = static_cast<double>(span);
    const double drift = clock.locked() ? clock.drift(samples) : kMaxClockOffset * samples;
    entry.due = sync.start_sample + span + overhang + static_cast<int64_t>(std::ceil(std::max(0.0, drift)));
    const auto place = std::upper_bound(pending.begin(), pending.end(), entry,
                                        [](const Pending& a, const Pending& b) { return a.due < b.due; });
    // A burst that ends earlier is received first: the one that has begun restarts after it.
    if (place == pending.begin()) begun = false;
    pending.insert(place, entry);
}

void DownlinkReceiver::Impl::begin_burst() {
    const Pending& item = pending.front();
    begun = true;
    begun_at = buffer.end();
    caught_up = 0;
    reception = nullptr;
    const Randomizer randomizer = burst_randomizer(item.format, item.first);
    if (item.zone) return;
    if (item.format.stc) {
        if (stc.zone_start() == 0 || item.start_symbol < stc.zone_start() + kStcFirstBurstSymbol) return;
        stc.start(item.format, item.start_symbol, item.index, randomizer);
        reception = &stc;
        return;
    }
    // A burst requested after later symbols were received: starts from the state after the frame prefix.
    asked_late = item.start_symbol < link.tracker.position();
    burst_link = asked_late ? base_link : link;
    const bool own_preamble = item.format.preamble == Preamble::short_;
    receiver.start(burst_link, item.format, {item.start_symbol, own_preamble, item.index}, randomizer);
    reception = &receiver;
}

void DownlinkReceiver::Impl::plan_symbol() {
    symbol_due = kNever;
    if (reception == nullptr || !reception->wants_symbol()) return;
    next_symbol = reception->next_window();
    if (next_symbol.symbol + 1 < pending.front().end_symbol) symbol_due = next_symbol.end();
}

void DownlinkReceiver::Impl::take_symbols() {
    const int64_t now = buffer.end();
    while (symbol_due <= now && resting_until <= now) {
        const bool was_there = symbol_due <= begun_at;
        take_symbol(next_symbol);
        plan_symbol();
        if (was_there && ++caught_up % kCatchUpSymbols == 0) resting_until = now + symbol_samples();
    }
}

std::optional<SampleFlow> DownlinkReceiver::Impl::end_burst(DownlinkListener& listener) {
    const Pending item = pending.front();
    pending.erase(pending.begin());
    begun = false;
    resting_until = 0;
    symbol_due = kNever;
    if (item.zone) return receive_zone(item.start_symbol, listener);
    burst.format = item.format;
    burst.start_symbol = item.start_symbol;
    burst.index = item.index;
    while (reception != nullptr && reception->wants_symbol()) take_symbol(reception->next_window());
    if (item.format.stc)
        report_stc_burst();
    else
        report_burst();
    return listener.on_burst(sync, burst);
}

void DownlinkReceiver::Impl::report_burst() {
    burst.detected = true;
    receiver.finish(burst);
    if (burst.fec_ok)
        receiver.keep_front_end();
    else
        receiver.forget_front_end();
    report_link(burst_link);
    if (asked_late) return;
    link = burst_link;
    learn_oscillator(link);
}

void DownlinkReceiver::Impl::report_link(const LinkEstimate& used) {
    burst.start_sample = sync.start_sample + static_cast<int64_t>(burst.start_symbol) * link.symbol_samples +
                         std::llround(sync.start_fraction + used.tracker.delay());
    burst.measured.timing_offset_samples = static_cast<float>(used.tracker.delay());
    burst.measured.frequency_offset_hz =
        static_cast<float>(used.total_cycles_per_sample() * static_cast<double>(base.sample_rate_hz));
}

void DownlinkReceiver::Impl::learn_oscillator(const LinkEstimate& used) {
    next_cycles_per_sample = used.total_cycles_per_sample();
    next_frequency_variance = used.tracker.phase_rate_variance();
    // The tracker began with the frequency of earlier frames.
    sync.clock_offset_ppm = static_cast<float>(1e6 * used.tracker.delay_rate() / used.symbol_samples);
}

std::optional<SampleFlow> DownlinkReceiver::Impl::receive_zone(int start_symbol, DownlinkListener& listener) {
    const bool late = start_symbol < link.tracker.position();
    prefix_burst.index = kStcZoneIndex * ++zones;
    stc.start_zone(view(), late ? base_link : link, start_symbol, prefix_burst);
    const auto prefix = parse_frame_prefix(prefix_burst.payload);
    zone_sync.start_symbol = start_symbol;
    zone_sync.index = prefix_burst.index;
    zone_sync.prefix_ok = prefix.has_value();
    zone_sync.prefix = prefix ? *prefix : FramePrefix{};
    zone_sync.rssi_dbfs = {static_cast<float>(decibels(stc.link().channel.power)),
                           static_cast<float>(decibels(stc.second_channel().power))};
    if (prefix) queue_prefix_bursts(*prefix, zones, start_symbol);
    return listener.on_stc_zone(sync, zone_sync);
}

void DownlinkReceiver::Impl::report_stc_burst() {
    burst.detected = reception != nullptr;
    burst.payload.clear();
    burst.fec_ok = false;
    burst.measured = {};
    if (!burst.detected) return;
    stc.finish(burst);
    report_link(stc.link());
    learn_oscillator(stc.link());
}

}  // namespace gr::wimax::phy
