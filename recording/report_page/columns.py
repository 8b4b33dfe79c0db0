"""Columns: numbers packed so that a page can hold hours of them."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Column", "Columns"]

Column = tuple[int, int, float]
"""Where a column begins in the bundle (bytes), how many values it has, and the value of one step."""

_NOTHING = -(2**29)
"""Stands for NaN; every other number lies above it."""

_FEW = 32
"""Values of a column that are packed one by one, which is faster for so few."""


class Columns:
    """Gathers columns and puts them into a bundle with a header.

    A value is kept as a whole number of steps: the difference to the one before it, zigzag coded, seven
    bits a byte, the lowest first. What lies beyond 2**29 steps is cut off there.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: ArrayLike, step: float = 1.0) -> Column:
        """Add a column; return where it is.

        Args:
            values: numbers, shape (n,); NaN stands for nothing
            step: smallest difference that is kept
        """
        numbers = np.asarray(values, dtype=np.float64)
        # Of a game that is shown while it goes on there are many short columns.
        part = _few(numbers.tolist(), step) if len(numbers) <= _FEW else _many(numbers, step)
        column = (self._size, len(numbers), step)
        self._parts.append(part)
        self._size += len(part)
        return column

    def bundle(self, header: Mapping[str, Any], level: int = 9) -> bytes:
        """Return the header's length (4 bytes, little-endian), the header as JSON, and the columns, by zlib.

        Args:
            header: what the columns are
            level: of compression; 0 for none at all, not even zlib's frame
        """
        # ASCII, so that no lone surrogate stands in the way, and without NaN, which is no JSON.
        text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode("ascii")
        whole = b"".join((struct.pack("<I", len(text)), text, *self._parts))
        return zlib.compress(whole, level) if level else whole


def _few(numbers: list[float], step: float) -> bytes:
    packed, last = bytearray(), 0
    for number in numbers:
        whole = _NOTHING if number != number else round(min(max(number / step, _NOTHING + 1), -_NOTHING))
        difference, last = whole - last, whole
        zigzag = 2 * difference if difference >= 0 else -2 * difference - 1
        while zigzag > 127:
            packed.append(zigzag & 127 | 128)
            zigzag >>= 7
        packed.append(zigzag)
    return bytes(packed)


def _many(numbers: NDArray[np.float64], step: float) -> bytes:
    nothing = np.isnan(numbers)
    whole = np.rint(np.clip(np.where(nothing, 0.0, numbers) / step, _NOTHING + 1, -_NOTHING)).astype(np.int64)
    whole[nothing] = _NOTHING
    return _varints(np.diff(whole, prepend=0))


def _varints(differences: NDArray[np.int64]) -> bytes:
    zigzag = (differences << 1) ^ (differences >> 63)
    groups = [(zigzag >> shift) & 127 for shift in range(0, 35, 7)]
    more = [zigzag >= 1 << shift for shift in range(7, 36, 7)]
    table = np.stack([group | (128 * follows) for group, follows in zip(groups, more, strict=True)], axis=1)
    used = np.stack([np.ones(len(zigzag), dtype=bool), *more[:-1]], axis=1)
    packed: bytes = table[used].astype(np.uint8).tobytes()
    return packed
