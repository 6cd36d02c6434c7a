// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/frame/frame_composer.h>

#include <algorithm>

namespace gr::wimax::phy {

void FrameComposer::begin(const Identity& identity) {
    identity_ = identity;
    bursts_.clear();
    plain_ = 0;
    end_ = kFirstBurstSymbol;
}

void FrameComposer::add(const BurstFormat& format, int start_symbol, std::span<const uint8_t> payload) {
    // Burst #1 of the frame and the first of the zone continue the randomizer of their prefix.
    const bool first = bursts_.empty() || (format.stc && plain_ == bursts_.size());
    bursts_.push_back({format, start_symbol, first, payload});
    if (!format.stc) plain_ = bursts_.size();
    end_ = std::max(end_, start_symbol + format.total_symbols());
}

void FrameComposer::append(const BurstFormat& format, std::span<const uint8_t> payload) {
    const bool begins_zone = format.stc && !has_zone();
    add(format, end_ + (begins_zone ? kStcFirstBurstSymbol : 0), payload);
}

FramePrefix FrameComposer::announce(std::span<const DownlinkBurst> bursts) const {
    FramePrefix prefix;
    prefix.bsid_lsb = identity_.bsid_lsb;
    prefix.frame_lsb = identity_.frame_lsb;
    prefix.change_count_lsb = identity_.change_count_lsb;
    int next = bursts.empty() ? 0 : bursts[0].start_symbol;
    for (const auto& burst : bursts.first(std::min(bursts.size(), prefix.entries.size()))) {
        if (burst.start_symbol != next) break;
        const auto& f = burst.format;
        const bool entry_1 = prefix.entry_count == 0;
        prefix.entries[static_cast<size_t>(prefix.entry_count++)] = {
            entry_1 ? f.rate_id : f.iuc, f.preamble != Preamble::none, static_cast<uint16_t>(f.total_symbols())};
        next += f.total_symbols();
    }
    return prefix;
}

FramePrefix FrameComposer::prefix() const {
    FramePrefix prefix = announce(bursts());
    // Entry 1 announces a burst.
    if (has_zone() && prefix.entry_count > 0 && prefix.entry_count < kPrefixEntries)
        prefix.entries[static_cast<size_t>(prefix.entry_count++)] = stc_zone_entry(zone_start());
    return prefix;
}

std::string to_string(FrameFault fault) {
    if (fault.zone && fault.what == ModulatorFault::order)
        return "STC zone: bursts overlap, or it begins before the bursts in front of it end";
    if (fault.zone && fault.what == ModulatorFault::format)
        return "STC zone: a burst of odd length, on subchannels, or with its own preamble or midambles";
    return std::string(fault.zone ? "STC zone: " : "downlink bursts: ") + std::string(to_string(fault.what));
}

tl::expected<FrameSamples, FrameFault> modulate(const FrameComposer& frame, Modulator& plain, StcModulator* stc,
                                                std::span<Complex> antenna_0, std::span<Complex> antenna_1) {
    // The zone is last.
    const auto bursts = frame.bursts();
    if (std::any_of(bursts.begin(), bursts.end(), [](const DownlinkBurst& b) { return b.format.stc; }))
        return tl::unexpected(FrameFault{false, ModulatorFault::order});
    const auto used = plain.downlink(frame.prefix(), bursts, antenna_0);
    if (!used) return tl::unexpected(FrameFault{false, used.error()});
    if (!frame.has_zone()) return FrameSamples{*used, 0, 0};
    if (frame.zone_start() <= 0) return tl::unexpected(FrameFault{true, ModulatorFault::order});
    const auto from = static_cast<size_t>(frame.zone_start() * plain.numerology().symbol_samples());
    if (from < *used) return tl::unexpected(FrameFault{true, ModulatorFault::order});
    if (!stc || antenna_0.size() < from) return tl::unexpected(FrameFault{true, ModulatorFault::room});
    const auto silence = antenna_0.subspan(*used, from - *used);
    std::fill(silence.begin(), silence.end(), Complex{});
    const auto zone =
        stc->zone({frame.zone_start(), frame.zone_prefix(), frame.zone_bursts()}, antenna_0.subspan(from), antenna_1);
    if (!zone) return tl::unexpected(FrameFault{true, zone.error()});
    return FrameSamples{from + *zone, from, *zone};
}

}  // namespace gr::wimax::phy
