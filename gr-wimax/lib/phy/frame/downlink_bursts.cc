// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/frame/downlink_bursts.h"

#include "phy/base/decibels.h"

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

DownlinkBursts::DownlinkBursts(const DownlinkReceiverConfig& config, FollowedFrame& frame, FrameSymbols& symbols,
                               const SampleBuffer& buffer, BurstReceiver& receiver)
    : config_(config), frame_(frame), symbols_(symbols), buffer_(buffer), receiver_(receiver), stc_(receiver) {
    pending_.reserve(kMaxFrameSymbols);
    burst_.payload.reserve(static_cast<size_t>(burst_capacity_bytes(kRates - 1, kMaxFrameSymbols)));
    zone_prefix_.payload.reserve(64);
}

void DownlinkBursts::forget() {
    pending_.clear();
    end_reception();
}

void DownlinkBursts::begin_frame() {
    forget();
    stc_.forget_zone();
    zones_ = 0;
}

void DownlinkBursts::end_reception() {
    begun_ = false;
    resting_until_ = 0;
    symbol_due_ = kNever;
}

int64_t DownlinkBursts::due() {
    if (pending_.empty()) return kNever;
    if (!begun_) {
        begin_burst();
        plan_symbol();
    }
    const int64_t end = pending_.front().due;
    return resting_until_ > buffer_.end() ? std::min(end, resting_until_) : end;
}

std::optional<int64_t> DownlinkBursts::last_due() const {
    if (std::ranges::any_of(pending_, &Pending::zone)) return std::nullopt;
    return pending_.empty() ? 0 : pending_.back().due;
}

void DownlinkBursts::queue_prefix_bursts(FramePrefix prefix, int zone, int zone_start) {
    if (!config_.decode_prefix_bursts) prefix.entry_count = std::min(prefix.entry_count, 1);
    const auto content = read_prefix(prefix, config_.diuc_rates, zone, zone_start);
    for (const auto& item : std::span(content.items).first(static_cast<size_t>(content.count))) {
        if (item.zone) queue_zone(item.burst.start_symbol);
        else queue(item.burst, item.first);
    }
}

void DownlinkBursts::queue(const Expected& expected, bool first) {
    const auto& f = expected.format;
    if (f.stc ? !valid_stc_format(f) : !valid_burst_format(f)) return;
    enqueue({f, expected.start_symbol, expected.index, 0, first}, f.total_symbols());
}

void DownlinkBursts::enqueue(Pending entry, int symbols) {
    if (!frame_.active || pending_.size() == pending_.capacity()) return;
    const int end = entry.end_symbol = entry.start_symbol + symbols;
    const int64_t span = static_cast<int64_t>(end) * frame_.link.symbol_samples;
    if (entry.start_symbol < kFirstBurstSymbol || span > frame_.most_samples || end > kMaxFrameSymbols) return;
    // FFT windows end a little before their symbol, or after it if echoes exceed the prefix.
    const int64_t overhang =
        std::max<int64_t>(0, frame_.window_delay - frame_.link.cp_samples + kMaxWindowErrorSamples);
    const auto samples = static_cast<double>(span);
    const double drift = frame_.clock.locked() ? frame_.clock.drift(samples) : kMaxClockOffset * samples;
    entry.due = frame_.sync.start_sample + span + overhang + static_cast<int64_t>(std::ceil(std::max(0.0, drift)));
    const auto place = std::upper_bound(pending_.begin(), pending_.end(), entry,
                                        [](const Pending& a, const Pending& b) { return a.due < b.due; });
    // A burst that ends earlier is received first: the one that has begun restarts after it.
    if (place == pending_.begin()) begun_ = false;
    pending_.insert(place, entry);
}

void DownlinkBursts::begin_burst() {
    const Pending& item = pending_.front();
    begun_ = true;
    begun_at_ = buffer_.end();
    caught_up_ = 0;
    reception_ = nullptr;
    const Randomizer randomizer = burst_randomizer(item.format, item.first);
    if (item.zone) return;
    if (item.format.stc) {
        if (stc_.zone_start() == 0 || item.start_symbol < stc_.zone_start() + kStcFirstBurstSymbol) return;
        stc_.start(item.format, item.start_symbol, item.index, randomizer);
        reception_ = &stc_;
        return;
    }
    // A burst requested after later symbols were received: starts from the state after the frame prefix.
    asked_late_ = item.start_symbol < frame_.link.tracker.position();
    burst_link_ = asked_late_ ? frame_.base_link : frame_.link;
    const bool own_preamble = item.format.preamble == Preamble::short_;
    receiver_.start(burst_link_, item.format, {item.start_symbol, own_preamble, item.index}, randomizer);
    reception_ = &receiver_;
}

void DownlinkBursts::plan_symbol() {
    symbol_due_ = kNever;
    if (reception_ == nullptr || !reception_->wants_symbol()) return;
    next_symbol_ = reception_->next_window();
    if (next_symbol_.symbol + 1 < pending_.front().end_symbol) symbol_due_ = next_symbol_.end();
}

void DownlinkBursts::take_symbols() {
    const int64_t now = buffer_.end();
    while (symbol_due_ <= now && resting_until_ <= now) {
        const bool was_there = symbol_due_ <= begun_at_;
        symbols_.pass(next_symbol_, *reception_);
        plan_symbol();
        if (was_there && ++caught_up_ % kCatchUpSymbols == 0) resting_until_ = now + frame_.link.symbol_samples;
    }
}

std::optional<SampleFlow> DownlinkBursts::end_burst(DownlinkListener& listener) {
    const Pending item = pending_.front();
    pending_.erase(pending_.begin());
    end_reception();
    if (item.zone) return receive_zone(item.start_symbol, listener);
    burst_.format = item.format;
    burst_.start_symbol = item.start_symbol;
    burst_.index = item.index;
    while (reception_ != nullptr && reception_->wants_symbol()) symbols_.pass(reception_->next_window(), *reception_);
    if (item.format.stc) report_stc_burst();
    else report_burst();
    return listener.on_burst(frame_.sync, burst_);
}

void DownlinkBursts::report_burst() {
    burst_.clear();
    receiver_.finish(burst_);
    if (burst_.fec_ok) receiver_.keep_front_end();
    else receiver_.forget_front_end();
    report_link(burst_link_);
    if (asked_late_) return;
    frame_.link = burst_link_;
    frame_.learn_oscillator(frame_.link);
}

void DownlinkBursts::report_link(const LinkEstimate& used) {
    burst_.found_at(frame_.sync.start_sample + static_cast<int64_t>(burst_.start_symbol) * frame_.link.symbol_samples +
                    std::llround(frame_.sync.start_fraction + used.tracker.delay()));
    burst_.measured.set_offsets(used.tracker.delay(),
                                used.total_cycles_per_sample() * static_cast<double>(frame_.base.sample_rate_hz));
}

std::optional<SampleFlow> DownlinkBursts::receive_zone(int start_symbol, DownlinkListener& listener) {
    const bool late = start_symbol < frame_.link.tracker.position();
    zone_prefix_.index = kStcZoneIndex * ++zones_;
    stc_.start_zone(symbols_.view(), late ? frame_.base_link : frame_.link, start_symbol, zone_prefix_);
    const auto prefix = parse_frame_prefix(zone_prefix_.payload);
    zone_sync_.start_symbol = start_symbol;
    zone_sync_.index = zone_prefix_.index;
    zone_sync_.prefix_ok = prefix.has_value();
    zone_sync_.prefix = prefix ? *prefix : FramePrefix{};
    zone_sync_.rssi_dbfs = {static_cast<float>(decibels(stc_.link().channel.power)),
                            static_cast<float>(decibels(stc_.second_channel().power))};
    if (prefix) queue_prefix_bursts(*prefix, zones_, start_symbol);
    return listener.on_stc_zone(frame_.sync, zone_sync_);
}

void DownlinkBursts::report_stc_burst() {
    burst_.clear();
    if (reception_ == nullptr) return;
    stc_.finish(burst_);
    report_link(stc_.link());
    frame_.learn_oscillator(stc_.link());
}

}  // namespace gr::wimax::phy
