/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/modulator.h>
#include <iq/generate.h>

namespace wimax::iq {

phy::FramePrefix frame_prefix(const Spec& spec, const FrameSpec& frame) {
    phy::FramePrefix prefix;
    prefix.bsid_lsb = static_cast<uint8_t>(spec.bsid & 15);
    prefix.frame_lsb = static_cast<uint8_t>(frame.frame_number & 15);
    prefix.change_count_lsb = static_cast<uint8_t>(frame.change_count & 15);
    for (const auto& burst : frame.bursts) {
        if (prefix.entry_count == static_cast<int>(prefix.entries.size())) break;
        const auto& format = burst.format;
        auto& entry = prefix.entries[static_cast<size_t>(prefix.entry_count)];
        entry.rate_id_or_diuc = prefix.entry_count == 0 ? format.rate_id : format.iuc;
        entry.preamble_present = format.preamble != phy::Preamble::none;
        entry.length = static_cast<uint16_t>(format.total_symbols());
        ++prefix.entry_count;
    }
    return prefix;
}

std::vector<Complex> modulate(const Spec& spec, const FrameSpec& frame) {
    const bool uplink = spec.direction == phy::Direction::uplink;
    const int symbols = uplink ? frame.bursts[0].format.total_symbols() : frame_symbols(frame);
    const phy::Numerology numerology = spec.numerology();
    phy::Modulator modulator(numerology, symbols, spec.shape);
    std::vector<Complex> samples(static_cast<size_t>(symbols) * static_cast<size_t>(numerology.symbol_samples()) +
                                 modulator.tail_samples());
    size_t written = 0;
    if (uplink) {
        written = modulator.uplink({frame.bursts[0].format, frame.bursts[0].payload}, samples);
    } else {
        std::vector<phy::DownlinkBurst> bursts;
        int start = 3;
        for (const auto& burst : frame.bursts) {
            bursts.push_back({burst.format, start, bursts.empty(), burst.payload});
            start += burst.format.total_symbols();
        }
        written = modulator.downlink(frame_prefix(spec, frame), bursts, samples);
    }
    samples.resize(written);
    return samples;
}

std::string generate(const Spec& spec, RecordingWriter& out) {
    std::string error = out.zeros(spec.lead_in_samples);
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
