// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/ofdma_generate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::iq {
namespace {

using Samples = tl::expected<std::vector<Complex>, Fault>;

tl::unexpected<Fault> refused(ofdma::OfdmaFault why) {
    return tl::unexpected(Fault{"the modulator", "", std::string(to_string(why))});
}

Samples modulate(const ofdma::OfdmaNumerology& numerology, const OfdmaDownlink& dl) {
    std::vector<ofdma::DlBurst> bursts;
    for (const auto& burst : dl.bursts)
        bursts.push_back({burst.region, burst.code, burst.repetition, burst.boosting_db, burst.payload});
    ofdma::DlSubframeModulator modulator(numerology, dl.preamble_index, dl.symbols);
    std::vector<Complex> samples(static_cast<size_t>(dl.symbols * numerology.symbol_samples()));
    const auto made = modulator.modulate({dl.symbols, dl.prefix, dl.map, bursts}, samples);
    if (!made) return refused(made.error());
    return samples;
}

/// Adds a station's signal as its path changes it.
void add(std::span<const Complex> signal, const OfdmaPath& path, double sample_rate_hz, std::span<Complex> zone) {
    const double gain = std::pow(10.0, path.gain_db / 20), turn = 2 * std::numbers::pi * path.cfo_hz / sample_rate_hz;
    const auto to = zone.subspan(static_cast<size_t>(path.delay_samples));
    for (size_t i = 0; i < signal.size(); ++i)
        to[i] += signal[i] * Complex(std::polar(gain, turn * static_cast<double>(i)));
}

int largest_delay(const OfdmaUplink& ul) {
    int delay = 0;
    for (const auto& burst : ul.bursts) delay = std::max(delay, burst.path.delay_samples);
    for (const auto& code : ul.ranging) delay = std::max(delay, code.path.delay_samples);
    return delay;
}

Samples modulate(const ofdma::OfdmaNumerology& numerology, const OfdmaUplink& ul) {
    ofdma::UlZoneModulator modulator(numerology, ul.zone());
    std::vector<Complex> signal(static_cast<size_t>(ul.symbols * numerology.symbol_samples()));
    std::vector<Complex> zone(signal.size() + static_cast<size_t>(largest_delay(ul)));
    const auto rate_hz = static_cast<double>(numerology.sample_rate_hz);
    for (const auto& burst : ul.bursts) {
        const auto made = modulator.burst({burst.first_slot, burst.slots, burst.code, burst.repetition, burst.payload},
                                          ul.frame_number, signal);
        if (!made) return refused(made.error());
        add(signal, burst.path, rate_hz, zone);
    }
    for (const auto& code : ul.ranging) {
        const auto made = modulator.ranging(code.signal, signal);
        if (!made) return refused(made.error());
        add(signal, code.path, rate_hz, zone);
    }
    return zone;
}

Outcome silence(int64_t samples, const SampleSink& out) {
    constexpr int64_t kBlock = 1 << 16;
    const std::vector<Complex> zeros(static_cast<size_t>(std::min(samples, kBlock)));
    Outcome done;
    for (; done && samples > 0; samples -= kBlock)
        done = out(std::span(zeros).first(static_cast<size_t>(std::min(samples, kBlock))));
    return done;
}

}  // namespace

Samples modulate(const OfdmaSpec& spec) {
    return std::visit([&spec](const auto& signal) { return modulate(spec.numerology, signal); }, spec.signal);
}

Outcome generate(const OfdmaSpec& spec, const SampleSink& out) {
    return silence(spec.lead_in_samples, out).and_then([&] { return modulate(spec); }).and_then(out).and_then([&] {
        return silence(spec.tail_samples, out);
    });
}

}  // namespace wimax::iq
