// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/coding/frame_prefix.h>
#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>

namespace gr::wimax::phy {

bool valid_stc_format(const BurstFormat& f) {
    return f.stc && valid_burst_format(f) && f.data_symbols % 2 == 0 && f.preamble == Preamble::none &&
           f.midamble_interval == 0 && f.subchannel_index == kFullSubchannel && f.attenuation_db == 0;
}

FramePrefixEntry stc_zone_entry(int start_symbol) {
    FramePrefixEntry entry;
    entry.length = static_cast<uint16_t>(start_symbol);
    return entry;
}

struct StcModulator::Impl {
    using Labels = std::array<uint8_t, kDataCarriers>;

    Numerology numerology;
    int max_symbols;
    OfdmTransform transform;
    BurstEncoder encoder;
    std::array<Labels, 2> labels{};
    std::array<std::span<Complex>, kStcAntennas> out;

    size_t symbol_samples() const { return static_cast<size_t>(numerology.symbol_samples()); }

    /// Symbols from the zone's preamble to the end of its last burst.
    tl::expected<int, ModulatorFault> symbols(const StcZone& zone) const {
        int end = zone.start_symbol + kStcFirstBurstSymbol;
        for (const auto& b : zone.bursts) {
            if (!valid_stc_format(b.format)) return tl::unexpected(ModulatorFault::format);
            if (static_cast<int>(b.payload.size()) > burst_payload_bytes(b.format))
                return tl::unexpected(ModulatorFault::payload);
            if (b.start_symbol < end) return tl::unexpected(ModulatorFault::order);
            end = b.start_symbol + b.format.data_symbols;
        }
        if (zone.start_symbol <= 0) return tl::unexpected(ModulatorFault::order);
        if (end > max_symbols) return tl::unexpected(ModulatorFault::length);
        return end - zone.start_symbol;
    }

    void emit(int antenna, int symbol) {
        for (auto& c : transform.carriers()) c *= kStcAntennaAmplitude;
        transform.modulate(numerology.cp_samples(),
                           out[static_cast<size_t>(antenna)].subspan(static_cast<size_t>(symbol) * symbol_samples()));
    }

    void preamble() {
        for (int antenna = 0; antenna < kStcAntennas; ++antenna) {
            const auto carriers = preamble_carriers(antenna == 0 ? PreambleSymbol::p_even : PreambleSymbol::p_odd);
            std::copy(carriers.begin(), carriers.end(), transform.carriers().begin());
            emit(antenna, 0);
        }
    }

    /// One of an antenna's two symbols of the pair that begins at `symbol` (from the zone's start).
    void half(int antenna, int which, int symbol, std::span<const Complex> points) {
        const auto bins = transform.carriers();
        std::fill(bins.begin(), bins.end(), Complex{});
        const bool conjugate = which == 1;
        const size_t source = antenna == which ? 0 : 1;  // s0 on the diagonal of antenna and symbol
        const float sign = antenna == 0 && which == 1 ? -1.0F : 1.0F;
        for (size_t i = 0; i < kDataOffsets.size(); ++i) {
            const Complex s = points[labels[source][i]];
            bins[static_cast<size_t>(bin_of(kDataOffsets[i]))] = sign * (conjugate ? std::conj(s) : s);
        }
        const StcPilot& pilot = kStcPilots[antenna][which];
        const auto& values = pilot_values(Direction::downlink, symbol + pilot.of);
        for (size_t i = 0; i < kPilotOffsets.size(); ++i)
            bins[static_cast<size_t>(bin_of(kPilotOffsets[i]))] = pilot.sign * values[i];
        emit(antenna, symbol + which);
    }

    void pair(int symbol, int rate_id) {
        const auto points = constellation(kRateTable[static_cast<size_t>(rate_id)].bits_per_carrier);
        for (int antenna = 0; antenna < kStcAntennas; ++antenna)
            for (int which = 0; which < 2; ++which) half(antenna, which, symbol, points);
    }
};

StcModulator::StcModulator(const Numerology& numerology, int max_symbols) : impl_(std::make_unique<Impl>()) {
    impl_->numerology = numerology;
    impl_->max_symbols = std::clamp(max_symbols, 1, kMaxFrameSymbols);
    preamble_carriers(PreambleSymbol::p_odd);  // tables are built now, not in the first frame
}
StcModulator::~StcModulator() = default;
StcModulator::StcModulator(StcModulator&&) noexcept = default;

tl::expected<size_t, ModulatorFault> StcModulator::zone(const StcZone& zone, std::span<Complex> antenna_0,
                                                        std::span<Complex> antenna_1) {
    auto& s = *impl_;
    const auto symbols = s.symbols(zone);
    if (!symbols) return tl::unexpected(symbols.error());
    const size_t samples = static_cast<size_t>(*symbols) * s.symbol_samples();
    if (std::min(antenna_0.size(), antenna_1.size()) < samples) return tl::unexpected(ModulatorFault::room);
    s.out = {antenna_0.first(samples), antenna_1.first(samples)};
    for (const auto& out : s.out) std::fill(out.begin(), out.end(), Complex{});

    s.preamble();
    const auto packed = pack_frame_prefix(zone.prefix);
    if (!s.encoder.start(fch_format(), packed, Randomizer::frame_start()))
        return tl::unexpected(ModulatorFault::payload);
    s.encoder.next_symbol(s.labels[0]);
    s.labels[1] = s.labels[0];
    s.pair(1, fch_format().rate_id);
    for (const auto& b : zone.bursts) {
        if (!s.encoder.start(b.format, b.payload, burst_randomizer(b.format, b.first)))
            return tl::unexpected(ModulatorFault::format);
        for (int i = 0; i < b.format.data_symbols; i += 2) {
            for (auto& labels : s.labels) s.encoder.next_symbol(labels);
            s.pair(b.start_symbol - zone.start_symbol + i, b.format.rate_id);
        }
    }
    return samples;
}

}  // namespace gr::wimax::phy
