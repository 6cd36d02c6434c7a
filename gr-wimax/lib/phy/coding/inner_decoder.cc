/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "phy/coding/inner_decoder.h"

#include <algorithm>

namespace gr::wimax::phy {
namespace {

constexpr size_t kLanes = BatchViterbiDecoder::kLanes;
/// A window of fewer steps would be mostly run-in and traceback.
constexpr size_t kMinLaneSteps = 480;
/// With fewer windows the single decoder is as quick; measured, about the same for every instruction set.
constexpr size_t kMinLanes = 28;
/// Steps before the rest of a burst that are decoded again: whole puncturing periods and whole bytes.
constexpr size_t run_in_steps(CodeRate rate) { return BatchViterbiDecoder::margin_steps(rate); }
constexpr bool whole(CodeRate rate) {
    const auto period = static_cast<size_t>(puncture_pattern(rate).input_bits);
    return run_in_steps(rate) % 8 == 0 && run_in_steps(rate) % period == 0;
}
static_assert(whole(CodeRate::r1_2) && whole(CodeRate::r2_3) && whole(CodeRate::r3_4) && whole(CodeRate::r5_6));

// Symbols are at least 96 steps (BPSK 1/2) and have at most two bits a step.
constexpr size_t kMaxMarginSymbols = 4;
constexpr size_t kMaxStored = kLanes * BatchViterbiDecoder::kMaxLaneSteps / 96 + kMaxMarginSymbols;
constexpr size_t kMaxStoredBits =
    2 * kLanes * BatchViterbiDecoder::kMaxLaneSteps + kMaxMarginSymbols * BatchViterbiDecoder::kMaxSymbolBits;

}  // namespace

InnerDecoder::InnerDecoder() : soft_(kMaxStoredBits), symbols_(kMaxStored + 2 * kMaxMarginSymbols) {}

void InnerDecoder::start(CodeRate rate, const Interleaver& interleaver, int symbols) {
    rate_ = rate;
    position_ = interleaver.position();
    symbol_bits_ = position_.size();
    symbol_steps_ = trellis_steps(rate, symbol_bits_);
    left_ = static_cast<size_t>(symbols);
    stored_ = past_ = lane_symbols_ = 0;
    const size_t window = (kMinLaneSteps + symbol_steps_ - 1) / symbol_steps_;
    if (symbol_steps_ % 8 == 0 && left_ >= kMinLanes * window) {
        lane_symbols_ = window;
        batch_.start(rate, position_, window);
    } else {
        single_.start(rate);
    }
}

size_t InnerDecoder::feed(std::span<const SoftBit> soft, uint8_t* out) {
    --left_;
    if (lane_symbols_ == 0) {
        size_t written = single_.feed(soft, position_, std::span(out, kMaxOutputBytes));
        if (left_ == 0) written += single_.finish(std::span(out + written, kMaxOutputBytes - written));
        return written;
    }
    batch_.quantize(soft.first(symbol_bits_), std::span(slot(stored_++), symbol_bits_));
    const size_t group = kLanes * lane_symbols_;
    size_t written = 0;
    if (stored_ - past_ == group + batch_.symbols_after() || (left_ == 0 && stored_ - past_ > group))
        written = decode_group(group, out);
    if (left_ > 0) return written;
    const size_t rest = stored_ - past_;
    const bool many = rest >= kMinLanes * lane_symbols_;
    return written + (many ? decode_group(rest, out + written) : decode_rest(out + written));
}
size_t InnerDecoder::decode_group(size_t symbols, uint8_t* out) {
    const size_t before = batch_.symbols_before(), lanes = (symbols + lane_symbols_ - 1) / lane_symbols_;
    const auto table = std::span(symbols_).first(before + lanes * lane_symbols_ + batch_.symbols_after());
    for (size_t i = 0; i < table.size(); ++i) {
        const size_t symbol = past_ + i;  // counted from `before` symbols earlier
        table[i] = symbol >= before && symbol - before < stored_ ? slot(symbol - before) : nullptr;
    }
    std::array<BatchViterbiDecoder::Lane, kLanes> windows;
    for (size_t i = 0; i < lanes; ++i) windows[i] = {table.data() + i * lane_symbols_, out + i * batch_.lane_bytes()};
    batch_.decode(std::span(windows).first(lanes));
    drop(past_ + symbols - before);
    past_ = before;
    return symbols * symbol_steps_ / 8;
}

size_t InnerDecoder::decode_rest(uint8_t* out) {
    if (stored_ == past_) return 0;
    const auto& pattern = puncture_pattern(rate_);
    const size_t before = batch_.symbols_before(), run_in = run_in_steps(rate_);
    size_t skip = (before * symbol_steps_ - run_in) / static_cast<size_t>(pattern.input_bits) *
                  static_cast<size_t>(pattern.output_bits);
    const auto room = [&](size_t used) { return std::span(out + used, kMaxOutputBytes - used); };
    size_t written = 0;
    single_.start_inside(rate_);
    for (size_t i = past_ - before; i < stored_; ++i, skip = 0)
        written += single_.feed(std::span(slot(i), symbol_bits_), position_.subspan(skip), room(written));
    written += single_.finish(room(written)) - run_in / 8;
    std::copy_n(out + run_in / 8, written, out);
    return written;
}

void InnerDecoder::drop(size_t symbols) {
    std::copy(slot(symbols), slot(stored_), slot(0));
    stored_ -= symbols;
}

}  // namespace gr::wimax::phy
