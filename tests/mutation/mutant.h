// SPDX-License-Identifier: GPL-3.0-or-later
// Included by every file that has faults to switch: mutant_active(n) says whether fault n is the one that the environment
// variable WIMAX_MUTANT names. The variable is read once, before main; a question costs a load and a comparison.
#pragma once
#include <cstdlib>

inline const long kActiveMutant = [] {
    const char* number = std::getenv("WIMAX_MUTANT");
    return number ? std::strtol(number, nullptr, 10) : 0L;
}();

inline bool mutant_active(long number) noexcept { return kActiveMutant == number; }
