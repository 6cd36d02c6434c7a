// SPDX-License-Identifier: GPL-3.0-or-later
// Vector instructions that the PHY core uses. Every function that exists in several forms gives the same result in all
// of them (integers exactly, floating point up to rounding). FFTW and VOLK choose independently.
#pragma once

#include <gnuradio/wimax/api.h>

#include <cstdint>

namespace gr::wimax::phy {

/// In rising order. `portable` is compiled for the baseline processor, `avx2` includes FMA, `avx512` the
/// parts F, BW, DQ and VL. Processors other than x86-64 have `portable` only.
enum class InstructionSet : uint8_t { portable, sse41, avx2, avx512 };

/// True if this processor and this build support it, for any limit.
WIMAX_API bool instruction_set_available(InstructionSet which);

/// The highest available set within the limit.
WIMAX_API InstructionSet best_instruction_set();

/// Sets the process-wide limit, initially `avx512`. Existing objects keep their choice: call it before making objects.
WIMAX_API void limit_instruction_set(InstructionSet most);

}  // namespace gr::wimax::phy
