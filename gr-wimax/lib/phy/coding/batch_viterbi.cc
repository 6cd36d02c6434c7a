// SPDX-License-Identifier: GPL-3.0-or-later
// Every vector holds one quantity of all lanes. Written once with the compiler's vector types and compiled for each
// width.
//
// States move in place as in viterbi_kernels.h. Step i of a round of six pairs the positions that differ in bit 5 - i
// and stores its decided bit there: a position after a round is the bits of the round, oldest first. Three steps touch
// eight positions, which stay in registers: a round is two passes over eight groups of eight. The positions of a group
// have the low three bits in common in the first pass, the high three in the second; the other three number its
// members.
#include <gnuradio/wimax/phy/coding/batch_viterbi.h>

#include "phy/base/simd.h"
#include "phy/coding/viterbi_kernels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

// Wide vectors stay within inlined functions.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gr::wimax::phy {
namespace {

constexpr size_t kLanes = BatchViterbiDecoder::kLanes;
constexpr size_t kStates = viterbi::kStates, kMembers = 8, kGroups = 8;
constexpr size_t kRound = 6, kPass = 3;  // steps
constexpr size_t kTile = 16;             // side of the blocks in which octets are transposed

// Metrics are costs modulo 256 and compared as signed numbers. Any state is reached from the best one in six steps.
// Each bit sent in them costs at most all levels. It costs at most half of them beyond the growth of the best one,
// which is subtracted once per round. The current step adds two bits.
constexpr int most_bits_of_a_round(CodeRate rate) {
    const auto& pattern = puncture_pattern(rate);
    int most = 0;
    for (size_t begin = 0; begin < static_cast<size_t>(pattern.input_bits); ++begin) {
        int bits = 0;
        for (size_t i = begin; i < begin + kRound; ++i) {
            const size_t at = 2 * (i % static_cast<size_t>(pattern.input_bits));
            bits += (pattern.sent[at] ? 1 : 0) + (pattern.sent[at + 1] ? 1 : 0);
        }
        most = std::max(most, bits);
    }
    return most;
}
constexpr bool fits_eight_bits(CodeRate rate) {
    return (1.5 * most_bits_of_a_round(rate) + 2) * BatchViterbiDecoder::levels(rate) <= 255;
}
static_assert(fits_eight_bits(CodeRate::r1_2) && fits_eight_bits(CodeRate::r2_3) && fits_eight_bits(CodeRate::r3_4) &&
              fits_eight_bits(CodeRate::r5_6));
constexpr int8_t kLowest = -128;

using Row = int8_t[kLanes];

/// Rows of the soft bits of one step.
struct StepInput {
    uint16_t x, y;
};

/// State that position `p` holds before step `i` of a round.
constexpr unsigned state_at(size_t p, size_t i) {
    unsigned state = 0;
    for (size_t bit = 0; bit < kRound; ++bit)
        state |= static_cast<unsigned>(p >> (kRound - 1 - (i + bit) % kRound) & 1U) << bit;
    return state;
}

/// Output (X, Y as a number) of the branch that leaves the even state of the butterfly at `p` with input 0. The other
/// even-to-odd branch has the opposite output, because both generators tap the newest and the oldest bit.
constexpr unsigned branch_at(size_t p, size_t i) {
    const unsigned even = state_at(p, i) & 076U;
    return viterbi::output_x(even) << 1 | viterbi::output_y(even);
}

constexpr size_t position_of(size_t pass, size_t group, size_t member) {
    return pass == 0 ? 8 * member + group : 8 * group + member;
}

constexpr size_t kMaxRounds =
    (BatchViterbiDecoder::kMaxLaneSteps + BatchViterbiDecoder::kMaxMarginSteps + kRound - 1) / kRound;
constexpr size_t kUnsent = BatchViterbiDecoder::kMaxSymbolBits;  // a row of zeros
constexpr size_t kRoundsPerPack = 4, kBytesPerPack = 3;
constexpr size_t kMaxLaneBytes = BatchViterbiDecoder::kMaxLaneSteps / 8;
constexpr bool whole_rounds(CodeRate rate) { return BatchViterbiDecoder::margin_steps(rate) % kRound == 0; }
static_assert(whole_rounds(CodeRate::r1_2) && whole_rounds(CodeRate::r2_3) && whole_rounds(CodeRate::r3_4) &&
              whole_rounds(CodeRate::r5_6));

/// A bit for each member.
using RoundDecisions = Row[kRound][kGroups];

struct Workspace {
    alignas(64) Row soft[kUnsent + 1];     // of one symbol
    Row metrics[kStates], excess;          // excess: of the lowest metric over kLowest
    Row costs[kRound][4];                  // by the bits sent on the branch
    RoundDecisions decisions[kMaxRounds];  // not those of run-in
    Row packed[kMaxLaneBytes + kTile];
};

template <size_t Bytes> struct Types {
    // GCC ignores the attribute in alias declarations.
    typedef int8_t Vector __attribute__((vector_size(Bytes)));
    typedef uint16_t Words __attribute__((vector_size(Bytes)));  // there are no shifts of octets
};
template <size_t Bytes> using Vector = typename Types<Bytes>::Vector;

#define WIMAX_LANES template <size_t Bytes> WIMAX_SIMD_BODY

template <class To, class From> WIMAX_SIMD_BODY To& as(From* place) { return *reinterpret_cast<To*>(place); }

// ---- add, compare, select ----

alignas(64) constexpr auto kBits = [] {
    std::array<std::array<int8_t, kLanes>, kMembers> rows{};
    for (size_t i = 0; i < kMembers; ++i) rows[i].fill(static_cast<int8_t>(1U << i));
    return rows;
}();

/// Sets bit `member`, which is clear, where `moved`: one instruction if masks have their own registers.
WIMAX_LANES void mark(const Vector<Bytes>& moved, size_t member, Vector<Bytes>& decisions) {
    const auto& bit = as<const Vector<Bytes>>(kBits[member].data());
    if constexpr (Bytes == 64) decisions = moved ? decisions + bit : decisions;
    else decisions |= moved & bit;
}

/// The code is linear: what a group adds to the outputs of its first.
constexpr auto kGroupBranch = [] {
    std::array<std::array<std::array<uint8_t, kGroups>, kPass>, 2> table{};
    for (size_t pass = 0; pass < 2; ++pass)
        for (size_t step = 0; step < kPass; ++step)
            for (size_t group = 0; group < kGroups; ++group)
                table[pass][step][group] =
                    static_cast<uint8_t>(branch_at(position_of(pass, group, 0), pass * kPass + step));
    return table;
}();

/// `costs`: by the bits sent on the branch, beyond the cost common to the group.
template <size_t Bytes, size_t Pass, size_t Step, size_t Butterfly>
WIMAX_SIMD_BODY void butterfly(Vector<Bytes> (&x)[kMembers], const Vector<Bytes> (&costs)[4],
                               Vector<Bytes>& decisions) {
    constexpr size_t kBit = kPass - 1 - Step, kDistance = size_t{1} << kBit;
    constexpr size_t kEven = (Butterfly >> kBit << (kBit + 1)) | (Butterfly & (kDistance - 1)),
                     kOdd = kEven + kDistance;
    constexpr unsigned kBranch = branch_at(position_of(Pass, 0, kEven), Pass * kPass + Step);
    const Vector<Bytes> stay0 = x[kEven] + costs[kBranch], move0 = x[kOdd] + costs[3 - kBranch];
    const Vector<Bytes> stay1 = x[kOdd] + costs[kBranch], move1 = x[kEven] + costs[3 - kBranch];
    const Vector<Bytes> moved0 = move0 < stay0, moved1 = move1 < stay1;
    x[kEven] = stay0 < move0 ? stay0 : move0;
    x[kOdd] = stay1 < move1 ? stay1 : move1;
    mark<Bytes>(moved0, kEven, decisions);
    mark<Bytes>(moved1, kOdd, decisions);
}

/// `round`: only if the decisions are stored.
template <size_t Bytes, bool Stored, size_t Pass, size_t Step, size_t Group>
WIMAX_SIMD_BODY void step(const Workspace& w, RoundDecisions* round, size_t lane, Vector<Bytes> (&x)[kMembers]) {
    const auto& rows = w.costs[Pass * kPass + Step];
    constexpr size_t kCommon = kGroupBranch[Pass][Step][Group];
    Vector<Bytes> costs[4], decisions{};
    for (size_t i = 0; i < 4; ++i) costs[i] = as<const Vector<Bytes>>(rows[i ^ kCommon] + lane);
    butterfly<Bytes, Pass, Step, 0>(x, costs, decisions);
    butterfly<Bytes, Pass, Step, 1>(x, costs, decisions);
    butterfly<Bytes, Pass, Step, 2>(x, costs, decisions);
    butterfly<Bytes, Pass, Step, 3>(x, costs, decisions);
    // Otherwise the compiler drops them.
    if constexpr (Stored) as<Vector<Bytes>>((*round)[Pass * kPass + Step][Group] + lane) = decisions;
}

/// Three steps of a group.
template <size_t Bytes, bool Stored, size_t Pass, size_t Group>
WIMAX_SIMD_BODY void pass_of_group(Workspace& w, RoundDecisions* round, size_t lane, Vector<Bytes>& lowest) {
    Vector<Bytes> x[kMembers];
    for (size_t i = 0; i < kMembers; ++i) x[i] = as<Vector<Bytes>>(w.metrics[position_of(Pass, Group, i)] + lane);
    step<Bytes, Stored, Pass, 0, Group>(w, round, lane, x);
    step<Bytes, Stored, Pass, 1, Group>(w, round, lane, x);
    step<Bytes, Stored, Pass, 2, Group>(w, round, lane, x);
    for (size_t i = 0; i < kMembers; ++i) {
        as<Vector<Bytes>>(w.metrics[position_of(Pass, Group, i)] + lane) = x[i];
        if constexpr (Pass == 1) lowest = x[i] < lowest ? x[i] : lowest;
    }
}

/// Three steps of all groups, written out so that all addresses are constants.
template <size_t Bytes, bool Stored, size_t Pass, size_t... Group>
WIMAX_SIMD_BODY void pass(Workspace& w, RoundDecisions* round, size_t lane, Vector<Bytes>& lowest,
                          std::index_sequence<Group...>) {
    (pass_of_group<Bytes, Stored, Pass, Group>(w, round, lane, lowest), ...);
}

template <size_t Bytes, bool Stored> WIMAX_SIMD_BODY void one_round(Workspace& w, RoundDecisions* round, size_t lane) {
    auto& excess = as<Vector<Bytes>>(w.excess + lane);
    for (auto& cost : w.costs[0]) as<Vector<Bytes>>(cost + lane) -= excess;
    Vector<Bytes> lowest = Vector<Bytes>{} + int8_t{127};
    pass<Bytes, Stored, 0>(w, round, lane, lowest, std::make_index_sequence<kGroups>());
    pass<Bytes, Stored, 1>(w, round, lane, lowest, std::make_index_sequence<kGroups>());
    excess = lowest - kLowest;
}

/// Costs of the branches of a step: the cost of each soft bit against the sent bit, minus the cost common to all
/// branches.
WIMAX_LANES void make_costs(const Workspace& w, StepInput input, size_t lane, Row (&costs)[4]) {
    const auto x = as<const Vector<Bytes>>(w.soft[input.x] + lane), y = as<const Vector<Bytes>>(w.soft[input.y] + lane);
    const Vector<Bytes> zeros = (-x & (x < 0)) + (-y & (y < 0));
    as<Vector<Bytes>>(costs[0] + lane) = zeros;
    as<Vector<Bytes>>(costs[1] + lane) = zeros + y;
    as<Vector<Bytes>>(costs[2] + lane) = zeros + x;
    as<Vector<Bytes>>(costs[3] + lane) = zeros + x + y;
}

/// Runs the steps of the symbol in `w.soft`; rounds are stored from `round` on, none before 0.
WIMAX_LANES void advance_body(Workspace& w, std::span<const StepInput> steps, size_t pending, int round, size_t lanes) {
    for (size_t lane = 0; lane < lanes; lane += Bytes) {
        size_t filled = pending;
        int to = round;
        for (const StepInput input : steps) {
            make_costs<Bytes>(w, input, lane, w.costs[filled++]);
            if (filled < kRound) continue;
            if (to < 0) one_round<Bytes, false>(w, nullptr, lane);
            else one_round<Bytes, true>(w, &w.decisions[to], lane);
            filled = 0;
            ++to;
        }
    }
}
constexpr simd::Dispatched<advance_body<16>, advance_body<32>, advance_body<64>> advance;

// ---- traceback ----

/// Octet of the group that each lane names.
WIMAX_LANES void select_group(const Row (&octets)[kGroups], size_t lane, const Vector<Bytes>& group,
                              Vector<Bytes>& out) {
    const auto high = (group & 4) != 0, middle = (group & 2) != 0, low = (group & 1) != 0;
    Vector<Bytes> v[4];
    for (size_t i = 0; i < 4; ++i)
        v[i] = high ? as<const Vector<Bytes>>(octets[i + 4] + lane) : as<const Vector<Bytes>>(octets[i] + lane);
    for (size_t i = 0; i < 2; ++i) v[i] = middle ? v[i + 2] : v[i];
    out = low ? v[1] : v[0];
}

/// Traces back over the steps of a pass: `member` becomes its predecessor.
template <size_t Bytes, size_t Pass>
WIMAX_SIMD_BODY void pass_back(const Row (*decisions)[kGroups], size_t lane, const Vector<Bytes>& group,
                               Vector<Bytes>& member) {
    using Words = typename Types<Bytes>::Words;
    for (size_t back = 0; back < kPass; ++back) {
        Vector<Bytes> v;
        select_group<Bytes>(decisions[Pass * kPass + kPass - 1 - back], lane, group, v);
        // Bits shifted in from the neighbouring octet are above the wanted one.
        v = (member & 4) != 0 ? Vector<Bytes>(Words(v) >> 4) : v;
        v = (member & 2) != 0 ? Vector<Bytes>(Words(v) >> 2) : v;
        v = (member & 1) != 0 ? Vector<Bytes>(Words(v) >> 1) : v;
        member ^= Vector<Bytes>(Words(v & 1) << back);
    }
}

/// Position of the best state, the lowest of equals.
WIMAX_LANES void best_position(const Workspace& w, size_t lane, Vector<Bytes>& best) {
    const Vector<Bytes> lowest = as<const Vector<Bytes>>(w.excess + lane) + kLowest;
    best = Vector<Bytes>{};
    for (size_t p = kStates; p-- > 0;) {
        const auto here = as<const Vector<Bytes>>(w.metrics[p] + lane) == lowest;
        best = here ? Vector<Bytes>{} + static_cast<int8_t>(p) : best;
    }
}

/// Four rounds of six bits to three octets.
WIMAX_LANES void pack(const Vector<Bytes> (&six)[kRoundsPerPack], size_t lane, Row* out) {
    using Words = typename Types<Bytes>::Words;
    Words v[kRoundsPerPack];
    for (size_t i = 0; i < kRoundsPerPack; ++i) v[i] = Words(six[i]);
    as<Vector<Bytes>>(out[0] + lane) = Vector<Bytes>(v[0] << 2) | (Vector<Bytes>(v[1] >> 4) & 3);
    as<Vector<Bytes>>(out[1] + lane) = Vector<Bytes>(v[1] << 4 & 0xF0F0) | (Vector<Bytes>(v[2] >> 2) & 15);
    as<Vector<Bytes>>(out[2] + lane) = Vector<Bytes>(v[2] << 6 & 0xC0C0) | six[3];
}

WIMAX_LANES void traceback_body(Workspace& w, size_t rounds, size_t packs, size_t lanes) {
    for (size_t lane = 0; lane < lanes; lane += Bytes) {
        Vector<Bytes> end, six[kRoundsPerPack];
        best_position<Bytes>(w, lane, end);
        Vector<Bytes> high = Vector<Bytes>((typename Types<Bytes>::Words)(end) >> 3) & 7, low = end & 7;
        for (size_t round = rounds; round-- > 0;) {
            six[round % kRoundsPerPack] = Vector<Bytes>((typename Types<Bytes>::Words)(high) << 3) | low;
            const size_t p = round / kRoundsPerPack;
            if (round % kRoundsPerPack == 0 && p < packs) pack<Bytes>(six, lane, w.packed + p * kBytesPerPack);
            pass_back<Bytes, 1>(w.decisions[round], lane, high, low);
            pass_back<Bytes, 0>(w.decisions[round], lane, low, high);
        }
    }
}
constexpr simd::Dispatched<traceback_body<16>, traceback_body<32>, traceback_body<64>> traceback;

// ---- rows of a symbol to rows of a lane and back ----

using Tile = Types<kTile>::Vector;

/// Column i of the tile to row i.
WIMAX_SIMD_BODY void transpose_tile(const int8_t* const* in, int8_t* const* out) {
    Tile a[kTile], b[kTile];
    for (size_t i = 0; i < kTile; ++i) std::memcpy(&a[i], in[i], kTile);
    const auto shuffle = [](const Tile* from, Tile* to) __attribute__((always_inline)) {
        for (size_t i = 0; i < kTile / 2; ++i) {
            const Tile x = from[i], y = from[i + kTile / 2];
            to[2 * i] = __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            to[2 * i + 1] = __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
    };
    shuffle(a, b);
    shuffle(b, a);
    shuffle(a, b);
    shuffle(b, a);
    for (size_t i = 0; i < kTile; ++i) std::memcpy(out[i], &a[i], kTile);
}

/// The marked tiles of a symbol of each lane.
WIMAX_SIMD_BODY void gather_body(const SoftBit* const* symbols, size_t lanes, std::span<const bool> tiles, Row* soft) {
    for (size_t lane = 0; lane < lanes; lane += kTile)
        for (size_t tile = 0; tile < tiles.size(); ++tile) {
            if (!tiles[tile]) continue;
            const int8_t* in[kTile];
            int8_t* out[kTile];
            for (size_t i = 0; i < kTile; ++i) {
                in[i] = symbols[lane + i] + tile * kTile;
                out[i] = soft[tile * kTile + i] + lane;
            }
            transpose_tile(in, out);
        }
}
constexpr simd::Dispatched<gather_body> gather;

/// Columns of `packed` to the lanes' outputs.
WIMAX_SIMD_BODY void scatter_body(const Row* packed, std::span<const BatchViterbiDecoder::Lane> lanes, size_t bytes) {
    for (size_t lane = 0; lane < lanes.size(); lane += kTile)
        for (size_t byte = 0; byte < bytes; byte += kTile) {
            const int8_t* in[kTile];
            int8_t columns[kTile][kTile];
            int8_t* out[kTile];
            for (size_t i = 0; i < kTile; ++i) {
                in[i] = packed[byte + i] + lane;
                out[i] = columns[i];
            }
            transpose_tile(in, out);
            for (size_t i = lane; i < std::min(lane + kTile, lanes.size()); ++i)
                std::memcpy(lanes[i].out + byte, columns[i - lane], std::min(kTile, bytes - byte));
        }
}
constexpr simd::Dispatched<scatter_body> scatter;

/// Nearest multiple of 256 / `scale`, as its index, at most `levels`, symmetric around zero. All values fit in 16 bits,
/// so that the compiler can use narrow lanes.
WIMAX_SIMD_BODY void quantize_body(const SoftBit* soft, size_t count, uint16_t scale, uint16_t levels, SoftBit* out) {
    for (size_t i = 0; i < count; ++i) {
        const auto scaled = static_cast<uint16_t>(static_cast<uint16_t>(std::abs(int{soft[i]})) * scale + 128);
        const auto magnitude = static_cast<int16_t>(std::min(static_cast<uint16_t>(scaled >> 8), levels));
        out[i] = static_cast<SoftBit>(soft[i] < 0 ? -magnitude : magnitude);
    }
}
constexpr simd::Dispatched<quantize_body> quantize_all;

}  // namespace

struct BatchViterbiDecoder::Impl {
    size_t symbol_bits = 0, symbol_steps = 0, symbols = 0, margin = 0;
    uint16_t level_scale = 0, levels = 0;
    CodeRate rate = CodeRate::r1_2;
    std::span<const uint16_t> position;  // until the first window: clean bursts have none that is decoded
    std::array<StepInput, kMaxLaneSteps> steps;
    std::array<SoftBit, kMaxSymbolBits> silence;  // a symbol before or after the code word
    Workspace work;

    // Current lanes: the next step's symbol and place in it, the steps left, the round's destination.
    std::array<Lane, kLanes> lanes;
    size_t lane_count = 0;
    size_t symbol = 0, first = 0, left = 0;
    bool gathered = false;
    size_t pending = 0;  // steps of the round that has begun
    int round = 0;

    /// Steps of a window and of the part after it; earlier rounds are not stored.
    size_t rounds() const { return (symbols * symbol_steps + margin + kRound - 1) / kRound; }

    void make_steps() {
        if (position.empty()) return;
        const auto& pattern = puncture_pattern(rate);
        size_t sent = 0;
        for (size_t i = 0; i < symbol_steps; ++i) {
            const size_t at = 2 * (i % static_cast<size_t>(pattern.input_bits));
            steps[i].x = pattern.sent[at] ? position[sent++] : kUnsent;
            steps[i].y = pattern.sent[at + 1] ? position[sent++] : kUnsent;
        }
        silence.fill(static_cast<SoftBit>(levels));
        position = {};
    }

    /// Rows of the soft bits for the remaining steps of this symbol, of all lanes.
    void gather_symbol() {
        std::array<const SoftBit*, kLanes> rows;
        rows.fill(silence.data());
        for (size_t i = 0; i < lane_count; ++i)
            if (lanes[i].symbols[symbol] != nullptr) rows[i] = lanes[i].symbols[symbol];
        std::array<bool, kMaxSymbolBits / kTile> tiles{};
        for (const auto [x, y] : std::span(steps).subspan(first, std::min(symbol_steps - first, left)))
            for (const size_t row : {x, y})
                if (row < kUnsent) tiles[row / kTile] = true;
        gather(rows.data(), lane_count, std::span(tiles).first((symbol_bits + kTile - 1) / kTile), work.soft);
        gathered = true;
    }

    /// Runs at most the given number of steps of one symbol; returns their number.
    size_t take(size_t most) {
        if (!gathered) gather_symbol();
        const auto part = std::span(steps).subspan(first, std::min({most, left, symbol_steps - first}));
        phy::advance(work, part, pending, round, lane_count);
        round += static_cast<int>((pending + part.size()) / kRound);
        pending = (pending + part.size()) % kRound;
        left -= part.size();
        first += part.size();
        if (first < symbol_steps) return part.size();
        first = 0;
        ++symbol;
        gathered = false;
        return part.size();
    }
};

BatchViterbiDecoder::BatchViterbiDecoder() : impl_(std::make_unique<Impl>()) {
    std::fill_n(impl_->work.soft[kUnsent], kLanes, int8_t{0});
}
BatchViterbiDecoder::~BatchViterbiDecoder() = default;
BatchViterbiDecoder::BatchViterbiDecoder(BatchViterbiDecoder&&) noexcept = default;

void BatchViterbiDecoder::quantize(std::span<const SoftBit> soft, std::span<SoftBit> out) const {
    quantize_all(soft.data(), soft.size(), impl_->level_scale, impl_->levels, out.data());
}

void BatchViterbiDecoder::start(CodeRate rate, std::span<const uint16_t> position, size_t symbols) {
    auto& s = *impl_;
    s.rate = rate;
    s.position = position;
    s.symbol_bits = position.size();
    s.symbol_steps = trellis_steps(rate, position.size());
    s.symbols = symbols;
    s.margin = margin_steps(rate);
    s.level_scale = static_cast<uint16_t>(level_scale(rate));
    s.levels = static_cast<uint16_t>(levels(rate));
}

size_t BatchViterbiDecoder::symbols_before() const {
    return (impl_->margin + impl_->symbol_steps - 1) / impl_->symbol_steps;
}
size_t BatchViterbiDecoder::symbols_after() const {
    return (impl_->margin + kRound - 1 + impl_->symbol_steps - 1) / impl_->symbol_steps;
}
size_t BatchViterbiDecoder::lane_bytes() const { return impl_->symbols * impl_->symbol_steps / 8; }

void BatchViterbiDecoder::decode(std::span<const Lane> lanes) {
    begin(lanes);
    while (!advance(steps_left())) {
    }
}

void BatchViterbiDecoder::begin(std::span<const Lane> lanes) {
    auto& s = *impl_;
    s.make_steps();
    std::copy(lanes.begin(), lanes.end(), s.lanes.begin());
    s.lane_count = lanes.size();
    std::memset(s.work.metrics, kLowest, sizeof s.work.metrics);
    std::memset(s.work.excess, 0, sizeof s.work.excess);
    s.round = -static_cast<int>(s.margin / kRound);
    s.pending = 0;
    s.left = s.margin + s.rounds() * kRound;
    const size_t skipped = symbols_before() * s.symbol_steps - s.margin;
    s.symbol = skipped / s.symbol_steps;
    s.first = skipped % s.symbol_steps;
    s.gathered = false;
}

size_t BatchViterbiDecoder::steps_left() const { return impl_->left; }

bool BatchViterbiDecoder::advance(size_t steps) {
    auto& s = *impl_;
    if (s.left > 0) {
        for (size_t taken = 0; s.left > 0 && taken < steps;) taken += s.take(steps - taken);
        return false;
    }
    const auto lanes = std::span<const Lane>(s.lanes).first(s.lane_count);
    const size_t packs = (lane_bytes() + kBytesPerPack - 1) / kBytesPerPack;
    traceback(s.work, s.rounds(), packs, lanes.size());
    scatter(s.work.packed, lanes, lane_bytes());
    return true;
}

}  // namespace gr::wimax::phy
