// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/interleaver.h>

#include <gnuradio/wimax/phy/base/numerology.h>

#include <array>
#include <bit>
#include <cstring>

namespace gr::wimax::phy {

Interleaver::Interleaver(int bits_per_carrier, int subchannels) : bits_per_carrier_(bits_per_carrier) {
    const int n = kDataCarriers / 16 * subchannels * bits_per_carrier;
    const int s = group_bits();
    position_.resize(static_cast<size_t>(n));
    for (int k = 0; k < n; ++k) {
        const int m = n / kParts * (k % kParts) + k / kParts;
        const int j = s * (m / s) + (m + n - kParts * m / n) % s;
        position_[static_cast<size_t>(k)] = static_cast<uint16_t>(j);
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

/// The coder's output is spread over twelve parts of the band, bit by bit: a row of twelve bits holds one bit of a
/// carrier in each part. Twelve labels are therefore made together, as the octets of two words.
constexpr auto kParts = static_cast<size_t>(Interleaver::kParts);
struct Row {
    uint64_t first;  // parts 0 .. 7
    uint32_t last;
};

Row row_at(const uint8_t* octets) {
    Row row;
    std::memcpy(&row.first, octets, sizeof row.first);
    std::memcpy(&row.last, octets + sizeof row.first, sizeof row.last);
    return row;
}

/// The places in their labels that the bits of each row have: each part turns groups of half a label's bits by one
/// more.
template <size_t Bits>
const auto kPlaces = [] {
    constexpr size_t kGroup = (Bits + 1) / 2;
    std::array<Row, Bits> rows;
    for (size_t b = 0; b < Bits; ++b) {
        std::array<uint8_t, kParts> places;
        for (size_t part = 0; part < kParts; ++part) {
            const size_t bit = b / kGroup * kGroup + (b + kParts * kGroup - part) % kGroup;
            places[part] = static_cast<uint8_t>(1U << (Bits - 1 - bit));
        }
        rows[b] = row_at(places.data());
    }
    return rows;
}();

template <size_t Bits> void make_labels(const uint8_t* coded, size_t carriers_of_part, uint8_t* labels) {
    for (size_t carrier = 0; carrier < carriers_of_part; ++carrier) {
        Row made{0, 0};
        for (const Row& places : kPlaces<Bits>) {
            const Row bits = row_at(coded);
            made.first |= bits.first * 0xFF & places.first;  // octets of 0 or 1 become 0 or 255
            made.last |= bits.last * 0xFF & places.last;
            coded += kParts;
        }
        std::array<uint8_t, kParts> octets;
        std::memcpy(octets.data(), &made.first, sizeof made.first);
        std::memcpy(octets.data() + sizeof made.first, &made.last, sizeof made.last);
        for (size_t part = 0; part < kParts; ++part) labels[part * carriers_of_part + carrier] = octets[part];
    }
}

}  // namespace

void Interleaver::interleave(std::span<const uint8_t> coded, std::span<uint8_t> labels) const {
    const size_t carriers_of_part = position_.size() / kParts / static_cast<size_t>(bits_per_carrier_);
    switch (bits_per_carrier_) {
        case 1: return make_labels<1>(coded.data(), carriers_of_part, labels.data());
        case 2: return make_labels<2>(coded.data(), carriers_of_part, labels.data());
        case 4: return make_labels<4>(coded.data(), carriers_of_part, labels.data());
        default: return make_labels<6>(coded.data(), carriers_of_part, labels.data());
    }
}

void Interleaver::deinterleave(std::span<const int8_t> received, std::span<int8_t> coded) const {
    const int8_t* from = received.data();
    int8_t* to = coded.data();
    const size_t n = position_.size();
    for (size_t k = 0; k < n; ++k) to[k] = from[position_[k]];
}

}  // namespace gr::wimax::phy
