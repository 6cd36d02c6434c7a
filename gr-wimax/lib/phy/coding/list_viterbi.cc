// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/list_viterbi.h"

#include "phy/base/simd.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
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

// Vectors stay within inlined functions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
template <size_t Bytes> using Metrics = simd::Vector<int16_t, Bytes>;

/// The states in registers.
template <size_t Bytes> struct States {
    static constexpr size_t kLanes = Bytes / sizeof(int16_t), kVectors = kStates / kLanes, kPairs = kVectors / 2;
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
    /// Only differences of states count: they stay within 16 bits if state zero is set to zero often enough.
    template <size_t... I> __attribute__((always_inline)) void normalise(std::index_sequence<I...>) {
        const V zero = __builtin_shufflevector(v[0], v[0], (I * 0)...);
        for (auto& one : v) one -= zero;
    }
};
template <size_t Bytes> using Lanes = std::make_index_sequence<States<Bytes>::kLanes>;
template <size_t Bytes> using Pairs = std::make_index_sequence<States<Bytes>::kPairs>;

template <class V> WIMAX_SIMD_BODY V larger(const V& a, const V& b) { return a > b ? a : b; }

/// Metrics of the branches that leave the states 2j with input 0, for one vector of j. The other three branches of a
/// butterfly have the same metric or its negative. Copies of the four metrics of a step are in each part of eight.
template <size_t Bytes, size_t Pair, size_t... I>
WIMAX_SIMD_BODY Metrics<Bytes> butterflies(const Metrics<Bytes>& copies, std::index_sequence<I...>) {
    return __builtin_shufflevector(copies, copies, (I / 8 * 8 + kOutput[2 * (Pair * sizeof...(I) + I)])...);
}
template <size_t Bytes> WIMAX_SIMD_BODY Metrics<Bytes> copies_of(const BranchMetrics& branch) {
    uint64_t all;
    static_assert(sizeof all == sizeof branch);
    std::memcpy(&all, &branch, sizeof all);
    return Metrics<Bytes>(simd::Vector<uint64_t, Bytes>{} + all);
}

template <size_t Bytes, size_t Pair, size_t... I>
WIMAX_SIMD_BODY void pair_forward(const Metrics<Bytes>& copies, const States<Bytes>& from, States<Bytes>& to,
                                  int16_t* leads, std::index_sequence<I...> lanes) {
    const auto &first = from.v[2 * Pair], &second = from.v[2 * Pair + 1];
    const Metrics<Bytes> even = __builtin_shufflevector(first, second, 2 * I...);
    const Metrics<Bytes> odd = __builtin_shufflevector(first, second, 2 * I + 1 ...);
    const Metrics<Bytes> m = butterflies<Bytes, Pair>(copies, lanes);
    simd::store(odd - even, leads + Pair * sizeof...(I));
    to.v[Pair] = larger(even + m, odd - m);
    to.v[Pair + States<Bytes>::kPairs] = larger(even - m, odd + m);
}
template <size_t Bytes, size_t... Pair>
WIMAX_SIMD_BODY void step_forward(const BranchMetrics& branch, States<Bytes>& s, int16_t* leads,
                                  std::index_sequence<Pair...>) {
    const auto copies = copies_of<Bytes>(branch);
    const States<Bytes> from = s;
    (pair_forward<Bytes, Pair>(copies, from, s, leads, Lanes<Bytes>()), ...);
}

/// Path metrics after the steps from those before them. `leads`: for each step those of the odd states over the even.
template <size_t Bytes>
WIMAX_SIMD_BODY void forward_body(const BranchMetrics* branches, size_t steps, int16_t* metrics, int16_t* leads) {
    auto s = States<Bytes>::load(metrics);
    for (size_t t = 0; t < steps;) {
        s.normalise(Lanes<Bytes>());
        for (const size_t end = std::min(t + viterbi::kNormaliseSteps, steps); t < end; ++t, leads += kHalf)
            step_forward<Bytes>(branches[t], s, leads, Pairs<Bytes>());
    }
    s.store(metrics);
}
constexpr simd::Dispatched<forward_body<16>, forward_body<32>, forward_body<64>> run_forward;

template <size_t Bytes, size_t Pair, size_t... I>
WIMAX_SIMD_BODY void pair_back(const Metrics<Bytes>& copies, const States<Bytes>& to, States<Bytes>& from,
                               std::index_sequence<I...> lanes) {
    constexpr size_t kLanes = sizeof...(I);
    const auto &zero = to.v[Pair], &one = to.v[Pair + States<Bytes>::kPairs];  // after input 0 and 1
    const Metrics<Bytes> m = butterflies<Bytes, Pair>(copies, lanes);
    const Metrics<Bytes> even = larger(zero + m, one - m), odd = larger(zero - m, one + m);
    from.v[2 * Pair] = __builtin_shufflevector(even, odd, (I / 2 + I % 2 * kLanes)...);
    from.v[2 * Pair + 1] = __builtin_shufflevector(even, odd, (kLanes / 2 + I / 2 + I % 2 * kLanes)...);
}
template <size_t Bytes, size_t... Pair>
WIMAX_SIMD_BODY void step_back(const BranchMetrics& branch, States<Bytes>& s, std::index_sequence<Pair...>) {
    const auto copies = copies_of<Bytes>(branch);
    const States<Bytes> to = s;
    (pair_back<Bytes, Pair>(copies, to, s, Lanes<Bytes>()), ...);
}

/// Metrics of the best continuations from each state before `branches`, given those after them.
template <size_t Bytes> WIMAX_SIMD_BODY void back_body(const BranchMetrics* branches, size_t steps, int16_t* metrics) {
    auto s = States<Bytes>::load(metrics);
    for (size_t left = steps; left > 0;) {
        s.normalise(Lanes<Bytes>());
        for (const size_t end = left - std::min(left, viterbi::kNormaliseSteps); left > end; --left)
            step_back<Bytes>(branches[left - 1], s, Pairs<Bytes>());
    }
    s.store(metrics);
}
constexpr simd::Dispatched<back_body<16>, back_body<32>, back_body<64>> run_back;
#pragma GCC diagnostic pop

/// Octets with their bits in reverse order.
constexpr auto kReversed = [] {
    std::array<uint8_t, 256> all{};
    for (unsigned octet = 0; octet < all.size(); ++octet)
        for (unsigned bit = 0; bit < 8; ++bit) all[octet] |= static_cast<uint8_t>((octet >> bit & 1U) << (7 - bit));
    return all;
}();

bool bit_of(std::span<const uint8_t> bytes, size_t bit) { return bytes[bit / 8] >> (7 - bit % 8) & 1; }

/// Replaces bits of a path from a place back to the first.
class BitsBack {
public:
    /// The bits at and after `place` stay.
    BitsBack(ListViterbi::Bytes& path, size_t place)
        : path_(path), place_(place), octet_(place % 8 == 0 ? 0 : unsigned{path[place / 8]} << place % 8 & 0xFFU) {}

    void put(unsigned bit) {
        octet_ = octet_ >> 1 | bit << 7;
        if (--place_ % 8 == 0) path_[place_ / 8] = static_cast<uint8_t>(octet_);
    }
    /// The others are those of `before`.
    void finish(const ListViterbi::Bytes& before) {
        const size_t whole = place_ / 8, more = place_ % 8;
        std::copy_n(before.begin(), whole, path_.begin());
        if (more > 0) path_[whole] = static_cast<uint8_t>((before[whole] & ~(0xFFU >> more)) | octet_ >> more);
    }

private:
    ListViterbi::Bytes& path_;
    size_t place_;
    unsigned octet_;  // the bits from place_ on, the first of them in the highest bit
};

/// The metric of a state relative to that of state zero.
int relative(const viterbi::PathMetrics& metrics, size_t state) { return metrics.value[state] - metrics.value[0]; }

/// Index into BranchMetrics by the state after a branch from an even state. That from the odd one has the negative.
constexpr auto kOutputInto = [] {
    std::array<uint8_t, kStates> table{};
    for (unsigned state = 0; state < kStates; ++state) table[state] = kOutput[state << 1];
    return table;
}();

}  // namespace

[[gnu::always_inline]] inline ListViterbi::Choice ListViterbi::choose(size_t step, unsigned state) const {
    const unsigned even = state << 1 & (kStates - 1);
    const int branch = branches_[step].value[kOutputInto[state]];
    const int lead = leads_[step * kHalf + (state & (kHalf - 1))] - 2 * branch;
    const int odd = lead > 0;  // no branches: the processor could not predict them
    return {even + static_cast<unsigned>(odd), std::abs(lead), (branch ^ -odd) + odd};
}

ListViterbi::ListViterbi()
    : leads_(kMostSteps * kHalf), paths_(kMostPaths), joined_(kMostPaths), best_states_(kMostSteps + 1) {
    waiting_.reserve(2 * kMostPaths);
}

void ListViterbi::start(const Stretch& stretch, const Limits& limits, std::span<const uint8_t> likely) {
    branches_ = stretch.branches.data() + stretch.before;
    steps_ = stretch.steps;
    limits_ = limits;
    most_cost_ = limits.loss;
    before_.value.fill(stretch.from_zero ? kExcluded : int16_t{0});
    before_.value[0] = 0;
    static_assert(kMostBefore <= kMostSteps);  // their leads are overwritten by the block's
    run_forward(stretch.branches.data(), stretch.before, before_.value.data(), leads_.data());
    viterbi::PathMetrics ends = before_;
    run_forward(branches_, steps_, ends.value.data(), leads_.data());
    after_.value.fill(stretch.to_zero ? kExcluded : int16_t{0});
    after_.value[0] = 0;
    run_back(branches_ + steps_, stretch.branches.size() - stretch.before - steps_, after_.value.data());
    expect(likely);
    begin_from_ends(ends);
}

/// States of a path, as far as its octets determine them.
void ListViterbi::expect(std::span<const uint8_t> octets) {
    unsigned window = 0;  // the state and, above it, the bits that follow
    for (size_t i = 0; i < octets.size(); ++i) {
        window = window >> 8 | unsigned{kReversed[octets[i]]} << kMemory;
        for (size_t bit = 1; bit <= 8; ++bit) best_states_[8 * i + bit] = window >> bit & (kStates - 1);
    }
}

void ListViterbi::begin_from_ends(const viterbi::PathMetrics& ends) {
    found_ = 0;
    waiting_.clear();
    std::array<int, kStates> total;
    for (size_t s = 0; s < kStates; ++s) total[s] = relative(ends, s) + relative(after_, s);
    const int most = std::ranges::max(total);
    for (size_t s = 0; s < kStates; ++s)
        offer({most - total[s], static_cast<uint16_t>(s), static_cast<uint16_t>(steps_), kNotShared});
}

/// Keeps at least as many as the list can hold.
void ListViterbi::offer(const Candidate& candidate) {
    if (candidate.cost > most_cost_) return;
    if (waiting_.size() == 2 * limits_.paths) {
        const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(limits_.paths) - 1;
        std::ranges::nth_element(waiting_, last, {}, &Candidate::cost);
        most_cost_ = last->cost;
        waiting_.resize(limits_.paths);
        std::ranges::make_heap(waiting_, std::ranges::greater(), &Candidate::cost);
    }
    waiting_.push_back(candidate);
    std::ranges::push_heap(waiting_, std::ranges::greater(), &Candidate::cost);
}

void ListViterbi::Leaves::clear(int most_loss) {
    count_ = 0;
    shift_ = 0;
    while (most_loss >> shift_ >= int{kBuckets}) ++shift_;
}

int ListViterbi::Leaves::arrange(size_t wanted) {
    first_.fill(0);
    for (size_t i = 0; i < count_; ++i) ++first_[bucket_of(given_[i]) + 1];
    size_t buckets = 0;
    while (buckets < kBuckets && first_[buckets] < wanted) {
        ++buckets;
        first_[buckets] = static_cast<uint16_t>(first_[buckets] + first_[buckets - 1]);
    }
    auto next = first_;
    for (size_t i = 0; i < count_; ++i)  // those left out follow the others
        arranged_[next[std::min(bucket_of(given_[i]), buckets)]++] = given_[i];
    count_ = first_[buckets];
    buckets_sorted_ = sorted_ = 0;
    return static_cast<int>(buckets << shift_) - 1;
}

const ListViterbi::Leave* ListViterbi::Leaves::at(size_t place) {
    if (place >= count_) return nullptr;
    while (place >= sorted_) {
        const auto from = arranged_.begin() + static_cast<std::ptrdiff_t>(sorted_);
        sorted_ = first_[++buckets_sorted_];
        std::sort(from, arranged_.begin() + static_cast<std::ptrdiff_t>(sorted_));
    }
    return &arranged_[place];
}

void ListViterbi::offer_leave(uint16_t path, size_t first) {
    const Joined& joined = joined_[path];
    for (size_t place = first; const Leave* one = leaves_.at(place); ++place) {
        if (one->step >= joined.step) continue;
        offer({joined.cost + one->loss, path, one->step, static_cast<uint16_t>(place)});
        return;
    }
}

std::span<const uint8_t> ListViterbi::next() {
    if (waiting_.empty() || found_ == limits_.paths) return {};
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

/// `actual`, for which the steps that follow need not wait if it is as expected: the processor predicts that.
[[gnu::always_inline]] inline unsigned if_expected(unsigned actual, unsigned expected) {
    if (actual != expected) return actual;
    asm volatile("" : "+r"(expected));  // otherwise the compiler returns `actual` here, too
    return expected;
}

void ListViterbi::trace_best(unsigned end) {
    best_states_[steps_] = static_cast<uint16_t>(end);
    leaves_.clear(limits_.loss);
    int branches = 0;
    unsigned state = end;
    const auto back = [&](size_t t) {
        const Choice choice = choose(t, state);
        branches += choice.branch;
        state = if_expected(choice.state, best_states_[t]);
        best_states_[t] = static_cast<uint16_t>(state);
        return choice.loss;
    };
    size_t t = steps_;
    while (t > kMemory) {
        --t;
        const int loss = back(t);
        leaves_.add({loss, static_cast<uint16_t>(t)}, loss <= limits_.loss);
    }
    while (t > 0) back(--t);  // what leaves here differs before the block
    // Each leave is a path, so that there are enough of less cost.
    most_cost_ = std::min(most_cost_, leaves_.arrange(limits_.paths));
    best_ = relative(before_, state) + branches + relative(after_, end);
    // The last six bits of an octet are the state after it, the first two are the newest of the state after these.
    for (size_t i = 0; i < steps_ / 8; ++i)
        paths_[0][i] = kReversed[best_states_[8 * i + 8] << 2 | best_states_[8 * i + 2] >> (kMemory - 2)];
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
    BitsBack bits(path, other_end ? t : t + 1 - kMemory);
    if (other_end) {
        for (size_t i = 1; i <= kMemory; ++i) bits.put(state >> (kMemory - i) & 1U);
    } else {
        state = choose(t, state_of(path, t + 1)).state ^ 1U;
        bits.put(state & 1U);
    }
    while (t > kMemory && state != best_states_[t]) {
        const Choice choice = choose(--t, state);
        const int cost = from.cost + choice.loss;
        if (cost <= most_cost_) offer({cost, self, static_cast<uint16_t>(t), kNotShared});
        state = choice.state;
        bits.put(state & 1U);
    }
    bits.finish(paths_[0]);
    joined_[index] = {from.cost, t};
    if (t > kMemory) offer_leave(self, 0);
}

int ListViterbi::discrepancy(std::span<const uint8_t> word) const {
    const auto best = std::span(paths_[0]).first(word.size());
    const auto first = static_cast<size_t>(std::ranges::mismatch(word, best).in1 - word.begin());
    if (first == 0) return best_ - correlation(word);  // the states before the block may differ, too
    size_t last = word.size();
    while (last > first && word[last - 1] == best[last - 1]) --last;
    return lost_between(8 * first, std::min(8 * last + kMemory, steps_), word);
}

/// Correlation that a word loses that differs from the best path in these steps only, or at the block's end.
int ListViterbi::lost_between(size_t begin, size_t end, std::span<const uint8_t> word) const {
    int lost = 0;
    unsigned state = best_states_[begin];
    for (size_t t = begin; t < end; ++t) {
        const unsigned input = best_states_[t + 1] >> (kMemory - 1);
        const unsigned best = input << kMemory | best_states_[t], next = unsigned{bit_of(word, t)} << kMemory | state;
        const auto& value = branches_[t].value;
        lost += value[kOutput[best]] - value[kOutput[next]];
        state = next >> 1;
    }
    return lost + relative(after_, best_states_[end]) - relative(after_, state);
}

/// Of the block's steps with `word`, of the best way to its begin and of the best way on.
int ListViterbi::correlation(std::span<const uint8_t> word) const {
    std::array<int, kStates> metric;
    for (size_t s = 0; s < kStates; ++s) metric[s] = relative(before_, s);
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
