"""A small piece of work that is always the same: how long it takes shows how fast the machine is just now."""

from __future__ import annotations

import random
import time

import numpy as np

__all__ = ["calibrate"]

_ROUNDS = 20
_VALUES = np.linspace(0.0, 1.0, 256)
_ORDER = list(range(5_000))
# Looked up all over the memory, as a tick does: other programs slow that down, too, and not only arithmetic.
random.Random(0).shuffle(_ORDER)
_TABLE = {key: 0.5 * key for key in sorted(_ORDER)}


def calibrate() -> float:
    """Do the work, some of it in plain Python and some in numpy, and return the processor time that it took, s."""
    begun = time.process_time()
    total = 0.0
    for key in _ORDER:
        total += _TABLE[key]
    for number in range(_ROUNDS):
        total += float(np.sqrt(_VALUES * _VALUES + number).sum())
    return time.process_time() - begun
