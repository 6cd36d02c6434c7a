/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viterbi_kernels.h"

#include "simd.h"
#include "viterbi_portable.h"

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined inputs inside its own AVX-512 intrinsics for mistakes.
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

// Address bits: 0..2 the word within 128 bits, the others as the decision masks of the kernels come out. For SSE bits 3..5
// number the register; for AVX-512 bits 3, 4 number the 128-bit lane, bit 5 the register; for AVX2 the byte packing
// interleaves two registers, so that bit 4 is the lane and bits 3, 5 the register. Steps within a lane alternate with
// cheaper ones.
constexpr std::array<unsigned, kPhases> kPairedBit{5, 0, 3, 1, 4, 2};

/// State that position `p` holds in phase `phase` (before its step).
constexpr unsigned state_at(unsigned p, size_t phase) {
    unsigned state = 0;
    for (size_t i = 0; i < kPhases; ++i) state |= (p >> kPairedBit[(phase + i) % kPhases] & 1U) << i;
    return state;
}

/// Address bits 3 and 4 exchanged: place in an AVX2 register file of 16 words each <-> position.
constexpr unsigned swap34(unsigned p) { return (p & ~030U) | (p & 010U) << 1 | (p & 020U) >> 1; }

/// Byte shuffles that spread the four branch metrics over the positions, by phase and place in memory.
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

// ---- SSE4.1: eight registers of eight metrics ----

#define WIMAX_SSE __attribute__((target("sse4.1"), always_inline)) inline

template <unsigned Bit>
WIMAX_SSE __m128i partner128(const __m128i* r, size_t i) {
    if constexpr (Bit >= 3) return r[i ^ (1U << (Bit - 3))];
    if constexpr (Bit == 2) return _mm_shuffle_epi32(r[i], 0x4E);
    if constexpr (Bit == 1) return _mm_shuffle_epi32(r[i], 0xB1);
    return _mm_shufflehi_epi16(_mm_shufflelo_epi16(r[i], 0xB1), 0xB1);
}

template <size_t Phase>
WIMAX_SSE uint64_t step_sse(__m128i* r, const BranchMetrics& branch) {
    const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch));
    const __m128i metrics = _mm_unpacklo_epi64(four, four);
    const auto* shuffles = reinterpret_cast<const __m128i*>(kShuffles.bytes[Phase]);
    __m128i stay[8], partner[8];
    for (size_t i = 0; i < 8; ++i) {
        const __m128i m = _mm_shuffle_epi8(metrics, shuffles[i]);
        stay[i] = _mm_add_epi16(r[i], m);
        partner[i] = _mm_sub_epi16(partner128<kPairedBit[Phase]>(r, i), m);
    }
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i += 2) {
        const __m128i won = _mm_packs_epi16(_mm_cmpgt_epi16(partner[i], stay[i]), _mm_cmpgt_epi16(partner[i + 1], stay[i + 1]));
        word |= static_cast<uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(won))) << (8 * i);
    }
    for (size_t i = 0; i < 8; ++i) r[i] = _mm_max_epi16(stay[i], partner[i]);
    return word;
}

__attribute__((target("sse4.1"))) void acs_sse(PathMetrics& metrics, const BranchMetrics* branches, uint64_t* decisions,
                                               size_t steps) {
    auto* memory = reinterpret_cast<__m128i*>(metrics.value.data());
    __m128i r[8];
    for (size_t i = 0; i < 8; ++i) r[i] = memory[i];
    for (size_t t = 0; t < steps; t += kPhases) {
        if (t % kNormaliseSteps == 0) {
            const __m128i reference = _mm_set1_epi16(static_cast<int16_t>(_mm_extract_epi16(r[0], 0)));
            for (auto& x : r) x = _mm_sub_epi16(x, reference);
        }
        decisions[t] = step_sse<0>(r, branches[t]);
        decisions[t + 1] = step_sse<1>(r, branches[t + 1]);
        decisions[t + 2] = step_sse<2>(r, branches[t + 2]);
        decisions[t + 3] = step_sse<3>(r, branches[t + 3]);
        decisions[t + 4] = step_sse<4>(r, branches[t + 4]);
        decisions[t + 5] = step_sse<5>(r, branches[t + 5]);
    }
    for (size_t i = 0; i < 8; ++i) memory[i] = r[i];
}

// ---- AVX2: four registers of sixteen ----

#define WIMAX_AVX2 __attribute__((target("avx2"), always_inline)) inline

template <unsigned Bit>
WIMAX_AVX2 __m256i partner256(const __m256i* r, size_t i) {
    if constexpr (Bit == 5) return r[i ^ 2U];
    if constexpr (Bit == 4) return _mm256_permute4x64_epi64(r[i], 0x4E);
    if constexpr (Bit == 3) return r[i ^ 1U];
    if constexpr (Bit == 2) return _mm256_shuffle_epi32(r[i], 0x4E);
    if constexpr (Bit == 1) return _mm256_shuffle_epi32(r[i], 0xB1);
    return _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(r[i], 0xB1), 0xB1);
}

template <size_t Phase>
WIMAX_AVX2 uint64_t step_avx2(__m256i* r, const BranchMetrics& branch) {
    const __m256i metrics = _mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch)));
    const auto* shuffles = reinterpret_cast<const __m256i*>(kShufflesAvx2.bytes[Phase]);
    __m256i stay[4], partner[4];
    for (size_t i = 0; i < 4; ++i) {
        const __m256i m = _mm256_shuffle_epi8(metrics, shuffles[i]);
        stay[i] = _mm256_add_epi16(r[i], m);
        partner[i] = _mm256_sub_epi16(partner256<kPairedBit[Phase]>(r, i), m);
    }
    uint64_t word = 0;
    for (size_t i = 0; i < 4; i += 2) {
        const __m256i won =
            _mm256_packs_epi16(_mm256_cmpgt_epi16(partner[i], stay[i]), _mm256_cmpgt_epi16(partner[i + 1], stay[i + 1]));
        word |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(won))) << (16 * i);
    }
    for (size_t i = 0; i < 4; ++i) r[i] = _mm256_max_epi16(stay[i], partner[i]);
    return word;
}

__attribute__((target("avx2"))) void acs_avx2(PathMetrics& metrics, const BranchMetrics* branches, uint64_t* decisions,
                                              size_t steps) {
    auto* memory = reinterpret_cast<__m256i*>(metrics.value.data());
    __m256i r[4];
    for (size_t i = 0; i < 4; ++i) r[i] = memory[i];
    for (size_t t = 0; t < steps; t += kPhases) {
        if (t % kNormaliseSteps == 0) {
            const __m256i reference = _mm256_broadcastw_epi16(_mm256_castsi256_si128(r[0]));
            for (auto& x : r) x = _mm256_sub_epi16(x, reference);
        }
        decisions[t] = step_avx2<0>(r, branches[t]);
        decisions[t + 1] = step_avx2<1>(r, branches[t + 1]);
        decisions[t + 2] = step_avx2<2>(r, branches[t + 2]);
        decisions[t + 3] = step_avx2<3>(r, branches[t + 3]);
        decisions[t + 4] = step_avx2<4>(r, branches[t + 4]);
        decisions[t + 5] = step_avx2<5>(r, branches[t + 5]);
    }
    for (size_t i = 0; i < 4; ++i) memory[i] = r[i];
}

// ---- AVX-512BW: two registers of thirty-two ----

#define WIMAX_AVX512 __attribute__((target("avx512f,avx512bw"), always_inline)) inline

template <unsigned Bit>
WIMAX_AVX512 __m512i partner512(const __m512i* r, size_t i) {
    if constexpr (Bit == 5) return r[i ^ 1U];
    if constexpr (Bit == 4) return _mm512_shuffle_i64x2(r[i], r[i], 0x4E);
    if constexpr (Bit == 3) return _mm512_shuffle_i64x2(r[i], r[i], 0xB1);
    if constexpr (Bit == 2) return _mm512_shuffle_epi32(r[i], static_cast<_MM_PERM_ENUM>(0x4E));
    if constexpr (Bit == 1) return _mm512_shuffle_epi32(r[i], static_cast<_MM_PERM_ENUM>(0xB1));
    return _mm512_rol_epi32(r[i], 16);
}

template <size_t Phase>
WIMAX_AVX512 uint64_t step_avx512(__m512i* r, const BranchMetrics& branch) {
    const __m512i metrics = _mm512_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&branch)));
    const auto* shuffles = reinterpret_cast<const __m512i*>(kShuffles.bytes[Phase]);
    __m512i stay[2], partner[2];
    for (size_t i = 0; i < 2; ++i) {
        const __m512i m = _mm512_shuffle_epi8(metrics, shuffles[i]);
        stay[i] = _mm512_add_epi16(r[i], m);
        partner[i] = _mm512_sub_epi16(partner512<kPairedBit[Phase]>(r, i), m);
    }
    const uint64_t low = _mm512_cmpgt_epi16_mask(partner[0], stay[0]);
    const uint64_t high = _mm512_cmpgt_epi16_mask(partner[1], stay[1]);
    for (size_t i = 0; i < 2; ++i) r[i] = _mm512_max_epi16(stay[i], partner[i]);
    return high << 32 | low;
}

__attribute__((target("avx512f,avx512bw"))) void acs_avx512(PathMetrics& metrics, const BranchMetrics* branches,
                                                            uint64_t* decisions, size_t steps) {
    auto* memory = reinterpret_cast<__m512i*>(metrics.value.data());
    __m512i r[2] = {memory[0], memory[1]};
    for (size_t t = 0; t < steps; t += kPhases) {
        if (t % kNormaliseSteps == 0) {
            const __m512i reference = _mm512_broadcastw_epi16(_mm512_castsi512_si128(r[0]));
            for (auto& x : r) x = _mm512_sub_epi16(x, reference);
        }
        decisions[t] = step_avx512<0>(r, branches[t]);
        decisions[t + 1] = step_avx512<1>(r, branches[t + 1]);
        decisions[t + 2] = step_avx512<2>(r, branches[t + 2]);
        decisions[t + 3] = step_avx512<3>(r, branches[t + 3]);
        decisions[t + 4] = step_avx512<4>(r, branches[t + 4]);
        decisions[t + 5] = step_avx512<5>(r, branches[t + 5]);
    }
    memory[0] = r[0];
    memory[1] = r[1];
}

// ---- common to the forms that work in place ----

/// Place in memory of each state in phase 0, so that equal metrics are resolved alike by every kernel.
constexpr std::array<uint8_t, kStates> make_places(bool avx2_order) {
    std::array<uint8_t, kStates> places{};
    for (unsigned place = 0; place < kStates; ++place)
        places[state_at(avx2_order ? swap34(place) : place, 0)] = static_cast<uint8_t>(place);
    return places;
}

template <bool Avx2Order>
unsigned best_position(const PathMetrics& metrics) {
    static constexpr auto kPlaces = make_places(Avx2Order);
    unsigned best = kPlaces[0];
    for (unsigned place : kPlaces)
        if (metrics.value[place] > metrics.value[best]) best = place;
    return Avx2Order ? swap34(best) : best;
}

/// One step back. The address bit of the step holds the decided input bit; the decision moves to the partner.
inline unsigned back(uint64_t decision, unsigned& p, unsigned bit) {
    const unsigned decided = p >> bit & 1U;
    p ^= static_cast<unsigned>(decision >> p & 1U) << bit;
    return decided;
}

constexpr size_t kUnroll = 24;  // whole bytes and whole rounds of phases

WIMAX_SIMD_CLONES void traceback_in_place(const uint64_t* decisions, size_t steps, unsigned end, size_t emit, uint8_t* out) {
    unsigned p = end;
    size_t t = steps;
    while (t > emit && t % kUnroll != 0) {
        --t;
        back(decisions[t], p, kPairedBit[t % kPhases]);
    }
    while (t >= emit + kUnroll) {
        t -= kUnroll;
#pragma GCC unroll 24
        for (size_t i = kUnroll; i-- > 0;) back(decisions[t + i], p, kPairedBit[i % kPhases]);
    }
    while (t > emit) {
        --t;
        back(decisions[t], p, kPairedBit[t % kPhases]);
    }
    unsigned byte = 0;  // filled from its least significant end, because time runs backwards
    while (t % kUnroll != 0) {
        --t;
        byte |= back(decisions[t], p, kPairedBit[t % kPhases]) << (7 - t % 8);
        if (t % 8 == 0) {
            out[t / 8] = static_cast<uint8_t>(byte);
            byte = 0;
        }
    }
    while (t > 0) {
        t -= kUnroll;
        unsigned bits = 0;
#pragma GCC unroll 24
        for (size_t i = kUnroll; i-- > 0;) bits |= back(decisions[t + i], p, kPairedBit[i % kPhases]) << (kUnroll - 1 - i);
        out[t / 8] = static_cast<uint8_t>(bits >> 16);
        out[t / 8 + 1] = static_cast<uint8_t>(bits >> 8);
        out[t / 8 + 2] = static_cast<uint8_t>(bits);
    }
}

}  // namespace
#endif

const Kernel& kernel(ViterbiKernel which) {
    static constexpr Kernel kPortable{portable_add_compare_select, portable_best_end, portable_traceback};
#ifdef WIMAX_VITERBI_X86
    static constexpr Kernel kSse{acs_sse, best_position<false>, traceback_in_place};
    static constexpr Kernel kAvx2{acs_avx2, best_position<true>, traceback_in_place};
    static constexpr Kernel kAvx512{acs_avx512, best_position<false>, traceback_in_place};
    switch (which) {
        case ViterbiKernel::sse41: return kSse;
        case ViterbiKernel::avx2: return kAvx2;
        case ViterbiKernel::avx512: return kAvx512;
        case ViterbiKernel::portable: break;
    }
#else
    (void)which;
#endif
    return kPortable;
}

namespace {

inline BranchMetrics branch(int x, int y) {
    const auto sum = static_cast<int16_t>(x + y), difference = static_cast<int16_t>(x - y);
    return {{sum, difference, static_cast<int16_t>(-difference), static_cast<int16_t>(-sum)}};
}

}  // namespace

size_t fill_branches(CodeRate rate, const SoftBit* soft, size_t count, BranchMetrics* branches) {
    BranchMetrics* b = branches;
    const SoftBit* end = soft + count;
    switch (rate) {
        case CodeRate::r1_2:
            for (; soft < end; soft += 2) *b++ = branch(soft[0], soft[1]);
            break;
        case CodeRate::r2_3:
            for (; soft < end; soft += 3) {
                *b++ = branch(soft[0], soft[1]);
                *b++ = branch(0, soft[2]);
            }
            break;
        case CodeRate::r3_4:
            for (; soft < end; soft += 4) {
                *b++ = branch(soft[0], soft[1]);
                *b++ = branch(0, soft[2]);
                *b++ = branch(soft[3], 0);
            }
            break;
        case CodeRate::r5_6:
            for (; soft < end; soft += 6) {
                *b++ = branch(soft[0], soft[1]);
                *b++ = branch(0, soft[2]);
                *b++ = branch(soft[3], 0);
                *b++ = branch(0, soft[4]);
                *b++ = branch(soft[5], 0);
            }
            break;
    }
    return static_cast<size_t>(b - branches);
}

}  // namespace gr::wimax::phy::viterbi
