"""Grids: which values of which keys a sweep plays, and the points that they span."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena_trees.robot.configuration.yaml_files import parse_yaml, split_key
from arena_trees.robot.errors import ConfigError

__all__ = ["MOST_POINTS", "Axis", "Grid", "parse_axis", "parse_grid", "parse_number"]

MOST_POINTS = 1_000_000
"""Most points of a grid, and values of one key; more would take years to play."""

_FORM = "must have the form key=a,b,c or key=start:stop:n"
_NESTED = re.compile(r"""["'\[\]{}]""")
"""Characters in a list of values that only YAML can parse."""
_DIGITS = 15
"""Significant digits of the values of a range, so that a tenth of 3 is 0.3."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One key and its values.

    Attributes:
        key: as ``--set`` takes it
        values: plain values, all different, in the order in which they were given
    """

    key: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Grid:
    """Every combination of the values of some keys.

    Attributes:
        axes: of the grid; points are numbered with the last one running fastest
    """

    axes: tuple[Axis, ...]

    def __len__(self) -> int:
        return math.prod(len(axis.values) for axis in self.axes)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all axes."""
        return tuple(axis.key for axis in self.axes)

    def point(self, number: int) -> dict[str, Any]:
        """Return the values of a point, by key.

        Args:
            number: of the point, from 0
        """
        values: list[Any] = []
        for axis in reversed(self.axes):
            number, place = divmod(number, len(axis.values))
            values.append(axis.values[place])
        return dict(zip(self.keys, reversed(values), strict=True))

    @cached_property
    def points(self) -> tuple[dict[str, Any], ...]:
        """All points, in the order of their numbers."""
        return tuple(map(self.point, range(len(self))))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each key, as plan files hold them."""
        return {axis.key: list(axis.values) for axis in self.axes}


def parse_grid(texts: Iterable[str], source: str = "--grid", taken: Container[str] = ()) -> Grid:
    """Return the grid that ``key=a,b,c`` and ``key=start:stop:n`` ask for.

    Values of a list are read as YAML, as those of ``--set`` are. A range has n values, of which the first is ``start``
    and the last ``stop``; they are whole numbers where all of them can be and both ends are written so.

    Args:
        texts: one a key
        source: named in errors
        taken: keys that have been given a value otherwise

    Raises:
        ConfigError: a text has another form, a value is refused, or there are too many
    """
    axes: list[Axis] = []
    for text in texts:
        key, sign, values = text.partition("=")
        key = key.strip()
        if not sign or not key or not key.isprintable() or not values.strip():
            raise ConfigError(_FORM, file=source, value=text)
        if any(axis.key == key for axis in axes):
            raise ConfigError("is given twice", file=source, key=key)
        if key in taken:
            raise ConfigError("has one value by another option already", file=source, key=key)
        try:
            axes.append(parse_axis(key, values.strip()))
        except ConfigError as error:
            value = values if error.value is None else error.value
            raise ConfigError(error.reason, file=source, key=key, value=value) from error
    grid = Grid(tuple(axes))
    if not axes:
        raise ConfigError(_FORM, file=source)
    if len(grid) > MOST_POINTS:
        raise ConfigError(f"the grid has {len(grid)} points; at most {MOST_POINTS} are played", file=source)
    return grid


def parse_axis(key: str, text: str) -> Axis:
    """Return the axis that ``a,b,c`` or ``start:stop:n`` asks for.

    Raises:
        ConfigError: the text has another form, or a value is refused
    """
    split_key(key)
    return Axis(key, tuple(_values(text)))


def _values(text: str) -> Iterator[Any]:
    """Yield the values of one key, all different and finite."""
    nested = _NESTED.search(text) is not None
    if not nested and ":" in text:
        # Without spaces behind it, a colon makes no map; what holds one and is no range is a mistake.
        yield from _range(text)
        return
    if not nested and not all(item.strip() for item in text.split(",")):
        raise ConfigError("a value is missing between commas", value=text)
    values = parse_yaml(f"[{text}]", "")
    seen: set[object] = set()
    for value in values:
        _check_finite(value)
        same = _identity(value)
        if same in seen:
            raise ConfigError("is given twice", value=value)
        seen.add(same)
        yield value


def _range(text: str) -> Iterator[float]:
    """Yield the values of ``start:stop:n``."""
    parts = text.split(":")
    if len(parts) != 3 or "," in text:
        raise ConfigError("a range has the form start:stop:n, alone; a text with a colon stands in quotes", value=text)
    start, stop, count = (parse_number(part, text, "start, stop and n of a range must be numbers") for part in parts)
    if not isinstance(count, int) or not 2 <= count <= MOST_POINTS:
        raise ConfigError(f"n of start:stop:n must be a whole number from 2 to {MOST_POINTS}", value=parts[2].strip())
    values: list[Any]
    if isinstance(start, int) and isinstance(stop, int) and (stop - start) % (count - 1) == 0:
        step = (stop - start) // (count - 1)
        values = [start + step * place for place in range(count)]
    else:
        shares = (place / (count - 1) for place in range(count))
        values = [float(f"{start * (1.0 - share) + stop * share:.{_DIGITS}g}") for share in shares]
        values[0], values[-1] = float(start), float(stop)
    if any(one == other for one, other in itertools.pairwise(values)):
        raise ConfigError("start:stop:n gives a value more than once", value=text)
    yield from values


def parse_number(text: str, whole: str, wanted: str) -> int | float:
    """Return a finite number of a range.

    Args:
        text: of the number
        whole: text that it is a part of, for errors
        wanted: what was expected, for the error where it is no number

    Raises:
        ConfigError: it is no number, or not finite
    """
    try:
        value = parse_yaml(text.strip(), "")
    except ConfigError:
        value = None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(wanted, value=whole)
    _check_finite(value)
    return value


def _check_finite(value: Any) -> None:
    """Refuse NaN and infinity, wherever in a value, and whole numbers that are too large for a float."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            _check_finite(one)
    elif isinstance(value, int | float):
        try:
            finite = math.isfinite(value)
        except OverflowError:
            finite = False
        if not finite:
            raise ConfigError("must be finite", value=value if isinstance(value, float) else "a huge number")


def _identity(value: Any) -> object:
    """Return what equal values share: 1 and 1.0 are one, true and 1 are two."""
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True)
    return isinstance(value, bool), value
