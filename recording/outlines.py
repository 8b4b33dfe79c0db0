"""Outlines: what of a world is drawn from above."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Outline"]


@dataclass(frozen=True, slots=True)
class Outline:
    """One closed polygon of the world.

    Attributes:
        name: such as ``wall_north``, ``box_1``, or the robot whose fence it is
        kind: ``wall``, ``box``, ``fence`` or ``other``
        points: (x, y) of each corner, m, map frame, shape (n, 2), without a closing point
    """

    name: str
    kind: str
    points: NDArray[np.float64] = field(repr=False)
