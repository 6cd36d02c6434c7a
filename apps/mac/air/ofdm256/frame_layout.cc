// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/frame_layout.h"

#include "mac/scheduler/share_rule.h"

#include <algorithm>
#include <cmath>

namespace wimax::mac {
namespace {

// Octets of broadcast messages as PDUs with header, type and CRC; used for estimates only.
constexpr double kUlMapFixed = 17, kUlMapIe = 6;
constexpr double kDlMap = 26, kDcd = 145, kUcd = 105;
// One IP packet in a separate PDU, and the additional PDU with fragmentation subheaders that closes a burst.
constexpr double kPacketOctets = 1500, kPduOverhead = 10, kFragmentOverhead = 14;

double period_frames(uint32_t interval_ms, const FrameLayout& layout) {
    return std::max(1.0, std::floor(interval_ms / 1000.0 / layout.frame_seconds()));
}

double octets_per_symbol(ProfileId profile) { return phy::kRateTable[row_of(profile)].uncoded_bytes; }

Capacity ip_capacity(double data_symbols, double bursts, double whole, const FrameLayout& layout, ProfileId profile) {
    const double per_symbol = octets_per_symbol(profile);
    const double octets = std::max(0.0, data_symbols * per_symbol - bursts * (1 + kFragmentOverhead));
    const double ip = octets * kPacketOctets / (kPacketOctets + kPduOverhead);
    Capacity result;
    result.data_symbols = data_symbols;
    result.overhead_symbols = whole - data_symbols;
    result.kbps = ip * 8 / layout.frame_seconds() / 1000;
    result.ip_symbols = ip / per_symbol;
    return result;
}

/// Symbols of a burst #1 with a few grants, a map of the downlink and a descriptor.
uint32_t usual_broadcast_symbols(const BaseStationConfig& config, int grants = 6) {
    return symbols_for(config.profile.broadcast_rate_id % phy::kRates,
                       static_cast<size_t>(kUlMapFixed + grants * kUlMapIe + kDlMap + kDcd));
}

/// Time from the end of the maps to the uplink. TTG covers the round trip in TDD.
int64_t preparation_slots(const BaseStationConfig& config, const FrameLayout& layout) {
    const int64_t us = kTprocUs + (config.carriers.shared() ? 0 : kLongestRoundTripUs);
    return phy::slots_in_samples(layout.sample_rate_hz() * us / 1'000'000);
}

/// With a descriptor and the grants of two groups.
uint32_t longest_half_duplex_broadcast(const BaseStationConfig& config) {
    constexpr int kGrants = 10;
    return usual_broadcast_symbols(config, kGrants);
}

/// Maps alone: the frame prefix cannot announce bursts of half-duplex stations.
uint32_t half_duplex_broadcast_symbols(const BaseStationConfig& config) {
    constexpr double kElements = kRegionElements + kFewGrants, kLongDlMap = 60;
    return symbols_for(config.profile.broadcast_rate_id % phy::kRates,
                       static_cast<size_t>(kUlMapFixed + kElements * kUlMapIe + kLongDlMap));
}

/// SSRTG and the round trip of most half-duplex stations.
uint32_t gap_after_maps_slots(const FrameLayout& layout) {
    constexpr int64_t kUs = 50;
    return static_cast<uint32_t>(phy::slots_for_samples(layout.sample_rate_hz() * kUs / 1'000'000));
}

/// A quarter of the frame leaves room for the maps of many stations, and a station can answer in the frame in which it
/// is asked. Maps that do not fit before the uplink of their frame describe that of the next.
uint32_t usual_uplink_start_slots(const BaseStationConfig& config, const FrameLayout& layout) {
    constexpr uint32_t kPart = 4;
    if (config.serves_half_duplex())
        return (kFirstBurstSymbol + half_duplex_broadcast_symbols(config)) * layout.symbol_slots +
               gap_after_maps_slots(layout);
    const auto maps = (kFirstBurstSymbol + usual_broadcast_symbols(config)) * layout.symbol_slots;
    const auto needed = maps + static_cast<uint32_t>(preparation_slots(config, layout));
    const auto start = std::max(needed, layout.frame_slots / kPart);
    return start < layout.frame_slots ? start : 0;
}

DuplexRequest request_of(const BaseStationConfig& config, const FrameLayout& layout) {
    return {.one_carrier = config.carriers.shared(),
            .sample_rate_hz = layout.sample_rate_hz(),
            .symbol_slots = layout.symbol_slots,
            .frame_slots = layout.frame_slots,
            .frame_symbols = layout.frame_symbols,
            .dl_share = config.dl_share,
            .dl_symbols = config.dl_symbols,
            .ttg_us = config.ttg_us,
            .rtg_us = config.rtg_us,
            .uplink_start_us = config.uplink_start_us,
            .usual_uplink_start_slots = usual_uplink_start_slots(config, layout),
            .gap_after_maps_slots =
                config.serves_half_duplex() ? std::optional(gap_after_maps_slots(layout)) : std::nullopt};
}

/// Symbols of burst #1 whose maps are received in time for the uplink that begins `frames` later.
int64_t broadcast_room(const BaseStationConfig& config, const FrameLayout& layout, int64_t frames) {
    const int64_t uplink = layout.uplink.first.value() + frames * layout.frame_slots;
    const int64_t latest = std::max<int64_t>(0, uplink - preparation_slots(config, layout)) / layout.symbol_slots;
    return std::min<int64_t>(latest, layout.downlink.symbols) - kFirstBurstSymbol;
}

}  // namespace

double broadcast_octets(const BaseStationProfile& profile, const FrameLayout& layout, double ul_bursts) {
    const double ranging = 1 / period_frames(profile.ranging_interval_ms, layout);
    double octets = kUlMapFixed + kUlMapIe * (1 + ul_bursts + ranging + (profile.request_symbols > 0 ? 1 : 0));
    octets += kDlMap / period_frames(profile.dl_map_interval_ms, layout);
    octets += kDcd / period_frames(profile.dcd_interval_ms, layout);
    octets += kUcd / period_frames(profile.ucd_interval_ms, layout);
    return octets;
}

double ranging_period_frames(const BaseStationProfile& profile, const FrameLayout& layout) {
    return period_frames(profile.ranging_interval_ms, layout);
}

tl::expected<FrameLayout, Faults> FrameLayout::make(const BaseStationConfig& config) {
    Faults faults;
    FrameLayout layout;
    const auto cp = std::find_if(phy::kCyclicPrefixes.begin(), phy::kCyclicPrefixes.end(),
                                 [&](auto candidate) { return static_cast<int>(candidate) == config.cp_denominator; });
    if (cp == phy::kCyclicPrefixes.end())
        faults.add("cp_denominator", std::to_string(config.cp_denominator), "4, 8, 16, 32");
    const auto numerology =
        phy::Numerology::make(config.bandwidth_hz, cp == phy::kCyclicPrefixes.end() ? phy::CyclicPrefix::g1_8 : *cp);
    if (config.frame_duration_code >= phy::kFrameDurationUs.size())
        faults.add("frame_duration_code", std::to_string(config.frame_duration_code), "0..6");
    if (!faults.empty() || !numerology) return tl::unexpected(faults);

    layout.numerology = *numerology;
    layout.frame_code = config.frame_duration_code;
    layout.symbol_slots = static_cast<uint32_t>(numerology->symbol_slots());
    layout.frame_slots = static_cast<uint32_t>(phy::slots_in_samples(numerology->frame_samples(layout.frame_code)));
    layout.frame_symbols = static_cast<uint32_t>(numerology->frame_symbols(layout.frame_code));
    if (layout.frame_symbols > phy::kMaxFrameSymbols)
        faults.add("frame_duration_code", std::to_string(config.frame_duration_code),
                   "frames of at most 2047 symbols; with this bandwidth and cyclic prefix it has " +
                       std::to_string(layout.frame_symbols));
    auto duplex = make_duplex(request_of(config, layout));
    if (!duplex) faults.add_all(duplex.error());
    if (!faults.empty()) return tl::unexpected(faults);
    layout.duplex = *std::move(duplex);
    layout.downlink = layout.duplex->subframe(phy::Direction::downlink);
    layout.uplink = layout.duplex->subframe(phy::Direction::uplink);

    const int64_t same_frame_room = broadcast_room(config, layout, 0);
    const auto usual = static_cast<int64_t>(usual_broadcast_symbols(config));
    layout.maps_next_frame = config.map_relevance == MapRelevance::next_frame ||
                             (config.map_relevance == MapRelevance::automatic && same_frame_room < usual);
    const bool half_duplex = config.serves_half_duplex();
    layout.maps_next_frame = layout.maps_next_frame || half_duplex;
    int64_t room = layout.maps_next_frame ? broadcast_room(config, layout, 1) : same_frame_room;
    if (half_duplex) {  // half-duplex stations hear burst #1 before they transmit
        const int64_t before =
            (int64_t{layout.uplink.first.value()} - gap_after_maps_slots(layout)) / layout.symbol_slots -
            kFirstBurstSymbol;
        const int64_t longest = config.uplink_start_us != 0 ? before : longest_half_duplex_broadcast(config);
        room = std::min(room, std::max(longest, before));
        layout.short_broadcast_symbols = static_cast<uint32_t>(std::clamp<int64_t>(before, 0, room));
    }
    if (room < 1)
        return tl::unexpected(
            Faults(Fault{"map_relevance", "same_frame", "next_frame: T_proc between maps and uplink"}));
    layout.max_broadcast_symbols = static_cast<uint32_t>(room);
    return layout;
}

Capacity downlink_capacity(const BaseStationConfig& config, const FrameLayout& layout, ProfileId profile, uint32_t) {
    // Broadcast messages vary from frame to frame; their mean with half a symbol of rounding each frame.
    const double broadcast =
        broadcast_octets(config.profile, layout, 1) / octets_per_symbol(config.profile.broadcast_profile()) + 0.5;
    const double data = layout.downlink.symbols - kFirstBurstSymbol - std::max(1.0, broadcast);
    return ip_capacity(data, 1, layout.downlink.length_symbols(), layout, profile);
}

Capacity uplink_capacity(const BaseStationConfig& config, const FrameLayout& layout, ProfileId profile,
                         uint32_t stations) {
    const auto& overhead = config.profile;
    const auto bursts = static_cast<double>(most_grants_at_once(std::max(1U, stations)));
    const double data = layout.uplink.symbols - overhead.request_symbols -
                        overhead.ranging_symbols / period_frames(overhead.ranging_interval_ms, layout) - bursts;
    return ip_capacity(data, bursts, layout.uplink.length_symbols(), layout, profile);
}

}  // namespace wimax::mac
