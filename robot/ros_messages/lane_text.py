"""The lines of a lane as text: JSON in std_msgs/String, since no standard message holds them.

Fields: ``stamp`` (ns, of the image), ``red`` and ``black`` ([offset (m), heading (rad), confidence (0 to 1)] in
base_link, or null where the line is lost), ``stop_distance`` (m, or null) and ``lane_width`` (m).
"""

from __future__ import annotations

import json
from typing import Any

from arena_trees.robot.lane import LaneLine, LaneLines

__all__ = ["LaneTextError", "lane_from_text", "lane_to_text"]

_KEYS = frozenset(("stamp", "red", "black", "stop_distance", "lane_width"))
_MOST_CHARACTERS = 2000
_MOST_NUMBER = 1e6


class LaneTextError(ValueError):
    """A text describes no lane."""


def lane_to_text(lane: LaneLines) -> str:
    """Return a lane as text.

    Raises:
        ValueError: a number is not finite
    """
    values = {
        "stamp": lane.stamp,
        "red": _to_row(lane.red),
        "black": _to_row(lane.black),
        "stop_distance": lane.stop_distance,
        "lane_width": lane.lane_width,
    }
    return json.dumps(values, allow_nan=False, separators=(",", ":"))


def lane_from_text(text: str, sequence: int) -> LaneLines:
    """Return the lane that a text describes; it arrives at its own stamp.

    Args:
        text: may be anything
        sequence: that the percept gets

    Raises:
        LaneTextError: it describes no lane
    """
    values = _values(text)
    stamp, stop = values["stamp"], values["stop_distance"]
    try:
        red, black = _from_row(values["red"]), _from_row(values["black"])
        width = _number(values["lane_width"])
        return LaneLines(stamp, stamp, sequence, red, black, None if stop is None else _number(stop), width)
    except (TypeError, ValueError) as error:
        raise LaneTextError(f"no lane: {error}") from error


def _values(text: str) -> dict[str, Any]:
    if len(text) > _MOST_CHARACTERS:
        raise LaneTextError("longer than a lane is")
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LaneTextError("no JSON") from error
    if not isinstance(values, dict) or values.keys() != _KEYS:
        raise LaneTextError("other fields than a lane has")
    stamp = values["stamp"]
    if type(stamp) is not int or not 0 <= stamp < 1 << 63:
        raise LaneTextError("no stamp")
    return values


def _to_row(line: LaneLine | None) -> list[float] | None:
    return None if line is None else [line.offset, line.heading, line.confidence]


def _from_row(row: Any) -> LaneLine | None:
    if row is None:
        return None
    offset, heading, confidence = row
    return LaneLine(_number(offset), _number(heading), _number(confidence))


def _number(value: Any) -> float:
    # The bound keeps what is computed of it finite; NaN fails every comparison.
    if type(value) not in (int, float) or not abs(value) <= _MOST_NUMBER:
        raise ValueError(f"{value!r} is no number to be used here")
    return float(value)
