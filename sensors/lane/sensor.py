"""The lines of a lane, which a detector finds in the pictures of a camera, as a sensor."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from arena_trees.robot.lane import LaneLines
from arena_trees.robot.ros_messages.lane_text import LaneTextError, lane_from_text, lane_to_text
from arena_trees.robot.sensor import RefusedReadingError, RosTopic, Sensor, Times

__all__ = ["SENSOR"]


def check(lane: LaneLines, before: LaneLines | None = None) -> LaneLines:
    """Return the lane.

    Raises:
        RefusedReadingError: a number is not finite, or a confidence is not within 0 to 1
    """
    lines = [line for line in (lane.red, lane.black) if line is not None]
    numbers = [number for line in lines for number in (line.offset, line.heading, line.confidence)]
    stop = () if lane.stop_distance is None else (lane.stop_distance,)
    if not all(map(math.isfinite, (*numbers, *stop, lane.lane_width))):
        raise RefusedReadingError("not finite")
    if not all(0.0 <= line.confidence <= 1.0 for line in lines):
        raise RefusedReadingError("out of range")
    return lane


def _read(message: Any, sequence: int = 0) -> LaneLines:
    try:
        return lane_from_text(message.data, sequence)
    except LaneTextError as error:
        raise RefusedReadingError("malformed") from error


def reading(message: Any, times: Times) -> LaneLines:
    """Return the lane in a ``std_msgs/String``.

    Raises:
        RefusedReadingError: the text tells of none
    """
    stamp, arrival, sequence = times
    return replace(_read(message, sequence), stamp=stamp, arrival=arrival)


SENSOR = Sensor(
    key="lane",
    description="lines of the lane",
    reading=LaneLines,
    check=check,
    by_role=True,
    stale_s=0.7,
    ros=RosTopic(
        topic="lane",
        type="std_msgs/msg/String",
        reading=reading,
        stamp=lambda message: _read(message).stamp,
        fields=lambda lane: {"data": lane_to_text(lane)},
    ),
    always_counted=True,
)
