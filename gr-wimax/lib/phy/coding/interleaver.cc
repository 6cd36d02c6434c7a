/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/phy/coding/interleaver.h>

#include <gnuradio/wimax/phy/base/numerology.h>

#include <bit>

namespace gr::wimax::phy {

Interleaver::Interleaver(int bits_per_carrier, int subchannels) : bits_per_carrier_(bits_per_carrier) {
    const int n = kDataCarriers / 16 * subchannels * bits_per_carrier;
    const int s = (bits_per_carrier + 1) / 2;
    position_.resize(static_cast<size_t>(n));
    source_.resize(position_.size());
    for (int k = 0; k < n; ++k) {
        const int m = n / 12 * (k % 12) + k / 12;
        const int j = s * (m / s) + (m + n - 12 * m / n) % s;
        position_[static_cast<size_t>(k)] = static_cast<uint16_t>(j);
        source_[static_cast<size_t>(j)] = static_cast<uint16_t>(k);
    }
}

const Interleaver& Interleaver::get(int bits_per_carrier, int subchannels) {
    static const auto tables = [] {
        std::vector<Interleaver> all;
        for (int bits : {1, 2, 4, 6})
            for (int count : {1, 2, 4, 8, 16}) all.emplace_back(bits, count);
        return all;
    }();
    const int modulation = bits_per_carrier / 2;
    const int group = std::countr_zero(static_cast<unsigned>(subchannels));
    return tables[static_cast<size_t>(modulation * 5 + group)];
}

namespace {

/// Independent loads, not a chain of shifts: a compiler that knows the number of bits keeps several carriers in flight.
template <size_t Bits>
void gather_labels(const uint8_t* coded, std::span<const uint16_t> source, uint8_t* labels) {
    for (size_t at = 0; at < source.size(); at += Bits) {
        unsigned label = 0;
        for (size_t b = 0; b < Bits; ++b) label |= static_cast<unsigned>(coded[source[at + b]]) << (Bits - 1 - b);
        *labels++ = static_cast<uint8_t>(label);
    }
}

}  // namespace

void Interleaver::interleave(std::span<const uint8_t> coded, std::span<uint8_t> labels) const {
    switch (bits_per_carrier_) {
        case 1: return gather_labels<1>(coded.data(), source_, labels.data());
        case 2: return gather_labels<2>(coded.data(), source_, labels.data());
        case 4: return gather_labels<4>(coded.data(), source_, labels.data());
        default: return gather_labels<6>(coded.data(), source_, labels.data());
    }
}

void Interleaver::deinterleave(std::span<const int8_t> received, std::span<int8_t> coded) const {
    const int8_t* from = received.data();
    int8_t* to = coded.data();
    const size_t n = position_.size();
    for (size_t k = 0; k < n; ++k) to[k] = from[position_[k]];
}

}  // namespace gr::wimax::phy
