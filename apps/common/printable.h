/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that a terminal, a log and JSON can show as it is.
 */
#pragma once

#include <cstdint>
#include <string_view>

namespace wimax {

/// UTF-8 without control characters: neither C0 and DEL (escape, line break), nor C1 (U+0080 to U+009F).
inline bool is_printable(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
        const auto lead = static_cast<uint8_t>(text[at]);
        const size_t more = lead < 0x80 ? 0 : lead < 0xC2 ? 4 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : 4;
        if (more == 4 || at + more >= text.size() || lead < 0x20 || lead == 0x7F) return false;
        for (size_t i = 1; i <= more; ++i)
            if ((static_cast<uint8_t>(text[at + i]) & 0xC0) != 0x80) return false;
        if (lead == 0xC2 && static_cast<uint8_t>(text[at + 1]) < 0xA0) return false;
        at += more + 1;
    }
    return true;
}

}  // namespace wimax
