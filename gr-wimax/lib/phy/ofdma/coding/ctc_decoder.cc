// SPDX-License-Identifier: GPL-3.0-or-later
// A vector has the metrics of the eight states in 16 bits. Metrics are log-likelihoods relative to input 00 and to bits
// 0, in soft-bit units; larger is likelier. Four of them, for the four inputs or the four values of 2 Y + W, are a
// Quad. Any state follows any other within two steps: the spread of path metrics is at most that of two steps, and
// with kMostExtrinsic every sum stays within 16 bits.
#include <gnuradio/wimax/phy/ofdma/coding/ctc_decoder.h>

#include "phy/base/simd.h"
#include "phy/ofdma/coding/ctc_trellis.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

// Vectors stay within inlined functions.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gr::wimax::phy::ofdma {
namespace {

struct alignas(8) Quad {
    int16_t value[kCtcInputs];
};
struct alignas(16) States {
    int16_t value[kCtcStates];
};

constexpr int16_t kMostExtrinsic = 1500;
/// Iterations in succession after which both decoders must agree to stop. With one, agreement on a wrong block causes
/// an error floor of 1e-3 at 2.5 dB (QPSK 1/2, 60 octets).
constexpr int kAgreements = 2;
constexpr size_t kTrainingPairs = 24;  // of the first iteration, before the block's start and after its end
static_assert(std::endian::native == std::endian::little);

using V = simd::Vector<int16_t, 16>;
constexpr auto kLanes = std::make_index_sequence<kCtcStates>();

WIMAX_SIMD_BODY V larger(V a, V b) { return a > b ? a : b; }
template <int Lane, size_t... I> WIMAX_SIMD_BODY V spread(V v, std::index_sequence<I...>) {
    return __builtin_shufflevector(v, v, (I * 0 + Lane)...);
}
template <int Lane> WIMAX_SIMD_BODY V spread(V v) { return spread<Lane>(v, kLanes); }

WIMAX_SIMD_BODY V load_quad(const Quad& quad) {
    uint64_t word;
    std::memcpy(&word, &quad, sizeof word);
    const simd::Vector<uint64_t, 16> both{word, 0};
    return V(both);
}
WIMAX_SIMD_BODY void store_quad(V v, Quad& quad) {
    const uint64_t word = simd::Vector<uint64_t, 16>(v)[0];
    std::memcpy(&quad, &word, sizeof word);
}

/// Metrics of the parity bits that each state sends with inputs whose A xor B is `Odd`.
template <int Odd, size_t... S> WIMAX_SIMD_BODY V parity(V quad, std::index_sequence<S...>) {
    return __builtin_shufflevector(quad, quad, (2 * kCtcTrellis.y[S][Odd] + kCtcTrellis.w[S][Odd])...);
}
template <int Input, size_t... S> WIMAX_SIMD_BODY V from_previous(V v, std::index_sequence<S...>) {
    return __builtin_shufflevector(v, v, kCtcTrellis.previous[S][Input]...);
}
template <int Input, size_t... S> WIMAX_SIMD_BODY V from_next(V v, std::index_sequence<S...>) {
    return __builtin_shufflevector(v, v, kCtcTrellis.next[S][Input]...);
}

/// Path metrics after the pair.
WIMAX_SIMD_BODY V forward_step(V alpha, V input, V parities) {
    const V even = alpha + parity<0>(parities, kLanes), odd = alpha + parity<1>(parities, kLanes);
    const V t0 = from_previous<0>(even, kLanes);
    const V t1 = from_previous<1>(odd, kLanes) + spread<1>(input);
    const V t2 = from_previous<2>(odd, kLanes) + spread<2>(input);
    const V t3 = from_previous<3>(even, kLanes) + spread<3>(input);
    const V next = larger(larger(t0, t1), larger(t2, t3));
    return next - spread<0>(next);
}

struct Branches {
    V to[kCtcInputs];  // by state and input: metrics of the paths that follow, with the parities of this pair
};
WIMAX_SIMD_BODY Branches branches(V beta, V parities) {
    const V even = parity<0>(parities, kLanes), odd = parity<1>(parities, kLanes);
    return {{from_next<0>(beta, kLanes) + even, from_next<1>(beta, kLanes) + odd, from_next<2>(beta, kLanes) + odd,
             from_next<3>(beta, kLanes) + even}};
}
WIMAX_SIMD_BODY V backward_step(const Branches& b, V input) {
    const V before = larger(larger(b.to[0], b.to[1] + spread<1>(input)),
                            larger(b.to[2] + spread<2>(input), b.to[3] + spread<3>(input)));
    return before - spread<0>(before);
}

/// The largest of each vector's eight, in lanes 0..3 (and again 4..7), less that of the first.
WIMAX_SIMD_BODY V largest_of_each(const V (&e)[kCtcInputs]) {
    const V a = larger(__builtin_shufflevector(e[0], e[1], 0, 8, 1, 9, 2, 10, 3, 11),
                       __builtin_shufflevector(e[0], e[1], 4, 12, 5, 13, 6, 14, 7, 15));
    const V b = larger(__builtin_shufflevector(e[2], e[3], 0, 8, 1, 9, 2, 10, 3, 11),
                       __builtin_shufflevector(e[2], e[3], 4, 12, 5, 13, 6, 14, 7, 15));
    const V c = larger(__builtin_shufflevector(a, b, 0, 1, 8, 9, 2, 3, 10, 11),
                       __builtin_shufflevector(a, b, 4, 5, 12, 13, 6, 7, 14, 15));
    const V d = larger(c, __builtin_shufflevector(c, c, 4, 5, 6, 7, 0, 1, 2, 3));
    return d - spread<0>(d);
}

/// What one constituent decoder reads and writes; `alpha`: workspace, one per pair.
struct Pass {
    const Quad* input;     // systematic bits and a priori values
    const Quad* parities;  // by 2 Y + W
    size_t pairs;
    States* alpha;
    States* ends;  // metrics where the block begins (forward) and ends (backward), of the last iteration
    Quad* extrinsic;
    uint8_t* decided;
};

WIMAX_SIMD_BODY void train_body(const Pass& p) {
    V alpha{}, beta{};
    for (size_t j = p.pairs - kTrainingPairs; j < p.pairs; ++j)
        alpha = forward_step(alpha, load_quad(p.input[j]), load_quad(p.parities[j]));
    for (size_t j = kTrainingPairs; j-- > 0;)
        beta = backward_step(branches(beta, load_quad(p.parities[j])), load_quad(p.input[j]));
    simd::store(alpha, p.ends[0].value);
    simd::store(beta, p.ends[1].value);
}
constexpr simd::Dispatched<train_body> train;

/// Three quarters of the extrinsic value, limited.
WIMAX_SIMD_BODY V scaled(V v) {
    const V most = V{} + kMostExtrinsic;
    const V three_quarters = v - (v >> 2);
    const V low = three_quarters < most ? three_quarters : most;
    return larger(low, -most);
}

WIMAX_SIMD_BODY void pass_body(const Pass& p) {
    V alpha = simd::load<V>(p.ends[0].value);
    for (size_t j = 0; j < p.pairs; ++j) {
        simd::store(alpha, p.alpha[j].value);
        alpha = forward_step(alpha, load_quad(p.input[j]), load_quad(p.parities[j]));
    }
    simd::store(alpha, p.ends[0].value);
    V beta = simd::load<V>(p.ends[1].value);
    for (size_t j = p.pairs; j-- > 0;) {
        const V input = load_quad(p.input[j]);
        const Branches b = branches(beta, load_quad(p.parities[j]));
        alpha = simd::load<V>(p.alpha[j].value);
        const V all[kCtcInputs] = {alpha + b.to[0], alpha + b.to[1], alpha + b.to[2], alpha + b.to[3]};
        const V extrinsic = largest_of_each(all);
        store_quad(scaled(extrinsic), p.extrinsic[j]);
        Quad total;
        store_quad(extrinsic + input, total);
        const auto [t0, t1, t2, t3] = total.value;
        const bool a = std::max(t2, t3) > std::max(t0, t1), b_bit = std::max(t1, t3) > std::max(t0, t2);
        p.decided[j] = static_cast<uint8_t>(2 * a + b_bit);
        beta = backward_step(b, input);
    }
    simd::store(beta, p.ends[1].value);
}
constexpr simd::Dispatched<pass_body> run_pass;

constexpr uint8_t swapped_pair(uint8_t u) { return static_cast<uint8_t>(u >> 1 | (u & 1U) << 1); }
/// Metrics of inputs 01 and 10 exchanged.
Quad swapped(const Quad& q) { return {{q.value[0], q.value[2], q.value[1], q.value[3]}}; }

Quad metrics_of_bits(int high, int low) {  // soft bits; index 2 high + low
    return {{0, static_cast<int16_t>(-low), static_cast<int16_t>(-high), static_cast<int16_t>(-high - low)}};
}

WIMAX_SIMD_BODY void add_body(const Quad* a, const Quad* b, size_t count, Quad* sum) {
    for (size_t i = 0; i < count; ++i)
        for (size_t u = 0; u < kCtcInputs; ++u) sum[i].value[u] = static_cast<int16_t>(a[i].value[u] + b[i].value[u]);
}
constexpr simd::Dispatched<add_body> add;

}  // namespace

struct CtcDecoder::Impl {
    explicit Impl(size_t most)
        : soft(6 * most),
          alpha(most),
          systematic(most),
          natural(most),
          interleaved(most),
          extrinsic{std::vector<Quad>(most), std::vector<Quad>(most)},
          a_priori(most),
          parities{std::vector<Quad>(most), std::vector<Quad>(most)},
          decided{std::vector<uint8_t>(most), std::vector<uint8_t>(most)} {}

    std::vector<SoftBit> soft;  // A, B, Y1, Y2, W1, W2
    std::vector<States> alpha;
    std::vector<Quad> systematic, natural, interleaved;
    std::array<std::vector<Quad>, 2> extrinsic;  // in the order of each decoder
    std::vector<Quad> a_priori;                  // of the second decoder, in the order of the first
    std::array<std::vector<Quad>, 2> parities;
    std::array<std::vector<uint8_t>, 2> decided;
    States ends[2][2];

    void load(const CtcCode& code, std::span<const SoftBit> received) {
        const auto n = static_cast<size_t>(code.pairs());
        std::fill_n(soft.begin(), 6 * n, SoftBit{0});
        for (size_t k = 0; k < received.size(); ++k) soft[code.order()[k]] = received[k];
        for (size_t i = 0; i < n; ++i) {
            systematic[i] = metrics_of_bits(soft[i], soft[n + i]);
            for (size_t d = 0; d < 2; ++d)
                parities[d][i] = metrics_of_bits(soft[(2 + d) * n + i], soft[(4 + d) * n + i]);
            a_priori[i] = Quad{};
        }
    }

    Pass pass(size_t decoder, size_t pairs) {
        return {decoder == 0 ? natural.data() : interleaved.data(),
                parities[decoder].data(),
                pairs,
                alpha.data(),
                ends[decoder],
                extrinsic[decoder].data(),
                decided[decoder].data()};
    }

    void run_first(size_t n, bool untrained) {
        add(systematic.data(), a_priori.data(), n, natural.data());
        const Pass p = pass(0, n);
        if (untrained) train(p);
        run_pass(p);
    }

    void run_second(const CtcCode& code, size_t n, bool untrained) {
        add(systematic.data(), extrinsic[0].data(), n, natural.data());
        const auto from = code.interleaver();
        for (size_t j = 0; j < n; ++j) interleaved[j] = from[j] % 2 == 0 ? natural[from[j]] : swapped(natural[from[j]]);
        const Pass p = pass(1, n);
        if (untrained) train(p);
        run_pass(p);
        for (size_t j = 0; j < n; ++j)
            a_priori[from[j]] = from[j] % 2 == 0 ? extrinsic[1][j] : swapped(extrinsic[1][j]);
    }

    bool agree(const CtcCode& code, size_t n) const {
        const auto from = code.interleaver();
        unsigned different = 0;
        for (size_t j = 0; j < n; ++j) {
            const uint8_t u = decided[1][j], first = decided[0][from[j]];
            different |= first ^ (from[j] % 2 == 0 ? u : swapped_pair(u));
        }
        return different == 0;
    }

    void write(const CtcCode& code, size_t n, std::span<uint8_t> octets) const {
        std::fill_n(octets.begin(), n / 4, uint8_t{0});
        const auto from = code.interleaver();
        for (size_t j = 0; j < n; ++j) {
            const size_t i = from[j];
            const uint8_t u = i % 2 == 0 ? decided[1][j] : swapped_pair(decided[1][j]);
            octets[i / 4] = static_cast<uint8_t>(octets[i / 4] | u << (6 - 2 * (i % 4)));
        }
    }
};

CtcDecoder::CtcDecoder(int most_pairs) : impl_(std::make_unique<Impl>(static_cast<size_t>(most_pairs))) {}
CtcDecoder::~CtcDecoder() = default;
CtcDecoder::CtcDecoder(CtcDecoder&&) noexcept = default;

CtcDecoded CtcDecoder::decode(const CtcCode& code, std::span<const SoftBit> received, std::span<uint8_t> octets,
                              int most_iterations) {
    auto& s = *impl_;
    const auto n = static_cast<size_t>(code.pairs());
    s.load(code, received);
    CtcDecoded result;
    for (int agreed = 0; result.iterations < most_iterations && agreed < kAgreements;) {
        const bool untrained = result.iterations == 0;
        s.run_first(n, untrained);
        s.run_second(code, n, untrained);
        ++result.iterations;
        result.converged = s.agree(code, n);
        agreed = result.converged ? agreed + 1 : 0;
    }
    s.write(code, n, octets);
    return result;
}

}  // namespace gr::wimax::phy::ofdma
