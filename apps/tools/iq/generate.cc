/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/iq/generate.h"

#include <algorithm>
#include <optional>

namespace wimax::iq {
namespace {

std::vector<Complex> modulate_uplink(const Spec& spec, const BurstSpec& burst) {
    const int symbols = burst.format.total_symbols();
    const phy::Numerology numerology = spec.numerology();
    phy::Modulator modulator(numerology, symbols, spec.shape);
    std::vector<Complex> samples(static_cast<size_t>(symbols) * static_cast<size_t>(numerology.symbol_samples()) +
                                 modulator.tail_samples());
    samples.resize(modulator.uplink({burst.format, burst.payload}, samples).value_or(0));
    return samples;
}

/// Only one antenna's, or their sum. Antenna 1 is silent before `from`.
void choose_antenna(Antenna antenna, size_t from, std::span<const Complex> second, std::vector<Complex>& samples) {
    if (antenna == Antenna::both)
        for (size_t i = 0; i < second.size(); ++i) samples[from + i] += second[i];
    if (antenna != Antenna::second) return;
    std::fill(samples.begin(), samples.end(), Complex{});
    std::copy(second.begin(), second.end(), samples.begin() + static_cast<std::ptrdiff_t>(from));
}

}  // namespace

phy::FramePrefix frame_prefix(const Spec& spec, const FrameSpec& frame) { return compose(frame, spec.bsid).prefix(); }

std::vector<Complex> modulate(const Spec& spec, const FrameSpec& frame) {
    if (spec.direction == phy::Direction::uplink) return modulate_uplink(spec, frame.bursts[0]);
    const auto composed = compose(frame, spec.bsid);
    const phy::Numerology numerology = spec.numerology();
    phy::Modulator modulator(numerology, composed.end_symbol(), spec.shape);
    std::optional<phy::StcModulator> stc;
    if (composed.has_zone()) stc.emplace(numerology);
    std::vector<Complex> samples(static_cast<size_t>(composed.end_symbol()) *
                                     static_cast<size_t>(numerology.symbol_samples()) +
                                 modulator.tail_samples());
    std::vector<Complex> second(composed.has_zone() ? samples.size() : 0);
    const auto made = phy::modulate(composed, modulator, stc ? &*stc : nullptr, samples, second);
    if (!made) return {};
    samples.resize(made->antenna_0);
    choose_antenna(spec.antenna, made->zone_from, std::span(second).first(made->antenna_1), samples);
    return samples;
}

std::vector<Complex> modulate(const Spec& spec, const ContentionSpec& region) {
    const auto symbol = static_cast<size_t>(spec.numerology().symbol_samples());
    const size_t opportunity = phy::kContentionSymbols * symbol;
    std::vector<Complex> samples(static_cast<size_t>(region.opportunities) * opportunity), code(opportunity);
    phy::ContentionTransmitter transmitter(spec.numerology());
    for (const auto& sent : region.codes) {
        if (transmitter.transmit(sent.what, sent.boost_db, code) == 0) return {};
        const size_t from = static_cast<size_t>(sent.opportunity) * opportunity;
        for (size_t i = 0; i < opportunity; ++i) samples[from + i] += code[i];
    }
    return samples;
}

std::string generate(const Spec& spec, RecordingWriter& out) {
    std::string error = out.zeros(spec.lead_in_samples);
    if (spec.contention && error.empty()) error = out.write(modulate(spec, *spec.contention));
    for (const auto& frame : spec.frames) {
        const auto samples = modulate(spec, frame);
        if (samples.empty() && error.empty()) error = "the modulator refuses this signal";
        if (error.empty()) error = out.write(samples);
        if (error.empty() && spec.several_frames) {
            error = out.zeros(spec.numerology().frame_samples(spec.frame_duration_code) -
                              static_cast<int64_t>(samples.size()));
        }
        if (!error.empty()) return error;
    }
    return error.empty() ? out.zeros(spec.tail_samples) : error;
}

}  // namespace wimax::iq
