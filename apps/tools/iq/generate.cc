// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/generate.h"

#include <algorithm>
#include <optional>

namespace wimax::iq {
namespace {

constexpr int64_t kZeros = 1 << 16;  // of silence at once

using Samples = tl::expected<std::vector<Complex>, Fault>;

tl::unexpected<Fault> refused(std::string_view why) { return failure("the modulator", std::string(why)); }

Samples modulate_uplink(const Spec& spec, const BurstSpec& burst) {
    const int symbols = burst.format.total_symbols();
    const phy::Numerology numerology = spec.numerology();
    phy::Modulator modulator(numerology, symbols, spec.shape);
    std::vector<Complex> samples(static_cast<size_t>(symbols) * static_cast<size_t>(numerology.symbol_samples()) +
                                 modulator.tail_samples());
    const auto made = modulator.uplink({burst.format, burst.payload}, samples);
    if (!made) return refused(to_string(made.error()));
    samples.resize(*made);
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

Samples modulate(const Spec& spec, const FrameSpec& frame) {
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
    if (!made) return refused(to_string(made.error()));
    samples.resize(made->antenna_0);
    choose_antenna(spec.antenna, made->zone_from, std::span(second).first(made->antenna_1), samples);
    return samples;
}

Samples modulate(const Spec& spec, const ContentionSpec& region) {
    const auto symbol = static_cast<size_t>(spec.numerology().symbol_samples());
    const size_t opportunity = phy::kContentionSymbols * symbol;
    std::vector<Complex> samples(static_cast<size_t>(region.opportunities) * opportunity), code(opportunity);
    phy::ContentionTransmitter transmitter(spec.numerology());
    for (const auto& sent : region.codes) {
        if (const auto made = transmitter.transmit(sent.what, sent.boost_db, code); !made)
            return refused(to_string(made.error()));
        const size_t from = static_cast<size_t>(sent.opportunity) * opportunity;
        for (size_t i = 0; i < opportunity; ++i) samples[from + i] += code[i];
    }
    return samples;
}

Outcome generate(const Spec& spec, const SampleSink& out) {
    const std::vector<Complex> zeros(kZeros);
    const auto silence = [&](int64_t samples) {
        Outcome done;
        for (; done && samples > 0; samples -= kZeros)
            done = out(std::span(zeros).first(static_cast<size_t>(std::min(samples, kZeros))));
        return done;
    };
    Outcome done = silence(spec.lead_in_samples);
    if (spec.contention) done = done.and_then([&] { return modulate(spec, *spec.contention).and_then(out); });
    for (size_t i = 0; done && i < spec.frames.size(); ++i) {
        const auto samples = modulate(spec, spec.frames[i]);
        done = samples.and_then(out);
        if (done && spec.several_frames)
            done = silence(spec.numerology().frame_samples(spec.frame_duration_code) -
                           static_cast<int64_t>(samples->size()));
    }
    return done.and_then([&] { return silence(spec.tail_samples); });
}

}  // namespace wimax::iq
