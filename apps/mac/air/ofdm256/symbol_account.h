/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Use of the symbols of a base station's subframes, since the start of the program.
 */
#pragma once

#include <cstdint>

namespace wimax::mac {

struct SymbolAccount {
    uint64_t preamble = 0, fch = 0, maps = 0, descriptors = 0, management = 0, data = 0, contention = 0, ranging = 0,
             idle = 0, gap = 0;
};

}  // namespace wimax::mac
