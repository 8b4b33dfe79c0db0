"""Frames of shapes: what a game showed when, and how a page holds it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.clock import from_seconds
from arena_trees.world.shapes import Shape, in_layers, to_plain

__all__ = ["ShapeFrame", "frame_at", "pack_frames", "settled"]

_MILLISECOND = 1_000_000
_MOST_FRAMES = 3_000
_MOST_SHAPES = 100_000
"""Different shapes that a page holds; frames after that are left out."""
_NEAREST = from_seconds(0.04)
"""Frames that follow faster are not seen apart."""


@dataclass(frozen=True, slots=True)
class ShapeFrame:
    """What a game shows from an instant on, until the next frame.

    Attributes:
        now: instant, ns
        shapes: everything that is shown; map frame
    """

    now: int
    shapes: tuple[Shape, ...]


def settled(frames: Iterable[ShapeFrame], most: int = _MOST_FRAMES) -> list[ShapeFrame]:
    """Return the frames that show something new, in time's order, about so many at most.

    Of frames within the same 0.04 s the last one is kept, and where there are still too many, others are left out
    evenly, never the last of all.
    """
    last_of = {frame.now // _NEAREST: frame for frame in sorted(frames, key=lambda one: one.now)}
    kept: list[ShapeFrame] = []
    for frame in last_of.values():
        if not kept or frame.shapes != kept[-1].shapes:
            kept.append(frame)
    stride = max(1, -(-len(kept) // most))
    return [frame for number, frame in enumerate(kept) if number % stride == 0 or number == len(kept) - 1]


def frame_at(frames: Sequence[ShapeFrame], now: int) -> tuple[Shape, ...]:
    """Return what is shown at an instant (ns); nothing before the first frame."""
    number = bisect_right(frames, now, key=lambda frame: frame.now)
    return frames[number - 1].shapes if number else ()


def pack_frames(frames: Iterable[ShapeFrame], start: int) -> dict[str, Any]:
    """Return frames as a page holds them.

    Each different shape is kept once, in ``shapes``. ``frames`` holds for each frame its milliseconds since the
    start and how its list of shapes follows from that of the frame before: the place where they begin to differ, how
    many are taken out there, and the numbers of those that are put in.

    Args:
        frames: in any order
        start: instant that is the page's zero, ns
    """
    numbers: dict[Shape, int] = {}
    packed: list[list[Any]] = []
    before: list[int] = []
    for frame in settled(frames):
        now = [numbers.setdefault(shape, len(numbers)) for shape in in_layers(frame.shapes)]
        if len(numbers) > _MOST_SHAPES:
            break
        begin, after = _common(before, now)
        packed.append(
            [(frame.now - start) / _MILLISECOND, begin, len(before) - begin - after, now[begin : len(now) - after]]
        )
        before = now
    return {"shapes": [to_plain(shape) for shape in list(numbers)[:_MOST_SHAPES]], "frames": packed}


def _common(before: Sequence[int], now: Sequence[int]) -> tuple[int, int]:
    """Return how many numbers two lists have in common at their begin, and of the others at their end."""
    least = min(len(before), len(now))
    begin = next((index for index in range(least) if before[index] != now[index]), least)
    after = next((index for index in range(least - begin) if before[-1 - index] != now[-1 - index]), least - begin)
    return begin, after
