"""The lines of a lane as text: JSON in std_msgs/String, since no standard message holds them.

Fields: ``stamp`` (ns, of the image), ``red`` and ``black`` ([offset (m), heading (rad), confidence (0 to 1)] in
base_link, or null where the line is lost), ``stop_distance`` (m, or null), ``lane_width`` (m), and ``near_slice`` and
``far_slice``, which the source system's law goes by ([red or null, black or null, half a lane], columns from the
image's middle in focal lengths, left positive; null or left out where no floor is seen there).
"""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena_trees.robot.lane import LaneLine, LaneLines, SliceColumns
from arena_trees.robot.messaging.game_message import Number
from arena_trees.robot.messaging.json_text import JsonError, JsonLimits, first_fault, read_json

__all__ = ["LaneTextError", "lane_from_text", "lane_to_text"]

_LIMITS = JsonLimits(bytes=2000, depth=3)

_Row = tuple[Number, Number, Number]
_SliceRow = tuple[Number | None, Number | None, Number]


class _LaneText(BaseModel):
    """What a text holds."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    stamp: Annotated[int, Field(ge=0, lt=1 << 63)]
    red: _Row | None
    black: _Row | None
    stop_distance: Number | None
    lane_width: Number
    near_slice: _SliceRow | None = None
    far_slice: _SliceRow | None = None


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
        "near_slice": _to_slice_row(lane.near_slice),
        "far_slice": _to_slice_row(lane.far_slice),
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
    try:
        read_json(text, _LIMITS)
        found = _LaneText.model_validate_json(text)
    except ValidationError as error:
        raise LaneTextError(f"no lane: {first_fault(error)}") from error
    except JsonError as error:
        raise LaneTextError(f"no lane: {error}") from error
    red, black = (None if row is None else LaneLine(*row) for row in (found.red, found.black))
    near, far = (None if row is None else SliceColumns(*row) for row in (found.near_slice, found.far_slice))
    return LaneLines(found.stamp, found.stamp, sequence, red, black, found.stop_distance, found.lane_width, near, far)


def _to_row(line: LaneLine | None) -> list[float] | None:
    return None if line is None else [line.offset, line.heading, line.confidence]


def _to_slice_row(seen: SliceColumns | None) -> list[float | None] | None:
    return None if seen is None else [seen.red, seen.black, seen.half_lane]
