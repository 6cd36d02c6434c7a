/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/modulator.h>
#include <gnuradio/wimax/phy/stc.h>
#include <iq/generate.h>

#include <algorithm>

namespace wimax::iq {
namespace {

constexpr int kFirstBurstSymbol = 3;  // behind the long preamble and the FCH

phy::FramePrefix prefix_of(const Spec& spec, const FrameSpec& frame, std::span<const BurstSpec> bursts) {
    phy::FramePrefix prefix;
    prefix.bsid_lsb = static_cast<uint8_t>(spec.bsid & 15);
    prefix.frame_lsb = static_cast<uint8_t>(frame.frame_number & 15);
    prefix.change_count_lsb = static_cast<uint8_t>(frame.change_count & 15);
    for (const auto& burst : bursts) {
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

/// Bursts one after the other from symbol `start` on.
std::vector<phy::DownlinkBurst> in_a_row(std::span<const BurstSpec> bursts, int start) {
    std::vector<phy::DownlinkBurst> row;
    for (const auto& burst : bursts) {
        row.push_back({burst.format, start, row.empty(), burst.payload});
        start += burst.format.total_symbols();
    }
    return row;
}

/// Puts the frame's STC zone behind the other bursts in `samples`, which are those of the first antenna. False:
/// refused.
bool add_stc_zone(const Spec& spec, const FrameSpec& frame, std::vector<Complex>& samples) {
    const int start = stc_zone_symbol(frame);
    const auto bursts = in_a_row(frame.stc_bursts, start + phy::kStcFirstBurstSymbol);
    const phy::Numerology numerology = spec.numerology();
    const auto from = static_cast<size_t>(start) * static_cast<size_t>(numerology.symbol_samples());
    std::vector<Complex> second(samples.size());
    phy::StcModulator modulator(numerology);
    if (modulator.zone({start, prefix_of(spec, frame, frame.stc_bursts), bursts}, std::span(samples).subspan(from),
                       std::span(second).subspan(from)) == 0)
        return false;
    for (size_t i = from; spec.antenna == Antenna::both && i < samples.size(); ++i) samples[i] += second[i];
    if (spec.antenna == Antenna::second) samples = std::move(second);
    return true;
}

}  // namespace

phy::FramePrefix frame_prefix(const Spec& spec, const FrameSpec& frame) {
    phy::FramePrefix prefix = prefix_of(spec, frame, frame.bursts);
    if (!frame.stc_bursts.empty())
        prefix.entries.at(static_cast<size_t>(prefix.entry_count++)) = phy::stc_zone_entry(stc_zone_symbol(frame));
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
        const auto bursts = in_a_row(frame.bursts, kFirstBurstSymbol);
        written = modulator.downlink(frame_prefix(spec, frame), bursts, samples);
    }
    if (frame.stc_bursts.empty()) {
        samples.resize(written);
        if (spec.antenna == Antenna::second) std::fill(samples.begin(), samples.end(), Complex{});
    } else if (written == 0 || !add_stc_zone(spec, frame, samples)) {
        samples.clear();
    }
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
