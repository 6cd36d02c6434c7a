// SPDX-License-Identifier: GPL-3.0-or-later
// Run-time dispatch (instruction_set.h). A loop that the compiler vectorizes is written once and compiled for each
// instruction set:
//
//     WIMAX_SIMD_BODY void scale_body(float factor, int count, float* x) { ... }
//     constexpr simd::Dispatched<scale_body> scale;    // call scale(2.0F, n, x)
//
// Functions that the body calls must be inlined as well. A body that uses the compiler's vector types can be named once
// for each width, Dispatched<body<16>, body<32>, body<64>>. Functions written for one instruction set are marked with
// WIMAX_TARGET_*, helpers inlined into them with WIMAX_INLINE_*.
#pragma once

#include <gnuradio/wimax/phy/base/instruction_set.h>

#include <cstddef>
#include <cstring>
#include <utility>

#define WIMAX_SIMD_BODY __attribute__((always_inline)) static inline

#if defined(__x86_64__)
#define WIMAX_TARGET_SSE41 __attribute__((target("sse4.1")))
#define WIMAX_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define WIMAX_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#define WIMAX_INLINE_SSE41 __attribute__((always_inline)) WIMAX_TARGET_SSE41 inline
#define WIMAX_INLINE_AVX2 __attribute__((always_inline)) WIMAX_TARGET_AVX2 inline
#define WIMAX_INLINE_AVX512 __attribute__((always_inline)) WIMAX_TARGET_AVX512 inline
#endif

namespace gr::wimax::phy::simd {

template <class T, size_t Bytes> struct VectorOf {
    typedef T Type __attribute__((vector_size(Bytes)));  // GCC ignores the attribute in alias declarations
};
/// The compiler's vector of `Bytes` bytes; for use within inlined functions only.
template <class T, size_t Bytes> using Vector = typename VectorOf<T, Bytes>::Type;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
template <class V, class T> WIMAX_SIMD_BODY V load(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <class V, class T> WIMAX_SIMD_BODY void store(const V& v, T* to) { std::memcpy(to, &v, sizeof v); }
/// `v`, but not a constant for the compiler. GCC 12 compiles x < v ? x : v to one instruction only if v is not a
/// constant; Clang always does. Use it before a loop: GCC does not move it out of one.
template <class V> WIMAX_SIMD_BODY V unfolded(V v) {
#if defined(__x86_64__) && !defined(__clang__)
    __asm__("" : "+v"(v));
#endif
    return v;
}
#pragma GCC diagnostic pop

/// A function object that calls the form of `Body` for best_instruction_set(). `Body32`, `Body64`: forms for vectors of
/// that many bytes, if they exist.
template <auto Body, auto Body32 = Body, auto Body64 = Body32> class Dispatched;

template <class Result, class... Arguments, Result (*Body)(Arguments...), Result (*Body32)(Arguments...),
          Result (*Body64)(Arguments...)>
class Dispatched<Body, Body32, Body64> {
public:
    Result operator()(Arguments... arguments) const {
#if defined(__x86_64__)
        static constexpr Result (*kForms[])(Arguments...) = {portable, sse41, avx2, avx512};
        return kForms[static_cast<size_t>(best_instruction_set())](arguments...);
#else
        return portable(arguments...);
#endif
    }

private:
    static Result portable(Arguments... arguments) { return Body(arguments...); }
#if defined(__x86_64__)
    WIMAX_TARGET_SSE41 static Result sse41(Arguments... arguments) { return Body(arguments...); }
    WIMAX_TARGET_AVX2 static Result avx2(Arguments... arguments) { return Body32(arguments...); }
    WIMAX_TARGET_AVX512 static Result avx512(Arguments... arguments) { return Body64(arguments...); }
#endif
};

}  // namespace gr::wimax::phy::simd
