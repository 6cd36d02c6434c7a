// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/frame_bounds.h"

#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace wimax::sap {
namespace {

namespace phy = gr::wimax::phy;
/// Faults listed per frame. A malicious base station causes such frames at will, and each may be a line of the log.
constexpr size_t kFaultsListed = 2;
constexpr int kHeaderSymbols = phy::kFirstBurstSymbol;  // long preamble and FCH

uint32_t symbol_slots(const FrameInForce& frame) {
    return phy::slots_in_symbol(std::max<uint8_t>(frame.cp_denominator, 1));
}

/// Slot after the last whole one of the frame.
Slot frame_end(const FrameInForce& frame) { return Slot() + phy::slots_in_samples(frame.frame_samples); }

/// Slots that bursts may occupy, [first, last).
struct Bounds {
    Slot first, last;
    const char* what;
};

Bounds downlink_bounds(const FrameInForce& frame, Slot first) { return {first, frame_end(frame), "the frame"}; }

Bounds uplink_bounds(const FrameInForce& frame) {
    if (frame.one_carrier) return {Slot(), frame_end(frame), "the frame"};
    return {Slot(), Slot() + 2 * (frame_end(frame) - Slot()), "the frame and the next"};
}

/// Slot after the burst, its preamble and midambles included.
template <typename Burst> Slot end_of(const Burst& b, const FrameInForce& frame) {
    return b.start_slot.after(b.format.total_symbols(), symbol_slots(frame));
}

std::string text(Slot slot) { return std::to_string(slot.value()); }

std::string element(const char* list, size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }
std::string key_of(const char* list, size_t i, const char* field) { return element(list, i) + "." + field; }

template <typename Burst>
void check_burst(const char* list, size_t i, const Burst& b, const Bounds& bounds, const FrameInForce& frame,
                 Faults& faults) {
    const auto& [first, last, what] = bounds;
    if (b.start_slot < first || b.start_slot > last)
        faults.add(key_of(list, i, "start_slot"), text(b.start_slot),
                   text(first) + ".." + text(last) + " (" + what + ")");
    else if (const Slot end = end_of(b, frame); end > last)
        faults.add(key_of(list, i, "end slot"), text(end), "at most " + text(last) + " (" + what + ")");
}

/// STC zones are a matter of the downlink: clause 8.3.8.
template <typename Burst> void check_no_stc(const char* list, const std::vector<Burst>& bursts, Faults& faults) {
    for (size_t i = 0; i < bursts.size(); ++i)
        if (bursts[i].format.stc) faults.add(key_of(list, i, "stc"), "true", "false (the uplink has no STC zones)");
}

void check_overlap(const std::vector<TxBurst>& bursts, const FrameInForce& frame, Faults& faults) {
    std::array<uint16_t, kMaxBursts> all;
    const std::span order = std::span(all).first(std::min(bursts.size(), kMaxBursts));
    std::iota(order.begin(), order.end(), uint16_t{0});
    std::sort(order.begin(), order.end(), [&](uint16_t a, uint16_t b) {
        return std::pair(bursts[a].start_slot, a) < std::pair(bursts[b].start_slot, b);
    });
    Slot end;
    for (const uint16_t i : order) {
        if (bursts[i].start_slot < end)
            faults.add(key_of("bursts", i, "start_slot"), text(bursts[i].start_slot),
                       "not before the end of the burst in front of it, " + text(end));
        end = std::max(end, end_of(bursts[i], frame));
    }
}

/// Focused contention opportunities, of two symbols each.
void check_opportunity(const char* list, size_t i, Slot slot, const FrameInForce& frame, Faults& faults) {
    const uint32_t length = phy::kContentionSymbols * symbol_slots(frame);
    const auto bounds = uplink_bounds(frame);
    const Slot last = Slot() + std::max<int64_t>(0, bounds.last - Slot(length));
    if (slot > last)
        faults.add(element(list, i), text(slot), "0.." + text(last) + " (" + bounds.what + " less an opportunity)");
}

void extend(std::optional<Extent>& all, Slot begin, Slot end) {
    all = all ? Extent{std::min(all->begin, begin), std::max(all->end, end)} : Extent{begin, end};
}

}  // namespace

Faults check_bounds(const TxFrame& m, const FrameInForce& frame) {
    Faults faults(kFaultsListed);
    const bool downlink = frame.role == Role::base_station;
    if (m.bursts.size() > kMaxBursts)
        faults.add("bursts", std::to_string(m.bursts.size()), "at most " + std::to_string(kMaxBursts));
    const auto bounds =
        downlink ? downlink_bounds(frame, Slot::of_symbol(kHeaderSymbols, symbol_slots(frame))) : uplink_bounds(frame);
    for (size_t i = 0; i < m.bursts.size(); ++i) check_burst("bursts", i, m.bursts[i], bounds, frame, faults);
    if (faults.empty()) check_overlap(m.bursts, frame, faults);
    if (!downlink) check_no_stc("bursts", m.bursts, faults);
    for (size_t i = 0; i < m.codes.size(); ++i) check_opportunity("codes", i, m.codes[i].start_slot, frame, faults);
    const int64_t most = frame.frame_samples / 2;
    if (!downlink && !(m.bursts.empty() && m.codes.empty()) &&
        (m.timing_advance_samples > most || m.timing_advance_samples < -most))
        faults.add("timing_advance_samples", std::to_string(m.timing_advance_samples),
                   std::to_string(-most) + ".." + std::to_string(most) + " (half a frame)");
    return faults;
}

Faults check_bounds(const RxExpect& m, const FrameInForce& frame) {
    Faults faults(kFaultsListed);
    const auto bounds = frame.role == Role::base_station ? uplink_bounds(frame) : downlink_bounds(frame, Slot());
    for (size_t i = 0; i < m.allocations.size(); ++i)
        check_burst("allocations", i, m.allocations[i], bounds, frame, faults);
    if (frame.role == Role::base_station) {
        check_no_stc("allocations", m.allocations, faults);
        if (!m.stc_zone_slots.empty())
            faults.add("stc_zone_slots", std::to_string(m.stc_zone_slots.size()) + " zones",
                       "none (the uplink has no STC zones)");
    }
    const auto within = [&](const char* key, Slot slot, const Bounds& of) {
        if (slot > of.last) faults.add(key, text(slot), "0.." + text(of.last) + " (" + of.what + ")");
    };
    for (size_t i = 0; i < m.contention_slots.size(); ++i)
        check_opportunity("contention_slots", i, m.contention_slots[i], frame, faults);
    for (size_t i = 0; i < m.stc_zone_slots.size(); ++i)
        if (m.stc_zone_slots[i] > frame_end(frame))
            within(element("stc_zone_slots", i).c_str(), m.stc_zone_slots[i], downlink_bounds(frame, Slot()));
    within("first_uplink_slot", m.first_uplink_slot, uplink_bounds(frame));
    within("next_uplink_slot", m.next_uplink_slot, uplink_bounds(frame));
    return faults;
}

std::optional<Extent> extent_of(const TxFrame& m, const FrameInForce& frame) {
    std::optional<Extent> all;
    for (const auto& b : m.bursts) extend(all, b.start_slot, end_of(b, frame));
    return all;
}

std::optional<Extent> extent_of(const RxExpect& m, const FrameInForce& frame) {
    std::optional<Extent> all;
    for (const auto& b : m.allocations) extend(all, b.start_slot, end_of(b, frame));
    for (const Slot slot : m.contention_slots)
        extend(all, slot, slot.after(phy::kContentionSymbols, symbol_slots(frame)));
    return all;
}

}  // namespace wimax::sap
