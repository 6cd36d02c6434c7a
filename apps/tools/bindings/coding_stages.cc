// SPDX-License-Identifier: GPL-3.0-or-later
// Channel coding of clause 8.3.3.1 to 8.3.3.3 on arrays, stage by stage and as whole bursts; samples of bursts.
#include "tools/bindings/stage_arrays.h"

#include <gnuradio/wimax/phy/coding/batch_viterbi.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>
#include <gnuradio/wimax/phy/transmit/modulator.h>

#include <algorithm>
#include <numeric>

namespace wimax::bindings {
namespace {

using Octets = std::span<const uint8_t>;

OctetArray randomize(const OctetArray& octets, const ArrayOf<uint16_t>& states) {
    const auto in = rows_of("octets", octets);
    const auto from = column_of("seed", states, in.count);
    const NewRows<uint8_t> out(in.count, in.width);
    for_each_row(in.count, [&](size_t row) {
        std::ranges::copy(in[row], out[row].begin());
        phy::Randomizer::at(from[row]).apply(out[row]);
    });
    return out.array();
}

OctetArray rs_encode(int k, int t, const OctetArray& data) {
    const phy::ReedSolomon code(k, t);
    const auto in = rows_of("octets", data, static_cast<size_t>(k));
    const NewRows<uint8_t> out(in.count, static_cast<size_t>(code.n()));
    for_each_row(in.count, [&](size_t row) { code.encode(in[row], out[row]); });
    return out.array();
}

/// Corrected data, true where a block is certain, number of corrected octets.
py::tuple rs_decode(int k, int t, const OctetArray& blocks) {
    const phy::ReedSolomon code(k, t);
    const auto in = rows_of("blocks", blocks, static_cast<size_t>(code.n()));
    const NewRows<uint8_t> out(in.count, static_cast<size_t>(k));
    auto right = new_column<bool>(in.count);
    auto corrected = new_column<int32_t>(in.count);
    bool* const is_right = right.mutable_data();
    int32_t* const how_many = corrected.mutable_data();
    std::vector<uint8_t> block(in.width);
    for_each_row(in.count, [&](size_t row) {
        std::ranges::copy(in[row], block.begin());
        const auto result = code.decode(block);
        std::ranges::copy(std::span(block).last(static_cast<size_t>(k)), out[row].begin());
        is_right[row] = result.ok;
        how_many[row] = result.corrected;
    });
    return py::make_tuple(out.array(), right, corrected);
}

/// Refused unless `width` is a multiple of `period` above 0.
void check_period(const char* name, size_t width, int period) {
    if (width == 0 || width % static_cast<size_t>(period) != 0)
        refuse({std::string(name) + ": rows of a multiple of " + std::to_string(period) + " elements are wanted"});
}

OctetArray convolutional_encode(int rate, const OctetArray& bits) {
    const auto& pattern = phy::kPuncturePatterns.at(static_cast<size_t>(rate));
    const auto in = rows_of("bits", bits);
    check_period("bits", in.width, pattern.input_bits);
    const size_t periods = in.width / static_cast<size_t>(pattern.input_bits);
    const NewRows<uint8_t> out(in.count, periods * static_cast<size_t>(pattern.output_bits));
    phy::ConvolutionalEncoder encoder;
    for_each_row(in.count, [&](size_t row) {
        encoder.start(static_cast<phy::CodeRate>(rate));
        encoder.encode(in[row], out[row]);
    });
    return out.array();
}

/// Indices, within a period of X1 Y1 X2 Y2 ..., of the bits that are sent.
std::vector<size_t> sent_places(const phy::PuncturePattern& pattern) {
    std::vector<size_t> places;
    for (size_t i = 0; i < 2 * static_cast<size_t>(pattern.input_bits); ++i)
        if (pattern.sent[i] != 0) places.push_back(i);
    return places;
}

/// `back`: puts the sent elements into their places again, 0 between them.
OctetArray puncture(int rate, const OctetArray& bits, bool back) {
    const auto& pattern = phy::kPuncturePatterns.at(static_cast<size_t>(rate));
    const auto in = rows_of("bits", bits);
    const size_t whole = 2 * static_cast<size_t>(pattern.input_bits);
    const auto places = sent_places(pattern);
    const size_t from = back ? places.size() : whole, to = back ? whole : places.size();
    check_period("bits", in.width, static_cast<int>(from));
    const size_t periods = in.width / from;
    const NewRows<uint8_t> out(in.count, periods * to);
    for_each_row(in.count, [&](size_t row) {
        if (back) std::ranges::fill(out[row], uint8_t{0});
        for (size_t period = 0; period < periods; ++period)
            for (size_t i = 0; i < places.size(); ++i) {
                const size_t source = back ? i : places[i], target = back ? places[i] : i;
                out[row][period * to + target] = in[row][period * from + source];
            }
    });
    return out.array();
}

/// Decoded octets, the last one zero filled.
OctetArray viterbi(int rate, const ArrayOf<int8_t>& soft) {
    const auto code_rate = static_cast<phy::CodeRate>(rate);
    const auto in = rows_of("soft", soft);
    check_period("soft", in.width, phy::kPuncturePatterns.at(static_cast<size_t>(rate)).output_bits);
    const size_t octets = (phy::trellis_steps(code_rate, in.width) + 7) / 8;
    const NewRows<uint8_t> out(in.count, octets);
    phy::ViterbiDecoder decoder;
    std::vector<uint8_t> decoded(octets + phy::ViterbiDecoder::max_output_bytes(phy::ViterbiDecoder::kWindowSteps) +
                                 phy::ViterbiDecoder::kWindowSteps / 8);
    for_each_row(in.count, [&](size_t row) {
        decoder.start(code_rate);
        const size_t count = decoder.feed(in[row], decoded);
        decoder.finish(std::span(decoded).subspan(count));
        std::copy_n(decoded.begin(), octets, out[row].begin());
    });
    return out.array();
}

/// Number of equal parts of a block that the decoder of many windows takes as its symbols; 0: it does not fit.
size_t parts_of_block(phy::CodeRate rate, size_t width) {
    const auto& pattern = phy::puncture_pattern(rate);
    if (phy::trellis_steps(rate, width) > phy::BatchViterbiDecoder::kMaxLaneSteps) return 0;
    for (size_t parts = 1; parts <= 8; ++parts) {
        const size_t part = width / parts;
        if (width % parts == 0 && part % static_cast<size_t>(pattern.output_bits) == 0 &&
            phy::trellis_steps(rate, part) % 8 == 0 && part <= phy::BatchViterbiDecoder::kMaxSymbolBits)
            return parts;
    }
    return 0;
}

/// The same for many short blocks at once.
OctetArray viterbi_batch(int rate, const ArrayOf<int8_t>& soft) {
    using Decoder = phy::BatchViterbiDecoder;
    const auto code_rate = static_cast<phy::CodeRate>(rate);
    const auto in = rows_of("soft", soft);
    check_period("soft", in.width, phy::kPuncturePatterns.at(static_cast<size_t>(rate)).output_bits);
    const size_t parts = parts_of_block(code_rate, in.width);
    if (parts == 0)
        refuse({"soft: blocks of 1 to 8 equal parts of whole octets, at most " +
                std::to_string(Decoder::kMaxLaneSteps) + " decoded bits, and at most " +
                std::to_string(Decoder::kMaxSymbolBits) + " soft bits in a part are wanted for decoding side by side"});
    const NewRows<uint8_t> out(in.count, phy::trellis_steps(code_rate, in.width) / 8);
    std::vector<uint16_t> position(in.width / parts);
    std::iota(position.begin(), position.end(), uint16_t{0});
    std::optional<py::gil_scoped_release> others(std::in_place);
    Decoder decoder;
    decoder.start(code_rate, position, parts);
    const size_t before = decoder.symbols_before(), table = before + parts + decoder.symbols_after();
    std::vector<phy::SoftBit> quantized(Decoder::kLanes * in.width);
    std::vector<const phy::SoftBit*> symbols(Decoder::kLanes * table, nullptr);
    std::vector<Decoder::Lane> lanes;
    for (size_t first = 0; first < in.count; first += Decoder::kLanes) {
        lanes.clear();
        for (size_t row = first; row < std::min(first + Decoder::kLanes, in.count); ++row) {
            const auto block = std::span(quantized).subspan((row - first) * in.width, in.width);
            decoder.quantize(in[row], block);
            const auto** const own = symbols.data() + (row - first) * table;
            for (size_t i = 0; i < parts; ++i) own[before + i] = block.data() + i * position.size();
            lanes.push_back({own, out[row].data()});
        }
        decoder.decode(lanes);
    }
    others.reset();  // the result needs the interpreter lock
    return out.array();
}

/// `back`: from the order on the carriers to that of the coder.
OctetArray interleave(int bits_per_carrier, int subchannels, const OctetArray& bits, bool back) {
    const auto position = phy::Interleaver::get(bits_per_carrier, subchannels).position();
    const auto in = rows_of("bits", bits, position.size());
    const NewRows<uint8_t> out(in.count, in.width);
    for_each_row(in.count, [&](size_t row) {
        for (size_t k = 0; k < position.size(); ++k) {
            if (back) out[row][k] = in[row][position[k]];
            else out[row][position[k]] = in[row][k];
        }
    });
    return out.array();
}

/// Randomizer of one burst of a batch, at the given state.
phy::Randomizer randomizer_at(std::span<const uint16_t> states, size_t row) { return phy::Randomizer::at(states[row]); }

/// Labels of all symbols of each burst, one row per burst.
OctetArray encode_bursts(const FormatNumbers& numbers, const OctetArray& payloads, const ArrayOf<uint16_t>& states) {
    const auto format = format_of(numbers);
    const auto in = rows_of("payloads", payloads);
    if (in.width > static_cast<size_t>(phy::burst_payload_bytes(format)))
        refuse({"payloads: more octets than the burst carries"});
    const auto from = column_of("seed", states, in.count);
    const auto carriers = static_cast<size_t>(phy::burst_carriers(format));
    const NewRows<uint8_t> out(in.count, carriers * static_cast<size_t>(format.data_symbols));
    phy::BurstEncoder encoder;
    for_each_row(in.count, [&](size_t row) {
        if (!encoder.start(format, in[row], randomizer_at(from, row))) return;
        for (size_t at = 0; encoder.next_symbol(out[row].subspan(std::min(at, out[row].size()))); at += carriers) {
        }
    });
    return out.array();
}

/// Samples of uplink bursts, one row per burst.
ComplexArray transmit_bursts(const FormatNumbers& numbers, const OctetArray& payloads, int64_t bandwidth_hz,
                             int cp_denominator) {
    const auto format = format_of(numbers);
    const auto numerology = numerology_of(bandwidth_hz, cp_denominator);
    const auto in = rows_of("payloads", payloads);
    const auto symbols = static_cast<size_t>(format.total_symbols());
    phy::Modulator modulator(numerology, format.total_symbols());
    const NewRows<phy::Complex> out(in.count, symbols * static_cast<size_t>(numerology.symbol_samples()));
    std::optional<phy::ModulatorFault> fault;
    for_each_row(in.count, [&](size_t row) {
        const auto made = modulator.uplink({format, in[row]}, out[row]);
        if (!made) fault = made.error();
    });
    if (fault) refuse({"format: " + std::string(phy::to_string(*fault))});
    return out.array();
}

/// Octets; failed blocks; corrected octets, one row or value for each burst.
py::tuple decode_bursts(const FormatNumbers& numbers, const ArrayOf<int8_t>& soft, const ArrayOf<uint16_t>& states,
                        bool second_attempts) {
    const auto format = format_of(numbers);
    const auto symbol_bits = static_cast<size_t>(phy::burst_symbol_bits(format));
    const auto in = rows_of("soft", soft, symbol_bits * static_cast<size_t>(format.data_symbols));
    const auto from = column_of("seed", states, in.count);
    const NewRows<uint8_t> out(in.count, static_cast<size_t>(phy::burst_payload_bytes(format)));
    auto failed = new_column<int32_t>(in.count), corrected = new_column<int32_t>(in.count);
    int32_t *const failed_blocks = failed.mutable_data(), *const corrected_octets = corrected.mutable_data();
    phy::BurstDecoder decoder(format.data_symbols);
    decoder.set_second_chance(second_attempts);
    for_each_row(in.count, [&](size_t row) {
        decoder.renew_second_chance();
        if (!decoder.start(format, randomizer_at(from, row))) return;
        for (size_t at = 0; at < in.width; at += symbol_bits) decoder.feed(in[row].subspan(at, symbol_bits));
        std::ranges::copy(decoder.payload(), out[row].begin());
        failed_blocks[row] = decoder.failed_blocks();
        corrected_octets[row] = decoder.corrected_bytes();
    });
    return py::make_tuple(out.array(), failed, corrected);
}

}  // namespace

void add_coding_stages(py::module_& m) {
    m.attr("frame_start_seed") = phy::Randomizer::frame_start().state();
    m.attr("first_burst_seed") = phy::Randomizer::first_burst().state();
    m.def("burst_seed",
          [](unsigned bsid, unsigned iuc, unsigned frame) { return phy::Randomizer::burst(bsid, iuc, frame).state(); });
    m.def("randomize", &randomize);
    m.def("rs_encode", &rs_encode);
    m.def("rs_decode", &rs_decode);
    m.def("convolutional_encode", &convolutional_encode);
    m.def("puncture", &puncture);
    m.def("viterbi", &viterbi);
    m.def("viterbi_batch", &viterbi_batch);
    m.def("interleave", &interleave);
    m.def("encode_bursts", &encode_bursts);
    m.def("decode_bursts", &decode_bursts);
    m.def("transmit_bursts", &transmit_bursts);
}

}  // namespace wimax::bindings
