// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace wimax {

/// Text for a terminal or a line of a log. Control characters (C0, DEL, C1), line and paragraph separators, characters
/// that change the direction of text or take no space, and octets that are not UTF-8 become \xNN or \u{NNNN}; a
/// backslash becomes \\, so that nothing can pass for an escape. Other text stays.
std::string printable(std::string_view text);
/// The same without doubling backslashes, for whole lines whose fixed parts may have some.
std::string printable_line(std::string_view line);
/// Text in which printable_line() has nothing to escape.
bool is_printable(std::string_view text);

}  // namespace wimax
