// SPDX-License-Identifier: GPL-3.0-or-later
#include "fpga/model/ofdm_frontend.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <algorithm>
#include <bit>

namespace wimax::fpga {
namespace {

using namespace ofdm_frontend;
using gr::wimax::phy::kEdgeCarrier;

constexpr int kSampleBits = 16;

/// Bins of the used carriers, lowest frequency first.
template <class Function> void for_used(const FixedBlock& block, Function&& function) {
    for (int offset = -kEdgeCarrier; offset <= kEdgeCarrier; ++offset)
        if (offset != 0) function(block[static_cast<size_t>(offset & 255)]);
}

/// Smallest power of two with which all used carriers fit into 16 bits before rounding.
int exponent_of(const FixedBlock& block) {
    uint32_t bits = 0;
    for_used(block, [&](FixedComplex x) {
        bits |= static_cast<uint32_t>(x.re < 0 ? ~x.re : x.re) | static_cast<uint32_t>(x.im < 0 ? ~x.im : x.im);
    });
    return std::max(0, static_cast<int>(std::bit_width(bits)) + 1 - kSampleBits);
}

int16_t shortened(int32_t value, int exponent) {
    return static_cast<int16_t>(std::min<int64_t>(rounded_shift(value, exponent), 32767));
}

}  // namespace

void OfdmFrontend::write(uint32_t address, uint32_t value) {
    if (address == kRegisterControl) {
        obey_restart_ = (value & kControlRestart) != 0;
        if (value & kControlForget) orders_.clear();
    } else if (address == kRegisterIncrement) {
        register_increment_ = static_cast<int32_t>(value);
    }
}

uint32_t OfdmFrontend::read(uint32_t address) const {
    switch (address) {
        case kRegisterId: return kId;
        case kRegisterVersion: return kVersion;
        case kRegisterControl: return obey_restart_ ? kControlRestart : 0;
        case kRegisterIncrement: return static_cast<uint32_t>(register_increment_);
        case kRegisterSamples: return samples_;
        case kRegisterWords: return words_;
        case kRegisterSymbols: return symbols_;
        case kRegisterLost: return static_cast<uint32_t>(cut_) << 16 | late_;
        case kRegisterOrders: return (orders_.empty() ? 0U : 1U) | (orders_.size() < kOrdersWaiting ? 0U : 2U);
        default: return 0;
    }
}

void OfdmFrontend::process(std::span<const AxisWord> samples, std::vector<AxisWord>& out) {
    for (const auto& word : samples) take(word, out);
}

/// Responds to late orders, and takes one that begins here.
void OfdmFrontend::begin(uint64_t time, std::vector<AxisWord>& out) {
    for (; !orders_.empty() && orders_.front().time < time; orders_.pop_front()) {
        ++late_;
        send_lost(orders_.front().tag, 0, out);
    }
    if (orders_.empty() || orders_.front().time != time) return;
    current_ = orders_.front();
    orders_.pop_front();
    increment_ = static_cast<uint32_t>(current_.own_increment ? current_.increment : register_increment_);
    restart_ = current_.restart && obey_restart_;
    symbol_ = 0;
    left_ = current_.prefix_samples;
    state_ = State::prefix;
}

void OfdmFrontend::take(const AxisWord& word, std::vector<AxisWord>& out) {
    ++samples_;
    const bool gap = time_known_ && word.has_time && word.time != next_time_;
    const uint64_t time = word.has_time ? word.time : next_time_;
    next_time_ = time + 1;
    time_known_ = time_known_ || word.has_time;

    if (gap && state_ != State::idle) {
        ++cut_;
        send_lost(current_.tag, symbol_, out);
        state_ = State::idle;
    }
    if (state_ == State::idle && time_known_) begin(time, out);
    if (state_ == State::body) {
        take_body(unpack(word.data), time, out);
    } else {
        if (state_ == State::prefix && --left_ == 0) {
            state_ = State::body;
            place_ = 0;
        }
        phase_ += increment_;
    }
}

void OfdmFrontend::take_body(FixedSample sample, uint64_t time, std::vector<AxisWord>& out) {
    if (place_ == 0) {
        body_time_ = time;
        if (restart_) phase_ = 0;
        restart_ = false;
    }
    block_[place_++] = fixed_turn({sample.real(), sample.imag()}, phase_);
    phase_ += increment_;
    if (place_ < block_.size()) return;
    send(out);
    left_ = current_.prefix_samples;
    state_ = ++symbol_ < current_.symbols ? State::prefix : State::idle;
}

void OfdmFrontend::send(std::vector<AxisWord>& out) {
    fixed_fft256(block_);
    const int exponent = exponent_of(block_);
    const Header header{current_.tag, static_cast<uint16_t>(symbol_), false, static_cast<uint8_t>(exponent)};
    out.push_back({header.word(), body_time_, true, false, false});
    for_used(block_, [&](FixedComplex x) {
        out.push_back({pack({shortened(x.re, exponent), shortened(x.im, exponent)}), 0, false, false, false});
    });
    out.back().last = true;
    out.back().end_of_burst = symbol_ + 1 == current_.symbols;
    ++symbols_;
    words_ += 1 + 2 * kEdgeCarrier;
}

void OfdmFrontend::send_lost(uint16_t tag, int symbol, std::vector<AxisWord>& out) {
    out.push_back({Header{tag, static_cast<uint16_t>(symbol), true, 0}.word(), 0, false, true, true});
    ++words_;
}

}  // namespace wimax::fpga
