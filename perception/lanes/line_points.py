"""Finds points of lines: in each row of a picture from above, the middles of marked stretches as narrow as a line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Points", "find_points"]

_LEAST = 0.15
"""Ink below this does not belong to a stretch."""

_PEAK = 0.5
"""The strongest cell of a stretch has at least this much."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Places on the floor (m, base_link) and how much each is trusted; arrays of shape (n,)."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.x)

    def pick(self, chosen: NDArray[np.bool_]) -> Points:
        """Return some of them."""
        return Points(self.x[chosen], self.y[chosen], self.weight[chosen])


def find_points(
    ink: NDArray[np.float32],
    seen: NDArray[np.bool_],
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    widths: tuple[float, float],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the middles of stretches of ink across rows: where along, where across, and how much ink (m).

    A stretch that reaches the edge of what is seen is left out: the rest of it is unknown.

    Args:
        ink: 0 to 1, shape (rows, columns)
        seen: which cells are in the image, shape (rows, columns)
        along: coordinate of each row, m
        across: coordinate of each column, m, evenly spaced
        widths: narrowest and widest stretch that counts, m
    """
    rows, columns = ink.shape
    # An empty column between the rows keeps stretches apart.
    padded = np.zeros((rows, columns + 1))
    padded[:, :columns] = ink
    known = np.zeros((rows, columns + 1), np.bool_)
    known[:, :columns] = seen
    flat = padded.ravel()
    # The last column belongs to no row, and the cell before the first is that one.
    whole = known.ravel()
    marks = np.diff(np.concatenate([[0], (flat > _LEAST).astype(np.int8), [0]]))
    starts, ends = np.flatnonzero(marks == 1), np.flatnonzero(marks == -1)
    if not starts.size:
        return np.empty(0), np.empty(0), np.empty(0)
    step = abs(across[1] - across[0])
    total = _sums(flat, starts, ends)
    moment = _sums(flat * np.tile(np.append(across, 0.0), rows), starts, ends)
    peak = np.maximum.reduceat(flat, starts)
    width = (ends - starts) * step
    good = whole[starts - 1] & whole[np.minimum(ends, whole.size - 1)]
    good &= (peak >= _PEAK) & (width >= widths[0]) & (width <= widths[1])
    return along[starts[good] // (columns + 1)], moment[good] / total[good], total[good] * step


def _sums(values: NDArray[np.float64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
    heap = np.concatenate([[0.0], np.cumsum(values)])
    found: NDArray[np.float64] = heap[ends] - heap[starts]
    return found
