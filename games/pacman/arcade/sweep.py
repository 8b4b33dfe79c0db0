"""Touch between samples: when two things that move straight come near to each other."""

from __future__ import annotations

import math

__all__ = ["first_touch"]


def first_touch(before: tuple[float, float], after: tuple[float, float], radius: float) -> float | None:
    """Return when one thing first comes within a radius of another, both moving straight and evenly.

    Args:
        before: place of the one relative to the other at the beginning, m
        after: the same at the end, m
        radius: m

    Returns:
        share of the time between, 0 to 1: the smaller root of |before + t (after - before)| = radius, 0 where it is
        within from the beginning; None where it never is
    """
    x, y = before
    dx, dy = after[0] - x, after[1] - y
    c = x * x + y * y - radius * radius
    if c <= 0.0:
        return 0.0
    a, half = dx * dx + dy * dy, x * dx + y * dy
    root = half * half - a * c
    # Outside and not coming nearer, or passing by.
    if half >= 0.0 or root < 0.0:
        return None
    # c / (...) is the smaller root, without the cancellation of the textbook's form.
    share = c / (math.sqrt(root) - half)
    return share if share <= 1.0 else None
