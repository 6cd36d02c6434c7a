// SPDX-License-Identifier: GPL-3.0-or-later
#include "phy/coding/viterbi_kernels.h"

#include "phy/base/simd.h"
#include "phy/coding/viterbi_portable.h"

#if defined(__x86_64__)
// GCC 12 reports the deliberately undefined inputs inside its AVX-512 intrinsics as mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#define WIMAX_VITERBI_X86 1
#endif

namespace gr::wimax::phy::viterbi {

#ifdef WIMAX_VITERBI_X86
namespace {

// Address bits: 0..2 the word within 128 bits, the others as the comparison masks of the kernels come out when packed
// to bytes. For SSE bits 3..5 number the register; for AVX-512 bits 3, 4 number the 128-bit lane, bit 5 the register;
// for AVX2 the packing interleaves two registers, so that bit 4 is the lane and bits 3, 5 the register. The order below
// alternates steps that need a shuffle with steps that do not.
constexpr std::array<unsigned, kPhases> kPairedBit{5, 0, 3, 1, 4, 2};

/// State that position `p` holds in phase `phase` (before its step).
constexpr unsigned state_at(unsigned p, size_t phase) {
    unsigned state = 0;
    for (size_t i = 0; i < kPhases; ++i) state |= (p >> kPairedBit[(phase + i) % kPhases] & 1U) << i;
    return state;
}

/// Address bits 3 and 4 exchanged: place in AVX2's four registers of 16 words <-> position.
constexpr unsigned swap34(unsigned p) { return (p & ~030U) | (p & 010U) << 1 | (p & 020U) >> 1; }

/// Byte shuffles that spread the four branch metrics over the places of the metrics, by phase.
struct ShuffleTable {
    alignas(64) uint8_t bytes[kPhases][2 * kStates];
};
constexpr ShuffleTable make_shuffles(bool avx2_order) {
    ShuffleTable table{};
    for (size_t phase = 0; phase < kPhases; ++phase)
        for (unsigned place = 0; place < kStates; ++place) {
            const unsigned butterfly_register = state_at(avx2_order ? swap34(place) : place, phase) & 076U;
            const unsigned branch = output_x(butterfly_register) << 1 | output_y(butterfly_register);
            table.bytes[phase][2 * place] = static_cast<uint8_t>(2 * branch);
            table.bytes[phase][2 * place + 1] = static_cast<uint8_t>(2 * branch + 1);
        }
    return table;
}
constexpr ShuffleTable kShuffles = make_shuffles(false);
constexpr ShuffleTable kShufflesAvx2 = make_shuffles(true);

/// Registers whose branch metrics equal those of an earlier register, or their negatives: outputs are linear, and
/// complementary outputs have opposite metrics. `from`: that register, or the register itself.
template <size_t Registers> struct SharedMetrics {
    size_t from[kPhases][Registers];
    bool negative[kPhases][Registers];
};
template <size_t Registers> constexpr SharedMetrics<Registers> shared_metrics(const ShuffleTable& table) {
    constexpr size_t kBytes = 2 * kStates / Registers, kOpposite = 6;  // first bytes of a metric and of its negative
    SharedMetrics<Registers> shared{};
    for (size_t phase = 0; phase < kPhases; ++phase)
        for (size_t i = 0; i < Registers; ++i) {
            shared.from[phase][i] = i;
            for (size_t j = i; j-- > 0;) {
                bool same = true, opposite = true;
                for (size_t byte = 0; byte < kBytes; byte += 2) {
                    const auto a = table.bytes[phase][i * kBytes + byte], b = table.bytes[phase][j * kBytes + byte];
                    same = same && a == b;
                    opposite = opposite && a + b == kOpposite;
                }
                if (!same && !opposite) continue;
                shared.from[phase][i] = j;  // the lowest is the last found: it is not shared itself
                shared.negative[phase][i] = opposite;
            }
        }
    return shared;
}

/// Byte i takes byte i ^ 2^bit; and the start of a round, when every path is at its own position.
struct ByteTables {
    alignas(64) uint8_t swap[4][64];
    alignas(64) uint8_t identity[64];
};
constexpr ByteTables kBytes = [] {
    ByteTables t{};
    for (unsigned i = 0; i < 64; ++i) {
        for (unsigned bit = 0; bit < 4; ++bit) t.swap[bit][i] = static_cast<uint8_t>((i & 15U) ^ 1U << bit);
        t.identity[i] = static_cast<uint8_t>(i);
    }
    return t;
}();

// What differs between the instruction sets. viterbi_steps.inc has the steps; it is included once for each of them.
//
//   Vector, kMetrics, kOrigins   a register, and how many of them hold the metrics and the positions
//   broadcast, first             four branch metrics all over; the first metric all over
//   partner<Bit>                 metrics of the partners that address bit `Bit` distinguishes
//   wins                         for each position, whether `move` is larger than `stay`: bytes or bits of one register
//   follow<Bit>                  positions of the paths that win: of the partner where `moved`

namespace sse41 {
#define WIMAX_STEP_INLINE WIMAX_INLINE_SSE41
#define WIMAX_STEP_TARGET WIMAX_TARGET_SSE41

using Vector = __m128i;
constexpr size_t kMetrics = 8, kOrigins = 4;
constexpr const ShuffleTable& kSpread = kShuffles;

WIMAX_STEP_INLINE Vector broadcast(const BranchMetrics& branch) {
    const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch));
    return _mm_unpacklo_epi64(four, four);
}
WIMAX_STEP_INLINE Vector first(Vector v) { return _mm_set1_epi16(static_cast<int16_t>(_mm_extract_epi16(v, 0))); }
WIMAX_STEP_INLINE Vector bytes(Vector v, Vector order) { return _mm_shuffle_epi8(v, order); }
WIMAX_STEP_INLINE Vector add(Vector a, Vector b) { return _mm_add_epi16(a, b); }
WIMAX_STEP_INLINE Vector subtract(Vector a, Vector b) { return _mm_sub_epi16(a, b); }
WIMAX_STEP_INLINE Vector larger(Vector a, Vector b) { return _mm_max_epi16(a, b); }

template <unsigned Bit> WIMAX_STEP_INLINE Vector partner(const Vector* metric, size_t i) {
    if constexpr (Bit >= 3) return metric[i ^ (1U << (Bit - 3))];
    if constexpr (Bit == 2) return _mm_shuffle_epi32(metric[i], 0x4E);
    if constexpr (Bit == 1) return _mm_shuffle_epi32(metric[i], 0xB1);
    return _mm_shufflehi_epi16(_mm_shufflelo_epi16(metric[i], 0xB1), 0xB1);
}
template <unsigned Bit> WIMAX_STEP_INLINE Vector partner_origin(const Vector* origin, size_t i) {
    if constexpr (Bit >= 4) return origin[i ^ (1U << (Bit - 4))];
    return bytes(origin[i], *reinterpret_cast<const Vector*>(kBytes.swap[Bit & 3U]));
}
WIMAX_STEP_INLINE Vector wins(const Vector* move, const Vector* stay) {
    return _mm_packs_epi16(_mm_cmpgt_epi16(move[0], stay[0]), _mm_cmpgt_epi16(move[1], stay[1]));
}
template <unsigned Bit> WIMAX_STEP_INLINE Vector follow(const Vector* origin, size_t i, Vector moved) {
    return _mm_blendv_epi8(origin[i], partner_origin<Bit>(origin, i), moved);
}

#include "phy/coding/viterbi_steps.inc"
}  // namespace sse41

namespace avx2 {
#define WIMAX_STEP_INLINE WIMAX_INLINE_AVX2
#define WIMAX_STEP_TARGET WIMAX_TARGET_AVX2

using Vector = __m256i;
constexpr size_t kMetrics = 4, kOrigins = 2;
constexpr const ShuffleTable& kSpread = kShufflesAvx2;

WIMAX_STEP_INLINE Vector broadcast(const BranchMetrics& branch) {
    return _mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch)));
}
WIMAX_STEP_INLINE Vector first(Vector v) { return _mm256_broadcastw_epi16(_mm256_castsi256_si128(v)); }
WIMAX_STEP_INLINE Vector bytes(Vector v, Vector order) { return _mm256_shuffle_epi8(v, order); }
WIMAX_STEP_INLINE Vector add(Vector a, Vector b) { return _mm256_add_epi16(a, b); }
WIMAX_STEP_INLINE Vector subtract(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
WIMAX_STEP_INLINE Vector larger(Vector a, Vector b) { return _mm256_max_epi16(a, b); }

template <unsigned Bit> WIMAX_STEP_INLINE Vector partner(const Vector* metric, size_t i) {
    if constexpr (Bit == 5) return metric[i ^ 2U];
    if constexpr (Bit == 4) return _mm256_permute4x64_epi64(metric[i], 0x4E);
    if constexpr (Bit == 3) return metric[i ^ 1U];
    if constexpr (Bit == 2) return _mm256_shuffle_epi32(metric[i], 0x4E);
    if constexpr (Bit == 1) return _mm256_shuffle_epi32(metric[i], 0xB1);
    // One byte shuffle: words exchanged are bytes two apart.
    return bytes(metric[i], *reinterpret_cast<const Vector*>(kBytes.swap[1]));
}
template <unsigned Bit> WIMAX_STEP_INLINE Vector partner_origin(const Vector* origin, size_t i) {
    if constexpr (Bit == 5) return origin[i ^ 1U];
    if constexpr (Bit == 4) return _mm256_permute4x64_epi64(origin[i], 0x4E);
    return bytes(origin[i], *reinterpret_cast<const Vector*>(kBytes.swap[Bit & 3U]));
}
WIMAX_STEP_INLINE Vector wins(const Vector* move, const Vector* stay) {
    return _mm256_packs_epi16(_mm256_cmpgt_epi16(move[0], stay[0]), _mm256_cmpgt_epi16(move[1], stay[1]));
}
template <unsigned Bit> WIMAX_STEP_INLINE Vector follow(const Vector* origin, size_t i, Vector moved) {
    return _mm256_blendv_epi8(origin[i], partner_origin<Bit>(origin, i), moved);
}

#include "phy/coding/viterbi_steps.inc"
}  // namespace avx2

namespace avx512 {
#define WIMAX_STEP_INLINE WIMAX_INLINE_AVX512
#define WIMAX_STEP_TARGET WIMAX_TARGET_AVX512

using Vector = __m512i;
constexpr size_t kMetrics = 2, kOrigins = 1;
constexpr const ShuffleTable& kSpread = kShuffles;

WIMAX_STEP_INLINE Vector broadcast(const BranchMetrics& branch) {
    return _mm512_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch)));
}
WIMAX_STEP_INLINE Vector first(Vector v) { return _mm512_broadcastw_epi16(_mm512_castsi512_si128(v)); }
WIMAX_STEP_INLINE Vector bytes(Vector v, Vector order) { return _mm512_shuffle_epi8(v, order); }
WIMAX_STEP_INLINE Vector add(Vector a, Vector b) { return _mm512_add_epi16(a, b); }
WIMAX_STEP_INLINE Vector subtract(Vector a, Vector b) { return _mm512_sub_epi16(a, b); }
WIMAX_STEP_INLINE Vector larger(Vector a, Vector b) { return _mm512_max_epi16(a, b); }

template <unsigned Bit> WIMAX_STEP_INLINE Vector partner(const Vector* metric, size_t i) {
    if constexpr (Bit == 5) return metric[i ^ 1U];
    if constexpr (Bit == 4) return _mm512_shuffle_i64x2(metric[i], metric[i], 0x4E);
    if constexpr (Bit == 3) return _mm512_shuffle_i64x2(metric[i], metric[i], 0xB1);
    if constexpr (Bit == 2) return _mm512_shuffle_epi32(metric[i], static_cast<_MM_PERM_ENUM>(0x4E));
    if constexpr (Bit == 1) return _mm512_shuffle_epi32(metric[i], static_cast<_MM_PERM_ENUM>(0xB1));
    return _mm512_rol_epi32(metric[i], 16);
}
WIMAX_STEP_INLINE __mmask64 wins(const Vector* move, const Vector* stay) {
    return _mm512_kunpackd(_mm512_cmpgt_epi16_mask(move[1], stay[1]), _mm512_cmpgt_epi16_mask(move[0], stay[0]));
}
template <unsigned Bit> WIMAX_STEP_INLINE Vector follow(const Vector* origin, size_t, __mmask64 moved) {
    const Vector own = *origin;
    if constexpr (Bit == 5) return _mm512_mask_mov_epi8(own, moved, _mm512_shuffle_i64x2(own, own, 0x4E));
    if constexpr (Bit == 4) return _mm512_mask_mov_epi8(own, moved, _mm512_shuffle_i64x2(own, own, 0xB1));
    return _mm512_mask_shuffle_epi8(own, moved, own, *reinterpret_cast<const Vector*>(kBytes.swap[Bit & 3U]));
}

#include "phy/coding/viterbi_steps.inc"
}  // namespace avx512

// ---- common to the forms that work in place ----

/// Place in memory of each state in phase 0, so that equal metrics are resolved alike by every kernel.
constexpr std::array<uint8_t, kStates> make_places(bool avx2_order) {
    std::array<uint8_t, kStates> places{};
    for (unsigned place = 0; place < kStates; ++place)
        places[state_at(avx2_order ? swap34(place) : place, 0)] = static_cast<uint8_t>(place);
    return places;
}

template <bool Avx2Order> unsigned best_position(const PathMetrics& metrics) {
    static constexpr auto kPlaces = make_places(Avx2Order);
    unsigned best = kPlaces[0];
    for (unsigned place : kPlaces)
        if (metrics.value[place] > metrics.value[best]) best = place;
    return Avx2Order ? swap34(best) : best;
}

/// The six bits decided in a round, oldest most significant, by the position after it.
constexpr auto kDecided = [] {
    std::array<uint8_t, kStates> table{};
    for (unsigned p = 0; p < kStates; ++p)
        for (unsigned bit = 0; bit < kPhases; ++bit)
            table[p] = static_cast<uint8_t>(table[p] | (p >> kPairedBit[bit] & 1U) << (kPhases - 1 - bit));
    return table;
}();

constexpr size_t kRoundsPerPack = 4;  // 24 bits

void traceback_in_place(const Survivors* survivors, size_t rounds, unsigned end, size_t bytes, uint8_t* out) {
    unsigned p = end;
    for (; rounds * kPhases >= 8 * bytes + kRoundsPerPack * kPhases; --rounds) p = survivors[rounds - 1].value[p];
    while (rounds > 0) {
        const size_t first = (rounds - 1) / kRoundsPerPack * kRoundsPerPack;
        unsigned bits = 0;
        for (; rounds > first; --rounds) {
            bits |= static_cast<unsigned>(kDecided[p]) << kPhases * (first + kRoundsPerPack - rounds);
            p = survivors[rounds - 1].value[p];
        }
        const size_t at = first * kPhases / 8;
        for (size_t i = 0; i < 3 && at + i < bytes; ++i) out[at + i] = static_cast<uint8_t>(bits >> (16 - 8 * i));
    }
}

}  // namespace
#endif

const Kernel& kernel(InstructionSet which) {
    static constexpr Kernel kPortable{portable_add_compare_select, portable_best_end, portable_traceback};
#ifdef WIMAX_VITERBI_X86
    static constexpr Kernel kSse{sse41::add_compare_select, best_position<false>, traceback_in_place};
    static constexpr Kernel kAvx2{avx2::add_compare_select, best_position<true>, traceback_in_place};
    static constexpr Kernel kAvx512{avx512::add_compare_select, best_position<false>, traceback_in_place};
    switch (which) {
        case InstructionSet::sse41: return kSse;
        case InstructionSet::avx2: return kAvx2;
        case InstructionSet::avx512: return kAvx512;
        case InstructionSet::portable: break;
    }
#else
    (void)which;
#endif
    return kPortable;
}

}  // namespace gr::wimax::phy::viterbi
