// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/transmit/dl_subframe_modulator.h>

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/ofdma/carriers/carrier_scrambler.h>
#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_preamble.h>

#include "phy/base/decibels.h"
#include "phy/ofdma/transmit/carrier_grid.h"

#include <algorithm>

namespace gr::wimax::phy::ofdma {

std::string_view to_string(OfdmaFault fault) {
    switch (fault) {
        case OfdmaFault::format: return "the zone cannot have this number of symbols, repetition or coding";
        case OfdmaFault::place: return "a burst is outside the zone or not on whole slots";
        case OfdmaFault::overlap: return "two bursts, or a burst and FCH or map, overlap";
        case OfdmaFault::payload: return "a payload exceeds its burst";
        case OfdmaFault::room: return "the output is too short";
    }
    return "?";
}

namespace {

constexpr int kFirstZoneSymbol = 1;

bool fits(const FecCode& code, int slots, int repetition, size_t octets) {
    return octets <= static_cast<size_t>(burst_octets(code, slots, repetition));
}

bool is_repetition(const FecCode& code, int slots, int repetition) {
    return std::ranges::find(kRepetitions, repetition) != kRepetitions.end() && slots % repetition == 0 &&
           (repetition == 1 || code.bits_per_carrier == 2);
}

/// A slot of the zone: logical subchannel and pair of symbols.
struct DlSlot {
    int subchannel, pair;
};

}  // namespace

struct DlSubframeModulator::Impl {
    OfdmaNumerology numerology;
    int preamble_index;
    DlPusc pusc;
    CarrierScrambler scrambler;
    CarrierGrid grid;
    OfdmaTransform transform;
    SlotBurstEncoder encoder;
    DlGroupSet groups = 0;
    std::vector<uint8_t> physical;  // subchannel of each logical one
    std::vector<uint8_t> used;      // by slot

    Impl(const OfdmaNumerology& n, int index, int most_symbols)
        : numerology(n),
          preamble_index(index),
          pusc(DlZone::first, preamble_id_cell(index)),
          scrambler(CarrierScrambler::downlink(preamble_id_cell(index), preamble_segment(index))),
          grid(most_symbols),
          used(static_cast<size_t>(kDlSubchannels * most_symbols)) {}

    int logical() const { return static_cast<int>(physical.size()); }

    void choose(DlGroupSet wanted) {
        if (groups == wanted) return;
        groups = wanted;
        physical = first_zone_subchannels(preamble_segment(preamble_index), wanted);
    }

    /// Marks the slot; false if it is taken.
    bool take(DlSlot slot) {
        uint8_t& mark = used[static_cast<size_t>(slot.pair * kDlSubchannels + slot.subchannel)];
        return std::exchange(mark, uint8_t{1}) == 0;
    }

    void put(DlSlot slot, std::span<const uint8_t, kSlotPoints> labels, int bits_per_carrier, float amplitude) {
        const auto points = constellation(bits_per_carrier);
        const uint8_t* label = labels.data();
        for (int half = 0; half < kDlSlotSymbols; ++half) {
            const int symbol = slot.pair * kDlSlotSymbols + half;  // of the zone
            const auto carriers = grid.symbol(kFirstZoneSymbol + symbol);
            for (const int16_t carrier : pusc.carriers(physical[static_cast<size_t>(slot.subchannel)], symbol))
                carriers[static_cast<size_t>(carrier)] =
                    points[*label++] * (amplitude * scrambler.sign(symbol, carrier));
        }
    }

    void put_pilots(int symbols) {
        for (int symbol = 0; symbol < symbols - kFirstZoneSymbol; ++symbol)
            for (int group = 0; group < kDlGroups; ++group) {
                if ((groups >> group & 1) == 0) continue;
                for (const int16_t carrier : pusc.pilots(group, symbol))
                    grid.symbol(kFirstZoneSymbol + symbol)[static_cast<size_t>(carrier)] =
                        kDlPilotAmplitude * scrambler.sign(symbol, carrier);
            }
    }

    DlSlot in_stream(int i) const { return {i % logical(), i / logical()}; }

    tl::expected<void, OfdmaFault> put_fch_and_map(const DlSubframe& frame) {
        const FecCode* code = map_code(frame.prefix.coding);
        const int repetition = kRepetitions[frame.prefix.repetition_code & 3U];
        const int slots = frame.prefix.map_slots;
        if (code == nullptr || !is_repetition(*code, slots, repetition)) return tl::unexpected(OfdmaFault::format);
        if (!fits(*code, slots, repetition, frame.map.size())) return tl::unexpected(OfdmaFault::payload);
        if (kFchSlots + slots > logical() * (frame.symbols / kDlSlotSymbols)) return tl::unexpected(OfdmaFault::place);
        const auto fch = fch_labels(frame.prefix);
        encoder.start(*code, slots, repetition, frame.map);
        std::array<uint8_t, kSlotPoints> labels;
        for (int i = 0; i < kFchSlots + slots; ++i) {
            if (i >= kFchSlots) encoder.next_slot(labels);
            take(in_stream(i));
            put(in_stream(i), i < kFchSlots ? fch : labels, code->bits_per_carrier, 1.0F);
        }
        return {};
    }

    bool is_inside(const DlRegion& r, int symbols) const {
        return r.symbol >= kFirstZoneSymbol && (r.symbol - kFirstZoneSymbol) % kDlSlotSymbols == 0 && r.symbols > 0 &&
               r.symbols % kDlSlotSymbols == 0 && r.symbol + r.symbols <= symbols && r.subchannel >= 0 &&
               r.subchannels > 0 && r.subchannel + r.subchannels <= logical();
    }

    tl::expected<void, OfdmaFault> put_burst(const DlBurst& burst, int symbols) {
        const DlRegion& region = burst.region;
        if (!is_inside(region, symbols)) return tl::unexpected(OfdmaFault::place);
        if (burst.code == nullptr || !is_repetition(*burst.code, region.slots(), burst.repetition))
            return tl::unexpected(OfdmaFault::format);
        if (!fits(*burst.code, region.slots(), burst.repetition, burst.payload.size()))
            return tl::unexpected(OfdmaFault::payload);
        const auto amplitude = static_cast<float>(amplitude_of_db(burst.boosting_db));
        const int first_pair = (region.symbol - kFirstZoneSymbol) / kDlSlotSymbols;
        encoder.start(*burst.code, region.slots(), burst.repetition, burst.payload);
        std::array<uint8_t, kSlotPoints> labels;
        for (int i = 0; i < region.slots(); ++i) {
            const DlSlot slot{region.subchannel + i % region.subchannels, first_pair + i / region.subchannels};
            if (!take(slot)) return tl::unexpected(OfdmaFault::overlap);
            encoder.next_slot(labels);
            put(slot, labels, burst.code->bits_per_carrier, amplitude);
        }
        return {};
    }

    tl::expected<void, OfdmaFault> fill(const DlSubframe& frame) {
        std::ranges::fill(used, uint8_t{0});
        grid.clear();
        preamble_carriers(preamble_index, grid.symbol(0));
        choose(frame.prefix.groups & kAllDlGroups);
        put_pilots(frame.symbols);
        auto done = put_fch_and_map(frame);
        for (const DlBurst& burst : frame.bursts)
            if (done) done = put_burst(burst, frame.symbols);
        return done;
    }
};

DlSubframeModulator::DlSubframeModulator(const OfdmaNumerology& numerology, int preamble_index, int most_symbols)
    : impl_(std::make_unique<Impl>(numerology, preamble_index, most_symbols)) {}
DlSubframeModulator::~DlSubframeModulator() = default;
DlSubframeModulator::DlSubframeModulator(DlSubframeModulator&&) noexcept = default;

tl::expected<size_t, OfdmaFault> DlSubframeModulator::modulate(const DlSubframe& subframe, std::span<Complex> out) {
    auto& s = *impl_;
    const int symbols = subframe.symbols;
    if (symbols < kFirstZoneSymbol + kDlSlotSymbols || symbols % kDlSlotSymbols != kFirstZoneSymbol ||
        symbols > s.grid.most_symbols() || (subframe.prefix.groups & kAllDlGroups) == 0)
        return tl::unexpected(OfdmaFault::format);
    const auto samples = static_cast<size_t>(symbols * s.numerology.symbol_samples());
    if (out.size() < samples) return tl::unexpected(OfdmaFault::room);
    if (const auto filled = s.fill(subframe); !filled) return tl::unexpected(filled.error());
    s.grid.modulate(s.transform, s.numerology, symbols, out);
    return samples;
}

std::span<const Complex, kFft> DlSubframeModulator::carriers(int symbol) const {
    return std::as_const(impl_->grid).symbol(symbol);
}

}  // namespace gr::wimax::phy::ofdma
