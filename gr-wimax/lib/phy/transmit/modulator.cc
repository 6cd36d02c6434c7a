// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/base/decibels.h"
#include "phy/transmit/transmit_shaper.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <algorithm>

namespace gr::wimax::phy {
namespace {

std::optional<ModulatorFault> fault_of(const BurstFormat& format, bool suits, std::span<const uint8_t> payload) {
    if (!suits || format.attenuation_db > kMostAttenuationDb || !valid_burst_format(format))
        return ModulatorFault::format;
    if (static_cast<int>(payload.size()) > burst_payload_bytes(format)) return ModulatorFault::payload;
    return std::nullopt;
}

std::optional<ModulatorFault> fault_of(const DownlinkBurst& burst) {
    const auto& f = burst.format;
    const bool suits =
        f.subchannel_index == kFullSubchannel && f.midamble_interval == 0 && f.preamble != Preamble::long_ && !f.stc;
    return fault_of(f, suits, burst.payload);
}

std::optional<ModulatorFault> fault_of(const UplinkBurst& burst) {
    const auto& f = burst.format;
    const bool suits = f.midamble_interval < kMidambleInterval.size() && !f.stc &&
                       (f.subchannel_index == kFullSubchannel || f.preamble != Preamble::long_);
    return fault_of(f, suits, burst.payload);
}

}  // namespace

std::string_view to_string(ModulatorFault fault) {
    switch (fault) {
        case ModulatorFault::format: return "a burst's format cannot be sent there";
        case ModulatorFault::payload: return "a payload exceeds its burst";
        case ModulatorFault::order: return "bursts overlap or begin too early";
        case ModulatorFault::length: return "more symbols than a frame has";
        case ModulatorFault::room: return "too few samples of room";
    }
    return "";
}

struct Modulator::Impl {
    Numerology numerology;
    int max_symbols;
    OfdmTransform transform;
    BurstEncoder encoder;
    SymbolWindow window;
    std::optional<CrestReducer> crest;
    std::array<uint8_t, kDataCarriers> labels{};

    Impl(const Numerology& n, int most, const TransmitShape& shape)
        : numerology(n), max_symbols(most), window(n, shape.window_samples) {
        if (shape.target_papr_db) crest.emplace(*shape.target_papr_db);
        preamble_body(PreambleSymbol::p_even);  // tables are built now, not in the first frame
        subchannel_preamble_carriers(kFullSubchannel);
    }

    size_t symbol_samples() const { return static_cast<size_t>(numerology.symbol_samples()); }
    std::span<Complex> symbol(std::span<Complex> out, int index) const {
        return out.subspan(static_cast<size_t>(index) * symbol_samples(), symbol_samples());
    }

    void preamble(PreambleSymbol which, std::span<Complex> out) const {
        const auto body = preamble_body(which);
        const auto cp = static_cast<size_t>(numerology.cp_samples());
        std::copy(body.begin(), body.end(), out.begin() + static_cast<std::ptrdiff_t>(cp));
        std::copy(body.end() - static_cast<std::ptrdiff_t>(cp), body.end(), out.begin());
    }

    /// Short preamble or midamble of a burst on the given subchannels.
    void short_preamble(int subchannel_index, std::span<Complex> out) {
        if (subchannel_index == kFullSubchannel) return preamble(PreambleSymbol::p_even, out);
        const auto carriers = subchannel_preamble_carriers(subchannel_index);
        std::copy(carriers.begin(), carriers.end(), transform.carriers().begin());
        transform.modulate(numerology.cp_samples(), out);
    }

    [[nodiscard]] bool start(const BurstFormat& format, std::span<const uint8_t> payload, Randomizer randomizer) {
        if (!encoder.start(format, payload, randomizer)) return false;
        if (crest) crest->start_burst(format.rate_id, carrier_set(format.subchannel_index));
        return true;
    }

    /// Next symbol of the burst in the encoder. `k`: pilot index.
    void data_symbol(const BurstFormat& format, Direction direction, int k, std::span<Complex> out) {
        encoder.next_symbol(labels);
        const auto points = constellation(kRateTable[format.rate_id].bits_per_carrier);
        const auto& set = carrier_set(format.subchannel_index);
        const auto bins = transform.carriers();
        std::fill(bins.begin(), bins.end(), Complex{});
        const auto data = set.data();
        for (size_t i = 0; i < data.size(); ++i) bins[static_cast<size_t>(bin_of(data[i]))] = points[labels[i]];
        const auto& values = pilot_values(direction, k);
        for (size_t i : set.pilot_indices()) bins[static_cast<size_t>(bin_of(kPilotOffsets[i]))] = values[i];
        if (crest) crest->reduce(bins);
        transform.modulate(numerology.cp_samples(), out);
    }

    /// Preamble, data and midambles of the burst in the encoder. `first_k`: pilot index of the burst's first symbol.
    void burst(const BurstFormat& format, Direction direction, int first_k, std::span<Complex> out) {
        int at = 0;
        if (format.preamble == Preamble::long_) preamble(PreambleSymbol::p_4x64, symbol(out, at++));
        if (format.preamble != Preamble::none) short_preamble(format.subchannel_index, symbol(out, at++));
        const int interval = midamble_interval(format.midamble_interval);
        for (int i = 0; i < format.data_symbols; ++i, ++at) {
            if (interval > 0 && i > 0 && i % interval == 0) short_preamble(format.subchannel_index, symbol(out, at++));
            data_symbol(format, direction, first_k + at, symbol(out, at));
        }
        if (format.attenuation_db == 0) return;
        const auto amplitude = static_cast<float>(amplitude_of_db(-format.attenuation_db));
        for (auto& x : out.first(static_cast<size_t>(at) * symbol_samples())) x *= amplitude;
    }

    /// Symbols up to the end of the last burst.
    tl::expected<int, ModulatorFault> downlink_symbols(std::span<const DownlinkBurst> bursts) const {
        int end = kFirstBurstSymbol;
        for (const auto& b : bursts) {
            if (const auto fault = fault_of(b)) return tl::unexpected(*fault);
            if (b.start_symbol < end) return tl::unexpected(ModulatorFault::order);
            end = b.start_symbol + b.format.total_symbols();
            if (end > max_symbols) return tl::unexpected(ModulatorFault::length);
        }
        return end;
    }
};

Modulator::Modulator(const Numerology& numerology, int max_symbols, const TransmitShape& shape)
    : impl_(std::make_unique<Impl>(numerology, std::clamp(max_symbols, kFirstBurstSymbol, kMaxFrameSymbols), shape)) {}
Modulator::~Modulator() = default;
Modulator::Modulator(Modulator&&) noexcept = default;

const Numerology& Modulator::numerology() const { return impl_->numerology; }
size_t Modulator::tail_samples() const { return impl_->window.tail(); }

tl::expected<size_t, ModulatorFault> Modulator::downlink(const FramePrefix& prefix,
                                                         std::span<const DownlinkBurst> bursts,
                                                         std::span<Complex> out) {
    auto& s = *impl_;
    const auto symbols = s.downlink_symbols(bursts);
    if (!symbols) return tl::unexpected(symbols.error());
    const size_t samples = static_cast<size_t>(*symbols) * s.symbol_samples() + s.window.tail();
    if (out.size() < samples) return tl::unexpected(ModulatorFault::room);

    s.preamble(PreambleSymbol::p_4x64, s.symbol(out, 0));
    s.preamble(PreambleSymbol::p_even, s.symbol(out, 1));
    const auto packed = pack_frame_prefix(prefix);
    if (!s.start(fch_format(), packed, Randomizer::frame_start())) return tl::unexpected(ModulatorFault::payload);
    s.data_symbol(fch_format(), Direction::downlink, kFchSymbol, s.symbol(out, kFchSymbol));

    size_t end = static_cast<size_t>(kFirstBurstSymbol) * s.symbol_samples();
    for (const auto& b : bursts) {
        const size_t start = static_cast<size_t>(b.start_symbol) * s.symbol_samples();
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(end), out.begin() + static_cast<std::ptrdiff_t>(start),
                  Complex{});
        end = start + static_cast<size_t>(b.format.total_symbols()) * s.symbol_samples();
        if (!s.start(b.format, b.payload, burst_randomizer(b.format, b.first)))
            return tl::unexpected(ModulatorFault::format);
        s.burst(b.format, Direction::downlink, b.start_symbol, out.subspan(start, end - start));
    }
    s.window.apply(out.first(samples));
    return samples;
}

tl::expected<size_t, ModulatorFault> Modulator::uplink(const UplinkBurst& burst, std::span<Complex> out) {
    auto& s = *impl_;
    if (const auto fault = fault_of(burst)) return tl::unexpected(*fault);
    if (burst.format.total_symbols() > s.max_symbols) return tl::unexpected(ModulatorFault::length);
    const size_t samples = static_cast<size_t>(burst.format.total_symbols()) * s.symbol_samples() + s.window.tail();
    if (out.size() < samples) return tl::unexpected(ModulatorFault::room);
    if (!s.start(burst.format, burst.payload, burst_randomizer(burst.format)))
        return tl::unexpected(ModulatorFault::format);
    s.burst(burst.format, Direction::uplink, 0, out.first(samples));
    s.window.apply(out.first(samples));
    return samples;
}

}  // namespace gr::wimax::phy
