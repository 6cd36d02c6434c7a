// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/inner_decoder.h"

#include <algorithm>
#include <utility>

namespace gr::wimax::phy {
namespace {

constexpr size_t kLanes = BatchViterbiDecoder::kLanes;
/// A window of fewer steps would be mostly run-in and traceback.
constexpr size_t kMinLaneSteps = 480;
/// With fewer windows the single decoder is as fast; the measured limit is about the same for every instruction set.
constexpr size_t kMinLanes = 28;
/// Symbols at a burst's end for the single decoder: the last group is decoded during them. Each of them costs a 64-QAM
/// burst as much as two and a half symbols in windows.
constexpr size_t kLeastTail = 6;
/// Each share runs with one symbol; the last is the traceback.
constexpr size_t kShares = 4;
/// Steps before the tail that are decoded again: whole puncturing periods and whole bytes.
constexpr size_t run_in_steps(CodeRate rate) { return BatchViterbiDecoder::margin_steps(rate); }
constexpr bool whole(CodeRate rate) {
    const auto period = static_cast<size_t>(puncture_pattern(rate).input_bits);
    return run_in_steps(rate) % 8 == 0 && run_in_steps(rate) % period == 0;
}
static_assert(whole(CodeRate::r1_2) && whole(CodeRate::r2_3) && whole(CodeRate::r3_4) && whole(CodeRate::r5_6));

// Symbols are at least 24 steps (one subchannel of 16-QAM 1/2) and have at most two bits per step.
constexpr size_t kMaxMarginSymbols = 4;
constexpr size_t kMaxTable = kMaxFrameSymbols + 2 * kMaxMarginSymbols;
// A group, the one before it, and the symbols around both.
constexpr size_t kMaxStoredBits =
    2 * (2 * kLanes * BatchViterbiDecoder::kMaxLaneSteps) + 3 * kMaxMarginSymbols * BatchViterbiDecoder::kMaxSymbolBits;
constexpr size_t kNever = SIZE_MAX;
constexpr size_t kGroupBytes = kLanes * BatchViterbiDecoder::kMaxLaneSteps / 8;
// Longest tail: windows too few for a group, then the shortest tail.
constexpr size_t kTailBytes =
    (kMinLanes + kLeastTail + 1) * BatchViterbiDecoder::kMaxLaneSteps / 8 + 2 * ViterbiDecoder::kWindowSteps / 8;
static_assert(kGroupBytes + kTailBytes <= InnerDecoder::kMaxOutputBytes);

}  // namespace

InnerDecoder::InnerDecoder(bool follow_clean)
    : soft_(kMaxStoredBits),
      table_(kMaxTable),
      group_bytes_(kGroupBytes),
      clean_(kMaxStoredBits, follow_clean),
      tail_bytes_(kTailBytes) {}

void InnerDecoder::start(CodeRate rate, const Interleaver& interleaver, int symbols) {
    rate_ = rate;
    position_ = interleaver.position();
    symbol_bits_ = position_.size();
    symbol_steps_ = trellis_steps(rate, symbol_bits_);
    run_in_symbols_ = (run_in_steps(rate) + symbol_steps_ - 1) / symbol_steps_;
    slots_ = kMaxStoredBits / symbol_bits_;
    clean_.start(rate, interleaver);
    single_idle_ = true;
    symbols_ = static_cast<size_t>(symbols);
    fed_ = group_ = lanes_at_work_ = tail_waiting_ = run_in_left_ = 0;
    lane_symbols_ = (kMinLaneSteps + symbol_steps_ - 1) / symbol_steps_;
    group_symbols_ = kLanes * lane_symbols_;
    window_end_ = symbols_in_windows();
    if (window_end_ > 0) batch_.start(rate, position_, lane_symbols_);
}

/// Whole windows, in as many groups as are useful.
size_t InnerDecoder::symbols_in_windows() const {
    if (symbol_steps_ % 8 != 0 || symbols_ <= kLeastTail) return 0;
    const size_t windows = (symbols_ - kLeastTail) / lane_symbols_, last = windows % kLanes;
    return (last < kMinLanes ? windows - last : windows) * lane_symbols_;
}

size_t InnerDecoder::feed(std::span<const SoftBit> soft, uint8_t* out) {
    const size_t symbol = fed_++;
    size_t written = 0;
    if (window_end_ == 0) {
        std::copy_n(soft.begin(), symbol_bits_, slot(symbol));
        follow(symbol);
        written = feed_single(symbol, {out, kMaxOutputBytes});
    } else {
        batch_.quantize(soft.first(symbol_bits_), std::span(slot(symbol), symbol_bits_));
        follow(symbol);
        if (group_ < window_end_ && fed_ == group_end() + batch_.symbols_after()) begin_group();
        written = work_on_group(out);
        if (symbol >= window_end_) written += feed_tail(out + written);
    }
    if (fed_ == symbols_ && !single_idle_)
        written += without_run_in(single_.finish(std::span(out + written, kMaxOutputBytes - written)), out + written);
    return written;
}

void InnerDecoder::follow(size_t symbol) {
    if (clean_.waits(symbol)) return;
    if (!clean_.follow(symbol, std::span(slot(symbol), symbol_bits_), symbol + 1 == symbols_))
        clean_.wait_until(follow_again_after(symbol));
}

/// A symbol with an error spoils its group, and the next one if it is in its margin: the path is needed again from the
/// margin before another group, or before the tail.
size_t InnerDecoder::follow_again_after(size_t symbol) const {
    for (size_t end = group_end(); window_end_ > 0; end = std::min(end + group_symbols_, window_end_)) {
        if (end > symbol + run_in_symbols_) return end - run_in_symbols_;
        if (end == window_end_) break;
    }
    return kNever;
}

void InnerDecoder::begin_group() {
    const size_t before = batch_.symbols_before(), end = group_end();
    lanes_at_work_ = (end - group_) / lane_symbols_;
    group_clean_ = clean_.has(group_ - std::min(group_, before), end + batch_.symbols_after());
    if (group_clean_) clean_.copy(group_, end, group_bytes_.data());
    else begin_batch(before, end);
    group_ = end;
    // The group ends one symbol before the next group is full or the burst is over. More shares would cost time: the
    // group's survivors would leave the cache between them.
    const size_t time = group_ < window_end_ ? group_end() - group_ : symbols_ - fed_;
    shares_left_ = std::clamp<size_t>(time, 2, kShares + 1) - 1;
}

void InnerDecoder::begin_batch(size_t before, size_t end) {
    const auto table = std::span(table_).first(before + end - group_ + batch_.symbols_after());
    for (size_t i = 0; i < table.size(); ++i) {
        const size_t symbol = group_ + i;  // counted from `before` symbols earlier
        table[i] = symbol >= before ? slot(symbol - before) : nullptr;
    }
    std::array<BatchViterbiDecoder::Lane, kLanes> windows;
    for (size_t i = 0; i < lanes_at_work_; ++i)
        windows[i] = {table.data() + i * lane_symbols_, group_bytes_.data() + i * batch_.lane_bytes()};
    batch_.begin(std::span(windows).first(lanes_at_work_));
}

size_t InnerDecoder::work_on_group(uint8_t* out) {
    if (lanes_at_work_ == 0) return 0;
    bool done = false;
    if (group_clean_) done = shares_left_ <= 1;
    else if (shares_left_ > 1)  // the last share is the traceback
        done = batch_.advance(batch_.steps_left() / (shares_left_ - 1) + 1);
    else
        while (!(done = batch_.advance(batch_.steps_left()))) {
        }
    --shares_left_;
    if (!done) return 0;
    const size_t count = lanes_at_work_ * batch_.lane_bytes();
    lanes_at_work_ = 0;
    std::copy_n(group_bytes_.begin(), count, out);
    std::copy_n(tail_bytes_.begin(), tail_waiting_, out + count);
    return count + std::exchange(tail_waiting_, 0);
}

/// The single decoder begins at the code word's start or, within it, a run-in before `symbol`.
void InnerDecoder::begin_single(size_t symbol) {
    const auto& pattern = puncture_pattern(rate_);
    const size_t first = symbol - std::min(symbol, run_in_symbols_), there = (symbol - first) * symbol_steps_;
    const bool from_start = first == 0 && there <= run_in_steps(rate_);
    const size_t run_in = from_start ? there : run_in_steps(rate_);
    size_t skip = (there - run_in) / static_cast<size_t>(pattern.input_bits) * static_cast<size_t>(pattern.output_bits);
    if (from_start) single_.start(rate_);
    else single_.start_inside(rate_);
    for (size_t i = first; i < symbol; ++i, skip = 0)
        single_.feed(std::span(slot(i), symbol_bits_), position_.subspan(skip), {});
    run_in_left_ = run_in / 8;
    single_idle_ = false;
}

/// Symbols of the tail, or of a short burst. The single decoder begins with the first one that is not clean.
size_t InnerDecoder::feed_single(size_t symbol, std::span<uint8_t> out) {
    if (single_idle_) {
        const size_t before = std::min(symbol, run_in_symbols_);
        if (clean_.has(symbol - before, symbol + 1)) return clean_.copy(symbol, symbol + 1, out.data());
        begin_single(symbol);
    }
    return without_run_in(single_.feed(std::span(slot(symbol), symbol_bits_), position_, out), out.data());
}

size_t InnerDecoder::feed_tail(uint8_t* out) {
    const bool waits = group_ < window_end_ || lanes_at_work_ > 0;
    uint8_t* to = waits ? tail_bytes_.data() + tail_waiting_ : out;
    const size_t count = feed_single(fed_ - 1, {to, kTailBytes - tail_waiting_});
    if (!waits) return count;
    tail_waiting_ += count;
    return 0;
}

size_t InnerDecoder::without_run_in(size_t count, uint8_t* bytes) {
    const size_t dropped = std::min(run_in_left_, count);
    run_in_left_ -= dropped;
    std::copy_n(bytes + dropped, count - dropped, bytes);
    return count - dropped;
}

}  // namespace gr::wimax::phy
