"""Chances of a reckoned detector: thresholds crossed gradually, luck that lasts, and pictures that are smeared."""

from __future__ import annotations

import math

__all__ = ["LastingLuck", "chance_of", "rise", "sharp"]

_HALF_SMEARED = 0.5
_SMEARED_WIDTH = 0.06
"""Measured with the network that ships (``benchmarks/sign_detector.py --smears --worlds 60 --seed 8100``): of 201 signs
12 to 60 px wide in rendered pictures, smeared by shares of their width, it finds at 0.4 92 %, at 0.5 74 %, at 0.7 17 %.
Wider signs are lost at less, and near enough not to matter. Balls were not measured so; they are taken to be alike.
"""


def rise(value: float, middle: float, width: float) -> float:
    """Return how far a number is above a threshold that is crossed gradually, 0 to 1; 0.5 at the middle."""
    return 1.0 / (1.0 + math.exp(min(700.0, (middle - value) / width)))


def sharp(smear_px: float, width_px: float) -> float:
    """Return the share of things that are found although a turning camera smears them.

    Args:
        smear_px: how far the thing moves over the image during the exposure, px
        width_px: of the thing, px
    """
    return 1.0 if smear_px == 0.0 else 1.0 - rise(smear_px / width_px, _HALF_SMEARED, _SMEARED_WIDTH)


class LastingLuck:
    """Standard normal numbers of which each is correlated with the one before.

    Args:
        memory: that correlation, 0 to below 1
    """

    def __init__(self, memory: float) -> None:
        self._memory = memory
        self._fresh = math.sqrt(1.0 - memory**2)
        self._last: float | None = None

    def next(self, fresh: float) -> float:
        """Return the next number.

        Args:
            fresh: a standard normal number
        """
        self._last = fresh if self._last is None else self._memory * self._last + self._fresh * fresh
        return self._last


def chance_of(normal: float) -> float:
    """Return a standard normal number as one that is uniform from 0 to 1: the share of all that are smaller."""
    return (1.0 + math.erf(normal / math.sqrt(2.0))) / 2.0
