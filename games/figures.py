"""Figures: what a judge leaves for pictures and reports: marks in the arena, and charts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["TIME", "Chart", "Curve", "Mark", "VerticalLine"]

TIME = "time, s"
"""The label of an x axis that is the trial's time; on such a chart the trial's marks are lines."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at an instant and a place.

    Attributes:
        now_s: since the trial's begin, s
        x: map frame, m
        y: map frame, m
        label: what happened, in a few words
        colour: ``#rrggbb``
    """

    now_s: float
    x: float
    y: float
    label: str
    colour: str = "#f2c230"

    def __post_init__(self) -> None:
        _check_finite("a mark", (self.now_s, self.x, self.y))


@dataclass(frozen=True, slots=True)
class VerticalLine:
    """A value of x that a chart marks with an upright line.

    Attributes:
        x: where, in the unit of the chart's x axis
        label: written above the line; empty for none
        colour: ``#rrggbb``
    """

    x: float
    label: str = ""
    colour: str = "#b9b3a6"

    def __post_init__(self) -> None:
        _check_finite("a moment", (self.x,))


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve of a chart.

    Attributes:
        name: in the legend; empty for none
        xs: one value a point, finite
        ys: as many; NaN breaks the curve. Empty in a chart of shares
        colour: ``#rrggbb``, or None for the drawer's choice
    """

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...] = ()
    colour: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "xs", tuple(float(x) for x in self.xs))
        object.__setattr__(self, "ys", tuple(float(y) for y in self.ys))
        _check_finite("xs", self.xs)
        if any(math.isinf(y) for y in self.ys):
            raise ValueError("ys are infinite")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a trial.

    Attributes:
        title: above it; charts of the same title in other trials are of the same kind
        x_label: with its unit, such as ``time, s``
        y_label: with its unit; empty where the title gives it
        curves: in the order of the legend
        style: ``line`` joins points; ``step`` keeps a value until the next point; ``share`` shows which share of
            the values of xs is at most x
        all_trials: whether the picture of a run draws it of every trial of every arm, in the arm's colour, and a
            chart of shares of the values of an arm's trials together
        moments: upright lines
    """

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    style: Literal["line", "step", "share"] = "line"
    all_trials: bool = False
    moments: tuple[VerticalLine, ...] = ()

    def __post_init__(self) -> None:
        if self.style not in ("line", "step", "share"):
            raise ValueError(f"{self.style!r} is no style of a chart")
        for curve in self.curves:
            if self.style == "share":
                if curve.ys:
                    raise ValueError(f"a chart of shares has ys: {curve.name!r}")
            elif len(curve.xs) != len(curve.ys):
                raise ValueError(f"{len(curve.xs)} xs and {len(curve.ys)} ys: {curve.name!r}")


def _check_finite(what: str, numbers: Sequence[float]) -> None:
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(
            f"{what} is not finite: {tuple(numbers)}" if len(numbers) < 4 else f"{what} are not all finite"
        )
