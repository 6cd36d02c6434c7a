// SPDX-License-Identifier: GPL-3.0-or-later
// Included by every file that has faults to switch: mutant_active(n) is true if fault n is the one that the environment
// variable WIMAX_MUTANT names. The variable is read once, before main; a question costs a load and a comparison.
// Where WIMAX_MUTANTS_REACHED names a file of kMutantBits bits, each question sets the bit of its number there.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

inline constexpr long kMutantBits = 1L << 29;

struct MutantSwitches {
    long active = 0;
    unsigned char* reached = nullptr;
};

inline const MutantSwitches kMutantSwitches = [] {
    MutantSwitches switches;
    if (const char* number = std::getenv("WIMAX_MUTANT")) switches.active = std::strtol(number, nullptr, 10);
    const char* path = std::getenv("WIMAX_MUTANTS_REACHED");
    const int file = path ? ::open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        void* bits = ::mmap(nullptr, kMutantBits / 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (bits != MAP_FAILED) switches.reached = static_cast<unsigned char*>(bits);
        ::close(file);  // the mapping stays, and tests count descriptors
    }
    return switches;
}();

inline bool mutant_active(long number) noexcept {
    if (kMutantSwitches.reached)
        __atomic_fetch_or(kMutantSwitches.reached + number / 8, static_cast<unsigned char>(1U << (number % 8)),
                          __ATOMIC_RELAXED);
    return kMutantSwitches.active == number;
}
