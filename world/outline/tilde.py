"""The tilde: a band of even width along one period of a sine, with square ends."""

from __future__ import annotations

import numpy as np

from arena_trees.world.shapes import Point

__all__ = ["tilde_outline"]


def tilde_outline(length: float, amplitude: float, width: float, pieces: int) -> tuple[Point, ...]:
    """Return the corners of a tilde about the origin, counter-clockwise from its left end's lower corner.

    Its middle line is ``y = -amplitude sin(2 pi x / length)`` for ``|x| <= length / 2``: it rises first.

    Args:
        length: between the middles of its ends, m
        amplitude: of the sine, m
        width: across the middle line, m
        pieces: edges of either long side

    Raises:
        ValueError: a bend is narrower than half the width, so that the band would fold over itself
    """
    wave = 2.0 * np.pi / length
    if amplitude * wave * wave * width / 2.0 >= 1.0:
        raise ValueError("the band is wider than its bends allow")
    x = np.linspace(-length / 2.0, length / 2.0, pieces + 1)
    y = -amplitude * np.sin(wave * x)
    slope = -amplitude * wave * np.cos(wave * x)
    steep = np.hypot(1.0, slope)
    across = np.stack((-slope / steep, 1.0 / steep), axis=1) * (width / 2.0)
    middle = np.stack((x, y), axis=1)
    corners = np.concatenate((middle - across, (middle + across)[::-1]))
    return tuple((float(px), float(py)) for px, py in corners)
