// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/demap_viterbi_rs.h"

#include "fpga/model/burst_words.h"
#include "fpga/model/soft_carrier.h"

#include <gnuradio/wimax/phy/coding/convolutional.h>
#include <gnuradio/wimax/phy/coding/interleaver.h>
#include <gnuradio/wimax/phy/coding/reed_solomon.h>

#include <algorithm>
#include <span>

namespace wimax::fpga {

void DemapViterbiRs::push(const AxisWord& word, std::vector<AxisWord>& out) {
    burst_.push_back(word);
    if (!word.end_of_burst) return;
    if (const auto header = header_of(burst_)) decode(*header, out);
    else ++refused_;
    burst_.clear();
}

void DemapViterbiRs::decode(const BurstHeader& header, std::vector<AxisWord>& out) {
    const auto& rate = phy::kRateTable[header.rate_id];
    const auto& pattern = phy::puncture_pattern(rate.inner_rate);
    const auto bits = static_cast<size_t>(rate.bits_per_carrier);
    const auto position = phy::Interleaver::get(rate.bits_per_carrier, 16).position();
    const auto carriers = std::span(burst_).subspan(BurstHeader::kWords);
    viterbi_.start();
    std::vector<int8_t> soft(bits * phy::kDataCarriers);
    for (size_t symbol = 0, at = 0; symbol < static_cast<size_t>(header.data_symbols); ++symbol) {
        for (size_t carrier = 0; carrier < phy::kDataCarriers; ++carrier, ++at) {
            const auto of_carrier = soft_bits(rate.bits_per_carrier, at < carriers.size() ? carriers[at].data : 0);
            std::copy_n(of_carrier.begin(), bits, soft.begin() + static_cast<std::ptrdiff_t>(carrier * bits));
        }
        for (size_t k = 0, phase = 0; k < position.size(); phase = (phase + 1) % size_t(pattern.input_bits)) {
            const int x = pattern.sent[2 * phase] ? soft[position[k++]] : 0;
            const int y = pattern.sent[2 * phase + 1] ? soft[position[k++]] : 0;
            viterbi_.step(x, y);
        }
    }
    auto bytes = viterbi_.finish();

    const phy::ReedSolomon outer(rate.rs_k, rate.rs_t);
    auto randomizer = header.randomizer;
    uint32_t failed = 0, corrected = 0;
    const size_t first = out.size(), n = static_cast<size_t>(outer.n()), k = static_cast<size_t>(outer.k());
    for (size_t at = 0; at + n <= bytes.size(); at += n) {
        const auto block = std::span(bytes).subspan(at, n);
        if (outer.t() > 0) {
            const auto result = outer.decode(block);
            failed += result.ok ? 0 : 1;
            corrected += static_cast<uint32_t>(result.corrected);
        }
        const auto data = block.last(k);
        randomizer.apply(at + n == bytes.size() ? data.first(k - 1) : data);
        for (size_t i = 0; i < k; i += 4) {
            AxisWord word;
            for (size_t b = 0; b < 4; ++b) word.data = word.data << 8 | data[i + b];
            word.last = i + 4 == k;
            out.push_back(word);
        }
    }
    AxisWord status;
    status.data = failed << 16 | (corrected & 0xFFFFU);
    status.last = status.end_of_burst = true;
    out.push_back(status);
    out[first].has_time = burst_[0].has_time;
    out[first].time = burst_[0].has_time ? burst_[0].time : 0;
    ++bursts_;
    failed_ += failed;
    corrected_ += corrected;
}

}  // namespace wimax::fpga
