"""Finds a robot again that hardly knows where it is: from many starts, a few a scan, and only where one place is best.

Scans of dark walls between many robots show too little of the walls to be matched one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arena_trees.games.crossroads.localisation.thin_scans import ThinScans
from arena_trees.games.crossroads.localisation.wall_match import Fit, WallMatcher
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.scan import Scan

__all__ = ["FoundPlace", "PlaceSearch"]

Array = NDArray[np.float64]

_ENOUGH = 400
"""Points of which a search is made: where they lie badly on walls cannot be chance."""

_EACH_SCAN = 12
"""Starts that are tried at each scan."""

_STEP = 0.15
"""Between two starts, m."""

_TURNS = (0.0, 0.12, -0.12)
"""Yaws at which starts begin, off the expected one, rad: never a quarter turn, after which a crossing looks alike."""

_FARTHEST = 0.6
"""Starts are no farther (m) from the expected place in x and y."""

_TURNED = 0.25
"""No place is believed at which the yaw is farther (rad) off the expected one: odometry keeps it well."""

_APART = 0.1
"""Places farther from each other (m) are two; a hull's radius is more."""

_ACROSS = 0.05
"""Places no farther (m, rad) across a line are on it."""

_MORE, _BETTER = 15.0, 1.05
"""So many points more, and so many times as many, must fit at the best place than at every other one."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundPlace:
    """Where a robot was found.

    Attributes:
        stamp: of the scan, ns
        moved: pose of base_link at that instant, odom frame
        fit: with the pose of base_link at that instant, map frame; its information may be singular, along a corridor
    """

    stamp: int
    moved: Pose2D
    fit: Fit


class PlaceSearch:
    """Searches for the place of a robot, scan by scan; it is of one odom frame, after a jump a new one is needed.

    Args:
        walls: matches scans with walls
    """

    def __init__(self, walls: WallMatcher) -> None:
        self._walls = walls
        self._scans = ThinScans(_ENOUGH)
        self._running: _Running | None = None

    def forget(self) -> None:
        """End the search: the robot knows its place."""
        self._scans.forget()
        self._running = None

    def look(self, scan: Scan, moved: Pose2D, expected: Pose2D, spread: float) -> tuple[bool, FoundPlace | None]:
        """Go on searching, and return whether the search ended here, and the place that clearly fits best, if any.

        Args:
            scan: the newest
            moved: pose of base_link at the scan's instant, odom frame
            expected: the same, map frame
            spread: how far (m) from the expected place, in x and y, to begin at least
        """
        if self._running is None:
            points = self._scans.gathered(scan, moved)
            if points is not None:
                self._running = _Running(scan.stamp, moved, *points, _starts(expected, spread), [])
            return False, None
        search = self._running
        batch, search.starts = search.starts[:_EACH_SCAN], search.starts[_EACH_SCAN:]
        search.fits += self._walls.fits(search.x, search.y, batch)
        if search.starts:
            return False, None
        self._running = None
        yaw = expected.compose(moved.relative(search.moved)).yaw
        best = _clearly_best([fit for fit in search.fits if abs(wrap(fit.pose.yaw - yaw)) <= _TURNED])
        return True, None if best is None else FoundPlace(search.stamp, search.moved, best)


@dataclass(slots=True, eq=False)
class _Running:
    """A search that is on its way: of which points, which starts are left, and what was found from the others."""

    stamp: int
    moved: Pose2D
    x: Array
    y: Array
    starts: list[Pose2D]
    fits: list[Fit]


def _starts(expected: Pose2D, spread: float) -> list[Pose2D]:
    """Return poses around the expected one."""
    count = math.ceil(min(spread, _FARTHEST) / _STEP - 1e-9)
    steps = [_STEP * number for number in range(-count, count + 1)]
    shifts: Iterable[tuple[float, float, float]] = itertools.product(steps, steps, _TURNS)
    return [Pose2D(expected.x + x, expected.y + y, expected.yaw + turn) for x, y, turn in shifts]


def _clearly_best(fits: list[Fit]) -> Fit | None:
    """Return the fit that is better than all that are elsewhere.

    Where others about as good all lie along one line with it, as in a corridor, little is known along that line: it may
    be any of them. Where they lie about otherwise there is no best one: None.
    """
    best = max(fits, key=lambda fit: fit.score, default=None)
    if best is None or best.score <= _MORE:
        return None
    least = min(best.score - _MORE, best.score / _BETTER)
    rivals = [fit for fit in fits if fit.score >= least and _apart(best, fit) > _APART]
    if not rivals:
        return best
    farthest = max(rivals, key=lambda fit: _apart(best, fit))
    x, y = farthest.pose.x - best.pose.x, farthest.pose.y - best.pose.y
    return _known_across(best, (x, y)) if all(_is_on(best, (x, y), fit) for fit in rivals) else None


def _apart(one: Fit, other: Fit) -> float:
    """Return how far two places are from each other, m."""
    return one.pose.distance_to(other.pose.x, other.pose.y)


def _is_on(best: Fit, way: tuple[float, float], other: Fit) -> bool:
    """Return whether another place is on the line through the best one that leads a way (x, y), and turned alike."""
    x, y = other.pose.x - best.pose.x, other.pose.y - best.pose.y
    across = abs(way[0] * y - way[1] * x) / math.hypot(*way)
    return across <= _ACROSS and abs(wrap(other.pose.yaw - best.pose.yaw)) <= _ACROSS


def _known_across(fit: Fit, way: tuple[float, float]) -> Fit:
    """Return a fit that may be off by a way (x, y), one standard deviation."""
    off = np.array([*way, 0.0])
    weight = fit.information @ off
    return replace(fit, information=fit.information - np.outer(weight, weight) / (1.0 + float(weight @ off)))
