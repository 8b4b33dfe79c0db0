"""Units of metrics: from the ends of their names, or from what their texts say after the last comma."""

from __future__ import annotations

import re

from arena_trees.games.metrics import Metric

__all__ = ["PLAIN", "UNITS", "unit_of"]

UNITS = {
    "m_s": "m/s", "rad_s": "rad/s", "s": "s", "ms": "ms", "m": "m", "mm": "mm", "rad": "rad", "deg": "deg", "hz": "Hz",
    "px": "px", "j": "J", "v": "V", "percent": "%",
}  # fmt: skip
"""What a name ends in that has a unit, and the unit; a longer end comes before one that it ends in."""

PLAIN = {
    "share": "none, a share from 0 to 1", "rate": "none, a share from 0 to 1", "ratio": "none, a ratio",
    "factor": "none, a factor", "score": "none, a score",
}  # fmt: skip
"""Endings of names that need no unit."""

_END = re.compile(rf"(?:^|_)({'|'.join((*UNITS, *PLAIN))})\Z")
_IN_TEXT = re.compile(r", ([a-z% ]{1,20})\Z")
_WORDS = {"percent": "%", "a trial": "a number a trial", "radians a second": "rad/s", "min": "minute"}
_PER = re.compile(r"_per_(?:(\d+)_)?([a-z]+)\Z")


def unit_of(metric: Metric) -> str:
    """Return the unit of a metric's value, in words where it has none; empty where nothing tells it."""
    if metric.kind == "rate":
        return PLAIN["share"]
    if metric.kind == "count":
        return "a number a trial"
    if end := _END.search(metric.name):
        return {**UNITS, **PLAIN}[end[1]]
    if per := _PER.search(metric.name):
        return f"a number in {per[1]} {per[2]}" if per[1] else f"a number a {_WORDS.get(per[2], per[2])}"
    unit = _IN_TEXT.search(metric.text)
    return _WORDS.get(unit[1], unit[1]) if unit else ""
