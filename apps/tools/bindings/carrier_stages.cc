// SPDX-License-Identifier: GPL-3.0-or-later
// Constellations, pilots, preambles and OFDM of clauses 8.3.2, 8.3.3.4 and 8.3.3.6 on arrays. Carriers are rows of 201
// values for the offsets -100..100.
#include "phy/carriers/symbol_reader.h"
#include "tools/bindings/stage_arrays.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/preamble.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <algorithm>

namespace wimax::bindings {
namespace {

using phy::Complex;
constexpr size_t kSpan = kCarrierSpanOfArrays;

/// Copies carriers in the order of the transform's bins to the order of offsets, or back.
void from_bins(std::span<const Complex> bins, std::span<Complex> carriers) {
    std::ranges::copy(bins.last(phy::kEdgeCarrier), carriers.begin());
    std::ranges::copy(bins.first(phy::kEdgeCarrier + 1), carriers.begin() + phy::kEdgeCarrier);
}
void to_bins(std::span<const Complex> carriers, std::span<Complex> bins) {
    std::ranges::fill(bins, Complex{});
    std::ranges::copy(carriers.first(phy::kEdgeCarrier), bins.last(phy::kEdgeCarrier).begin());
    std::ranges::copy(carriers.last(phy::kEdgeCarrier + 1), bins.begin());
}

/// Refused unless there are 1, 2, 4 or 6 bits.
int bits_of(int bits_per_carrier) {
    constexpr std::array kAllowed{1, 2, 4, 6};
    if (std::ranges::find(kAllowed, bits_per_carrier) == kAllowed.end())
        refuse({"bits_per_carrier: " + std::to_string(bits_per_carrier) + ": allowed 1, 2, 4, 6"});
    return bits_per_carrier;
}

ComplexArray map_labels(int bits_per_carrier, const OctetArray& labels) {
    const auto in = rows_of("labels", labels);
    const auto points = phy::constellation(bits_of(bits_per_carrier));
    const NewRows<Complex> out(in.count, in.width);
    const size_t last = points.size() - 1;
    for_each_row(in.count, [&](size_t row) {
        for (size_t i = 0; i < in.width; ++i) out[row][i] = points[in[row][i] & last];
    });
    return out.array();
}

OctetArray hard_labels(int bits_per_carrier, const ComplexArray& points) {
    const auto in = rows_of("points", points);
    const int bits = bits_of(bits_per_carrier);
    const NewRows<uint8_t> out(in.count, in.width);
    for_each_row(in.count, [&](size_t row) {
        for (size_t i = 0; i < in.width; ++i) out[row][i] = phy::hard_label(bits, in[row][i]);
    });
    return out.array();
}

ArrayOf<int8_t> soft_bits(int bits_per_carrier, const ComplexArray& points, const ArrayOf<float>& snr) {
    const auto in = rows_of("points", points);
    const auto ratios = rows_of("snr", snr, in.width);
    if (ratios.count != in.count && ratios.count != 1) refuse({"snr: one row, or one for each of points, is wanted"});
    const int bits = bits_of(bits_per_carrier);
    const NewRows<int8_t> out(in.count, in.width * static_cast<size_t>(bits));
    for_each_row(in.count,
                 [&](size_t row) { phy::soft_demap(bits, in[row], ratios[ratios.count == 1 ? 0 : row], out[row]); });
    return out.array();
}

/// `pack`: labels from bits of one element each, most significant first; else back.
OctetArray label_bits(int bits_per_carrier, const OctetArray& from, bool pack) {
    const auto in = rows_of("bits", from);
    const auto bits = static_cast<size_t>(bits_of(bits_per_carrier));
    if (pack && in.width % bits != 0) refuse({"bits: whole carriers are wanted"});
    const size_t carriers = pack ? in.width / bits : in.width;
    const NewRows<uint8_t> out(in.count, pack ? carriers : carriers * bits);
    for_each_row(in.count, [&](size_t row) {
        for (size_t carrier = 0; carrier < carriers; ++carrier) {
            unsigned label = pack ? 0 : in[row][carrier];
            for (size_t bit = 0; bit < bits; ++bit) {
                if (pack) label = label << 1 | in[row][carrier * bits + bit];
                else out[row][carrier * bits + bit] = label >> (bits - 1 - bit) & 1;
            }
            if (pack) out[row][carrier] = static_cast<uint8_t>(label);
        }
    });
    return out.array();
}

ArrayOf<float> pilots(bool uplink, const ArrayOf<int64_t>& symbols) {
    const auto in = column_of("symbols", symbols, static_cast<size_t>(symbols.size()));
    const NewRows<float> out(in.size(), phy::kPilotCarriers);
    for (size_t row = 0; row < in.size(); ++row)
        std::ranges::copy(
            phy::pilot_values(uplink ? phy::Direction::uplink : phy::Direction::downlink, static_cast<int>(in[row])),
            out[row].begin());
    return out.array();
}

/// Offsets of data carriers and of pilots.
py::tuple carrier_offsets(int subchannel_index) {
    if (!phy::valid_subchannel_index(subchannel_index)) refuse({"subchannel_index: allowed 1..31"});
    const auto& set = phy::carrier_set(subchannel_index);
    std::vector<int> data(set.data().begin(), set.data().end()), pilots;
    for (const auto i : set.pilot_indices()) pilots.push_back(phy::kPilotOffsets[i]);
    return py::make_tuple(data, pilots);
}

/// `kind`: 0 P_4x64, 1 P_EVEN, 2 P_ODD; else that of a burst on the subchannels of `subchannel_index`.
ComplexArray preamble(int kind, int subchannel_index) {
    std::vector<Complex> out(kSpan);
    const bool group = kind < 0 || kind > 2;
    if (group && !phy::valid_subchannel_index(subchannel_index)) refuse({"subchannel_index: allowed 1..31"});
    from_bins(group ? phy::subchannel_preamble_carriers(subchannel_index)
                    : phy::preamble_carriers(static_cast<phy::PreambleSymbol>(kind)),
              out);
    return array_of(out);
}

ComplexArray modulate(int cp_samples, const ComplexArray& carriers) {
    const auto in = rows_of("carriers", carriers, kSpan);
    const NewRows<Complex> out(in.count, static_cast<size_t>(cp_samples + phy::kFftSize));
    phy::OfdmTransform transform;
    for_each_row(in.count, [&](size_t row) {
        to_bins(in[row], transform.carriers());
        transform.modulate(cp_samples, out[row]);
    });
    return out.array();
}

/// Carriers of the 256 samples from `first` on of each row.
ComplexArray demodulate(int first, const ComplexArray& symbols) {
    const auto in = rows_of("samples", symbols);
    if (first < 0 || in.width < static_cast<size_t>(first + phy::kFftSize))
        refuse({"samples: rows of at least " + std::to_string(first + phy::kFftSize) + " samples are wanted"});
    const NewRows<Complex> out(in.count, kSpan);
    phy::OfdmTransform transform;
    std::array<Complex, phy::kFftSize> bins;
    for_each_row(in.count, [&](size_t row) {
        const auto body = in[row].subspan(static_cast<size_t>(first));
        transform.demodulate(body.first<phy::kFftSize>(), bins);
        from_bins(bins, out[row]);
    });
    return out.array();
}

/// Carriers of windows of 256 samples anywhere in a signal, its frequency corrected.
ComplexArray read_windows(const ComplexArray& samples, const ArrayOf<int64_t>& starts, double cycles_per_sample,
                          int64_t phase_sample) {
    const auto in = samples_of("samples", samples);
    const auto from = column_of("starts", starts, static_cast<size_t>(starts.size()));
    const NewRows<Complex> out(from.size(), kSpan);
    const phy::SampleView view{in.data(), 0, static_cast<int64_t>(in.size())};
    phy::SymbolReader reader;
    phy::Carriers carriers;
    for_each_row(from.size(), [&](size_t row) {
        reader.read(view, from[row], cycles_per_sample, phase_sample, carriers);
        std::copy_n(carriers.data(), kSpan, out[row].begin());
    });
    return out.array();
}

}  // namespace

void add_carrier_stages(py::module_& m) {
    m.def("constellation", [](int bits) { return array_of(phy::constellation(bits_of(bits))); });
    m.def("map_labels", &map_labels);
    m.def("hard_labels", &hard_labels);
    m.def("soft_bits", &soft_bits);
    m.def("label_bits", &label_bits);
    m.def("pilots", &pilots);
    m.def("carrier_offsets", &carrier_offsets);
    m.def("preamble", &preamble);
    m.def("modulate", &modulate);
    m.def("demodulate", &demodulate);
    m.def("read_windows", &read_windows);
    m.def("contention_carriers", [](int channel) { return phy::contention_carriers(channel); });
    m.attr("contention_codes") = std::vector<std::array<int8_t, phy::kContentionCarriers>>(
        phy::kContentionCodes.begin(), phy::kContentionCodes.end());
}

}  // namespace wimax::bindings
