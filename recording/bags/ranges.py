"""The ranges of the arena's LiDAR in recordings of before, which have them rounded to 1/4096 m."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["restored"]

_STEP = 0.00025
"""Metres to which the arena's LiDAR rounds, as the RPLIDAR A1's driver does."""

_SHORT = np.float32(4096.0)
"""Parts of a metre; the nearest is closer to a range than the next one that the LiDAR could have measured."""


def restored(ranges: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ranges that were rounded to 1/4096 m as they were, and everything else as it is.

    Ranges of another sensor that are whole parts of 1/4096 m all together move by an eighth of a millimetre at most.
    """
    parts = ranges * _SHORT
    if not np.array_equal(parts, np.rint(parts)):
        return ranges
    whole: NDArray[np.float32] = (np.round(ranges.astype(np.float64) / _STEP) * _STEP).astype(np.float32)
    return whole
