// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/list_viterbi.h"

#include "phy/base/simd.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gr::wimax::phy {
namespace {

using viterbi::BranchMetrics;

constexpr size_t kStates = viterbi::kStates, kHalf = kStates / 2, kMemory = 6;
/// A state in which the code word cannot be. Differences of states stay within 16 bits.
constexpr int16_t kExcluded = -16384;

/// Index into BranchMetrics by input bit (bit 6) and state before it.
constexpr auto kOutput = [] {
    std::array<uint8_t, 2 * kStates> table{};
    for (unsigned i = 0; i < table.size(); ++i)
        table[i] = static_cast<uint8_t>(viterbi::output_x(i) << 1 | viterbi::output_y(i));
    return table;
}();

/// The branch that leaves state 2j with input 0 has the metric x+y or x-y, or its negative: masks by j. The other three
/// branches of the butterfly have the same metric or its negative.
struct Masks {
    alignas(64) std::array<int16_t, kHalf> sum, negative;
};
constexpr Masks kMasks = [] {
    Masks masks{};
    for (size_t j = 0; j < kHalf; ++j) {
        const unsigned output = kOutput[2 * j];
        masks.sum[j] = output == 0 || output == 3 ? -1 : 0;
        masks.negative[j] = output >= 2 ? -1 : 0;
    }
    return masks;
}();

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay within inlined functions
/// Unsigned, since metrics overflow.
template <size_t Bytes> using Metrics = simd::Vector<uint16_t, Bytes>;

/// The metrics of branches 2j -> j for one vector of j.
template <size_t Bytes> WIMAX_SIMD_BODY Metrics<Bytes> butterflies(const BranchMetrics& branch, size_t first) {
    using V = Metrics<Bytes>;
    const V sum_mask = simd::load<V>(kMasks.sum.data() + first);
    const V negative = simd::load<V>(kMasks.negative.data() + first);
    const V sum = V{} + static_cast<uint16_t>(branch.value[0]);
    const V difference = V{} + static_cast<uint16_t>(branch.value[1]);
    return (((sum & sum_mask) | (difference & ~sum_mask)) ^ negative) - negative;
}

/// The larger of two metrics, also after an overflow of 16 bits.
template <size_t Bytes> WIMAX_SIMD_BODY Metrics<Bytes> larger(const Metrics<Bytes>& a, const Metrics<Bytes>& b) {
    using Signed = simd::Vector<int16_t, Bytes>;
    const Metrics<Bytes> lead = b - a;
    return a + (lead & (Metrics<Bytes>)((Signed)lead > Signed{}));
}

/// The states in registers.
template <size_t Bytes> struct States {
    static constexpr size_t kLanes = Bytes / sizeof(int16_t), kVectors = kStates / kLanes;
    using V = Metrics<Bytes>;
    V v[kVectors];

    __attribute__((always_inline)) static States load(const int16_t* from) {
        States s;
        for (size_t i = 0; i < kVectors; ++i) s.v[i] = simd::load<V>(from + i * kLanes);
        return s;
    }
    __attribute__((always_inline)) void store(int16_t* to) const {
        for (size_t i = 0; i < kVectors; ++i) simd::store(v[i], to + i * kLanes);
    }
};

template <size_t Bytes, size_t... I>
WIMAX_SIMD_BODY void step_forward(const BranchMetrics& branch, States<Bytes>& s, std::index_sequence<I...>) {
    using V = Metrics<Bytes>;
    constexpr size_t kVectors = States<Bytes>::kVectors;
    States<Bytes> to;
    for (size_t i = 0; i < kVectors / 2; ++i) {
        const V even = __builtin_shufflevector(s.v[2 * i], s.v[2 * i + 1], 2 * I...);
        const V odd = __builtin_shufflevector(s.v[2 * i], s.v[2 * i + 1], 2 * I + 1 ...);
        const V m = butterflies<Bytes>(branch, i * sizeof...(I));
        to.v[i] = larger<Bytes>(even + m, odd - m);
        to.v[i + kVectors / 2] = larger<Bytes>(even - m, odd + m);
    }
    s = to;
}

/// `rows`: path metrics before each step, the first given; the last row is after the last step.
template <size_t Bytes> WIMAX_SIMD_BODY void forward_body(const BranchMetrics* branches, size_t steps, int16_t* rows) {
    auto s = States<Bytes>::load(rows);
    for (size_t t = 0; t < steps; ++t) {
        step_forward<Bytes>(branches[t], s, std::make_index_sequence<States<Bytes>::kLanes>());
        rows += kStates;
        s.store(rows);
    }
}
constexpr simd::Dispatched<forward_body<16>, forward_body<32>, forward_body<64>> run_forward;

template <size_t Bytes, size_t... I>
WIMAX_SIMD_BODY void step_back(const BranchMetrics& branch, States<Bytes>& s, std::index_sequence<I...>) {
    using V = Metrics<Bytes>;
    constexpr size_t kLanes = sizeof...(I), kVectors = States<Bytes>::kVectors;
    States<Bytes> from;
    for (size_t i = 0; i < kVectors / 2; ++i) {
        const V zero = s.v[i], one = s.v[i + kVectors / 2];  // after input 0 and 1
        const V m = butterflies<Bytes>(branch, i * kLanes);
        const V even = larger<Bytes>(zero + m, one - m), odd = larger<Bytes>(zero - m, one + m);
        from.v[2 * i] = __builtin_shufflevector(even, odd, (I / 2 + I % 2 * kLanes)...);
        from.v[2 * i + 1] = __builtin_shufflevector(even, odd, (kLanes / 2 + I / 2 + I % 2 * kLanes)...);
    }
    s = from;
}

/// Metrics of the best continuations from each state before `branches`, given those after them.
template <size_t Bytes> WIMAX_SIMD_BODY void back_body(const BranchMetrics* branches, size_t steps, int16_t* metrics) {
    auto s = States<Bytes>::load(metrics);
    for (size_t t = steps; t-- > 0;)
        step_back<Bytes>(branches[t], s, std::make_index_sequence<States<Bytes>::kLanes>());
    s.store(metrics);
}
constexpr simd::Dispatched<back_body<16>, back_body<32>, back_body<64>> run_back;
#pragma GCC diagnostic pop

bool bit_of(std::span<const uint8_t> bytes, size_t bit) { return bytes[bit / 8] >> (7 - bit % 8) & 1; }

void set_bit(std::span<uint8_t> bytes, size_t bit, bool value) {
    const auto mask = static_cast<uint8_t>(0x80U >> (bit % 8));
    bytes[bit / 8] = static_cast<uint8_t>(value ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
}

/// Metrics of one row relative to that of state zero.
int relative(std::span<const int16_t> row, size_t state) { return static_cast<int16_t>(row[state] - row[0]); }

/// Bit s: an output of the branch that leaves state s with input 0. Input 1 inverts both.
constexpr auto outputs_of_states(auto output) {
    uint64_t all = 0;
    for (unsigned s = 0; s < kStates; ++s) all |= uint64_t{output(s)} << s;
    return all;
}
constexpr uint64_t kX = outputs_of_states(viterbi::output_x), kY = outputs_of_states(viterbi::output_y);

}  // namespace

[[gnu::always_inline]] inline ListViterbi::Choice ListViterbi::choose(size_t step, unsigned state) const {
    const unsigned even = state << 1 & (kStates - 1), input = state >> 5;
    const auto& metric = rows_[step].metric;
    const unsigned output = (kX >> even & 1U) << 1 | (kY >> even & 1U);
    const int branch = branches_[step].value[output ^ (input * 3)];
    const int lead = static_cast<int16_t>(metric[even + 1] - metric[even]) - 2 * branch;
    const int odd = lead > 0;  // no branches: the processor could not predict them
    return {even + static_cast<unsigned>(odd), std::abs(lead), (branch ^ -odd) + odd};
}

ListViterbi::ListViterbi()
    : forward_(kMostBefore + kMostSteps + 1), paths_(kMostPaths), joined_(kMostPaths), best_states_(kMostSteps + 1) {
    waiting_.reserve(2 * kMostPaths);
    leaves_.reserve(kMostSteps);
}

void ListViterbi::start(const Stretch& stretch, int limit) {
    const size_t end = stretch.before + stretch.steps;
    branches_ = stretch.branches.data() + stretch.before;
    rows_ = forward_.data() + stretch.before;
    steps_ = stretch.steps;
    limit_ = most_cost_ = limit;
    forward_[0].metric.fill(stretch.from_zero ? kExcluded : int16_t{0});
    forward_[0].metric[0] = 0;
    run_forward(stretch.branches.data(), end, forward_[0].metric.data());
    after_.fill(stretch.to_zero ? kExcluded : int16_t{0});
    after_[0] = 0;
    run_back(stretch.branches.data() + end, stretch.branches.size() - end, after_.data());
    begin_from_ends(after_);
}

void ListViterbi::begin_from_ends(std::span<const int16_t, kStates> after) {
    found_ = 0;
    waiting_.clear();
    leaves_.clear();
    sorted_leaves_ = 0;
    std::array<int, kStates> total;
    for (size_t s = 0; s < kStates; ++s) total[s] = relative(rows_[steps_].metric, s) + relative(after, s);
    const int most = std::ranges::max(total);
    for (size_t s = 0; s < kStates; ++s)
        offer({most - total[s], static_cast<uint16_t>(s), static_cast<uint16_t>(steps_), kNotShared});
}

/// Keeps at least as many as the list can hold.
void ListViterbi::offer(const Candidate& candidate) {
    if (candidate.cost > most_cost_) return;
    if (waiting_.size() == 2 * kMostPaths) {
        const auto last = waiting_.begin() + kMostPaths - 1;
        std::ranges::nth_element(waiting_, last, {}, &Candidate::cost);
        most_cost_ = last->cost;
        waiting_.resize(kMostPaths);
        std::ranges::make_heap(waiting_, std::ranges::greater(), &Candidate::cost);
    }
    waiting_.push_back(candidate);
    std::ranges::push_heap(waiting_, std::ranges::greater(), &Candidate::cost);
}

/// Most blocks need few of them: they are sorted in small parts.
const ListViterbi::Leave* ListViterbi::leave(size_t place) {
    constexpr size_t kPart = 16;
    if (place >= leaves_.size()) return nullptr;
    if (place == sorted_leaves_) {
        const auto from = leaves_.begin() + static_cast<std::ptrdiff_t>(sorted_leaves_);
        sorted_leaves_ = std::min(sorted_leaves_ + kPart, leaves_.size());
        std::partial_sort(from, leaves_.begin() + static_cast<std::ptrdiff_t>(sorted_leaves_), leaves_.end());
    }
    return &leaves_[place];
}

void ListViterbi::offer_leave(uint16_t path, size_t first) {
    const Joined& joined = joined_[path];
    for (size_t place = first; const Leave* one = leave(place); ++place) {
        if (one->step >= joined.step) continue;
        offer({joined.cost + one->loss, path, one->step, static_cast<uint16_t>(place)});
        return;
    }
}

std::span<const uint8_t> ListViterbi::next() {
    if (waiting_.empty() || found_ == kMostPaths) return {};
    std::ranges::pop_heap(waiting_, std::ranges::greater(), &Candidate::cost);
    const Candidate candidate = waiting_.back();
    waiting_.pop_back();
    const size_t self = found_++;
    if (self == 0) {
        trace_best(candidate.parent);
    } else {
        trace(candidate, self);
        if (candidate.leave != kNotShared) offer_leave(candidate.parent, candidate.leave + size_t{1});
    }
    return std::span(paths_[self]).first(steps_ / 8);
}

/// The state of a path before `step`: its last six bits.
unsigned ListViterbi::state_of(const Bytes& path, size_t step) const {
    unsigned state = 0;
    for (size_t i = 1; i <= kMemory; ++i) state = state << 1 | unsigned{bit_of(path, step - i)};
    return state;
}

void ListViterbi::trace_best(unsigned end) {
    best_states_[steps_] = static_cast<uint8_t>(end);
    leaves_.resize(steps_);
    size_t leaves = 0;
    int branches = 0;
    unsigned state = end;
    for (size_t t = steps_; t-- > 0;) {
        const Choice choice = choose(t, state);
        leaves_[leaves] = {choice.loss, static_cast<uint16_t>(t)};
        leaves += choice.loss <= limit_ && t >= kMemory ? 1 : 0;
        branches += choice.branch;
        state = choice.state;
        best_states_[t] = static_cast<uint8_t>(state);
    }
    best_ = relative(rows_[0].metric, state) + branches + relative(after_, end);
    leaves_.resize(leaves);
    for (size_t i = 0; i < steps_ / 8; ++i) {
        unsigned byte = 0;
        for (size_t bit = 1; bit <= 8; ++bit) byte = byte << 1 | best_states_[8 * i + bit] >> 5;  // the newest bit
        paths_[0][i] = static_cast<uint8_t>(byte);
    }
    joined_[0] = {0, steps_};
    offer_leave(0, 0);
}

/// Follows a path back until it is on the best path. From there on both leave it in the same ways.
void ListViterbi::trace(const Candidate& from, size_t index) {
    Bytes& path = paths_[index];
    const auto self = static_cast<uint16_t>(index);
    const bool other_end = from.step == steps_;
    path = paths_[other_end ? 0 : from.parent];
    size_t t = from.step;
    unsigned state = from.parent;
    if (other_end) {
        for (size_t i = 1; i <= kMemory; ++i) set_bit(path, steps_ - i, state >> (kMemory - i) & 1);
    } else {
        state = choose(t, state_of(path, t + 1)).state ^ 1U;
        set_bit(path, t - kMemory, state & 1);
    }
    while (t > kMemory && state != best_states_[t]) {
        const Choice choice = choose(--t, state);
        offer({from.cost + choice.loss, self, static_cast<uint16_t>(t), kNotShared});
        state = choice.state;
        set_bit(path, t - kMemory, state & 1);
    }
    joined_[index] = {from.cost, t};
    if (t <= kMemory) return;
    std::copy_n(paths_[0].begin(), t / 8, path.begin());
    for (size_t bit = t / 8 * 8; bit < t; ++bit) set_bit(path, bit, bit_of(paths_[0], bit));
    offer_leave(self, 0);
}

/// Of the block's steps with `word`, of the best way to its begin and of the best way on.
int ListViterbi::correlation(std::span<const uint8_t> word) const {
    std::array<int, kStates> metric;
    for (size_t s = 0; s < kStates; ++s) metric[s] = relative(rows_[0].metric, s);
    // Each bit halves the number of states in which the path can be: `metric` is indexed by the bits before the block.
    unsigned state = 0;
    for (unsigned t = 0; t < kMemory; ++t) {
        const unsigned input = unsigned{bit_of(word, t)} << kMemory;
        const auto& value = branches_[t].value;
        for (unsigned j = 0; j < kHalf >> t; ++j) {
            const unsigned even = input | state | 2 * j;
            metric[j] = std::max(metric[2 * j] + value[kOutput[even]], metric[2 * j + 1] + value[kOutput[even + 1]]);
        }
        state = (input | state) >> 1;
    }
    int sum = metric[0];
    for (size_t t = kMemory; t < steps_; ++t) {
        const unsigned next = unsigned{bit_of(word, t)} << kMemory | state;
        sum += branches_[t].value[kOutput[next]];
        state = next >> 1;
    }
    return sum + relative(after_, state);
}

}  // namespace gr::wimax::phy
