// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/ofdma/transmit/ul_zone_modulator.h>

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/ofdma/carriers/carrier_scrambler.h>

#include "phy/ofdma/transmit/carrier_grid.h"

#include <algorithm>

namespace gr::wimax::phy::ofdma {

struct UlZoneModulator::Impl {
    OfdmaNumerology numerology;
    int id_cell, ul_perm_base, symbols;
    UlPusc pusc;
    UlSlots slots;
    CarrierGrid grid;
    OfdmaTransform transform;
    SlotBurstEncoder encoder;

    Impl(const OfdmaNumerology& n, const UlZone& zone)
        : numerology(n),
          id_cell(zone.id_cell),
          ul_perm_base(zone.ul_perm_base),
          symbols(zone.symbols),
          pusc(zone.ul_perm_base),
          slots(zone.symbols, zone.rotation, zone.regions),
          grid(zone.symbols) {}

    size_t samples() const { return static_cast<size_t>(symbols * numerology.symbol_samples()); }

    void put(const UlSlot& slot, std::span<const uint8_t, kSlotPoints> labels, std::span<const Complex> points,
             const CarrierScrambler& scrambler) {
        const int first = slot.slot_time * kUlSlotSymbols;
        const auto value = [&](UlPlace place, Complex point) {
            const int symbol = first + place.symbol;
            grid.symbol(symbol)[static_cast<size_t>(place.carrier)] = point * scrambler.sign(symbol, place.carrier);
        };
        const auto data = pusc.data(slot.subchannel);
        for (size_t i = 0; i < data.size(); ++i) value(data[i], points[labels[i]]);
        for (const UlPlace pilot : pusc.pilots(slot.subchannel)) value(pilot, 1.0F);
    }

    /// A code of two symbols is phase continuous: prefix, body, body again, its first samples.
    void write_code(RangingKind kind, std::span<const Complex, kFft> carriers, std::span<Complex> out) {
        transform.modulate(carriers, numerology.cp_samples(), out);
        if (kind != RangingKind::initial) return;
        const auto body = out.subspan(static_cast<size_t>(numerology.cp_samples()), kFft);
        const auto rest = out.subspan(static_cast<size_t>(numerology.symbol_samples()));
        std::ranges::copy(body, rest.begin());
        std::copy_n(body.begin(), rest.size() - kFft, rest.begin() + kFft);
    }
};

UlZoneModulator::UlZoneModulator(const OfdmaNumerology& numerology, const UlZone& zone)
    : impl_(std::make_unique<Impl>(numerology, zone)) {}
UlZoneModulator::~UlZoneModulator() = default;
UlZoneModulator::UlZoneModulator(UlZoneModulator&&) noexcept = default;

const UlSlots& UlZoneModulator::slots() const { return impl_->slots; }

tl::expected<size_t, OfdmaFault> UlZoneModulator::burst(const UlBurst& burst, uint32_t frame_number,
                                                        std::span<Complex> out) {
    auto& s = *impl_;
    if (burst.code == nullptr || std::ranges::find(kRepetitions, burst.repetition) == kRepetitions.end() ||
        burst.slots < 1 || burst.slots % burst.repetition != 0 ||
        (burst.repetition > 1 && burst.code->bits_per_carrier != 2))
        return tl::unexpected(OfdmaFault::format);
    if (burst.first_slot < 0 || burst.first_slot + burst.slots > s.slots.count())
        return tl::unexpected(OfdmaFault::place);
    if (burst.payload.size() > static_cast<size_t>(burst_octets(*burst.code, burst.slots, burst.repetition)))
        return tl::unexpected(OfdmaFault::payload);
    if (out.size() < s.samples()) return tl::unexpected(OfdmaFault::room);
    s.grid.clear();
    const auto scrambler = CarrierScrambler::uplink(s.id_cell, frame_number);
    const auto points = constellation(burst.code->bits_per_carrier);
    s.encoder.start(*burst.code, burst.slots, burst.repetition, burst.payload);
    std::array<uint8_t, kSlotPoints> labels;
    for (const UlSlot& slot :
         s.slots.slots().subspan(static_cast<size_t>(burst.first_slot), static_cast<size_t>(burst.slots))) {
        s.encoder.next_slot(labels);
        s.put(slot, labels, points, scrambler);
    }
    s.grid.modulate(s.transform, s.numerology, s.symbols, out);
    return s.samples();
}

tl::expected<size_t, OfdmaFault> UlZoneModulator::ranging(const RangingSignal& signal, std::span<Complex> out) {
    auto& s = *impl_;
    if (signal.code < 0 || signal.code >= kRangingCodes) return tl::unexpected(OfdmaFault::format);
    const int symbols = ranging_symbols(signal.kind);
    if (signal.symbol < 0 || signal.symbol + symbols > s.symbols || signal.subchannel < 0 ||
        signal.subchannel + kRangingSubchannels > kUlSubchannels)
        return tl::unexpected(OfdmaFault::place);
    if (out.size() < s.samples()) return tl::unexpected(OfdmaFault::room);
    const auto bits = ranging_code(signal.code, s.ul_perm_base);
    const auto carriers = ranging_carriers(s.pusc, signal.subchannel);
    s.grid.clear();
    const auto values = s.grid.symbol(signal.symbol);
    for (size_t i = 0; i < bits.size(); ++i)
        values[static_cast<size_t>(carriers[i])] = bits[i] != 0 ? -kRangingAmplitude : kRangingAmplitude;
    std::ranges::fill(out.first(s.samples()), Complex{});
    const auto symbol_samples = static_cast<size_t>(s.numerology.symbol_samples());
    s.write_code(signal.kind, values,
                 out.subspan(static_cast<size_t>(signal.symbol) * symbol_samples,
                             static_cast<size_t>(symbols) * symbol_samples));
    return s.samples();
}

std::span<const Complex, kFft> UlZoneModulator::carriers(int symbol) const {
    return std::as_const(impl_->grid).symbol(symbol);
}

}  // namespace gr::wimax::phy::ofdma
