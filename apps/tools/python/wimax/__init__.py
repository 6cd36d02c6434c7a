# SPDX-License-Identifier: GPL-3.0-or-later
"""IEEE 802.16-2004 WirelessMAN-OFDM from Python.

Signals as numpy arrays: `generate`, `impair`, `decode`. Stages of the PHY on arrays: `phy`. A cell on this machine, with kernel traffic: `Stack`.

>>> import wimax
>>> samples = wimax.generate({"bursts": [{"rate_id": 1, "diuc": 0, "data_symbols": 2, "payload": "C0FFEE"}]})
>>> heard = wimax.impair(samples, snr_db=20, cfo_hz=3000, seed=1)
>>> wimax.decode(heard)["frames"][0]["bursts"][0]["payload"][:6]
'C0FFEE'
"""
from typing import TYPE_CHECKING, Any

from wimax import phy
from wimax._core import __version__
from wimax.signals import RATES, decode, generate, impair, sample_rate_hz

if TYPE_CHECKING:
    from wimax.stack import Ping, Stack, StackError, Transfer

__all__ = ["RATES", "Ping", "Stack", "StackError", "Transfer", "__version__", "decode", "generate", "impair", "phy", "sample_rate_hz"]

_OF_PROGRAMS = ("Ping", "Stack", "StackError", "Transfer")


def __getattr__(name: str) -> Any:
    """What starts the project's programs; the wheel for pip has none of them."""
    if name not in _OF_PROGRAMS:
        raise AttributeError(f"module 'wimax' has no attribute '{name}'")
    try:
        from wimax import stack
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("wimax_tools"):
            raise
        raise ImportError(f"wimax.{name} starts the programs of the project, which pip does not install: "
                          "install the Debian packages or build the source tree (docs/installing.md)") from None
    return getattr(stack, name)
