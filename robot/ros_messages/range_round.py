"""Makes the ranges of a robot of what its single-beam sensors tell one by one."""

from __future__ import annotations

from collections.abc import Iterable

from arena_trees.robot.ranges import Ranges

__all__ = ["RangeRound"]


class RangeRound:
    """Makes new ranges of the newest readings, once each sensor has been heard since the last ones were made.

    So a sensor that is silent holds all of them back: they grow old, as they do where all are silent.

    Args:
        sensors: names of the robot's sensors, in the order of its mounts
    """

    def __init__(self, sensors: Iterable[str]) -> None:
        self._sensors = tuple(sensors)
        self._heard: dict[str, Ranges] = {}
        self._sequence = 0

    def add(self, one: Ranges) -> Ranges | None:
        """Take in ranges of one sensor; return those of all of them once the round is complete.

        Their stamp is that of the oldest reading, and they have arrived when the last one did.
        """
        self._heard[one.readings[0].name] = one
        if len(self._heard) < len(self._sensors):
            return None
        heard, self._heard = [self._heard[name] for name in self._sensors], {}
        self._sequence += 1
        return Ranges(
            min(each.stamp for each in heard),
            max(each.arrival for each in heard),
            self._sequence,
            tuple(each.readings[0] for each in heard),
        )
