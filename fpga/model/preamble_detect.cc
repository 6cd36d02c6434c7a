// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/preamble_detect.h"

#include <gnuradio/wimax/phy/carriers/preamble.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::fpga {
namespace {

namespace phy = gr::wimax::phy;
using preamble_detect::Register;

constexpr int kTableSize = 512;
constexpr int kHypotheses = 15;        // steps of four carriers, -7 .. 7
constexpr int64_t kLeastSquare = 256;  // of a correlation: less is no signal
constexpr std::array kPrefixSamples{8, 16, 32, 64};

int64_t wrapped(int64_t value, int bits) {
    return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}
int64_t modulo(int64_t value, int bits) { return value & ((int64_t{1} << bits) - 1); }

/// k of the nearest e^(j pi/4) j^k.
uint8_t quadrant(std::complex<double> z) {
    if (z.imag() >= 0) return z.real() >= 0 ? 0 : 1;
    return z.real() < 0 ? 2 : 3;
}

struct Tables {
    std::array<std::array<int16_t, 2>, kTableSize> rotator{};  ///< cos, sin
    std::array<std::array<uint8_t, 64>, kHypotheses> first{};  ///< P_4x64, this many steps too high
    std::array<uint8_t, 128> second{};                         ///< P_2x128

    Tables() {
        const auto turn = [](double turns) { return std::polar(1.0, 2 * std::numbers::pi * turns); };
        for (size_t i = 0; i < rotator.size(); ++i) {
            const auto z = turn(static_cast<double>(i) / kTableSize);
            rotator[i] = {static_cast<int16_t>(std::lround(32767 * z.real())),
                          static_cast<int16_t>(std::lround(32767 * z.imag()))};
        }
        const auto first_body = phy::preamble_body(phy::PreambleSymbol::p_4x64);
        const auto second_body = phy::preamble_body(phy::PreambleSymbol::p_even);
        for (int h = 0; h < kHypotheses; ++h)
            for (int i = 0; i < 64; ++i)
                first[static_cast<size_t>(h)][static_cast<size_t>(i)] =
                    quadrant(std::complex<double>(first_body[static_cast<size_t>(i)]) * turn((h - 7) * i / 64.0));
        for (size_t i = 0; i < second.size(); ++i) second[i] = quadrant(std::complex<double>(second_body[i]));
    }
};

const Tables& tables() {
    static const Tables all;
    return all;
}

}  // namespace

void Detection::append_to(std::vector<AxisWord>& words) const {
    const std::array<uint32_t, kWords> data{
        uint32_t{faint} << 31 | static_cast<uint32_t>(cp_samples) << 16 | static_cast<uint16_t>(offset), metric, power};
    for (size_t i = 0; i < data.size(); ++i)
        words.push_back({data[i], time, true, i + 1 == data.size(), i + 1 == data.size()});
}

PreambleDetect::PreambleDetect() { tables(); }

void PreambleDetect::write(uint32_t address, uint32_t value) {
    const auto octet = static_cast<uint8_t>(value);
    switch (address) {
        case Register::kControl: settings_.detect = value & 1; break;
        case Register::kGateThreshold: settings_.gate_threshold = octet; break;
        case Register::kFirstThreshold: settings_.first_threshold = octet; break;
        case Register::kSecondThreshold: settings_.second_threshold = octet; break;
        case Register::kMaxSteps: settings_.max_steps = octet & 7; break;
        case Register::kPrefixes: settings_.prefixes = octet & 15; break;
        case Register::kHoldOff: settings_.hold_off_hops = octet; break;
        default: break;
    }
}

uint32_t PreambleDetect::read(uint32_t address) const {
    switch (address) {
        case Register::kIdAddress: return preamble_detect::kId;
        case Register::kVersionAddress: return preamble_detect::kVersion;
        case Register::kControl: return settings_.detect;
        case Register::kGateThreshold: return settings_.gate_threshold;
        case Register::kFirstThreshold: return settings_.first_threshold;
        case Register::kSecondThreshold: return settings_.second_threshold;
        case Register::kMaxSteps: return settings_.max_steps;
        case Register::kPrefixes: return settings_.prefixes;
        case Register::kHoldOff: return settings_.hold_off_hops;
        case Register::kDetections: return detections_;
        case Register::kPlateaus: return plateaus_;
        default: return 0;
    }
}

void PreambleDetect::process(std::span<const AxisWord> in, std::vector<AxisWord>& out,
                             std::vector<Detection>& detections) {
    out.insert(out.end(), in.begin(), in.end());
    for (const auto& word : in) {
        if (word.has_time && static_cast<uint16_t>(word.time) != static_cast<uint16_t>(time_ + 1)) restart();
        time_ = word.has_time ? word.time : time_ + 1;
        take(unpack(word.data), detections);
    }
}

void PreambleDetect::process(uint64_t first, std::span<const FixedSample> in, std::vector<Detection>& detections) {
    if (!in.empty() && static_cast<uint16_t>(first) != static_cast<uint16_t>(time_ + 1)) restart();
    for (size_t i = 0; i < in.size(); ++i) {
        time_ = first + i;
        take(in[i], detections);
    }
}

/// Samples before a gap are useless; a search that has begun has all its samples.
void PreambleDetect::restart() {
    in_hop_ = hops_ = 0;
    if (state_ != State::dead) state_ = State::gate;
}

void PreambleDetect::take(FixedSample x, std::vector<Detection>& detections) {
    const FixedSample old = ring_[(written_ - kLag) % kRing];
    ring_[written_++ % kRing] = x;
    const int64_t re = x.real(), im = x.imag();
    sum_.re += re * old.real() + im * old.imag();
    sum_.im += im * old.real() - re * old.imag();
    energy_ += re * re + im * im;
    if (state_ == State::dead && dead_ < kMostDead) ++dead_;
    if (++in_hop_ == kHop) {
        in_hop_ = 0;
        end_hop(detections);
    }
}

PreambleDetect::Wide PreambleDetect::rotate(Wide a, Wide b) {
    return {a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
}

PreambleDetect::Mantissas PreambleDetect::normalized(Wide correlation, int64_t early, int64_t late, int least) const {
    int exponent = 0;
    while ((early | late) >> (kMantissaBits + exponent) != 0) exponent += 4;
    exponent = std::max(exponent, least);
    return {{correlation.re >> exponent, correlation.im >> exponent}, early >> exponent, late >> exponent, exponent};
}

void PreambleDetect::end_hop(std::vector<Detection>& detections) {
    const Total& before = totals_[(hop_ - kWindowHops) & 15];
    const Wide correlation{wrapped(sum_.re - before.sum.re, 40), wrapped(sum_.im - before.sum.im, 40)};
    const int64_t late = modulo(energy_ - before.energy, 40), early = late_[hop_ % kDelayHops];
    late_[hop_ % kDelayHops] = late;
    totals_[hop_ & 15] = {sum_, energy_};
    ++hop_;
    const bool whole = hops_ == kFirstHops;
    if (!whole) ++hops_;
    switch (state_) {
        case State::gate: {
            if (!whole || !settings_.detect) break;
            const auto m = normalized(correlation, early, late, 0);
            const int64_t level = rotate(m.correlation, m.correlation).re;
            if (level <= (m.early * settings_.gate_threshold >> 8) * m.late) break;
            state_ = State::track;
            tracked_ = 0;
            peak_ = 0;
            exponent_ = 0;
            track(correlation, early, late);
            break;
        }
        case State::track: track(correlation, early, late); break;
        case State::wait:
            if (++past_peak_ < kSearchHops) break;
            state_ = State::dead;
            dead_ = 0;
            search(detections);
            break;
        case State::dead:
            if (dead_ >= kDeadSamples + kHop * settings_.hold_off_hops) state_ = State::gate;
            break;
    }
}

/// The exponent only grows, so that squares of several hops are comparable.
void PreambleDetect::track(Wide correlation, int64_t early, int64_t late) {
    const auto m = normalized(correlation, early, late, exponent_);
    peak_ >>= 2 * (m.exponent - exponent_);
    exponent_ = m.exponent;
    const int64_t level = rotate(m.correlation, m.correlation).re;
    ++past_peak_;
    if (level > peak_ || tracked_ == 0) {
        peak_ = level;
        past_peak_ = 0;
        peak_correlation_ = m.correlation;
        peak_exponent_ = m.exponent;
        peak_time_ = time_;
        peak_ring_ = written_ - 256;
    }
    if (++tracked_ == kTrackHops || past_peak_ == kPastPeakHops) state_ = State::wait;
}

PreambleDetect::Wide PreambleDetect::sample_of(int at) const {
    const FixedSample x = ring_[(peak_ring_ + static_cast<uint32_t>(at)) % kRing];
    if (!faint()) return {x.real(), x.imag()};
    return {wrapped(x.real() * 64, 18), wrapped(x.imag() * 64, 18)};
}

PreambleDetect::Wide PreambleDetect::derotated(int at, uint32_t phase) const {
    const auto& [c, s] = tables().rotator[(phase & 0xFFFF) >> 7];
    const Wide p = rotate(sample_of(at), {c, s});
    return {wrapped(p.re >> 16, 18), wrapped(p.im >> 16, 18)};
}

/// Phase of the autocorrelation, which turns 64 times as fast as the carrier: 2^-16 cycles per sample, an odd number.
int PreambleDetect::carrier_step() const {
    int phase = peak_correlation_.im < 0 ? kTableSize / 2 : 0;
    for (int bit = kTableSize / 4; bit > 0; bit /= 2) {
        const auto& [c, s] = tables().rotator[static_cast<size_t>(phase + bit)];
        if (rotate(peak_correlation_, {c, s}).im >= 0) phase += bit;
    }
    return static_cast<int>(wrapped(2 * phase + 1, 10));
}

namespace {

void add_turned(int64_t& re, int64_t& im, int64_t x, int64_t y, uint8_t quadrant) {
    switch (quadrant) {  // times (-j)^quadrant
        case 0: re += x, im += y; break;
        case 1: re += y, im -= x; break;
        case 2: re -= x, im -= y; break;
        default: re -= y, im += x; break;
    }
}

}  // namespace

/// Four parts of the first symbol, added up, against each rotation of P_4x64.
bool PreambleDetect::first_symbol(int step, int& steps, int& delay) const {
    std::array<Wide, 64> fold{};
    for (int n = 0; n < 256; ++n) {
        const Wide y = derotated(n, static_cast<uint32_t>(n * step));
        auto& sum = fold[static_cast<size_t>(n & 63)];
        sum = {wrapped(sum.re + y.re, 18), wrapped(sum.im + y.im, 18)};
    }
    int64_t energy = 0, best = 0;
    for (const auto& f : fold) energy += rotate(f, f).re;
    steps = delay = 0;
    for (int h = -settings_.max_steps; h <= settings_.max_steps; ++h)
        for (int d = 0; d < 64; ++d) {
            Wide r;
            for (int i = 0; i < 64; ++i) {
                const Wide& f = fold[static_cast<size_t>((i + d) & 63)];
                add_turned(r.re, r.im, f.re, f.im, tables().first[static_cast<size_t>(h + 7)][static_cast<size_t>(i)]);
            }
            const Wide small{wrapped(r.re, 24) >> 6, wrapped(r.im, 24) >> 6};
            const int64_t square = rotate(small, small).re;
            if (square <= best) continue;
            best = square;
            steps = h;
            delay = d;
        }
    return best > (energy >> 12) * settings_.first_threshold + kLeastSquare;
}

int64_t PreambleDetect::second_correlation(int from, int step) const {
    Wide r;
    for (int k = 0; k < 256; ++k) {
        const Wide y = derotated(from + k, static_cast<uint32_t>(k * step));
        add_turned(r.re, r.im, y.re, y.im, tables().second[static_cast<size_t>(k & 127)]);
    }
    const Wide small{wrapped(r.re, 24) >> 6, wrapped(r.im, 24) >> 6};
    return rotate(small, small).re;
}

/// The best position of P_2x128 gives the prefix, and which part of the first symbol was found.
void PreambleDetect::second_symbol(int step, int delay, Detection& detection,
                                   std::vector<Detection>& detections) const {
    int64_t best = -1;
    int at = 0;
    for (int part = -1; part <= 1; ++part)
        for (size_t i = 0; i < kPrefixSamples.size(); ++i) {
            if (!(settings_.prefixes >> i & 1)) continue;
            const int cp = kPrefixSamples[i], from = delay + 64 * part + 256 + cp;
            const int64_t square = second_correlation(from, step);
            if (square <= best) continue;
            best = square;
            at = from;
            detection.cp_samples = cp;
        }
    if (best < 0) return;
    int64_t energy = 0;
    for (int k = 0; k < 256; ++k) energy += rotate(sample_of(at + k), sample_of(at + k)).re;
    if (best <= (energy >> 12) * settings_.second_threshold + kLeastSquare) return;
    detection.time = peak_time_ - 255 + static_cast<uint64_t>(int64_t{at} - 256 - 2 * detection.cp_samples);
    detection.faint = faint();
    detection.offset = static_cast<int16_t>(step);
    detection.metric = static_cast<uint32_t>(best >> 2);
    detection.power = static_cast<uint32_t>(energy >> 8);
    detections.push_back(detection);
}

void PreambleDetect::search(std::vector<Detection>& detections) {
    ++plateaus_;
    const int fine = carrier_step();
    int steps = 0, delay = 0;
    if (!first_symbol(fine, steps, delay)) return;
    Detection detection;
    const size_t before = detections.size();
    second_symbol(fine + 1024 * steps, delay, detection, detections);
    detections_ = static_cast<uint16_t>(detections_ + (detections.size() - before));
}

std::vector<Rom> preamble_detect_roms() {
    const Tables& t = tables();
    Rom rotator{"preamble_detect_rotator", 32, {}}, first{"preamble_detect_first", 2, {}},
        second{"preamble_detect_second", 2, {}};
    for (const auto& [c, s] : t.rotator) rotator.words.push_back(rom_word(c, 16) << 16 | rom_word(s, 16));
    for (const auto& hypothesis : t.first) first.words.insert(first.words.end(), hypothesis.begin(), hypothesis.end());
    first.words.resize(1024);
    second.words.assign(t.second.begin(), t.second.end());
    return {rotator, first, second};
}

}  // namespace wimax::fpga
