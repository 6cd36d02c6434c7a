// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/base/instruction_set.h>

#include <atomic>
#include <initializer_list>

namespace gr::wimax::phy {
namespace {

InstructionSet highest_within(InstructionSet most) {
    for (auto which : {InstructionSet::avx512, InstructionSet::avx2, InstructionSet::sse41})
        if (which <= most && instruction_set_available(which)) return which;
    return InstructionSet::portable;
}

std::atomic<InstructionSet>& chosen() {
    static std::atomic<InstructionSet> set{highest_within(InstructionSet::avx512)};
    return set;
}

}  // namespace

bool instruction_set_available(InstructionSet which) {
#if defined(__x86_64__)
    switch (which) {
        case InstructionSet::portable: return true;
        case InstructionSet::sse41: return __builtin_cpu_supports("sse4.1") != 0;
        case InstructionSet::avx2: return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
        case InstructionSet::avx512:
            return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                   __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    }
    return false;
#else
    return which == InstructionSet::portable;
#endif
}

InstructionSet best_instruction_set() { return chosen().load(std::memory_order_relaxed); }

void limit_instruction_set(InstructionSet most) { chosen().store(highest_within(most), std::memory_order_relaxed); }

}  // namespace gr::wimax::phy
