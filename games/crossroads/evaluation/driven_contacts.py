"""Contacts of robots that heed the scheduler, into which they drove themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable

from arena_trees.games.observers import Episodes
from arena_trees.games.truth import Truth, TruthSample

__all__ = ["DrivenContacts"]

_DROVE = 0.02
"""m/s towards the other above which a robot drove into it; a base that was commanded to stop still creeps."""


class DrivenContacts:
    """Counts the contacts of robots with others into which they drove.

    What counts is how the robot moved in the tick before they touched: the contact itself changes that.

    Args:
        robots: whose contacts count

    Attributes:
        number: of such contacts
    """

    def __init__(self, robots: Iterable[str]) -> None:
        self.number = 0
        self._robots = sorted(robots)
        self._before: Truth = {}
        self._episodes = Episodes()

    def observe(self, now: int, truth: Truth) -> None:
        """Look at one tick's truth (ns)."""
        for name in self._robots:
            sample = truth.get(name)
            for other in sorted(sample.contacts) if sample is not None else ():
                if other not in truth:
                    continue
                begins = self._episodes.begins((name, other), now)
                if begins and _approach(self._before.get(name), truth[other]) > _DROVE:
                    self.number += 1
        self._before = truth


def _approach(robot: TruthSample | None, other: TruthSample) -> float:
    """Return how fast (m/s) a robot moved towards another."""
    if robot is None:
        return 0.0
    bearing = robot.pose.bearing_to(other.pose.x, other.pose.y)
    return robot.twist.linear * math.cos(bearing)
