"""Frames of shapes: what a game showed when, and how a page holds it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from arena_trees.games.figures import Mark
from arena_trees.robot.clock import from_seconds
from arena_trees.world.plain_shapes import to_plain
from arena_trees.world.shapes import Layer, Path, Shape, Text, in_layers

__all__ = ["ShapeFrame", "frame_at", "pack_frames", "settled", "with_marks"]

_MILLISECOND = 1_000_000
_MOST_FRAMES = 3_000
_MOST_SHAPES = 100_000
"""Different shapes that a page holds; frames after that are left out."""
_NEAREST = from_seconds(0.04)
"""Frames that follow faster are not seen apart."""
_NEW = from_seconds(4.0)
"""A mark's label is shown for so long."""
_CROSS = 0.09
"""m; half of a mark's cross."""


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


def with_marks(frames: Iterable[ShapeFrame], marks: Sequence[Mark], start: int) -> list[ShapeFrame]:
    """Return frames with a cross for each mark from its instant on, and its label for 4 s.

    Args:
        frames: in any order
        marks: what happened
        start: instant (ns) from which the marks' seconds count
    """
    known = sorted(frames, key=lambda frame: frame.now)
    begins = [(start + from_seconds(mark.now_s), mark) for mark in marks]
    instants = {frame.now for frame in known} | {begin + after for begin, _ in begins for after in (0, _NEW)}
    made = []
    for now in sorted(instants):
        shown = [shape for begin, mark in begins if begin <= now for shape in _cross(mark, now - begin < _NEW)]
        made.append(ShapeFrame(now, (*frame_at(known, now), *shown)))
    return made


def _cross(mark: Mark, labelled: bool) -> list[Shape]:
    shapes: list[Shape] = [
        Path(
            ((mark.x - _CROSS, mark.y - side * _CROSS), (mark.x + _CROSS, mark.y + side * _CROSS)),
            mark.colour,
            width=0.04,
            layer=Layer.THINGS,
            group="marks",
        )
        for side in (-1.0, 1.0)
    ]
    if labelled:
        shapes.append(Text(mark.x, mark.y + 0.3, mark.label, bold=True, halo="#ffffff", group="marks"))
    return shapes


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
