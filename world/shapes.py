"""Shapes: what of a world and of a game is drawn from above, stated once for every drawer.

Points are in the map frame, lengths in metres, colours ``#rrggbb``. What is thinner than a pixel is drawn one
pixel wide.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
import shapely

__all__ = [
    "Disc",
    "Layer",
    "Path",
    "Point",
    "Polygon",
    "Shape",
    "Text",
    "corners",
    "ground_of",
    "in_layers",
    "line_points",
]

Point: TypeAlias = tuple[float, float]
"""x and y, m, map frame."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")
_STEP = 0.001
"""m; by which a higher layer lies above a lower one where drawings are solid."""
_CORNERS = 24
"""Of a circle's edge."""


class Layer(IntEnum):
    """What lies above what; a higher one is drawn later."""

    GROUND = 0
    """The floor itself."""
    FLOOR = 10
    """What is on the floor: walls, fences, marks, trails."""
    THINGS = 20
    """What a game puts there."""
    ROBOTS = 30
    """Robots, and what moves as they do."""
    LABELS = 40
    """Text."""


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed polygon.

    Attributes:
        points: its corners, two or more, without a closing point
        fill: colour of its inside, or None
        line: colour of its edge, or None
        width: of the edge, m
        dash: length of the edge's dashes and of the gaps between them, m; 0 draws a whole line
        shift: by how much the dashes are moved along the edge, m
        alpha: opacity of inside and edge, 0 to 1
        layer: where it lies
        group: what it belongs to: RViz' namespace
        name: what a legend calls it; empty where it is in none
    """

    points: tuple[Point, ...]
    fill: str | None = None
    line: str | None = None
    width: float = 0.02
    dash: float = 0.0
    shift: float = 0.0
    alpha: float = 1.0
    layer: int = Layer.FLOOR
    group: str = "shapes"
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _points(self.points, 2))
        _check(self, lengths=("width", "dash", "shift"), colours=("fill", "line"))


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc.

    Attributes:
        x: of its centre, m
        y: of its centre, m
        radius: m, more than 0
        fill: colour of its inside, or None
        line: colour of its edge, or None
        width: of the edge, m
        height: of the cylinder that it is where drawings are solid, m
        alpha: opacity of inside and edge, 0 to 1
        layer: where it lies
        group: what it belongs to: RViz' namespace
        name: what a legend calls it; empty where it is in none
    """

    x: float
    y: float
    radius: float
    fill: str | None = None
    line: str | None = None
    width: float = 0.02
    height: float = 0.02
    alpha: float = 1.0
    layer: int = Layer.THINGS
    group: str = "shapes"
    name: str = ""

    def __post_init__(self) -> None:
        _check(self, numbers=("x", "y"), lengths=("radius", "width", "height"), colours=("fill", "line"))
        if self.radius == 0.0:
            raise ValueError("radius is 0")


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points.

    Attributes:
        points: one after the other; fewer than two draw nothing
        colour: of the line
        width: of the line, m
        dash: length of its dashes and of the gaps between them, m; 0 draws a whole line
        fading: whether it begins pale and ends in its full colour
        alpha: opacity, 0 to 1
        layer: where it lies
        group: what it belongs to: RViz' namespace
        name: what a legend calls it; empty where it is in none
    """

    points: tuple[Point, ...]
    colour: str
    width: float = 0.02
    dash: float = 0.0
    fading: bool = False
    alpha: float = 1.0
    layer: int = Layer.FLOOR
    group: str = "shapes"
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", _points(self.points, 0))
        _check(self, lengths=("width", "dash"), colours=("colour",))


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, or several, about a point.

    Attributes:
        x: of its middle, m
        y: of its middle, m
        text: what is written
        size: height of a line, m, more than 0
        colour: of the letters
        halo: colour of a rim about the letters, or None
        bold: whether the letters are bold
        height: above the floor where drawings are solid, m
        alpha: opacity, 0 to 1
        layer: where it lies
        group: what it belongs to: RViz' namespace
    """

    x: float
    y: float
    text: str
    size: float = 0.2
    colour: str = "#22303c"
    halo: str | None = None
    bold: bool = False
    height: float = 0.3
    alpha: float = 1.0
    layer: int = Layer.LABELS
    group: str = "shapes"

    def __post_init__(self) -> None:
        _check(self, numbers=("x", "y"), lengths=("size", "height"), colours=("colour", "halo"))
        if self.size == 0.0:
            raise ValueError("size is 0")


Shape: TypeAlias = Polygon | Disc | Path | Text


def in_layers(shapes: Iterable[Shape]) -> list[Shape]:
    """Return shapes in the order in which they are drawn: by layer, and within a layer as they come."""
    return sorted(shapes, key=lambda shape: shape.layer)


def ground_of(shape: Shape) -> float:
    """Return how high (m) a shape lies where drawings are solid, so that a higher layer covers a lower one."""
    return _STEP * shape.layer


def line_points(shape: Polygon | Disc | Path) -> tuple[list[Point], bool]:
    """Return the points (m) of a shape's edge or line, and whether they are the ends of dashes, in pairs.

    An edge ends where it begins. A line of fewer than two points has none.
    """
    if isinstance(shape, Disc):
        angles = np.linspace(0.0, 2.0 * math.pi, _CORNERS + 1).tolist()
        return [(shape.x + shape.radius * math.cos(a), shape.y + shape.radius * math.sin(a)) for a in angles], False
    points = list(shape.points)
    if isinstance(shape, Polygon):
        points.append(points[0])
    if len(points) < 2:
        return [], False
    if not shape.dash:
        return points, False
    shift = shape.shift if isinstance(shape, Polygon) else 0.0
    return _dashes(points, shape.dash, shift % (2.0 * shape.dash)), True


def _dashes(points: Sequence[Point], dash: float, begin: float) -> list[Point]:
    """Return the ends of a line's dashes, in pairs."""
    way = shapely.LineString(points)
    ends = [(start, min(start + dash, way.length)) for start in np.arange(begin, way.length, 2.0 * dash)]
    places = [way.interpolate(end) for pair in ends for end in pair]
    return [(place.x, place.y) for place in places]


def corners(shapes: Iterable[Shape]) -> list[Point]:
    """Return points (m) between which shapes lie; of a text, its middle."""
    points: list[Point] = []
    for shape in shapes:
        if isinstance(shape, (Polygon, Path)):
            points += shape.points
        elif isinstance(shape, Disc):
            points += [(shape.x + side * shape.radius, shape.y + side * shape.radius) for side in (-1.0, 1.0)]
        else:
            points.append((shape.x, shape.y))
    return points


def _points(points: Iterable[Sequence[float]], least: int) -> tuple[Point, ...]:
    """Return points as pairs of floats.

    Raises:
        ValueError: they are too few, or not finite, or no pairs of numbers
    """
    try:
        pairs = tuple((float(x), float(y)) for x, y in points)
    except TypeError as error:
        raise ValueError(f"points are no pairs of numbers: {error}") from error
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in pairs):
        raise ValueError("a point is not finite")
    if len(pairs) < least:
        raise ValueError(f"{len(pairs)} points are fewer than {least}")
    return pairs


def _check(shape: Any, numbers: Sequence[str] = (), lengths: Sequence[str] = (), colours: Sequence[str] = ()) -> None:
    """Refuse a shape that cannot be drawn, and make floats of its numbers."""
    for name in (*numbers, *lengths, "alpha"):
        object.__setattr__(shape, name, _finite(name, getattr(shape, name)))
    for name in lengths:
        if getattr(shape, name) < 0.0:
            raise ValueError(f"{name} is negative: {getattr(shape, name)}")
    if shape.alpha < 0.0 or shape.alpha > 1.0:
        raise ValueError(f"alpha is not between 0 and 1: {shape.alpha}")
    for name in colours:
        _check_colour(name, getattr(shape, name), optional=name != "colour")
    for name, kind in (("layer", int), ("group", str), ("name", str), ("text", str)):
        value = getattr(shape, name, kind())
        if not isinstance(value, kind):
            raise ValueError(f"{name} is {value!r}")


def _finite(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} is no number: {value!r}") from error
    if not math.isfinite(number):
        raise ValueError(f"{name} is not finite: {value}")
    return number


def _check_colour(name: str, colour: Any, optional: bool) -> None:
    if colour is None and optional:
        return
    if not isinstance(colour, str) or not _COLOUR.match(colour):
        raise ValueError(f"{name} is no colour #rrggbb: {colour!r}")
