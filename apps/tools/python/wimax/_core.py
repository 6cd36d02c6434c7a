# SPDX-License-Identifier: GPL-3.0-or-later
"""The C++ core: arrays, numbers and texts. The other modules of the package have names, types and documentation."""
from __future__ import annotations

from typing import Any

try:
    import wimax_core
except ImportError as fault:
    raise ImportError(f"{fault}. The package wimax needs its compiled core: install it by pip (wimax-ofdm), or run scripts "
                      "by './wimax python SCRIPT', which builds it (docs/python.md)") from fault

__all__ = ["__version__", "core"]

core: Any = wimax_core

__version__: str = core.__version__
"""Version of the project."""
