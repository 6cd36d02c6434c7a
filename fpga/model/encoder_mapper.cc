// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/encoder_mapper.h"

#include "fpga/model/burst_words.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/carriers/pilots.h>

#include <algorithm>
#include <cmath>

namespace wimax::fpga {
namespace {

int16_t quantized(float value) { return static_cast<int16_t>(std::lround(value * static_cast<float>(kCarrierUnit))); }

}  // namespace

int16_t axis_level(int bits_per_carrier, unsigned axis_bits) {
    const auto points = phy::constellation(bits_per_carrier);
    if (bits_per_carrier == 1) return quantized(points[axis_bits & 1U].real());
    const unsigned half = static_cast<unsigned>(bits_per_carrier) / 2;
    return quantized(points[axis_bits & ((1U << half) - 1)].imag());
}

void EncoderMapper::push(const AxisWord& word, std::vector<AxisWord>& out) {
    burst_.push_back(word);
    if (!word.end_of_burst) return;
    if (const auto header = header_of(burst_)) send(*header, out);
    else ++refused_;
    burst_.clear();
}

void EncoderMapper::send(const BurstHeader& header, std::vector<AxisWord>& out) {
    phy::BurstFormat format;
    format.rate_id = header.rate_id;
    format.data_symbols = header.data_symbols;
    const int capacity = phy::burst_payload_bytes(format);
    payload_ = bytes_of(std::span(burst_).subspan(BurstHeader::kWords));
    payload_.resize(std::min({payload_.size(), static_cast<size_t>(header.payload_bytes), size_t(capacity)}));
    if (!encoder_.start(format, payload_, header.randomizer)) {
        ++refused_;
        return;
    }

    const int bits = phy::kRateTable[header.rate_id].bits_per_carrier;
    const unsigned half = static_cast<unsigned>(std::max(bits / 2, 1)), mask = (1U << half) - 1;
    const int interval = phy::midamble_interval(header.midamble_interval);
    std::array<uint8_t, phy::kDataCarriers> labels{};
    const size_t first = out.size();
    int k = header.pilot_k;
    for (int symbol = 0; symbol < header.data_symbols; ++symbol, ++k) {
        if (interval > 0 && symbol > 0 && symbol % interval == 0) ++k;
        encoder_.next_symbol(labels);
        const auto& pilots = phy::pilot_values(header.direction, k);
        size_t data = 0, pilot = 0;
        for (int offset = -phy::kEdgeCarrier; offset <= phy::kEdgeCarrier; ++offset) {
            if (offset == 0) continue;
            AxisWord word;
            if (pilot < pilots.size() && phy::kPilotOffsets[pilot] == offset) {
                word.data = pack(FixedSample(quantized(pilots[pilot++]), 0));
            } else {
                const unsigned label = labels[data++];
                const int16_t i = axis_level(bits, bits == 1 ? label : label >> half);
                word.data = pack(FixedSample(i, bits == 1 ? int16_t{0} : axis_level(bits, label & mask)));
            }
            word.last = offset == phy::kEdgeCarrier;
            word.end_of_burst = word.last && symbol == header.data_symbols - 1;
            out.push_back(word);
        }
    }
    out[first].has_time = burst_[0].has_time;
    out[first].time = burst_[0].has_time ? burst_[0].time : 0;
    ++bursts_;
    symbols_ += static_cast<uint32_t>(header.data_symbols);
}

}  // namespace wimax::fpga
