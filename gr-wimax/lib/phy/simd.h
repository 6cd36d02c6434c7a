/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Run-time dispatch for loops that the compiler vectorizes by itself: one clone an instruction set, chosen when the
 * program is loaded. Off where the loader's choice cannot work (clang's instrumented builds, other processors).
 */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WIMAX_SIMD_CLONES __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define WIMAX_SIMD_CLONES
#endif
