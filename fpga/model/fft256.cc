// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/fft256.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::fpga {
namespace {

constexpr int kUnitBits = 16;  // 1.0 of cosines and sines

/// exp(-j angle) as cosine and sine.
struct Turn {
    int32_t cosine = 0, sine = 0;
};

Turn turn_of(double turns) {
    const double angle = 2 * std::numbers::pi * turns, unit = 1 << kUnitBits;
    return {static_cast<int32_t>(std::lround(unit * std::cos(angle))),
            static_cast<int32_t>(std::lround(unit * std::sin(angle)))};
}

FixedComplex turned(FixedComplex x, Turn by, int dropped) {
    const int64_t re = x.re, im = x.im;
    return {static_cast<int32_t>(rounded_shift(re * by.cosine + im * by.sine, dropped)),
            static_cast<int32_t>(rounded_shift(im * by.cosine - re * by.sine, dropped))};
}

/// Parts of a radix-2^2 pair in output order: factor of n in the twiddle's exponent.
constexpr std::array<int, 4> kPartFactor{0, 2, 1, 3};
Turn twiddle(int size, int place) {
    const int quarter = size / 4;
    return turn_of(static_cast<double>(place % quarter * kPartFactor[static_cast<size_t>(place / quarter)]) / size);
}

struct Twiddles {
    std::array<Turn, 256> of_256;
    std::array<Turn, 64> of_64;
    std::array<Turn, 16> of_16;
    std::array<Turn, 4> of_4;
    std::array<Turn, 4096> oscillator;

    Twiddles() {
        const auto fill = [](auto& table) {
            for (size_t i = 0; i < table.size(); ++i)
                table[i] = twiddle(static_cast<int>(table.size()), static_cast<int>(i));
        };
        fill(of_256);
        fill(of_64);
        fill(of_16);
        fill(of_4);
        for (size_t i = 0; i < oscillator.size(); ++i) oscillator[i] = turn_of(static_cast<double>(i) / 4096);
    }
    const Turn* of(size_t size) const {
        return size == 256 ? of_256.data() : size == 64 ? of_64.data() : size == 16 ? of_16.data() : of_4.data();
    }
};

const Twiddles& twiddles() {
    static const Twiddles all;
    return all;
}

void pair_of_butterflies(FixedComplex* x, size_t size) {
    const size_t quarter = size / 4;
    const Turn* by = twiddles().of(size);
    for (size_t n = 0; n < quarter; ++n) {
        const auto a = x[n], b = x[n + quarter], c = x[n + 2 * quarter], d = x[n + 3 * quarter];
        const FixedComplex even{a.re + c.re, a.im + c.im}, even_2{b.re + d.re, b.im + d.im};
        const FixedComplex odd{a.re - c.re, a.im - c.im}, odd_2{b.re - d.re, b.im - d.im};
        const std::array<FixedComplex, 4> parts{{{even.re + even_2.re, even.im + even_2.im},
                                                 {even.re - even_2.re, even.im - even_2.im},
                                                 {odd.re + odd_2.im, odd.im - odd_2.re},
                                                 {odd.re - odd_2.im, odd.im + odd_2.re}}};
        for (size_t part = 0; part < 4; ++part) {
            const size_t place = part * quarter + n;
            x[place] = turned(parts[part], by[place], kUnitBits);
        }
    }
}

size_t reversed(size_t place) {
    size_t bin = 0;
    for (int bit = 0; bit < 8; ++bit) bin |= (place >> bit & 1) << (7 - bit);
    return bin;
}

void exchange(FixedBlock& block) {
    for (auto& x : block) std::swap(x.re, x.im);
}

/// The RTL's butterflies output parts 1 and 2 negated and part 3 times j; its tables compensate that.
uint64_t twiddle_word(int size, int place) {
    const Turn w = twiddle(size, place);
    const int part = place / (size / 4);
    const Turn mended = part == 0 ? w : part == 3 ? Turn{-w.sine, w.cosine} : Turn{-w.cosine, -w.sine};
    return rom_word(mended.cosine, 18) << 18 | rom_word(mended.sine, 18);
}

}  // namespace

void fixed_fft256(FixedBlock& block) {
    for (size_t size = 256; size >= 4; size /= 4)
        for (size_t first = 0; first < block.size(); first += size) pair_of_butterflies(&block[first], size);
    const FixedBlock left = block;
    for (size_t place = 0; place < block.size(); ++place) block[reversed(place)] = left[place];
}

void fixed_inverse_fft256(FixedBlock& block) {
    exchange(block);
    fixed_fft256(block);
    exchange(block);
}

FixedComplex fixed_turn(FixedComplex sample, uint32_t phase) {
    const uint32_t step = ((phase >> 19) + 1) >> 1 & 4095;
    return turned(sample, twiddles().oscillator[step], kUnitBits - 2);
}

std::vector<Rom> ofdm_roms() {
    std::vector<Rom> roms;
    for (const int size : {256, 64, 16}) {
        Rom rom{"fft_twiddle_" + std::to_string(size), 36, {}};
        for (int place = 0; place < size; ++place) rom.words.push_back(twiddle_word(size, place));
        roms.push_back(std::move(rom));
    }
    Rom quarter{"nco_quarter", 18, {}};
    for (int i = 0; i < 1024; ++i) quarter.words.push_back(rom_word(turn_of(i / 4096.0).sine, 18));
    roms.push_back(std::move(quarter));
    return roms;
}

}  // namespace wimax::fpga
