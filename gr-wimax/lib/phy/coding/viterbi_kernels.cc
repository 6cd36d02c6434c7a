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

// ---- SSE4.1: eight registers of eight metrics, four of sixteen positions ----

struct StateSse {
    __m128i metric[8], origin[4];
};

template <unsigned Bit> WIMAX_INLINE_SSE41 __m128i partner_metric(const StateSse& s, size_t i) {
    if constexpr (Bit >= 3) return s.metric[i ^ (1U << (Bit - 3))];
    if constexpr (Bit == 2) return _mm_shuffle_epi32(s.metric[i], 0x4E);
    if constexpr (Bit == 1) return _mm_shuffle_epi32(s.metric[i], 0xB1);
    return _mm_shufflehi_epi16(_mm_shufflelo_epi16(s.metric[i], 0xB1), 0xB1);
}
template <unsigned Bit> WIMAX_INLINE_SSE41 __m128i partner_origin(const StateSse& s, size_t i) {
    if constexpr (Bit >= 4) return s.origin[i ^ (1U << (Bit - 4))];
    return _mm_shuffle_epi8(s.origin[i], *reinterpret_cast<const __m128i*>(kBytes.swap[Bit & 3U]));
}

template <size_t Phase> WIMAX_INLINE_SSE41 void step(StateSse& s, const BranchMetrics& branch) {
    constexpr unsigned kBit = kPairedBit[Phase];
    const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch));
    const __m128i metrics = _mm_unpacklo_epi64(four, four);
    const auto* shuffles = reinterpret_cast<const __m128i*>(kShuffles.bytes[Phase]);
    __m128i stay[8], move[8], origin[4];
    for (size_t i = 0; i < 8; ++i) {
        const __m128i m = _mm_shuffle_epi8(metrics, shuffles[i]);
        stay[i] = _mm_add_epi16(s.metric[i], m);
        move[i] = _mm_sub_epi16(partner_metric<kBit>(s, i), m);
    }
    for (size_t i = 0; i < 4; ++i) {
        const __m128i moved = _mm_packs_epi16(_mm_cmpgt_epi16(move[2 * i], stay[2 * i]),
                                              _mm_cmpgt_epi16(move[2 * i + 1], stay[2 * i + 1]));
        origin[i] = _mm_blendv_epi8(s.origin[i], partner_origin<kBit>(s, i), moved);
    }
    for (size_t i = 0; i < 8; ++i) s.metric[i] = _mm_max_epi16(stay[i], move[i]);
    for (size_t i = 0; i < 4; ++i) s.origin[i] = origin[i];
}

WIMAX_TARGET_SSE41 void acs_sse(PathMetrics& metrics, const BranchMetrics* branches, Survivors* survivors,
                                size_t rounds) {
    auto* memory = reinterpret_cast<__m128i*>(metrics.value.data());
    const auto* identity = reinterpret_cast<const __m128i*>(kBytes.identity);
    StateSse s;
    for (size_t i = 0; i < 8; ++i) s.metric[i] = memory[i];
    for (size_t round = 0; round < rounds; ++round, branches += kPhases) {
        if (round * kPhases % kNormaliseSteps == 0) {
            const __m128i reference = _mm_set1_epi16(static_cast<int16_t>(_mm_extract_epi16(s.metric[0], 0)));
            for (auto& m : s.metric) m = _mm_sub_epi16(m, reference);
        }
        for (size_t i = 0; i < 4; ++i) s.origin[i] = identity[i];
        step<0>(s, branches[0]);
        step<1>(s, branches[1]);
        step<2>(s, branches[2]);
        step<3>(s, branches[3]);
        step<4>(s, branches[4]);
        step<5>(s, branches[5]);
        auto* out = reinterpret_cast<__m128i*>(survivors[round].value.data());
        for (size_t i = 0; i < 4; ++i) out[i] = s.origin[i];
    }
    for (size_t i = 0; i < 8; ++i) memory[i] = s.metric[i];
}

// ---- AVX2: four registers of sixteen metrics, two of thirty-two positions ----

struct StateAvx2 {
    __m256i metric[4], origin[2];
};

template <unsigned Bit> WIMAX_INLINE_AVX2 __m256i partner_metric(const StateAvx2& s, size_t i) {
    if constexpr (Bit == 5) return s.metric[i ^ 2U];
    if constexpr (Bit == 4) return _mm256_permute4x64_epi64(s.metric[i], 0x4E);
    if constexpr (Bit == 3) return s.metric[i ^ 1U];
    if constexpr (Bit == 2) return _mm256_shuffle_epi32(s.metric[i], 0x4E);
    if constexpr (Bit == 1) return _mm256_shuffle_epi32(s.metric[i], 0xB1);
    // One byte shuffle: words exchanged are bytes two apart.
    return _mm256_shuffle_epi8(s.metric[i], *reinterpret_cast<const __m256i*>(kBytes.swap[1]));
}
template <unsigned Bit> WIMAX_INLINE_AVX2 __m256i partner_origin(const StateAvx2& s, size_t i) {
    if constexpr (Bit == 5) return s.origin[i ^ 1U];
    if constexpr (Bit == 4) return _mm256_permute4x64_epi64(s.origin[i], 0x4E);
    return _mm256_shuffle_epi8(s.origin[i], *reinterpret_cast<const __m256i*>(kBytes.swap[Bit & 3U]));
}

template <size_t Phase> WIMAX_INLINE_AVX2 void step(StateAvx2& s, const BranchMetrics& branch) {
    constexpr unsigned kBit = kPairedBit[Phase];
    const __m256i metrics = _mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch)));
    const auto* shuffles = reinterpret_cast<const __m256i*>(kShufflesAvx2.bytes[Phase]);
    __m256i stay[4], move[4], origin[2];
    for (size_t i = 0; i < 4; ++i) {
        const __m256i m = _mm256_shuffle_epi8(metrics, shuffles[i]);
        stay[i] = _mm256_add_epi16(s.metric[i], m);
        move[i] = _mm256_sub_epi16(partner_metric<kBit>(s, i), m);
    }
    for (size_t i = 0; i < 2; ++i) {
        const __m256i moved = _mm256_packs_epi16(_mm256_cmpgt_epi16(move[2 * i], stay[2 * i]),
                                                 _mm256_cmpgt_epi16(move[2 * i + 1], stay[2 * i + 1]));
        origin[i] = _mm256_blendv_epi8(s.origin[i], partner_origin<kBit>(s, i), moved);
    }
    for (size_t i = 0; i < 4; ++i) s.metric[i] = _mm256_max_epi16(stay[i], move[i]);
    for (size_t i = 0; i < 2; ++i) s.origin[i] = origin[i];
}

WIMAX_TARGET_AVX2 void acs_avx2(PathMetrics& metrics, const BranchMetrics* branches, Survivors* survivors,
                                size_t rounds) {
    auto* memory = reinterpret_cast<__m256i*>(metrics.value.data());
    const auto* identity = reinterpret_cast<const __m256i*>(kBytes.identity);
    StateAvx2 s;
    for (size_t i = 0; i < 4; ++i) s.metric[i] = memory[i];
    for (size_t round = 0; round < rounds; ++round, branches += kPhases) {
        if (round * kPhases % kNormaliseSteps == 0) {
            const __m256i reference = _mm256_broadcastw_epi16(_mm256_castsi256_si128(s.metric[0]));
            for (auto& m : s.metric) m = _mm256_sub_epi16(m, reference);
        }
        for (size_t i = 0; i < 2; ++i) s.origin[i] = identity[i];
        step<0>(s, branches[0]);
        step<1>(s, branches[1]);
        step<2>(s, branches[2]);
        step<3>(s, branches[3]);
        step<4>(s, branches[4]);
        step<5>(s, branches[5]);
        auto* out = reinterpret_cast<__m256i*>(survivors[round].value.data());
        for (size_t i = 0; i < 2; ++i) out[i] = s.origin[i];
    }
    for (size_t i = 0; i < 4; ++i) memory[i] = s.metric[i];
}

// ---- AVX-512BW: two registers of thirty-two metrics, one of all positions ----

struct StateAvx512 {
    __m512i metric[2], origin;
};

template <unsigned Bit> WIMAX_INLINE_AVX512 __m512i partner_metric(const StateAvx512& s, size_t i) {
    if constexpr (Bit == 5) return s.metric[i ^ 1U];
    if constexpr (Bit == 4) return _mm512_shuffle_i64x2(s.metric[i], s.metric[i], 0x4E);
    if constexpr (Bit == 3) return _mm512_shuffle_i64x2(s.metric[i], s.metric[i], 0xB1);
    if constexpr (Bit == 2) return _mm512_shuffle_epi32(s.metric[i], static_cast<_MM_PERM_ENUM>(0x4E));
    if constexpr (Bit == 1) return _mm512_shuffle_epi32(s.metric[i], static_cast<_MM_PERM_ENUM>(0xB1));
    return _mm512_rol_epi32(s.metric[i], 16);
}
template <unsigned Bit> WIMAX_INLINE_AVX512 __m512i select_origin(__m512i origin, __mmask64 moved) {
    if constexpr (Bit == 5) return _mm512_mask_mov_epi8(origin, moved, _mm512_shuffle_i64x2(origin, origin, 0x4E));
    if constexpr (Bit == 4) return _mm512_mask_mov_epi8(origin, moved, _mm512_shuffle_i64x2(origin, origin, 0xB1));
    return _mm512_mask_shuffle_epi8(origin, moved, origin, *reinterpret_cast<const __m512i*>(kBytes.swap[Bit & 3U]));
}

template <size_t Phase> WIMAX_INLINE_AVX512 void step(StateAvx512& s, const BranchMetrics& branch) {
    constexpr unsigned kBit = kPairedBit[Phase];
    const __m512i metrics = _mm512_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch)));
    const auto* shuffles = reinterpret_cast<const __m512i*>(kShuffles.bytes[Phase]);
    __m512i stay[2], move[2];
    for (size_t i = 0; i < 2; ++i) {
        const __m512i m = _mm512_shuffle_epi8(metrics, shuffles[i]);
        stay[i] = _mm512_add_epi16(s.metric[i], m);
        move[i] = _mm512_sub_epi16(partner_metric<kBit>(s, i), m);
    }
    const __mmask64 moved =
        _mm512_kunpackd(_mm512_cmpgt_epi16_mask(move[1], stay[1]), _mm512_cmpgt_epi16_mask(move[0], stay[0]));
    for (size_t i = 0; i < 2; ++i) s.metric[i] = _mm512_max_epi16(stay[i], move[i]);
    s.origin = select_origin<kBit>(s.origin, moved);
}

WIMAX_TARGET_AVX512 void acs_avx512(PathMetrics& metrics, const BranchMetrics* branches, Survivors* survivors,
                                    size_t rounds) {
    auto* memory = reinterpret_cast<__m512i*>(metrics.value.data());
    const __m512i identity = *reinterpret_cast<const __m512i*>(kBytes.identity);
    StateAvx512 s{{memory[0], memory[1]}, identity};
    for (size_t round = 0; round < rounds; ++round, branches += kPhases) {
        if (round * kPhases % kNormaliseSteps == 0) {
            const __m512i reference = _mm512_broadcastw_epi16(_mm512_castsi512_si128(s.metric[0]));
            for (auto& m : s.metric) m = _mm512_sub_epi16(m, reference);
        }
        s.origin = identity;
        step<0>(s, branches[0]);
        step<1>(s, branches[1]);
        step<2>(s, branches[2]);
        step<3>(s, branches[3]);
        step<4>(s, branches[4]);
        step<5>(s, branches[5]);
        *reinterpret_cast<__m512i*>(survivors[round].value.data()) = s.origin;
    }
    memory[0] = s.metric[0];
    memory[1] = s.metric[1];
}

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
    static constexpr Kernel kSse{acs_sse, best_position<false>, traceback_in_place};
    static constexpr Kernel kAvx2{acs_avx2, best_position<true>, traceback_in_place};
    static constexpr Kernel kAvx512{acs_avx512, best_position<false>, traceback_in_place};
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
