# SPDX-License-Identifier: GPL-3.0-or-later
"""Text from the air or from files for a terminal: what a terminal would obey, or not show, is escaped. The same rule as apps/common/printable.h."""

import re

# Code points that a terminal obeys or does not show; unprintable() in apps/common/printable.cc has the same.
RANGES = ((0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xD800, 0xDFFF),
          (0xE000, 0xF8FF), (0xFDD0, 0xFDEF), (0xFEFF, 0xFEFF), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
          (0xF0000, 0x10FFFF))
UNPRINTABLE = re.compile("[" + "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in RANGES) + "]")


def escape(match):
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # an octet that is not UTF-8, as surrogateescape has it
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{{{code:04x}}}"


def printable(text):
    """One text, such as a name: a backslash is doubled, so that nothing can pass for an escape."""
    return UNPRINTABLE.sub(escape, str(text).replace("\\", "\\\\"))


def printable_lines(text):
    """Ready output of several lines: line breaks and backslashes stay."""
    return "\n".join(UNPRINTABLE.sub(escape, line) for line in str(text).split("\n"))
