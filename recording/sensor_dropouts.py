"""Silences: when a recorded sensor published nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arena_trees.recording.recording import RobotRecording
from arena_trees.robot.clock import SECOND

__all__ = ["SensorDropout", "dropouts_of"]

_NOT_PERIODIC = frozenset(("pose", "bumpers"))
"""What may come after motion only, or when there is something to publish."""

_SHORTEST = SECOND
_PERIODS = 5
"""A pause that is longer than so many usual ones, and than a second, is a silence."""

_FEWEST = 3
"""Messages from which it is known how often a sensor publishes."""


@dataclass(frozen=True, slots=True)
class SensorDropout:
    """One silence.

    Attributes:
        sensor: that is silent
        begin: of the last message before it, or of the recording, ns
        end: of the first message after it, or of the recording, ns
    """

    sensor: str
    begin: int
    end: int


def dropouts_of(robot: RobotRecording, start: int, end: int) -> Iterator[SensorDropout]:
    """Give the silences of a robot's sensors.

    Args:
        robot: as it is recorded
        start: of the recording, ns
        end: of the recording, ns
    """
    for sensor, readings in robot.streams().items():
        if sensor in _NOT_PERIODIC:
            continue
        arrivals = np.array([one.arrival for one in readings], dtype=np.int64)
        if len(arrivals) < _FEWEST:
            continue
        pauses = np.diff(arrivals)
        longest = max(_SHORTEST, _PERIODS * int(np.median(pauses)))
        instants = [start, *arrivals.tolist(), end]
        for begin, until in pairwise(instants):
            if until - begin > longest:
                yield SensorDropout(sensor, begin, until)
