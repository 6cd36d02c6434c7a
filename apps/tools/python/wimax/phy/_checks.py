# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of arguments. All faults of a call are collected, then raised as one ValueError: name, shape or value, allowed range."""
from __future__ import annotations

import operator
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

Octets = NDArray[np.uint8]
"""Octets, bits (one per element) or labels."""
SoftBits = NDArray[np.int8]
ComplexArray = NDArray[np.complex64]
FloatArray = NDArray[np.float32]

CARRIERS = 201
"""Carriers of a symbol by offset -100..100; index 100 is the unused carrier 0."""


_NUMBERS = {"u": "integers", "i": "integers", "f": "real numbers", "c": "complex numbers"}


class Blocks(NamedTuple):
    """An array as rows of blocks, and the shape before its last dimension."""
    rows: NDArray[Any]
    lead: tuple[int, ...]

    def restore(self, rows: NDArray[Any], *shape: int) -> NDArray[Any]:
        """A result with one row per block, in the argument's leading shape; the last dimensions are `shape`."""
        return rows.reshape(self.lead + (shape or rows.shape[1:]))


class Arguments:
    """Reads arguments and collects what is wrong with them. After a fault a method returns a value that `refuse` never lets pass."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def fault(self, text: str) -> None:
        self.faults.append(text)

    def refuse(self) -> None:
        if self.faults:
            raise ValueError("\n".join(self.faults))

    def integer(self, name: str, value: Any, low: int, high: int) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            number = low - 1
        if not low <= number <= high:
            self.fault(f"{name}: value {value!r}: allowed {low}..{high}")
            return low
        return number

    def number(self, name: str, value: Any, low: float, high: float) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not low <= number <= high:
            self.fault(f"{name}: value {value!r}: allowed {low:g}..{high:g}")
            return low
        return number

    def choice(self, name: str, value: Any, allowed: tuple[Any, ...]) -> int:
        """Index of the value among those allowed."""
        if not isinstance(value, bool) and value in allowed:
            return allowed.index(value)
        self.fault(f"{name}: value {value!r}: allowed {', '.join(map(str, allowed))}")
        return 0

    def array(self, name: str, value: Any, dtype: Any, last: Optional[int] = None, *, multiple: int = 1, low: Optional[int] = None,
              high: Optional[int] = None, tail: tuple[int, ...] = ()) -> Blocks:
        """`last`: length of the last dimension, None: any multiple of `multiple` above 0. `tail`: lengths of the last dimensions instead;
        the rows then have all of them. `low`, `high`: range of integers."""
        shape = tail or (last if last is not None else multiple,)
        nothing = Blocks(np.zeros((1, int(np.prod(shape))), dtype), (1,))
        array = self._converted(name, value, dtype, low, high)
        if array is None:
            return nothing
        wanted = f"(..., {', '.join(map(str, shape))})" if tail or last is not None else \
            f"(..., n)" + (f" with n a multiple of {multiple}" if multiple > 1 else " with n above 0")
        length = len(shape)
        fits = array.ndim >= length and (array.shape[-length:] == shape if tail or last is not None
                                         else array.shape[-1] > 0 and array.shape[-1] % multiple == 0)
        if not fits:
            self.fault(f"{name}: shape {array.shape}: allowed {wanted}")
            return nothing
        lead = array.shape[:-length]
        width = int(np.prod(array.shape[-length:]))
        return Blocks(np.ascontiguousarray(array).reshape(int(np.prod(lead)), width), lead)

    def _converted(self, name: str, value: Any, dtype: Any, low: Optional[int], high: Optional[int]) -> Optional[NDArray[Any]]:
        kind = np.dtype(dtype).kind
        try:
            array = np.frombuffer(value, np.uint8) if isinstance(value, (bytes, bytearray)) and kind == "u" else np.asarray(value)
        except ValueError:
            array = np.asarray(None)
        if array.dtype.kind not in {"u": "biu", "i": "biu", "f": "biuf", "c": "biufc"}[kind]:
            self.fault(f"{name}: {type(value).__name__} is not an array of {_NUMBERS[kind]}")
            return None
        if kind in "ui":
            limits = np.iinfo(dtype)
            least, most = limits.min if low is None else low, limits.max if high is None else high
            certain = array.dtype == np.dtype(dtype) and low is None and high is None
            if not certain and array.size and not (array.min() >= least and array.max() <= most):
                self.fault(f"{name}: values {array.min()}..{array.max()}: allowed {least}..{most}")
                return None
        return array.astype(dtype, copy=False)

    def column(self, name: str, value: Any, dtype: Any, blocks: Blocks, high: Optional[int] = None) -> NDArray[Any]:
        """One value for each block; a single value is that of all of them."""
        array = self._converted(name, value, dtype, None, high)
        if array is None:
            return np.zeros(len(blocks.rows), dtype)
        try:
            return np.ascontiguousarray(np.broadcast_to(array, blocks.lead)).reshape(len(blocks.rows))
        except ValueError:
            self.fault(f"{name}: shape {array.shape}: allowed (), {blocks.lead}")
            return np.zeros(len(blocks.rows), dtype)
