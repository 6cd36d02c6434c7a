# SPDX-License-Identifier: GPL-3.0-or-later
"""IEEE 802.16-2004 WirelessMAN-OFDM from Python.

Signals as numpy arrays: `generate`, `impair`, `decode`. A cell on this machine, with kernel traffic: `Stack`.

>>> import wimax
>>> samples = wimax.generate({"bursts": [{"rate_id": 1, "diuc": 0, "data_symbols": 2, "payload": "C0FFEE"}]})
>>> heard = wimax.impair(samples, snr_db=20, cfo_hz=3000, seed=1)
>>> wimax.decode(heard)["frames"][0]["bursts"][0]["payload"][:6]
'C0FFEE'
"""
from wimax.signals import RATES, decode, generate, impair, sample_rate_hz
from wimax.stack import Ping, Stack, StackError, Transfer

__all__ = ["RATES", "Ping", "Stack", "StackError", "Transfer", "decode", "generate", "impair", "sample_rate_hz"]
