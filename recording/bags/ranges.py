"""The ranges of the arena's LiDAR in fewer bits: written shorter, and read back to the last bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["restored", "shortened"]

_STEP = 0.00025
"""Metres to which the arena's LiDAR rounds, as the RPLIDAR A1's driver does."""

_SHORT = np.float32(4096.0)
"""Parts of a metre; the nearest is closer to a range than the next one that the LiDAR could have measured."""


def shortened(ranges: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ranges (m) rounded to 1/4096 m, which packs a tenth smaller; as they are, where they would not come back.

    They come back where they are whole steps of the arena's LiDAR, which those of other sensors are not.
    """
    steps = np.rint(ranges / np.float32(_STEP)).astype(np.float64)
    if not ((steps * _STEP).astype(np.float32) == ranges).all():
        return ranges
    short: NDArray[np.float32] = np.rint(ranges * _SHORT) / _SHORT
    return short


def restored(ranges: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what was shortened as it was, and everything else as it is.

    Ranges of another sensor that are whole parts of 1/4096 m all together move by an eighth of a millimetre at most.
    """
    parts = ranges * _SHORT
    if not np.array_equal(parts, np.rint(parts)):
        return ranges
    whole: NDArray[np.float32] = (np.round(ranges.astype(np.float64) / _STEP) * _STEP).astype(np.float32)
    return whole
